/* SPDX-License-Identifier: MIT */
/*
 * The firmware's memory map turned into the hand-over's: sorted, disjoint,
 * merged, whatever the firmware said. Knows nothing of EFI's headers: also a
 * host program.
 */
#ifndef BOOT_LOADER_MEMMAP_H
#define BOOT_LOADER_MEMMAP_H

#include <stddef.h>
#include <stdint.h>
#include "boot/boot_info.h"

#define MEMMAP_PAGE	4096ULL
/* No processor has more physical address bits (SDM, "4-Level Paging"). */
#define MEMMAP_END	(1ULL << 52)

/* What UEFI, "GetMemoryMap()", calls EFI_MEMORY_DESCRIPTOR, version 1. */
struct memmap_descriptor {
	uint32_t type;
	uint32_t pad;
	uint64_t base;
	uint64_t virt;
	uint64_t nr_pages;
	uint64_t attr;
};

/* The start or the end of an entry: scratch memory of memmap_convert(). */
struct memmap_edge {
	uint64_t at;
	uint32_t type;
	int32_t step;			/* +1: starts here, -1: ends */
};

struct memmap {
	const void *map;		/* any alignment */
	size_t size;			/* bytes */
	size_t stride;			/* DescriptorSize */
	size_t room;			/* descriptors that @edge, @mem allow */
	struct memmap_edge *edge;	/* 2 * @room */
	struct boot_mem *mem;		/* 2 * @room; the result */
	size_t nr_mem;
	uint64_t skipped;		/* malformed, or beyond @room */
	uint64_t overlaps;		/* entries that start in another one */
};

/**
 * memmap_convert() - make the hand-over's memory map
 * @m:	@map to @mem are given, the rest is the result
 *
 * An entry is malformed when it is empty, not page aligned, or reaches beyond
 * MEMMAP_END. Where entries overlap the more restrictive type wins, see enum
 * boot_mem_type. Usable memory never holds page 0.
 *
 * Context: any; allocates nothing, O(n log n).
 */
void memmap_convert(struct memmap *m);

/**
 * memmap_next_ram() - next run of memory of the direct map
 * @mem:	a map as memmap_convert() makes it
 * @nr:		its entries
 * @i:		where to go on, 0 at first
 * @run:	base and size; neighbours of different types are one run
 *
 * Context: any.
 * Return: 0 when there is none.
 */
int memmap_next_ram(const struct boot_mem *mem, size_t nr, size_t *i,
		    struct boot_mem *run);

#endif /* BOOT_LOADER_MEMMAP_H */
