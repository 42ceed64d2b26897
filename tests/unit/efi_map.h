/* SPDX-License-Identifier: MIT */
/*
 * Memory maps as firmware gives them, and what a clean one is: for tests.
 */
#ifndef TESTS_UNIT_EFI_MAP_H
#define TESTS_UNIT_EFI_MAP_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "boot/loader/memmap.h"

/* Room of just the right size, so that a write behind it is caught. */
static inline void efi_map_init(struct memmap *m, const void *map, size_t size,
				size_t stride, size_t room)
{
	*m = (struct memmap){
		.map = map,
		.size = size,
		.stride = stride,
		.room = room,
		.edge = calloc(2 * room + !room, sizeof(m->edge[0])),
		.mem = calloc(2 * room + !room, sizeof(m->mem[0])),
	};
	if (!m->edge || !m->mem)
		abort();
}

static inline void efi_map_fini(struct memmap *m)
{
	free(m->edge);
	free(m->mem);
}

static inline bool is_one_entry(const struct boot_mem *a,
				const struct boot_mem *b)
{
	return a->type == b->type && a->base + a->size == b->base;
}

/* Return: what is wrong with the result, or NULL. */
static inline const char *efi_map_fault(const struct memmap *m)
{
	for (size_t i = 0; i < m->nr_mem; i++) {
		const struct boot_mem *e = &m->mem[i];

		if (!e->size || e->base % MEMMAP_PAGE || e->size % MEMMAP_PAGE)
			return "not page granular";
		if (e->base >= MEMMAP_END || e->size > MEMMAP_END - e->base)
			return "beyond the end";
		if (e->type < BOOT_MEM_USABLE || e->type > BOOT_MEM_RESERVED)
			return "unknown type";
		if (e->type == BOOT_MEM_USABLE && !e->base)
			return "page 0 is usable";
		if (i && e->base < e[-1].base + e[-1].size)
			return "unsorted or overlapping";
		if (i && is_one_entry(&e[-1], e))
			return "not merged";
	}
	return NULL;
}

/* Type of the page at @pa; 0: none. */
static inline uint64_t efi_map_type_at(const struct memmap *m, uint64_t pa)
{
	for (size_t i = 0; i < m->nr_mem; i++)
		if (pa >= m->mem[i].base &&
		    pa - m->mem[i].base < m->mem[i].size)
			return m->mem[i].type;
	return 0;
}

#endif /* TESTS_UNIT_EFI_MAP_H */
