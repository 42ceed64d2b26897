/* SPDX-License-Identifier: MIT */
/*
 * Checking static ELF64 programs: a good file of each kind, and every way to
 * break one. What lands in memory is in test_elfload_memory.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/elf_file.h"

/* elf_check() reads the file only. */
int user_vm_alloc(struct user_vm *uvm, u64 va, u64 size, unsigned int prot)
{
	(void)uvm;
	(void)va;
	(void)size;
	(void)prot;
	fail();
	return -ENOMEM;
}

int user_vm_write(const struct user_vm *uvm, u64 va, const void *src, size_t n)
{
	(void)uvm;
	(void)va;
	(void)src;
	(void)n;
	fail();
	return -EFAULT;
}

/* ---- good files ---- */

static void a_static_program_is_described_as_its_headers_say(void **state)
{
	(void)state;
	file_start(ET_EXEC);
	assert_int_equal(check(), 0);
	assert_int_equal(image.bias, 0);
	assert_int_equal(image.entry, EXEC_BASE + 16);
	assert_int_equal(image.nr_segments, 2);
	assert_int_equal(image.segment[0].va, EXEC_BASE);
	assert_int_equal(image.segment[0].memsz, TEXT_SIZE);
	assert_int_equal(image.segment[0].filesz, TEXT_SIZE);
	assert_int_equal(image.segment[0].prot, PROT_READ | PROT_EXEC);
	assert_int_equal(image.segment[1].va,
			 EXEC_BASE + DATA_AT + DATA_SHIFT);
	assert_int_equal(image.segment[1].offset, offsetof(struct file, data));
	assert_int_equal(image.segment[1].memsz, DATA_SIZE + BSS_SIZE);
	assert_int_equal(image.segment[1].filesz, DATA_SIZE);
	assert_int_equal(image.segment[1].prot, PROT_READ | PROT_WRITE);
	assert_int_equal(image.nr_rela, 0);
}

static void a_static_pie_is_moved_and_its_relocations_are_found(void **state)
{
	(void)state;
	file_start(ET_DYN);
	assert_int_equal(check(), 0);
	assert_int_equal(image.bias, USER_LOAD_BIAS);
	assert_int_equal(image.entry, USER_LOAD_BIAS + 16);
	assert_int_equal(image.segment[0].va, USER_LOAD_BIAS);
	assert_int_equal(image.rela, offsetof(struct file, rela));
	assert_int_equal(image.nr_rela, NR_RELA);
}

static void a_pie_without_relocations_or_dynamic_section_is_good(void **state)
{
	(void)state;
	file_start(ET_DYN);
	file.dyn[1].d_val = 0;
	assert_int_equal(check(), 0);
	assert_int_equal(image.nr_rela, 0);
	file.ehdr.e_phnum = NR_USED - 1;
	assert_int_equal(check(), 0);
	assert_int_equal(image.nr_rela, 0);
}

static void an_exec_file_may_have_any_dynamic_section(void **state)
{
	(void)state;
	file_start(ET_EXEC);
	file.dyn[0].d_tag = DT_NEEDED;
	assert_int_equal(check(), 0);
	file.phdr[DYNAMIC].p_offset = ~0ULL;
	assert_int_equal(check(), 0);
}

/* ---- broken files ---- */

struct damage {
	u64 at;			/* offset in the file */
	unsigned int size;
	u64 value;
	u64 error_at;
	const char *reason;	/* part of it */
};

static void expect_refusal(const struct damage *d, u16 type)
{
	file_start(type);
	memcpy((u8 *)&file + d->at, &d->value, d->size);
	expect_refusal_at(d->error_at, d->reason);
}

static void each_broken_field_of_the_header_is_named(void **state)
{
	static const struct damage damage[] = {
		{ 0, 1, 'E', 0, "magic" }, { 1, 1, 'e', 0, "magic" },
		{ 2, 1, 0, 0, "magic" }, { 3, 1, 0, 0, "magic" },
		{ 4, 1, 1, 0, "magic" }, { 5, 1, 2, 0, "magic" },
		{ 6, 1, 0, 0, "magic" },
		{ EHDR(e_machine), 2, 3, EHDR(e_machine), "x86-64" },
		{ EHDR(e_type), 2, 1, EHDR(e_type), "executable" },
		{ EHDR(e_type), 2, 4, EHDR(e_type), "executable" },
		{ EHDR(e_phentsize), 2, 55, EHDR(e_phentsize), "size" },
		{ EHDR(e_phentsize), 2, 0, EHDR(e_phentsize), "size" },
		{ EHDR(e_phnum), 2, 0, EHDR(e_phnum), "no or too many" },
		{ EHDR(e_phnum), 2, MAX_PHDRS + 1, EHDR(e_phnum), "too many" },
		{ EHDR(e_phnum), 2, 0xffff, EHDR(e_phnum), "too many" },
		{ EHDR(e_phoff), 8, sizeof(file), EHDR(e_phoff), "beyond" },
		{ EHDR(e_phoff), 8, ~0ULL - 8, EHDR(e_phoff), "beyond" },
		{ EHDR(e_phoff), 8, sizeof(file) - NR_USED * 56 + 1,
		  EHDR(e_phoff), "beyond" },
		{ EHDR(e_entry), 8, 0, EHDR(e_entry), "entry" },
		{ EHDR(e_entry), 8, ~0ULL, EHDR(e_entry), "entry" },
		{ EHDR(e_entry), 8, EXEC_BASE - 1, EHDR(e_entry), "entry" },
		{ EHDR(e_entry), 8, EXEC_BASE + TEXT_SIZE, EHDR(e_entry),
		  "entry" },
		{ EHDR(e_entry), 8, EXEC_BASE + IN_DATA(data), EHDR(e_entry),
		  "entry" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damage); i++)
		expect_refusal(&damage[i], ET_EXEC);
}

#define VA_AT(i)	PHDR(i, p_vaddr)

static void each_broken_field_of_a_segment_is_named(void **state)
{
	static const struct damage damage[] = {
		{ PHDR(TEXT, p_flags), 4, PF_W | PF_X, PHDR(TEXT, p_flags),
		  "writable and executable" },
		{ PHDR(DATA, p_flags), 4, PF_R | PF_W | PF_X,
		  PHDR(DATA, p_flags), "writable and executable" },
		{ PHDR(TEXT, p_filesz), 8, TEXT_SIZE + 1, PHDR(TEXT, p_filesz),
		  "larger in the file" },
		{ PHDR(TEXT, p_filesz), 8, ~0ULL, PHDR(TEXT, p_filesz),
		  "larger in the file" },
		{ PHDR(DATA, p_offset), 8, sizeof(file) - DATA_SIZE + 1,
		  PHDR(DATA, p_offset), "beyond" },
		{ PHDR(DATA, p_offset), 8, 0 - DATA_SIZE, PHDR(DATA, p_offset),
		  "beyond" },
		{ PHDR(DATA, p_memsz), 8, ELF_MAX_MEMORY + 1,
		  PHDR(DATA, p_memsz), "256 MiB" },
		{ PHDR(DATA, p_memsz), 8, ~0ULL, PHDR(DATA, p_memsz),
		  "256 MiB" },
		{ VA_AT(TEXT), 8, 0, VA_AT(TEXT), "outside" },
		{ VA_AT(TEXT), 8, USER_LOAD_MIN - 1, VA_AT(TEXT), "outside" },
		{ VA_AT(DATA), 8, USER_LOAD_MAX, VA_AT(DATA), "outside" },
		{ VA_AT(DATA), 8, USER_LOAD_MAX - DATA_SIZE - BSS_SIZE + 1,
		  VA_AT(DATA), "outside" },
		{ VA_AT(DATA), 8, 0 - DATA_SIZE, VA_AT(DATA), "outside" },
		{ VA_AT(DATA), 8, EXEC_BASE, VA_AT(DATA), "last page" },
		{ VA_AT(DATA), 8, EXEC_BASE + 0xfff, VA_AT(DATA),
		  "last page" },
		{ VA_AT(DATA), 8, USER_LOAD_MIN, VA_AT(DATA), "not above" },
		{ PHDR(DYNAMIC, p_type), 4, PT_INTERP, PHDR(DYNAMIC, p_type),
		  "PT_INTERP" },
		{ PHDR(DYNAMIC, p_type), 4, PT_TLS, PHDR(DYNAMIC, p_type),
		  "PT_TLS" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damage); i++)
		expect_refusal(&damage[i], ET_EXEC);
}

#define DYN(i)	offsetof(struct file, dyn[i])

static void each_broken_entry_of_the_dynamic_section_is_named(void **state)
{
	static const struct damage damage[] = {
		{ DYN(3), 8, DT_NEEDED, DYN(3), "shared library" },
		{ DYN(0), 8, DT_REL, DYN(0), "kind" },
		{ DYN(5), 8, DT_RELR, 0, NULL },	/* after the end */
		{ DYN(3), 8, DT_RELR, DYN(3), "kind" },
		{ DYN(3) + 8, 8, 24, DYN(3), "PLT" },
		{ DYN(0) + 8, 8, ~0ULL, DYN(0), "outside" },
		{ DYN(0) + 8, 8, 0x1000, DYN(0), "outside" },
		{ DYN(0) + 8, 8, IN_DATA(rela) + 1, DYN(0), "outside" },
		{ DYN(0) + 8, 8, 0 - USER_LOAD_BIAS, DYN(0), "outside" },
		{ DYN(1) + 8, 8, 25, DYN(0), "wrong size" },
		{ DYN(1) + 8, 8, 24 * (NR_RELA + 1), DYN(0), "outside" },
		{ DYN(1) + 8, 8, ~0ULL / 24 * 24, DYN(0), "outside" },
		{ DYN(2) + 8, 8, 16, DYN(0), "wrong size" },
		{ DYN(2), 8, 99, DYN(0), "wrong size" },
		{ PHDR(DYNAMIC, p_offset), 8, ~0ULL, PHDR(DYNAMIC, p_offset),
		  "beyond" },
		{ PHDR(DYNAMIC, p_filesz), 8, ~0ULL, PHDR(DYNAMIC, p_offset),
		  "beyond" },
		{ PHDR(DYNAMIC, p_filesz), 8, sizeof(file),
		  PHDR(DYNAMIC, p_offset), "beyond" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(damage); i++) {
		if (damage[i].reason) {
			expect_refusal(&damage[i], ET_DYN);
			continue;
		}
		file_start(ET_DYN);
		memcpy((u8 *)&file + damage[i].at, &damage[i].value, 8);
		assert_int_equal(check(), 0);
	}
}

static void relocations_may_reach_to_the_last_byte_of_the_file(void **state)
{
	(void)state;
	file_start(ET_DYN);
	file.dyn[0].d_val += sizeof(file.rela[0]);
	file.dyn[1].d_val -= sizeof(file.rela[0]);
	assert_int_equal(check(), 0);
	assert_int_equal(image.nr_rela, NR_RELA - 1);
	assert_int_equal(image.rela, offsetof(struct file, rela[1]));
}

static void a_file_cut_at_any_length_is_refused(void **state)
{
	static const u16 type[] = { ET_EXEC, ET_DYN };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(type); i++) {
		file_start(type[i]);
		for (size_t size = 0; size < sizeof(file); size++) {
			assert_int_equal(check_bytes(size), -ENOEXEC);
			assert_non_null(error.reason);
			assert_int_equal(error.offset,
				size < sizeof(file.ehdr) ? size :
				size < PHDR(NR_USED, p_type) ? EHDR(e_phoff) :
				size < offsetof(struct file, data) ?
				PHDR(TEXT, p_offset) : PHDR(DATA, p_offset));
		}
		assert_int_equal(check(), 0);
	}
}

/* @nr segments of @memsz bytes, a page or more apart. */
static void file_of_segments(unsigned int nr, u64 memsz)
{
	file_start(ET_EXEC);
	file.ehdr.e_phnum = (u16)nr;
	for (unsigned int i = 0; i < nr; i++) {
		file.phdr[i] = file.phdr[TEXT];
		file.phdr[i].p_vaddr = EXEC_BASE +
				       i * round_up_u64(memsz, PAGE_SIZE);
		file.phdr[i].p_memsz = memsz;
	}
}

static void sixteen_segments_are_taken_and_no_more(void **state)
{
	(void)state;
	file_of_segments(ELF_MAX_SEGMENTS, PAGE_SIZE);
	assert_int_equal(check(), 0);
	assert_int_equal(image.nr_segments, ELF_MAX_SEGMENTS);
	file_of_segments(ELF_MAX_SEGMENTS + 1, PAGE_SIZE);
	expect_refusal_at(PHDR(ELF_MAX_SEGMENTS, p_type), "more than 16");
	file_of_segments(MAX_PHDRS, PAGE_SIZE);
	expect_refusal_at(PHDR(ELF_MAX_SEGMENTS, p_type), "more than 16");
}

static void empty_segments_and_unknown_headers_do_not_count(void **state)
{
	(void)state;
	file_of_segments(MAX_PHDRS, PAGE_SIZE);
	for (unsigned int i = 1; i < MAX_PHDRS; i++) {
		file.phdr[i].p_memsz = 0;
		file.phdr[i].p_filesz = 0;
		if (i & 1)
			file.phdr[i].p_type = 0x6474e550 + i;
	}
	assert_int_equal(check(), 0);
	assert_int_equal(image.nr_segments, 1);
}

static void segments_together_may_have_256_mib(void **state)
{
	(void)state;
	file_of_segments(4, ELF_MAX_MEMORY / 4);
	assert_int_equal(check(), 0);
	file.phdr[3].p_memsz++;
	expect_refusal_at(PHDR(3, p_memsz), "together");
	file_of_segments(1, ELF_MAX_MEMORY);
	assert_int_equal(check(), 0);
}

static void segments_may_touch_both_ends_of_the_address_range(void **state)
{
	(void)state;
	file_start(ET_EXEC);
	file.phdr[TEXT].p_vaddr = USER_LOAD_MIN;
	file.phdr[DATA].p_vaddr = USER_LOAD_MAX - DATA_SIZE - BSS_SIZE;
	file.ehdr.e_entry = USER_LOAD_MIN + TEXT_SIZE - 1;
	assert_int_equal(check(), 0);
	file_start(ET_DYN);
	file.phdr[DATA].p_vaddr = USER_LOAD_MAX - USER_LOAD_BIAS - DATA_SIZE -
				  BSS_SIZE;
	file.dyn[1].d_val = 0;
	assert_int_equal(check(), 0);
	file.phdr[DATA].p_vaddr++;
	expect_refusal_at(VA_AT(DATA), "outside");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_static_program_is_described_as_its_headers_say),
		cmocka_unit_test(a_static_pie_is_moved_and_its_relocations_are_found),
		cmocka_unit_test(a_pie_without_relocations_or_dynamic_section_is_good),
		cmocka_unit_test(an_exec_file_may_have_any_dynamic_section),
		cmocka_unit_test(each_broken_field_of_the_header_is_named),
		cmocka_unit_test(each_broken_field_of_a_segment_is_named),
		cmocka_unit_test(each_broken_entry_of_the_dynamic_section_is_named),
		cmocka_unit_test(relocations_may_reach_to_the_last_byte_of_the_file),
		cmocka_unit_test(a_file_cut_at_any_length_is_refused),
		cmocka_unit_test(sixteen_segments_are_taken_and_no_more),
		cmocka_unit_test(empty_segments_and_unknown_headers_do_not_count),
		cmocka_unit_test(segments_together_may_have_256_mib),
		cmocka_unit_test(segments_may_touch_both_ends_of_the_address_range),
	};

	return cmocka_run_group_tests(tests, NULL, free_copy);
}
