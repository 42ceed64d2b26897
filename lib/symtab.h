/* SPDX-License-Identifier: MIT */
/*
 * Names of code addresses, from the .symtab of ELF64 files in memory.
 *
 * A table is built once from an ELF image (hostile input: every offset is
 * checked) and then only read. Registered tables are searched by
 * symtab_lookup(), which is what %pS and the reports use.
 */
#ifndef LIB_SYMTAB_H
#define LIB_SYMTAB_H

#include "lib/compiler.h"

struct symbol {
	u64 addr;
	u64 size;		/* 0 in the file: up to the next symbol */
	const char *name;	/* points into the ELF image */
};

struct symtab {
	struct symbol *sym;	/* sorted by address */
	size_t nr;
	size_t max;		/* capacity of sym */
	u64 bias;		/* added to the file's addresses */
	struct symtab *next;	/* registered tables */
};

/**
 * symtab_count() - how many symbols symtab_build() would take
 * @elf:	the file
 * @size:	its bytes
 *
 * Return: the number (functions, and code labels with a name), 0 when stripped,
 * -ENOEXEC for a malformed file.
 */
long symtab_count(const void *elf, size_t size);

/**
 * symtab_build() - fill and sort a table
 * @tab:	tab->sym and tab->max set by the caller; bias set or 0
 * @elf:	the file; must stay in memory as long as the table is used
 * @size:	its bytes
 *
 * Return: 0, -ENOEXEC malformed, -ENOSPC when tab->max is too small.
 */
int __must_check symtab_build(struct symtab *tab, const void *elf, size_t size);

/* Symbol that covers @addr in one table, or NULL. */
const struct symbol *symtab_find(const struct symtab *tab, u64 addr);

/* Symbol of exactly this name in one table, or NULL. */
const struct symbol *symtab_by_name(const struct symtab *tab, const char *name);

/* Registered tables. Context: registering is for one CPU at a time. */
void symtab_register(struct symtab *tab);
void symtab_unregister(struct symtab *tab);
const struct symbol *symtab_lookup(u64 addr);
const struct symbol *symtab_lookup_name(const char *name);

#endif /* LIB_SYMTAB_H */
