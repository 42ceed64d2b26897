/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on the loader's memory map. Input: a byte for the step, one for
 * the room, then the map as GetMemoryMap fills it.
 */
#include "tests/unit/efi_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check(bool claim)
{
	if (!claim)
		abort();
}

/* The first page of an entry is what it says, or of a type that wins. */
static void check_usable(const struct memmap *m, const uint8_t *map,
			 size_t nr, size_t stride)
{
	for (size_t i = 0; i < nr && i < m->room; i++) {
		struct memmap_descriptor d;
		uint64_t type;

		memcpy(&d, map + i * stride, sizeof(d));
		if (!d.nr_pages || d.base % MEMMAP_PAGE ||
		    d.base >= MEMMAP_END ||
		    d.nr_pages > (MEMMAP_END - d.base) / MEMMAP_PAGE)
			continue;
		type = efi_map_type_at(m, d.base);
		if (d.type == 0)
			check(type == BOOT_MEM_RESERVED ||
			      type == BOOT_MEM_LOADER);
		else if (d.type == 2)
			check(type == BOOT_MEM_LOADER);
		else if (d.type == 11)
			check(type >= BOOT_MEM_MMIO || type == BOOT_MEM_LOADER);
	}
}

static void check_runs(const struct memmap *m)
{
	struct boot_mem run;
	uint64_t end = 0;
	size_t i = 0;

	while (memmap_next_ram(m->mem, m->nr_mem, &i, &run)) {
		check(run.size && run.base >= end && i <= m->nr_mem);
		end = run.base + run.size + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct memmap m;
	uint8_t *exact;
	size_t stride, room, nr;

	if (n < 2)
		return 0;
	stride = data[0] % 4 ? 40 : data[0];
	room = data[1];
	data += 2;
	n -= 2;
	exact = malloc(n + !n);
	check(exact != NULL);
	memcpy(exact, data, n);
	nr = stride < 40 ? 0 : n / stride;
	efi_map_init(&m, exact, n, stride, room);
	memmap_convert(&m);
	check(!efi_map_fault(&m));
	check(m.nr_mem <= 2 * room);
	check(m.overlaps + m.skipped <= nr + 1);
	check_usable(&m, exact, nr, stride);
	check_runs(&m);
	efi_map_fini(&m);
	free(exact);
	return 0;
}
