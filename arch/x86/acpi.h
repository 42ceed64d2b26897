/* SPDX-License-Identifier: MIT */
/*
 * ACPI tables: found, bounds-checked, read field by field. No AML is run.
 *
 * All of it is firmware's word. A table whose length is none is reported once
 * and skipped, one that cannot be reached is counted; a reader of a field
 * beyond the table's end gets 0. Sources: ACPI specification, "ACPI Software
 * Programming Model".
 */
#ifndef X86_ACPI_H
#define X86_ACPI_H

#include "lib/compiler.h"

#define ACPI_HEADER	36		/* bytes of every table's header */
#define ACPI_TABLE_MAX	(1u << 20)	/* a longer one is a lie */
#define ACPI_MAX_TABLES	256

struct acpi_table {
	const u8 *data;		/* header included */
	size_t size;
	bool sum_good;		/* the bytes add up to 0 */
};

/* Generic Address Structure. */
struct acpi_gas {
	u8 space;		/* ACPI_SPACE_* */
	u8 bit_width;
	u8 bit_offset;
	u8 access;		/* 1 byte, 2 word, 3 dword, 4 qword; 0: any */
	u64 address;		/* 0: not there */
};

#define ACPI_GAS_SIZE	12

enum {
	ACPI_SPACE_MEMORY = 0,
	ACPI_SPACE_IO = 1,
	ACPI_SPACE_PCI = 2,
};

/**
 * acpi_map() - kernel address of physical bytes
 * @pa:		any
 * @size:	bytes, at least 1
 *
 * RAM is in the direct map; what is none is mapped uncached, for good.
 *
 * Context: boot, thread. Return: the bytes, or NULL (address 0, wrap-around, no
 * address space left, or before paging_init() no RAM).
 */
const u8 *acpi_map(phys_addr_t pa, size_t size);

/**
 * acpi_init() - find the tables
 * @rsdp:	physical address of the RSDP
 *
 * May be called again, for those that acpi_map() could not reach before
 * paging_init(); a complete index is kept as it is.
 *
 * Context: boot. Return: 0; -ENODEV (no RSDP), -EBADMSG (neither XSDT nor RSDT
 * can be used).
 */
int __must_check acpi_init(phys_addr_t rsdp);

/**
 * acpi_find() - a table by its signature
 * @sig:	four characters
 * @nth:	0 for the first of that name, 1 for the second, ...
 * @table:	filled in
 *
 * Context: boot, thread. Return: true when it is there.
 */
bool acpi_find(const char *sig, unsigned int nth, struct acpi_table *table);

/**
 * acpi_table_at() - a table that another one points at (DSDT)
 * @pa:		its address
 * @table:	filled in
 *
 * Context: boot, thread. Return: true when its header is one and all of it can
 * be read.
 */
bool acpi_table_at(phys_addr_t pa, struct acpi_table *table);

/* Little-endian fields at @off; 0 where the table does not reach. */
u8 acpi_u8(const struct acpi_table *table, size_t off);
u16 acpi_u16(const struct acpi_table *table, size_t off);
u32 acpi_u32(const struct acpi_table *table, size_t off);
u64 acpi_u64(const struct acpi_table *table, size_t off);

/* Return: false when the table does not reach; *gas is all zero then. */
bool acpi_gas(const struct acpi_table *table, size_t off, struct acpi_gas *gas);

/* A table of @size bytes at @data as acpi_find() would give it: for tests. */
struct acpi_table acpi_table_of(const u8 *data, size_t size);

/* Entries of the root table that could not be used. */
unsigned int acpi_nr_skipped(void);

/* False while acpi_init() may find more when it is called again. */
bool acpi_complete(void);

#endif /* X86_ACPI_H */
