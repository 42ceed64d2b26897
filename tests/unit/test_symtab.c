/* SPDX-License-Identifier: MIT */
/*
 * Symbol tables: of this program's own file, of small files made here, and of
 * what is left of those after damage.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/elf.h"
#include "lib/err.h"
#include "lib/symtab.h"
#include "tests/unit/collect.h"

#define MAX_SYMBOLS	16
#define MAX_STRINGS	256

enum { NO_SECTION, TEXT, DATA, SYMTAB, STRTAB, NR_SECTIONS };

/* A file with the sections above; nothing is in .text and .data. */
struct file {
	struct elf64_ehdr ehdr;
	struct elf64_shdr shdr[NR_SECTIONS];
	struct elf64_sym sym[MAX_SYMBOLS];
	char strings[MAX_STRINGS];
};

static struct file file;
static unsigned int nr_symbols, strings_size;
static struct symbol symbols[MAX_SYMBOLS];

static void file_resize(void)
{
	file.shdr[SYMTAB].sh_size = nr_symbols * sizeof(file.sym[0]);
	file.shdr[STRTAB].sh_size = strings_size;
}

static void file_start(void)
{
	memset(&file, 0, sizeof(file));
	memcpy(file.ehdr.e_ident, ELF64_IDENT, sizeof(ELF64_IDENT) - 1);
	file.ehdr.e_machine = EM_X86_64;
	file.ehdr.e_shoff = offsetof(struct file, shdr);
	file.ehdr.e_shentsize = sizeof(file.shdr[0]);
	file.ehdr.e_shnum = NR_SECTIONS;
	file.shdr[TEXT].sh_flags = SHF_EXECINSTR;
	file.shdr[SYMTAB].sh_type = SHT_SYMTAB;
	file.shdr[SYMTAB].sh_offset = offsetof(struct file, sym);
	file.shdr[SYMTAB].sh_entsize = sizeof(file.sym[0]);
	file.shdr[SYMTAB].sh_link = STRTAB;
	file.shdr[STRTAB].sh_type = 3;
	file.shdr[STRTAB].sh_offset = offsetof(struct file, strings);
	nr_symbols = 1;		/* the first is no symbol */
	strings_size = 1;
	file_resize();
}

static struct elf64_sym *file_add(u64 addr, u64 size, const char *name)
{
	struct elf64_sym *sym = &file.sym[nr_symbols++];

	sym->st_name = strings_size;
	sym->st_info = STT_FUNC;
	sym->st_shndx = TEXT;
	sym->st_value = addr;
	sym->st_size = size;
	strcpy(file.strings + strings_size, name);
	strings_size += (unsigned int)strlen(name) + 1;
	file_resize();
	return sym;
}

static struct symtab built(u64 bias)
{
	struct symtab tab = { .sym = symbols, .max = MAX_SYMBOLS,
			      .bias = bias };

	assert_int_equal(symtab_build(&tab, &file, sizeof(file)), 0);
	return tab;
}

/* Name at @addr, "" for none. */
static const char *at(const struct symtab *tab, u64 addr)
{
	const struct symbol *sym = symtab_find(tab, addr);

	return sym ? sym->name : "";
}

static void *read_own_file(size_t *size)
{
	FILE *f = fopen("/proc/self/exe", "rb");
	long end;
	void *data;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	end = ftell(f);
	assert_true(end > 0);
	rewind(f);
	*size = (size_t)end;
	data = malloc(*size);
	assert_int_equal(fread(data, 1, *size, f), *size);
	fclose(f);
	return data;
}

static void the_functions_of_this_program_are_found(void **state)
{
	size_t size;
	void *elf = read_own_file(&size);
	long nr = symtab_count(elf, size);
	struct symtab tab = { .max = (size_t)nr };
	u64 here = (u64)(uintptr_t)file_add;

	(void)state;
	assert_true(nr > 50);
	tab.sym = calloc(tab.max, sizeof(*tab.sym));
	assert_int_equal(symtab_build(&tab, elf, size), 0);
	/* The program is loaded anywhere: where one function is tells. */
	tab.bias = here - symtab_by_name(&tab, "file_add")->addr;
	assert_int_equal(symtab_build(&tab, elf, size), 0);
	assert_string_equal(at(&tab, here), "file_add");
	assert_string_equal(at(&tab, here + 5), "file_add");
	assert_string_equal(at(&tab, (u64)(uintptr_t)symtab_build),
			    "symtab_build");
	assert_int_equal(symtab_by_name(&tab, "read_own_file")->addr,
			 (u64)(uintptr_t)read_own_file);
	assert_null(symtab_by_name(&tab, "symbols"));
	assert_string_equal(at(&tab, (u64)(uintptr_t)&file), "");
	free(tab.sym);
	free(elf);
}

static void addresses_outside_of_symbols_have_none(void **state)
{
	struct symtab tab;

	(void)state;
	file_start();
	file_add(0x3000, 0x10, "high");
	file_add(0x1000, 0x10, "low");
	tab = built(0);
	assert_string_equal(at(&tab, 0x0fff), "");
	assert_string_equal(at(&tab, 0x1000), "low");
	assert_string_equal(at(&tab, 0x100f), "low");
	assert_string_equal(at(&tab, 0x1010), "");
	assert_string_equal(at(&tab, 0x2fff), "");
	assert_string_equal(at(&tab, 0x300f), "high");
	assert_string_equal(at(&tab, 0x3010), "");
	assert_string_equal(at(&tab, 0), "");
	assert_string_equal(at(&tab, ~0ULL), "");
	tab.nr = 0;
	assert_string_equal(at(&tab, 0x1000), "");
}

static void a_symbol_without_size_reaches_to_the_next(void **state)
{
	struct symtab tab;

	(void)state;
	file_start();
	file_add(0x1000, 0, "first");
	file_add(0x1800, 0x10, "second");
	file_add(0x2000, 0, "last")->st_info = STT_NOTYPE;
	tab = built(0);
	assert_string_equal(at(&tab, 0x17ff), "first");
	assert_string_equal(at(&tab, 0x1800), "second");
	assert_string_equal(at(&tab, 0x1810), "");
	assert_string_equal(at(&tab, 0x2fff), "last");
	assert_string_equal(at(&tab, 0x3000), "");
}

static void of_two_symbols_at_one_address_one_is_kept(void **state)
{
	struct symtab tab;

	(void)state;
	file_start();
	file_add(0x1000, 0, "a_label");
	file_add(0x1000, 0x20, "function");
	file_add(0x2000, 0x20, "b_alias");
	file_add(0x2000, 0x20, "a_alias");
	assert_int_equal(symtab_count(&file, sizeof(file)), 4);
	tab = built(0);
	assert_int_equal(tab.nr, 2);
	assert_string_equal(at(&tab, 0x1000), "function");
	assert_string_equal(at(&tab, 0x2000), "a_alias");
}

static void where_symbols_overlap_the_later_start_wins(void **state)
{
	struct symtab tab;

	(void)state;
	file_start();
	file_add(0x1080, 0x100, "later");
	file_add(0x1000, 0x100, "earlier");
	tab = built(0);
	assert_string_equal(at(&tab, 0x107f), "earlier");
	assert_string_equal(at(&tab, 0x1080), "later");
	assert_string_equal(at(&tab, 0x10ff), "later");
	assert_string_equal(at(&tab, 0x117f), "later");
}

static void only_named_code_is_taken(void **state)
{
	struct symtab tab;

	(void)state;
	file_start();
	file_add(0x1000, 4, "data")->st_shndx = DATA;
	file_add(0x1010, 4, "undefined")->st_shndx = NO_SECTION;
	file_add(0x1020, 4, "absolute")->st_shndx = 0xfff1;
	file_add(0x1030, 4, "object")->st_info = 1;
	file_add(0x1040, 4, "");
	file_add(0x1050, 4, ".local");
	file_add(0x1060, 4, "outside")->st_name = MAX_STRINGS;
	assert_int_equal(symtab_count(&file, sizeof(file)), 0);
	file_add(0x1070, 4, "code");
	assert_int_equal(symtab_count(&file, sizeof(file)), 1);
	tab = built(0);
	assert_int_equal(tab.nr, 1);
	assert_string_equal(at(&tab, 0x1070), "code");
}

static void a_name_ends_inside_of_the_string_table(void **state)
{
	struct symtab tab;

	(void)state;
	file_start();
	file_add(0x1000, 4, "whole");
	file_add(0x2000, 4, "cut");
	file.shdr[STRTAB].sh_size--;
	tab = built(0);
	assert_string_equal(at(&tab, 0x1000), "whole");
	assert_string_equal(at(&tab, 0x2000), "");
}

static void the_bias_moves_every_symbol(void **state)
{
	struct symtab tab;

	(void)state;
	file_start();
	file_add(0x1000, 0x10, "one");
	tab = built(0xffffffff80000000);
	assert_string_equal(at(&tab, 0x1000), "");
	assert_string_equal(at(&tab, 0xffffffff80001008), "one");
}

static void too_little_room_and_stripped_files_are_told_apart(void **state)
{
	struct symtab tab = { .sym = symbols, .max = 1 };

	(void)state;
	file_start();
	file_add(0x1000, 0x10, "one");
	file_add(0x2000, 0x10, "two");
	assert_int_equal(symtab_build(&tab, &file, sizeof(file)), -ENOSPC);
	file.shdr[SYMTAB].sh_type = 0;
	assert_int_equal(symtab_build(&tab, &file, sizeof(file)), 0);
	assert_int_equal(tab.nr, 0);
	assert_int_equal(symtab_count(&file, sizeof(file)), 0);
	file.ehdr.e_ident[4] = 1;	/* 32 bit */
	assert_int_equal(symtab_build(&tab, &file, sizeof(file)), -ENOEXEC);
	assert_int_equal(symtab_count(&file, sizeof(file)), -ENOEXEC);
}

static void registered_tables_are_searched_together(void **state)
{
	struct symbol a_sym = { 0x1000, 0x10, "a" };
	struct symbol b_sym = { 0x2000, 0x10, "b" };
	struct symtab a = { .sym = &a_sym, .nr = 1, .max = 1 };
	struct symtab b = { .sym = &b_sym, .nr = 1, .max = 1 };

	(void)state;
	assert_null(symtab_lookup(0x1000));
	symtab_register(&a);
	symtab_register(&b);
	assert_ptr_equal(symtab_lookup(0x100f), &a_sym);
	assert_ptr_equal(symtab_lookup(0x2000), &b_sym);
	assert_ptr_equal(symtab_lookup_name("a"), &a_sym);
	assert_null(symtab_lookup_name("c"));
	symtab_unregister(&a);
	assert_null(symtab_lookup(0x1000));
	assert_null(symtab_lookup_name("a"));
	assert_ptr_equal(symtab_lookup(0x2000), &b_sym);
	symtab_unregister(&b);
	assert_null(symtab_lookup(0x2000));
}

/*
 * Builds a table from a copy that ends where the memory ends. A table that is
 * accepted must be in order and its names inside of the file. Return: error.
 */
static int survives(const struct file *f, size_t size)
{
	char *elf = malloc(size + !size);
	struct symtab tab = { .sym = symbols, .max = MAX_SYMBOLS };
	long nr;
	int err;

	memcpy(elf, f, size);
	nr = symtab_count(elf, size);
	err = symtab_build(&tab, elf, size);
	if (err == -ENOEXEC)
		assert_int_equal(nr, -ENOEXEC);
	else if (err)
		assert_true(err == -ENOSPC && nr > MAX_SYMBOLS);
	else
		assert_true(nr >= (long)tab.nr);
	for (size_t i = 0; !err && i < tab.nr; i++) {
		const char *name = tab.sym[i].name;

		assert_true(!i || tab.sym[i - 1].addr < tab.sym[i].addr);
		assert_true(name >= elf && name < elf + size);
		assert_non_null(memchr(name, '\0',
				       (size_t)(elf + size - name)));
		assert_true(tab.sym[i].size > 0);
		assert_ptr_equal(symtab_find(&tab, tab.sym[i].addr),
				 &tab.sym[i]);
	}
	free(elf);
	return err;
}

static void file_with_some_symbols(void)
{
	file_start();
	file_add(0x3000, 0x10, "three");
	file_add(0x1000, 0, "one")->st_info = STT_NOTYPE;
	file_add(0x2000, 0x800, "two");
	file_add(0x1000, 0x10, "uno");
	file_add(0x4000, 0, "four");
	file_add(0x5000, 8, "data")->st_shndx = DATA;
}

static void a_file_cut_anywhere_is_refused_or_whole(void **state)
{
	size_t needed;

	(void)state;
	file_with_some_symbols();
	needed = offsetof(struct file, strings) + strings_size;
	for (size_t size = 0; size <= sizeof(file); size++)
		assert_int_equal(survives(&file, size),
				 size < needed ? -ENOEXEC : 0);
}

static void damaged_files_give_an_error_or_a_valid_table(void **state)
{
	unsigned int refused = 0;
	u64 seed = 20;

	(void)state;
	file_with_some_symbols();
	for (int i = 0; i < 5000; i++) {
		struct file copy = file;
		size_t used = offsetof(struct file, sym) +
			      (i & 1 ? 0 : sizeof(copy.sym));

		for (u64 n = random_u64(&seed) % 4 + 1; n; n--) {
			u64 r = random_u64(&seed);

			((u8 *)&copy)[r % used] = r & 1ULL << 40 ? 0xff :
						  (u8)(r >> 48);
		}
		refused += survives(&copy, sizeof(copy)) ? 1 : 0;
	}
	/* Neither all nor none: the damage reaches past the first check. */
	assert_in_range(refused, 500, 4500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_functions_of_this_program_are_found),
		cmocka_unit_test(addresses_outside_of_symbols_have_none),
		cmocka_unit_test(a_symbol_without_size_reaches_to_the_next),
		cmocka_unit_test(of_two_symbols_at_one_address_one_is_kept),
		cmocka_unit_test(where_symbols_overlap_the_later_start_wins),
		cmocka_unit_test(only_named_code_is_taken),
		cmocka_unit_test(a_name_ends_inside_of_the_string_table),
		cmocka_unit_test(the_bias_moves_every_symbol),
		cmocka_unit_test(
			too_little_room_and_stripped_files_are_told_apart),
		cmocka_unit_test(registered_tables_are_searched_together),
		cmocka_unit_test(a_file_cut_anywhere_is_refused_or_whole),
		cmocka_unit_test(damaged_files_give_an_error_or_a_valid_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
