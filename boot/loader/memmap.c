/* SPDX-License-Identifier: MIT */
/*
 * The memory map, and leaving the firmware.
 */
#include "boot/loader/loader.h"

#define SLACK		32	/* descriptors that our own calls may add */
#define TRIES		8
#define MEMORY_SP	0x40000ULL	/* specific purpose */

/* Owner: exit_boot_services(). */
static UINT8 *map;
static UINTN map_room;

static UINT64 type_of(UINT32 efi, UINT64 attr)
{
	if (attr & MEMORY_SP)
		return BOOT_MEM_RESERVED;
	switch (efi) {
	case EfiConventionalMemory:
	case EfiBootServicesCode:
	case EfiBootServicesData:
		return attr & EFI_MEMORY_WB ? BOOT_MEM_USABLE :
					      BOOT_MEM_RESERVED;
	case EfiLoaderCode:
	case EfiLoaderData:
		return BOOT_MEM_LOADER;
	case EfiACPIReclaimMemory:
		return BOOT_MEM_ACPI;
	case EfiACPIMemoryNVS:
		return BOOT_MEM_NVS;
	case EfiRuntimeServicesCode:
	case EfiRuntimeServicesData:
		return BOOT_MEM_RUNTIME;
	case EfiMemoryMappedIO:
	case EfiMemoryMappedIOPortSpace:
		return BOOT_MEM_MMIO;
	}
	return BOOT_MEM_RESERVED;
}

/* Sorted insertion: firmware promises no order. */
static void insert(struct boot_info *bi, const struct boot_mem *entry)
{
	struct boot_mem *mem = (struct boot_mem *)bi->mem;
	UINTN i = bi->nr_mem++;

	for (; i && mem[i - 1].base > entry->base; i--)
		mem[i] = mem[i - 1];
	mem[i] = *entry;
}

static void merge(struct boot_info *bi)
{
	struct boot_mem *mem = (struct boot_mem *)bi->mem;
	UINTN kept = 0;

	for (UINTN i = 1; i < bi->nr_mem; i++) {
		if (mem[kept].type == mem[i].type &&
		    mem[kept].base + mem[kept].size == mem[i].base)
			mem[kept].size += mem[i].size;
		else
			mem[++kept] = mem[i];
	}
	bi->nr_mem = bi->nr_mem ? kept + 1 : 0;
}

static void convert(struct boot_info *bi, UINTN size, UINTN stride)
{
	bi->nr_mem = 0;
	bi->mem_skipped = 0;
	for (UINTN off = 0; off + sizeof(EFI_MEMORY_DESCRIPTOR) <= size;
	     off += stride) {
		const EFI_MEMORY_DESCRIPTOR *d =
			(const EFI_MEMORY_DESCRIPTOR *)(map + off);
		struct boot_mem entry = {
			.base = d->PhysicalStart,
			.size = d->NumberOfPages * PAGE_SIZE,
			.type = type_of(d->Type, d->Attribute),
		};

		if (!entry.size || entry.base % PAGE_SIZE ||
		    d->NumberOfPages > ~0ULL / PAGE_SIZE ||
		    entry.base + entry.size < entry.base)
			bi->mem_skipped++;
		else
			insert(bi, &entry);
	}
	merge(bi);
}

/* All memory that is needed is taken before the first try. */
static void take_room(struct boot_info *bi)
{
	UINTN size = 0, key, stride = 0;
	UINT32 version;

	uefi_call_wrapper(BS->GetMemoryMap, 5, &size, NULL, &key, &stride,
			  &version);
	if (stride < sizeof(EFI_MEMORY_DESCRIPTOR))
		stride = sizeof(EFI_MEMORY_DESCRIPTOR);
	map_room = size + SLACK * stride;
	map = (UINT8 *)alloc_pages(PAGES(map_room), 0, L"memory map");
	map_room = PAGES(map_room) * PAGE_SIZE;
	bi->mem = alloc_pages(PAGES(map_room / stride *
				    sizeof(struct boot_mem)), 0,
			      L"memory map");
}

void exit_boot_services(EFI_HANDLE image, struct boot_info *bi)
{
	UINTN size = 0, key, stride = 0;
	EFI_STATUS status = EFI_ABORTED;
	UINT32 version;

	take_room(bi);
	/* A stale key means that the map has changed: only these two calls. */
	for (UINTN i = 0; i < TRIES && EFI_ERROR(status); i++) {
		size = map_room;
		status = uefi_call_wrapper(BS->GetMemoryMap, 5, &size,
					   (EFI_MEMORY_DESCRIPTOR *)map, &key,
					   &stride, &version);
		if (!EFI_ERROR(status))
			status = uefi_call_wrapper(BS->ExitBootServices, 2,
						   image, key);
	}
	if (EFI_ERROR(status))
		die(L"ExitBootServices", status);
	convert(bi, size, stride);
}
