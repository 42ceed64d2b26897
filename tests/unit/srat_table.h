/* SPDX-License-Identifier: MIT */
/*
 * For the tests of SRAT and SLIT: a table under construction, read from a copy
 * that ends where the memory ends.
 */
#ifndef TESTS_UNIT_SRAT_TABLE_H
#define TESTS_UNIT_SRAT_TABLE_H

#include <stdlib.h>
#include <string.h>

#include "arch/x86/acpi.h"
#include "arch/x86/srat.h"
#include "lib/err.h"

#define ENTRIES		48
#define ENABLED		1
#define GIB		(1ULL << 30)

/* No table is looked for by address here. */
const u8 *acpi_map(phys_addr_t pa, size_t n)
{
	(void)pa;
	(void)n;
	return NULL;
}

static u8 table[ENTRIES + 40 * 1100];
static size_t size;
static struct srat srat;

static inline void put(size_t pos, u64 v, size_t n)
{
	memcpy(table + pos, &v, n);
}

static inline void begin(u8 revision)
{
	memset(table, 0, sizeof(table));
	memcpy(table, "SRAT", 4);
	table[8] = revision;
	size = ENTRIES;
}

static inline int start(void **state)
{
	(void)state;
	begin(3);
	return 0;
}

static inline size_t add_raw(u8 type, u8 len, size_t bytes)
{
	size_t pos = size;

	table[pos] = type;
	table[pos + 1] = len;
	size += bytes;
	return pos;
}

static inline void add_lapic(u8 id, u32 domain, u32 flags)
{
	size_t pos = add_raw(0, 16, 16);

	table[pos + 2] = (u8)domain;
	table[pos + 3] = id;
	put(pos + 4, flags, 4);
	put(pos + 8, 0xee, 1);		/* local SAPIC EID: not ours */
	put(pos + 9, domain >> 8, 3);
}

static inline void add_x2apic(u32 id, u32 domain, u32 flags)
{
	size_t pos = add_raw(2, 24, 24);

	put(pos + 4, domain, 4);
	put(pos + 8, id, 4);
	put(pos + 12, flags, 4);
}

static inline void add_mem(u64 base, u64 len, u32 domain, u32 flags)
{
	size_t pos = add_raw(1, 40, 40);

	put(pos + 2, domain, 4);
	put(pos + 8, base, 8);
	put(pos + 16, len, 8);
	put(pos + 28, flags, 4);
}

/* From a copy that ends where the memory ends: reading on is an ASan error. */
static inline int parse_with(int (*parse)(struct srat *,
					  const struct acpi_table *), size_t n)
{
	u8 *copy = malloc(n + !n);
	struct acpi_table t;
	int err;

	memcpy(copy, table, n);
	t = acpi_table_of(copy, n);
	err = parse(&srat, &t);
	free(copy);
	return err;
}

#endif /* TESTS_UNIT_SRAT_TABLE_H */
