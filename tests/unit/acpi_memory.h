/* SPDX-License-Identifier: MIT */
/*
 * For host tests of firmware tables: a physical memory of a few regions.
 *
 * acpi_map() gives a copy that has exactly the bytes that were asked for, so
 * that AddressSanitizer sees each read behind them. The index is a singleton of
 * arch/x86/acpi.c, which is included here so that a test starts with none.
 */
#ifndef TESTS_UNIT_ACPI_MEMORY_H
#define TESTS_UNIT_ACPI_MEMORY_H

#include <stdlib.h>
#include <string.h>

#include "arch/x86/acpi.c"

#define MEMORY_REGIONS	4
#define MEMORY_COPIES	4096

struct region {
	phys_addr_t base;
	size_t size;
	u8 *data;
	bool late;	/* out of reach before memory_later */
};

static struct region memory[MEMORY_REGIONS];
static bool memory_later;
static void *memory_copies[MEMORY_COPIES];
static unsigned int memory_nr_copies;

static const u8 *memory_copy(const u8 *from, size_t size)
{
	u8 *copy;

	if (memory_nr_copies == MEMORY_COPIES)
		abort();
	copy = malloc(size);
	if (!copy)
		abort();
	memory_copies[memory_nr_copies++] = copy;
	memcpy(copy, from, size);
	return copy;
}

const u8 *acpi_map(phys_addr_t pa, size_t size)
{
	for (unsigned int i = 0; i < MEMORY_REGIONS; i++) {
		const struct region *r = &memory[i];

		if (pa < r->base || pa - r->base >= r->size || !pa)
			continue;
		if (r->size - (pa - r->base) < size ||
		    (r->late && !memory_later))
			return NULL;
		return memory_copy(r->data + (pa - r->base), size);
	}
	return NULL;
}

static inline struct region *memory_add(phys_addr_t base, size_t size)
{
	for (unsigned int i = 0; i < MEMORY_REGIONS; i++) {
		struct region *r = &memory[i];

		if (r->size)
			continue;
		*r = (struct region){ .base = base, .size = size,
				      .data = calloc(1, size) };
		if (!r->data)
			abort();
		return r;
	}
	abort();
}

static inline void memory_init(void)
{
	memset(&root, 0, sizeof(root));
	memset(entries, 0, sizeof(entries));
	nr_entries = nr_bad = nr_skipped = 0;
	complete = false;
	memory_later = false;
}

static inline void memory_fini(void)
{
	for (unsigned int i = 0; i < MEMORY_REGIONS; i++) {
		free(memory[i].data);
		memory[i] = (struct region){ 0 };
	}
	while (memory_nr_copies)
		free(memory_copies[--memory_nr_copies]);
}

/* Where a test writes. */
static inline u8 *memory_at(phys_addr_t pa)
{
	for (unsigned int i = 0; i < MEMORY_REGIONS; i++)
		if (pa >= memory[i].base &&
		    pa - memory[i].base < memory[i].size)
			return memory[i].data + (pa - memory[i].base);
	abort();
}

/* Makes the @size bytes at @p add up to 0, by the one at @at. */
static inline void memory_sum(u8 *p, size_t size, size_t at)
{
	p[at] = 0;
	for (size_t i = 0; i < size; i++)
		if (i != at)
			p[at] = (u8)(p[at] - p[i]);
}

#endif /* TESTS_UNIT_ACPI_MEMORY_H */
