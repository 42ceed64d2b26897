/* SPDX-License-Identifier: MIT */
/*
 * Page tables with rights as they must be, and with each that must not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <asm/page.h>
#include "arch/x86/page_check.h"
#include "tests/unit/host_memory.h"

#define P	1ULL
#define W	2ULL
#define U	4ULL
#define PS	(1ULL << 7)
#define NX	(1ULL << 63)

#define KERNEL	0xffffffff80000000ULL
#define HHDM	0xffff800000000000ULL
#define PAGES	32

static struct vm vm;
static unsigned int nr_pages;
static struct page_check check;

static u64 new_table(void)
{
	assert_in_range(nr_pages, 0, PAGES - 1);
	return host_phys_base + nr_pages++ * PAGE_SIZE;
}

/* The entry of @va at @level; tables on the way grant @way. */
static u64 *entry(u64 va, unsigned int level, u64 way)
{
	u64 table = vm.cr3;

	for (unsigned int l = 3; l > level; l--) {
		u64 *pte = (u64 *)phys_to_virt(table) + (va >> (12 + 9 * l) & 511);

		if (!*pte)
			*pte = new_table() | P | way;
		table = *pte & 0x000ffffffffff000ULL;
	}
	return (u64 *)phys_to_virt(table) + (va >> (12 + 9 * level) & 511);
}

static void run(void)
{
	page_check_rights(&vm, KERNEL, KERNEL + 2 * PAGE_SIZE, &check);
}

static int setup(void **state)
{
	(void)state;
	host_memory_init(PAGES * PAGE_SIZE, 1ULL << 32);
	memset(host_memory, 0, PAGES * PAGE_SIZE);
	nr_pages = 0;
	vm.cr3 = new_table();
	*entry(KERNEL, 0, W) = 0x1000 | P;
	*entry(KERNEL + PAGE_SIZE, 0, W) = 0x2000 | P;
	*entry(KERNEL + 2 * PAGE_SIZE, 0, W) = 0x3000 | P | NX;
	*entry(KERNEL + 3 * PAGE_SIZE, 0, W) = 0x4000 | P | W | NX;
	*entry(HHDM + (2 << 20), 1, W) = 0x200000 | P | W | PS | NX;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	host_memory_fini();
	return 0;
}

static void right_tables_are_right(void **state)
{
	(void)state;
	run();
	assert_null(check.bad);
	assert_int_equal(check.nr_bad, 0);
	assert_int_equal(check.nr_entries, 5);
	assert_int_equal(check.exec_bytes, 2 * PAGE_SIZE);
	assert_int_equal(check.mapped_bytes, 4 * PAGE_SIZE + (2 << 20));
}

static void expect_bad(u64 va, const char *what)
{
	run();
	assert_int_equal(check.nr_bad, 1);
	assert_int_equal(check.bad_va, va);
	assert_string_equal(check.bad, what);
}

static void writable_text_is_found(void **state)
{
	(void)state;
	*entry(KERNEL + PAGE_SIZE, 0, W) |= W;
	expect_bad(KERNEL + PAGE_SIZE, "writable and executable");
}

static void a_large_page_that_is_executable_is_found(void **state)
{
	(void)state;
	*entry(HHDM + (2 << 20), 1, W) &= ~NX;
	expect_bad(HHDM + (2 << 20), "writable and executable");
}

static void executable_data_is_found(void **state)
{
	(void)state;
	*entry(KERNEL + 2 * PAGE_SIZE, 0, W) &= ~NX;
	expect_bad(KERNEL + 2 * PAGE_SIZE, "executable outside of the text");
}

static void a_page_of_ring_3_in_the_kernel_is_found(void **state)
{
	(void)state;
	*entry(HHDM + (1ULL << 40), 0, W | U) = 0x5000 | P | U | NX;
	expect_bad(HHDM + (1ULL << 40), "open to ring 3");
}

static void what_lies_in_the_lower_half_is_found(void **state)
{
	(void)state;
	*entry(0x400000, 1, W) = 0x400000 | P | PS | NX;
	expect_bad(0x400000, "mapped in the half of ring 3");
}

/* A right that any level withholds is none. */
static void the_rights_of_all_levels_count(void **state)
{
	(void)state;
	*entry(HHDM + (1ULL << 40), 0, NX) = 0x5000 | P | W;
	*entry(HHDM + (1ULL << 41), 0, W) = 0x6000 | P | U | NX;
	run();
	assert_null(check.bad);
	*entry(HHDM + (1ULL << 40), 3, 0) &= ~NX;
	*entry(HHDM + (1ULL << 40), 2, 0) &= ~NX;
	*entry(HHDM + (1ULL << 40), 1, 0) &= ~NX;
	expect_bad(HHDM + (1ULL << 40), "executable outside of the text");
}

#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(right_tables_are_right),
		TEST(writable_text_is_found),
		TEST(a_large_page_that_is_executable_is_found),
		TEST(executable_data_is_found),
		TEST(a_page_of_ring_3_in_the_kernel_is_found),
		TEST(what_lies_in_the_lower_half_is_found),
		TEST(the_rights_of_all_levels_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
