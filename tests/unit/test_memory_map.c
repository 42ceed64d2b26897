/* SPDX-License-Identifier: MIT */
/*
 * The firmware's memory map, well formed and not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <asm/numa.h>
#include <asm/page.h>
#include "boot/memory.h"
#include "lib/err.h"
#include "lib/printk.h"
#include "mm/page.h"
#include "tests/unit/host_memory.h"

#define MIB	(1024 * 1024ULL)
#define ARENA	(128 * MIB)

static struct boot_mem map[5000];

static unsigned int nr_lines;

/* Node 1 begins here; 0: there is one node only. */
static u64 node1_base;

int numa_node_at(phys_addr_t pa, u64 *end)
{
	*end = pa < node1_base ? node1_base : ~0ULL;
	return node1_base && pa >= node1_base;
}

static void count_lines(const char *text, size_t n)
{
	while (n--)
		nr_lines += *text++ == '\n';
}

const u8 *numa_distances(void)
{
	static const u8 distances[4] = { 10, 21, 21, 10 };

	return node1_base ? distances : NULL;
}

unsigned int numa_nr_nodes(void)
{
	return node1_base ? 2 : 1;
}

static int init_with(unsigned int nr)
{
	static struct boot_info bi;
	struct boot_mem *in_arena = (struct boot_mem *)host_memory;

	memcpy(in_arena, map, nr * sizeof(map[0]));
	bi.mem = virt_to_phys(in_arena);
	bi.nr_mem = nr;
	return memory_init(&bi);
}

static u64 total_pages(void)
{
	struct page_stats stats;

	page_stats_read(&stats);
	return stats.nr_total;
}

static void entry(unsigned int i, u64 base, u64 size, u64 type)
{
	map[i] = (struct boot_mem){ .base = base, .size = size, .type = type };
}

static int setup(void **state)
{
	(void)state;
	host_memory_init(ARENA, 0);
	node1_base = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	host_memory_fini();
	return 0;
}

static void only_usable_memory_is_taken(void **state)
{
	(void)state;
	entry(0, 1 * MIB, 4 * MIB, BOOT_MEM_USABLE);
	entry(1, 5 * MIB, 4 * MIB, BOOT_MEM_LOADER);
	entry(2, 16 * MIB, 8 * MIB, BOOT_MEM_USABLE);
	entry(3, 32 * MIB, 8 * MIB, BOOT_MEM_RUNTIME);
	entry(4, 40 * MIB, 8 * MIB, BOOT_MEM_USABLE);
	assert_int_equal(init_with(5), 0);
	assert_int_equal(total_pages(), 20 * 256);
}

static void a_malformed_entry_is_left_out_and_the_rest_used(void **state)
{
	(void)state;
	entry(0, 1 * MIB, 4 * MIB, BOOT_MEM_USABLE);
	entry(1, 4 * MIB, 4 * MIB, BOOT_MEM_USABLE);		/* overlaps */
	entry(2, 10 * MIB, 0, BOOT_MEM_USABLE);			/* empty */
	entry(3, 10 * MIB + 7, 1 * MIB, BOOT_MEM_USABLE);	/* odd base */
	entry(4, 12 * MIB, ~0ULL & PAGE_MASK, BOOT_MEM_USABLE);	/* wraps */
	entry(5, 2 * MIB, 1 * MIB, BOOT_MEM_USABLE);		/* unsorted */
	entry(6, 16 * MIB, 12 * MIB, BOOT_MEM_USABLE);
	assert_int_equal(init_with(7), 0);
	assert_int_equal(total_pages(), 16 * 256);
}

static void many_malformed_entries_are_no_flood_of_lines(void **state)
{
	(void)state;
	entry(0, 1 * MIB, 16 * MIB, BOOT_MEM_USABLE);
	for (unsigned int i = 1; i < 3000; i++)
		entry(i, 64 * MIB, 0, BOOT_MEM_USABLE);
	nr_lines = 0;
	printk_set_sink(count_lines);
	assert_int_equal(init_with(3000), 0);
	printk_set_sink(NULL);
	assert_in_range(nr_lines, 2, 20);
}

static void a_map_without_usable_memory_is_printed_and_refused(void **state)
{
	(void)state;
	entry(0, 1 * MIB, 4 * MIB, BOOT_MEM_RESERVED);
	entry(1, 5 * MIB, 16 * MIB - 4096, BOOT_MEM_USABLE);
	entry(2, 32 * MIB, 4 * MIB, 77);
	nr_lines = 0;
	printk_set_sink(count_lines);
	assert_int_equal(init_with(3), -EBADMSG);
	printk_set_sink(NULL);
	assert_int_equal(nr_lines, 4);
	assert_int_equal(init_with(1), -EBADMSG);
	assert_int_equal(init_with(0), -EBADMSG);
}

static void neighbours_are_one_range(void **state)
{
	(void)state;
	entry(0, 1 * MIB, 3 * MIB, BOOT_MEM_USABLE);
	entry(1, 4 * MIB, 60 * MIB, BOOT_MEM_USABLE);
	assert_int_equal(init_with(2), 0);
	/* 32 MiB at 32 MiB: only there when both are one zone or the second */
	assert_non_null(alloc_pages(GFP_KERNEL | __GFP_NOWARN, 12));
	assert_int_equal(total_pages(), 63 * 256);
}

static void of_too_many_ranges_the_smallest_are_left_out(void **state)
{
	(void)state;
	/* 4990 ranges of one page, then ten of two, then 16 MiB */
	for (unsigned int i = 0; i < 4999; i++)
		entry(i, 1 * MIB + i * 3 * 4096ULL,
		      i < 4989 ? 4096 : 8192, BOOT_MEM_USABLE);
	entry(4999, 96 * MIB, 16 * MIB, BOOT_MEM_USABLE);
	nr_lines = 0;
	printk_set_sink(count_lines);
	assert_int_equal(init_with(5000), 0);
	printk_set_sink(NULL);
	assert_int_equal(nr_lines, 1);
	assert_non_null(phys_to_page(100 * MIB));
}

static void a_range_is_split_where_the_node_changes(void **state)
{
	(void)state;
	node1_base = 64 * MIB + 100;	/* not even on a page */
	entry(0, 16 * MIB, 96 * MIB, BOOT_MEM_USABLE);
	assert_int_equal(init_with(1), 0);
	assert_int_equal(total_pages(), 96 * 256);
	assert_int_equal(phys_to_page(16 * MIB)->node, 0);
	assert_int_equal(phys_to_page(64 * MIB)->node, 0);
	assert_int_equal(phys_to_page(64 * MIB + 4096)->node, 1);
	assert_int_equal(phys_to_page(112 * MIB - 4096)->node, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_usable_memory_is_taken,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_malformed_entry_is_left_out_and_the_rest_used, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			a_map_without_usable_memory_is_printed_and_refused,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			many_malformed_entries_are_no_flood_of_lines, setup,
			teardown),
		cmocka_unit_test_setup_teardown(neighbours_are_one_range,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			of_too_many_ranges_the_smallest_are_left_out, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			a_range_is_split_where_the_node_changes, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
