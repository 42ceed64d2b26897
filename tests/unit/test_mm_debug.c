/* SPDX-License-Identifier: MIT */
/*
 * What the debug build finds: writes to free memory, writes behind objects,
 * and what was not given back. Built with TOPAZ_DEBUG=1.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mm/debug.h"
#include "mm/slab_debug.h"
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/mm_state.h"

static struct collector console;

static void to_console(const char *s, size_t n)
{
	collect_write(&console.printer, s, n);
}

static int setup(void **state)
{
	(void)state;
	collect_reset(&console);
	return 0;
}

static u64 nr_corrupt(void)
{
	return mm_stats().nr_corrupt;
}

static void a_write_to_a_free_page_is_found_when_it_is_taken(void **state)
{
	for (unsigned int order = 0; order < 3; order++) {
		struct page *page = alloc_pages(NOWARN, order);
		u8 *mem = page_address(page);
		u64 before = nr_corrupt();

		(void)state;
		memset(mem, 0, PAGE_SIZE << order);
		__free_pages(page, order);
		assert_int_equal(first_other_byte(mem, POISON_PAGE,
						  PAGE_SIZE << order),
				 PAGE_SIZE << order);
		mem[(PAGE_SIZE << order) - 3] = 7;
		assert_ptr_equal(alloc_pages(NOWARN, order), page);
		assert_int_equal(nr_corrupt(), before + 1);
		assert_non_null(strstr(console.text, "byte 4093 is 07"));
		__free_pages(page, order);
		assert_ptr_equal(alloc_pages(NOWARN, order), page);
		__free_pages(page, order);
		assert_int_equal(nr_corrupt(), before + 1);
	}
}

static void a_write_behind_an_object_is_found_when_it_is_freed(void **state)
{
	static const size_t sizes[] = {
		1, 15, 16, 17, 100, 255, 256, 2000, 2016, 2017, 2048, 2049,
		4095, 5000, 100000,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *object = kmalloc(sizes[i], GFP_KERNEL);
		u64 before = nr_corrupt();

		memset(object, 1, sizes[i]);
		kfree(object);
		assert_int_equal(nr_corrupt(), before);
		object = kmalloc(sizes[i], GFP_KERNEL);
		object[sizes[i]] = 1;
		kfree(object);
		assert_int_equal(nr_corrupt(), before + 1);
		assert_non_null(strstr(console.text, "written behind"));
	}
	assert_int_equal(mm_nr_refused(), 0);
}

static void a_tail_that_was_overwritten_is_found(void **state)
{
	u8 *object = kmalloc(32, GFP_KERNEL);
	u64 before = nr_corrupt();

	(void)state;
	memset(object, 0xff, 64);
	kfree(object);
	assert_int_equal(nr_corrupt(), before + 1);
	assert_non_null(strstr(console.text, "tail of an object"));
}

static void a_write_to_a_free_object_is_found_when_it_is_taken(void **state)
{
	u8 *object = kmalloc(100, GFP_KERNEL);
	u64 before = nr_corrupt();

	(void)state;
	kfree(object);
	assert_int_equal(object[50], POISON_FREE);
	object[50] = 0;
	assert_ptr_equal(kmalloc(100, GFP_KERNEL), object);
	assert_int_equal(nr_corrupt(), before + 1);
	kfree(object);
}

static void *held[3];

static __noinline void leak_here(void)
{
	held[0] = kmalloc(100, GFP_KERNEL);
	held[1] = alloc_pages(GFP_KERNEL, 2);
	held[2] = kmalloc(10000, GFP_KERNEL);
}

static void what_was_taken_since_the_mark_is_reported_by_caller(void **state)
{
	void *old = kmalloc(77, GFP_KERNEL);
	void *gone;

	(void)state;
	page_leak_mark();
	assert_int_equal(page_leak_report(&console.printer), 0);
	gone = kmalloc(50, GFP_KERNEL);
	leak_here();
	kfree(gone);
	collect_reset(&console);
	assert_int_equal(page_leak_report(&console.printer), 3);
	assert_non_null(strstr(console.text, "3 blocks and objects"));
	assert_non_null(strstr(console.text, "0 blocks, 1 objects, 100 bytes"));
	assert_non_null(strstr(console.text, "1 blocks, 0 objects, 16384 b"));
	kfree(held[0]);
	__free_pages(held[1], 2);
	kfree(held[2]);
	collect_reset(&console);
	assert_int_equal(page_leak_report(&console.printer), 0);
	kfree(old);
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_write_to_a_free_page_is_found_when_it_is_taken),
		TEST(a_write_behind_an_object_is_found_when_it_is_freed),
		TEST(a_tail_that_was_overwritten_is_found),
		TEST(a_write_to_a_free_object_is_found_when_it_is_taken),
		TEST(what_was_taken_since_the_mark_is_reported_by_caller),
	};

	printk_set_sink(to_console);
	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
