/* SPDX-License-Identifier: MIT */
/*
 * The memory map, and leaving the firmware: the calls. What is made of them is
 * in memmap.c and exit.c.
 */
#include "boot/loader/loader.h"
#include "boot/loader/exit.h"
#include "boot/loader/memmap.h"

/* Owner: map_take(); one map for its readers before, and one at the end. */
static struct exit_map raw;
static struct memmap memmap;

static uint64_t get_map(void *priv, struct exit_map *m)
{
	UINT32 version;

	(void)priv;
	return uefi_call_wrapper(BS->GetMemoryMap, 5, &m->size,
				 (EFI_MEMORY_DESCRIPTOR *)m->map, &m->key,
				 &m->stride, &version);
}

static uint64_t leave(void *priv, size_t key)
{
	(void)priv;
	return uefi_call_wrapper(BS->ExitBootServices, 2, this_image, key);
}

void map_take(void)
{
	UINTN nr;

	get_map(NULL, &raw);
	if (raw.stride < sizeof(struct memmap_descriptor))
		raw.stride = sizeof(struct memmap_descriptor);
	raw.room = exit_room(raw.size, raw.stride);
	nr = raw.room / raw.stride;
	raw.map = (void *)alloc_pages(PAGES(raw.room), 0, L"memory map");
	memmap.room = nr;
	memmap.edge = (void *)alloc_pages(
		PAGES(2 * nr * sizeof(struct memmap_edge)), 0, L"memory map");
	memmap.mem = (void *)alloc_pages(
		PAGES(2 * nr * sizeof(struct boot_mem)), 0, L"memory map");
}

static void convert(void)
{
	memmap.map = raw.map;
	memmap.size = raw.size;
	memmap.stride = raw.stride;
	memmap_convert(&memmap);
}

const struct memmap *map_read(void)
{
	EFI_STATUS status;

	raw.size = raw.room;
	status = get_map(NULL, &raw);
	if (EFI_ERROR(status))
		die(L"memory map", status);
	convert();
	return &memmap;
}

void leave_firmware(struct boot_info *bi)
{
	static const struct exit_calls calls = { get_map, leave, NULL };

	if (exit_try(&calls, &raw))
		die_alone("the firmware does not end its boot services");
	convert();
	bi->mem = (UINT64)memmap.mem;
	bi->nr_mem = memmap.nr_mem;
	bi->mem_skipped = memmap.skipped;
	bi->mem_overlaps = memmap.overlaps;
}
