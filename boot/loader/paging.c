/* SPDX-License-Identifier: MIT */
/*
 * The tables of the hand-over: kept below 4 GiB, since application processors
 * load their address in 32-bit code.
 */
#include "boot/loader/loader.h"
#include "boot/loader/memmap.h"

#define PTE_P		1ULL
#define PTE_W		2ULL
#define PTE_PS		0x80ULL
#define PTE_NX		(1ULL << 63)
#define PTE_ADDR	0x000ffffffffff000ULL
#define LARGE		(2ULL << 20)

/* The half of the addresses that the direct map, and identity, can have. */
#define DIRECT_SIZE	(1ULL << 46)
#define MAX_RUNTIME	(1ULL << 30)	/* one region; else it is nonsense */

static UINT64 *table_alloc(void)
{
	return (UINT64 *)alloc_pages(1, BELOW_4G, L"page table");
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

/* A large page never covers what is not memory: it may be a device's. */
static void map_run(UINT64 *root, const struct boot_mem *run, UINT64 nx)
{
	UINT64 end = run->base + run->size;
	UINT64 pa = run->base;

	if (end > DIRECT_SIZE)
		end = DIRECT_SIZE;
	while (pa < end) {
		if (pa % LARGE || end - pa < LARGE) {
			map_small(root, HHDM_BASE + pa, pa, PTE_W | nx);
			pa += PAGE_SIZE;
		} else {
			map_large(root, HHDM_BASE + pa, pa, PTE_W | nx);
			pa += LARGE;
		}
	}
}

static void map_ram(UINT64 *root, const struct memmap *m, UINT64 nx)
{
	struct boot_mem run;
	size_t i = 0;

	while (memmap_next_ram(m->mem, m->nr_mem, &i, &run))
		map_run(root, &run, nx);
}

/* At its own address, writable and executable; below 4 GiB all is. */
static void map_identity(UINT64 *root, UINT64 base, UINT64 size)
{
	UINT64 pa = base & ~(LARGE - 1);

	if (base >= DIRECT_SIZE || size > MAX_RUNTIME) {
		say(L"topaz-loader: [%lx + %lx] is not mapped\r\n", base,
		    size);
		return;
	}
	for (; pa < base + size; pa += LARGE)
		if (pa >= BELOW_4G)
			map_large(root, pa, pa, PTE_W);
}

/* Runtime services run at their own addresses: for a last ResetSystem. */
static void map_runtime(UINT64 *root, const struct memmap *m)
{
	for (size_t at = 0; at + m->stride <= m->size; at += m->stride) {
		const EFI_MEMORY_DESCRIPTOR *d =
			(const void *)((const char *)m->map + at);

		if (d->Attribute & EFI_MEMORY_RUNTIME &&
		    d->NumberOfPages <= MEMMAP_END / PAGE_SIZE)
			map_identity(root, d->PhysicalStart,
				     d->NumberOfPages * PAGE_SIZE);
	}
}

UINT64 paging_build(const struct kernel *kernel, const EFI_LOADED_IMAGE *self)
{
	UINT64 *root = table_alloc();
	UINT64 nx = cpu_has_nx() ? PTE_NX : 0;
	const struct memmap *m = map_read();

	for (UINT64 pa = 0; pa < BELOW_4G; pa += LARGE)
		map_large(root, pa, pa, PTE_W);
	map_identity(root, (UINT64)self->ImageBase, self->ImageSize);
	map_runtime(root, m);
	map_ram(root, m, nx);
	map_kernel(root, kernel, nx);
	return (UINT64)root;
}

UINT64 paging_root_5(UINT64 cr3)
{
	UINT64 *root = table_alloc();

	/* Both halves of the 48-bit addresses. */
	root[0] = cr3 | PTE_P | PTE_W;
	root[511] = cr3 | PTE_P | PTE_W;
	return (UINT64)root;
}
