/* SPDX-License-Identifier: MIT */
/*
 * The memory map, and leaving the firmware: the calls. What is made of them is
 * in memmap.c and exit.c.
 */
#include "boot/loader/loader.h"
#include "boot/loader/exit.h"
#include "boot/loader/memmap.h"

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

static UINTN edge_bytes(const struct memmap *m)
{
	return 2 * m->room * sizeof(struct memmap_edge);
}

static UINTN mem_bytes(const struct memmap *m)
{
	return 2 * m->room * sizeof(struct boot_mem);
}

/* All memory that a map needs; it may grow by as much again meanwhile. */
static void take_room(struct exit_map *raw, struct memmap *m)
{
	*raw = (struct exit_map){ 0 };
	*m = (struct memmap){ 0 };
	get_map(NULL, raw);
	if (raw->stride < sizeof(struct memmap_descriptor))
		raw->stride = sizeof(struct memmap_descriptor);
	raw->room = exit_room(raw->size, raw->stride);
	m->room = raw->room / raw->stride;
	raw->map = (void *)alloc_pages(PAGES(raw->room), 0, L"memory map");
	m->edge = (void *)alloc_pages(PAGES(edge_bytes(m)), 0, L"memory map");
	m->mem = (void *)alloc_pages(PAGES(mem_bytes(m)), 0, L"memory map");
}

static void convert(const struct exit_map *raw, struct memmap *m)
{
	m->map = raw->map;
	m->size = raw->size;
	m->stride = raw->stride;
	memmap_convert(m);
}

void map_read(struct memmap *m)
{
	struct exit_map raw;
	EFI_STATUS status;

	take_room(&raw, m);
	raw.size = raw.room;
	status = get_map(NULL, &raw);
	if (EFI_ERROR(status))
		die(L"memory map", status);
	convert(&raw, m);
}

void map_free(struct memmap *m)
{
	/* The bytes of the map itself stay: their number is not known here. */
	free_pages((UINT64)m->edge, PAGES(edge_bytes(m)));
	free_pages((UINT64)m->mem, PAGES(mem_bytes(m)));
}

void leave_firmware(struct boot_info *bi)
{
	struct exit_calls calls = { get_map, leave, NULL };
	struct exit_map raw;
	struct memmap m;

	take_room(&raw, &m);
	if (exit_try(&calls, &raw))
		die_alone("the firmware does not end its boot services");
	convert(&raw, &m);
	bi->mem = (UINT64)m.mem;
	bi->nr_mem = m.nr_mem;
	bi->mem_skipped = m.skipped;
	bi->mem_overlaps = m.overlaps;
}
