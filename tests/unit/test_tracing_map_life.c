/* SPDX-License-Identifier: MIT */
/*
 * The life of a tracing_map: the hooks of its user, and what is left when
 * memory runs out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/printk.h"
#include "mm/slab.h"
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/small_map.h"
#include "trace/map_array.h"

/* ---- the user's hooks ---- */

static struct {
	unsigned int fail_at;		/* elt_alloc call that fails, from 1 */
	unsigned int alloced, freed, inits, clears;
} hook;

static int hook_alloc(struct tracing_map_elt *elt)
{
	if (hook.alloced + 1 == hook.fail_at)
		return -EIO;
	elt->private_data = kmalloc(32, GFP_KERNEL);
	assert_non_null(elt->private_data);
	hook.alloced++;
	return 0;
}

static void hook_free(struct tracing_map_elt *elt)
{
	assert_non_null(elt->private_data);
	kfree(elt->private_data);
	elt->private_data = NULL;
	hook.freed++;
}

static void hook_clear(struct tracing_map_elt *elt)
{
	assert_non_null(elt->private_data);
	hook.clears++;
}

static void hook_init(struct tracing_map_elt *elt)
{
	assert_non_null(elt->private_data);
	assert_null(lookup(elt->map, 1000 + hook.inits, 0));
	hook.inits++;
}

static const struct tracing_map_ops hooks = {
	hook_alloc, hook_free, hook_clear, hook_init,
};

static void hooks_come_once_for_each_element_and_each_new_key(void **state)
{
	struct tracing_map *map;

	(void)state;
	memset(&hook, 0, sizeof(hook));
	map = small_map(&hooks);
	assert_int_equal(hook.alloced, SMALL_MAX);
	assert_int_equal(hook.clears, SMALL_MAX);
	for (u64 i = 0; i < 2 * SMALL_MAX + 20; i++)
		insert(map, 1000 + i % (SMALL_MAX + 10), 0);
	assert_int_equal(hook.inits, SMALL_MAX);
	tracing_map_clear(map);
	assert_int_equal(hook.clears, 2 * SMALL_MAX);
	assert_int_equal(hook.freed, 0);
	tracing_map_destroy(map);
	assert_int_equal(hook.freed, SMALL_MAX);
	assert_int_equal(hook.alloced, SMALL_MAX);
}

static void a_failing_hook_frees_exactly_what_was_made_before(void **state)
{
	u64 before = 0;

	(void)state;
	for (unsigned int k = 1; k <= SMALL_MAX; k++) {
		struct tracing_map *map = map_without_elements(SMALL_BITS,
							       &hooks);

		memset(&hook, 0, sizeof(hook));
		hook.fail_at = k;
		assert_int_equal(tracing_map_init(map), -EIO);
		assert_int_equal(hook.alloced, k - 1);
		tracing_map_destroy(map);
		assert_int_equal(hook.freed, k - 1);
		assert_int_equal(hook.clears, 0);
		if (k > 1)
			assert_int_equal(pages_free(), before);
		before = pages_free();
	}
}

/* ---- when memory runs out ---- */

static int sort_300(struct tracing_map *map)
{
	struct tracing_map_sort_key by_a = { FIELD_A, false };
	struct tracing_map_sort_entry **entry = NULL;
	int n;

	for (u64 i = 0; i < 300; i++)
		assert_non_null(insert(map, i, i));
	n = tracing_map_sort_entries(map, &by_a, 1, &entry);
	if (n > 0)
		tracing_map_destroy_sort_entries(entry, (unsigned int)n);
	else
		assert_null(entry);
	return n == 300 ? 0 : n;
}

static int live_and_die(void)
{
	/* 2^15 elements of 64 bytes are two blocks. */
	struct tracing_map *map = map_without_elements(15, NULL);
	int err;

	if (IS_ERR(map))
		return (int)PTR_ERR(map);
	err = tracing_map_init(map);
	if (!err)
		err = sort_300(map);
	tracing_map_destroy(map);
	return err;
}

static void every_failing_allocation_is_enomem_and_leaks_no_page(void **state)
{
	unsigned int nr_failed = 0;
	u64 before;
	int err;

	(void)state;
	assert_int_equal(live_and_die(), 0);
	before = pages_free();
	do {
		page_fail_nth(nr_failed + 1);
		err = live_and_die();
		page_fail_nth(0);
		assert_true(err == 0 || err == -ENOMEM);
		assert_int_equal(pages_free(), before);
	} while (err && ++nr_failed);
	assert_true(nr_failed >= 7);
}

static void an_array_has_all_its_objects_or_no_page(void **state)
{
	struct tracing_map_array array = { 0 };
	u64 nr = 3 * ((1u << 20) / 128) + 1, before;
	unsigned int nr_failed = 0;
	int err;

	(void)state;
	assert_int_equal(map_array_alloc(&array, nr, 128), 0);
	map_array_free(&array);
	before = pages_free();
	do {
		page_fail_nth(nr_failed + 1);
		err = map_array_alloc(&array, nr, 128);
		page_fail_nth(0);
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
		assert_int_equal(array.nr_blocks, 0);
		assert_int_equal(pages_free(), before);
	} while (++nr_failed);
	assert_int_equal(nr_failed, 4);
	assert_int_equal(array.nr_blocks, 4);
	for (u64 i = 0; i < nr; i++) {
		assert_int_equal(*(u64 *)map_array_at(&array, i), 0);
		*(u64 *)map_array_at(&array, i) = i;
		*(u64 *)((u8 *)map_array_at(&array, i) + 120) = ~i;
	}
	for (u64 i = 0; i < nr; i++) {
		assert_int_equal(*(u64 *)map_array_at(&array, i), i);
		assert_int_equal(*(u64 *)((u8 *)map_array_at(&array, i) + 120),
				 ~i);
	}
	map_array_clear(&array);
	for (u64 i = 0; i < nr; i++)
		assert_int_equal(*(u64 *)map_array_at(&array, i), 0);
	map_array_free(&array);
	assert_int_equal(array.nr_blocks, 0);
}

static struct collector console;

static void console_sink(const char *s, size_t n)
{
	collect_write(&console.printer, s, n);
}

static void init_without_memory_says_what_it_wanted(void **state)
{
	struct tracing_map *map = map_without_elements(15, NULL);

	(void)state;
	collect_reset(&console);
	printk_set_sink(console_sink);
	page_fail_nth(1);
	assert_int_equal(tracing_map_init(map), -ENOMEM);
	printk_set_sink(NULL);
	assert_string_equal(console.text, "tracing_map: no memory for 32768 "
			    "elements of 64 bytes\n");
	tracing_map_destroy(map);
}

static void destroy_takes_null_and_maps_without_elements(void **state)
{
	u64 before;

	(void)state;
	tracing_map_destroy(map_without_elements(SMALL_BITS, NULL));
	before = pages_free();
	tracing_map_destroy(NULL);
	tracing_map_destroy(map_without_elements(SMALL_BITS, NULL));
	assert_int_equal(pages_free(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hooks_come_once_for_each_element_and_each_new_key),
		cmocka_unit_test(a_failing_hook_frees_exactly_what_was_made_before),
		cmocka_unit_test(every_failing_allocation_is_enomem_and_leaks_no_page),
		cmocka_unit_test(an_array_has_all_its_objects_or_no_page),
		cmocka_unit_test(init_without_memory_says_what_it_wanted),
		cmocka_unit_test(destroy_takes_null_and_maps_without_elements),
	};

	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
