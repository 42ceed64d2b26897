/* SPDX-License-Identifier: MIT */
/*
 * The tables of the hand-over: kept below 4 GiB, since application processors
 * load their address in 32-bit code.
 */
#include "boot/loader/loader.h"

#define PTE_P		1ULL
#define PTE_W		2ULL
#define PTE_PS		0x80ULL
#define PTE_NX		(1ULL << 63)
#define PTE_ADDR	0x000ffffffffff000ULL
#define LARGE		(2ULL << 20)
#define IDENTITY_SIZE	(4ULL << 30)

static UINT64 *table_alloc(void)
{
	return (UINT64 *)alloc_pages(1, 1ULL << 32, L"page table");
}

static UINT64 *next_table(UINT64 *table, UINT64 index)
{
	if (!(table[index] & PTE_P))
		table[index] = (UINT64)table_alloc() | PTE_P | PTE_W;
	return (UINT64 *)(table[index] & PTE_ADDR);
}

static UINT64 *directory_of(UINT64 *root, UINT64 va)
{
	UINT64 *table = next_table(root, va >> 39 & 511);

	return next_table(table, va >> 30 & 511);
}

static void map_large(UINT64 *root, UINT64 va, UINT64 pa, UINT64 bits)
{
	directory_of(root, va)[va >> 21 & 511] = pa | bits | PTE_P | PTE_PS;
}

static void map_small(UINT64 *root, UINT64 va, UINT64 pa, UINT64 bits)
{
	UINT64 *table = next_table(directory_of(root, va), va >> 21 & 511);

	table[va >> 12 & 511] = pa | bits | PTE_P;
}

static void map_kernel(UINT64 *root, const struct kernel *kernel, UINT64 nx)
{
	struct segment s[MAX_SEGMENTS];
	UINTN nr = kernel_segments(s);

	for (UINTN i = 0; i < nr; i++) {
		UINT64 bits = (s[i].flags & SEGMENT_W ? PTE_W : 0) |
			      (s[i].flags & SEGMENT_X ? 0 : nx);

		for (UINT64 off = 0; off < s[i].memsz; off += PAGE_SIZE) {
			UINT64 va = s[i].vaddr + off;

			map_small(root, va, kernel->base + va - KERNEL_BASE,
				  bits);
		}
	}
}

/* Runtime services run at their own addresses: for a last ResetSystem. */
static void map_runtime(UINT64 *root, UINT64 base, UINT64 top)
{
	if (base < IDENTITY_SIZE)
		base = IDENTITY_SIZE;
	for (UINT64 pa = base & ~(LARGE - 1); pa < top; pa += LARGE)
		map_large(root, pa, pa, PTE_W);
}

/* Runtime regions, and the end of RAM: the direct map goes that far. */
static UINT64 scan_map(UINT64 *root)
{
	EFI_MEMORY_DESCRIPTOR *map;
	UINTN nr = 0, key, stride = 0;
	UINT32 version;
	UINT64 end = 0;

	map = LibMemoryMap(&nr, &key, &stride, &version);
	if (!map)
		die(L"memory map", EFI_OUT_OF_RESOURCES);
	for (UINTN i = 0; i < nr; i++) {
		EFI_MEMORY_DESCRIPTOR *d =
			(void *)((UINT8 *)map + i * stride);
		UINT64 top = d->PhysicalStart + d->NumberOfPages * PAGE_SIZE;

		if (d->Attribute & EFI_MEMORY_RUNTIME)
			map_runtime(root, d->PhysicalStart, top);
		if (d->Type == EfiMemoryMappedIO ||
		    d->Type == EfiReservedMemoryType)
			continue;
		if (top > end)
			end = top;
	}
	FreePool(map);
	return end;
}

UINT64 paging_build(const struct kernel *kernel)
{
	UINT64 *root = table_alloc();
	UINT64 nx = cpu_has_nx() ? PTE_NX : 0;
	UINT64 end = scan_map(root);

	for (UINT64 pa = 0; pa < IDENTITY_SIZE; pa += LARGE)
		map_large(root, pa, pa, PTE_W);
	for (UINT64 pa = 0; pa < end; pa += LARGE)
		map_large(root, HHDM_BASE + pa, pa, PTE_W | nx);
	map_kernel(root, kernel, nx);
	return (UINT64)root;
}
