/* SPDX-License-Identifier: MIT */
/*
 * Nodes of CPUs and memory, well formed and not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/srat_table.h"

static int parse(void)
{
	return parse_with(srat_parse, size);
}

static void assert_at(u64 pa, int node, u64 expected_end)
{
	u64 end = 0;

	assert_int_equal(srat_node_at(&srat, pa, &end), node);
	assert_int_equal(end, expected_end);
}

static void all_three_types_make_nodes_in_order(void **state)
{
	(void)state;
	add_lapic(3, 7, ENABLED);
	add_mem(0, GIB, 7, ENABLED);
	add_x2apic(0x1234, 9, ENABLED);
	add_mem(GIB, GIB, 9, ENABLED);
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_nodes, 2);
	assert_int_equal(srat.domain[0], 7);
	assert_int_equal(srat.domain[1], 9);
	assert_int_equal(srat_node_of_cpu(&srat, 3), 0);
	assert_int_equal(srat_node_of_cpu(&srat, 0x1234), 1);
	assert_int_equal(srat_node_of_cpu(&srat, 5), 0);
	assert_int_equal(srat.nr_mem, 2);
	assert_int_equal(srat.nr_skipped + srat.nr_overlaps, 0);
}

static void revision_1_has_domains_of_8_bits(void **state)
{
	(void)state;
	for (u8 revision = 0; revision < 4; revision++) {
		bool wide = revision >= 2;

		begin(revision);
		add_lapic(1, 0xabcd0102, ENABLED);
		add_mem(0, GIB, 0x05060702, ENABLED);
		assert_int_equal(parse(), 0);
		assert_int_equal(srat.nr_nodes, wide ? 2 : 1);
		assert_int_equal(srat.domain[0], wide ? 0xabcd0102 : 2);
		if (wide)
			assert_int_equal(srat.domain[1], 0x05060702);
	}
}

static void disabled_entries_are_not_there(void **state)
{
	(void)state;
	add_lapic(1, 1, 0);
	add_x2apic(2, 2, 0xfffffffe);
	add_mem(0, GIB, 3, 2);
	assert_int_equal(parse(), -EBADMSG);
	assert_int_equal(srat.nr_nodes, 0);
	add_x2apic(2, 9, ENABLED);
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_nodes, 1);
	assert_int_equal(srat.nr_cpus, 1);
	assert_int_equal(srat.nr_mem, 0);
	assert_int_equal(srat.nr_skipped, 0);
}

static void domains_may_be_sparse_and_large(void **state)
{
	static const u32 domains[] = { 0xffffffff, 0, 0x80000000, 255, 256 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(domains); i++) {
		add_x2apic(i, domains[i], ENABLED);
		add_mem(i * GIB, GIB, domains[i], ENABLED);
	}
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_nodes, ARRAY_SIZE(domains));
	for (u32 i = 0; i < ARRAY_SIZE(domains); i++) {
		assert_int_equal(srat_node_of_cpu(&srat, i), i);
		assert_at(i * GIB, (int)i, (i + 1) * GIB);
	}
}

static void nodes_beyond_64_are_counted(void **state)
{
	(void)state;
	for (u32 i = 0; i < NUMA_MAX_NODES + 3; i++)
		add_mem(i * GIB, GIB, i, ENABLED);
	add_lapic(1, NUMA_MAX_NODES, ENABLED);
	add_lapic(2, NUMA_MAX_NODES - 1, ENABLED);
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_nodes, NUMA_MAX_NODES);
	assert_int_equal(srat.nr_mem, NUMA_MAX_NODES);
	assert_int_equal(srat.nr_skipped, 4);
	assert_int_equal(srat_node_of_cpu(&srat, 2), NUMA_MAX_NODES - 1);
	assert_at(NUMA_MAX_NODES * GIB, 0, ~0ULL);
}

static void memory_beyond_256_entries_is_counted(void **state)
{
	(void)state;
	for (u32 i = 0; i < SRAT_MAX_MEM + 9; i++)
		add_mem(i * GIB, GIB, i & 1, ENABLED);
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_mem, SRAT_MAX_MEM);
	assert_int_equal(srat.nr_skipped, 9);
	assert_at(SRAT_MAX_MEM * GIB - 1, 1, SRAT_MAX_MEM * GIB);
	assert_at(SRAT_MAX_MEM * GIB, 0, ~0ULL);
}

static void memory_in_any_order_is_sorted(void **state)
{
	static const u8 order[] = { 5, 1, 7, 0, 6, 2, 4, 3 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(order); i++)
		add_mem(order[i] * 2 * GIB, GIB, order[i], ENABLED);
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_mem, ARRAY_SIZE(order));
	for (u32 i = 0; i < srat.nr_mem; i++) {
		assert_int_equal(srat.mem[i].base, i * 2 * GIB);
		assert_int_equal(srat.domain[srat.mem[i].node], i);
	}
}

static void of_two_that_overlap_the_first_counts(void **state)
{
	static const struct {
		u64 base;
		u64 len;
	} bad[] = {
		{ 10, 10 }, { 9, 2 }, { 19, 1 }, { 19, 100 }, { 0, 100 },
		{ 12, 3 }, { 10, 1 }, { 0, 11 },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		start(state);
		add_mem(10, 10, 1, ENABLED);
		add_mem(bad[i].base, bad[i].len, 2, ENABLED);
		add_mem(20, 5, 3, ENABLED);
		add_mem(5, 5, 3, ENABLED);
		assert_int_equal(parse(), 0);
		assert_int_equal(srat.nr_overlaps, 1);
		assert_int_equal(srat.nr_mem, 3);
		assert_int_equal(srat.nr_nodes, 2);
		assert_at(10, 0, 20);
		assert_at(20, 1, 25);
		assert_at(5, 1, 10);
	}
}

static void wrap_around_and_no_length_are_no_memory(void **state)
{
	(void)state;
	add_mem(0, GIB, 0, ENABLED);
	add_mem(~0ULL, 2, 1, ENABLED);
	add_mem(GIB, ~0ULL, 1, ENABLED);
	add_mem(~0ULL - 9, 10, 1, ENABLED);	/* ends at 2^64 */
	add_mem(2 * GIB, 0, 1, ENABLED);
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_mem, 1);
	assert_int_equal(srat.nr_nodes, 1);
	assert_int_equal(srat.nr_skipped, 3);
}

static void the_last_byte_but_one_is_still_memory(void **state)
{
	(void)state;
	add_mem(~0ULL - 9, 9, 4, ENABLED);
	add_mem(0, 1, 5, ENABLED);
	assert_int_equal(parse(), 0);
	assert_at(~0ULL - 9, 0, ~0ULL);
	assert_at(~0ULL - 1, 0, ~0ULL);
	assert_at(0, 1, 1);
	assert_at(1, 0, ~0ULL - 9);
}

static void a_cpu_named_twice_takes_one_place(void **state)
{
	(void)state;
	for (u32 i = 0; i < NR_CPUS; i++) {
		if (i < 255)
			add_lapic((u8)i, i / 256, ENABLED);
		add_x2apic(i, i / 256, ENABLED);
	}
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_cpus, NR_CPUS);
	assert_int_equal(srat.nr_skipped + srat.nr_overlaps, 0);
	assert_int_equal(srat_node_of_cpu(&srat, NR_CPUS - 1), 1);
	add_x2apic(NR_CPUS, 0, ENABLED);
	add_lapic(7, 1, ENABLED);
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_skipped, 1);
	assert_int_equal(srat.nr_overlaps, 1);
	assert_int_equal(srat_node_of_cpu(&srat, 7), 0);
}

static void short_entries_are_skipped(void **state)
{
	(void)state;
	add_raw(0, 15, 15);
	add_raw(1, 39, 39);
	add_raw(2, 23, 23);
	add_raw(0, 2, 2);
	add_raw(3, 2, 2);		/* a type that is not ours */
	add_raw(255, 200, 200);
	add_lapic(1, 1, ENABLED);
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_skipped, 4);
	assert_int_equal(srat.nr_nodes, 1);
	assert_int_equal(srat.bad_offset, 0);
}

static void long_entries_are_read_up_to_what_is_known(void **state)
{
	(void)state;
	add_mem(0, GIB, 3, ENABLED);
	table[size - 39] = 60;
	size += 20;
	add_lapic(1, 4, ENABLED);
	assert_int_equal(parse(), 0);
	assert_int_equal(srat.nr_nodes, 2);
	assert_int_equal(srat.nr_skipped, 0);
}

static void nothing_is_read_behind_a_bad_length(void **state)
{
	static const u8 lengths[] = { 0, 1, 255 };

	for (u32 i = 0; i < ARRAY_SIZE(lengths); i++) {
		start(state);
		add_lapic(1, 1, ENABLED);
		add_raw(1, lengths[i], 8);
		add_lapic(2, 2, ENABLED);
		assert_int_equal(parse(), 0);
		assert_int_equal(srat.nr_nodes, 1);
		assert_int_equal(srat.nr_skipped, 1);
		assert_int_equal(srat.bad_offset, ENTRIES + 16);
	}
}

static void a_table_cut_anywhere_gives_only_whole_entries(void **state)
{
	size_t whole;

	(void)state;
	for (u8 i = 0; i < 4; i++)
		add_lapic(i, i, ENABLED);
	whole = size;
	for (size_t n = 0; n <= whole; n++) {
		unsigned int nr = n < ENTRIES ? 0 : (n - ENTRIES) / 16;

		assert_int_equal(parse_with(srat_parse, n),
				 nr ? 0 : -EBADMSG);
		assert_int_equal(srat.nr_nodes, nr);
	}
}

static void what_is_no_srat_is_refused(void **state)
{
	(void)state;
	add_lapic(1, 1, ENABLED);
	memcpy(table, "SRAX", 4);
	assert_int_equal(parse(), -EBADMSG);
	assert_int_equal(srat.nr_nodes, 0);
}

static void every_edge_of_memory_has_its_node(void **state)
{
	(void)state;
	add_mem(100, 100, 1, ENABLED);
	add_mem(200, 50, 2, ENABLED);
	add_mem(300, 1, 3, ENABLED);
	assert_int_equal(parse(), 0);
	assert_at(0, 0, 100);
	assert_at(99, 0, 100);
	assert_at(100, 0, 200);
	assert_at(199, 0, 200);
	assert_at(200, 1, 250);
	assert_at(249, 1, 250);
	assert_at(250, 0, 300);
	assert_at(299, 0, 300);
	assert_at(300, 2, 301);
	assert_at(301, 0, ~0ULL);
	assert_at(~0ULL, 0, ~0ULL);
}

static void without_a_table_all_is_node_0(void **state)
{
	(void)state;
	memset(&srat, 0, sizeof(srat));
	assert_at(0, 0, ~0ULL);
	assert_at(~0ULL, 0, ~0ULL);
	assert_int_equal(srat_node_of_cpu(&srat, 0), 0);
}

#define test(name) cmocka_unit_test_setup(name, start)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(all_three_types_make_nodes_in_order),
		test(revision_1_has_domains_of_8_bits),
		test(disabled_entries_are_not_there),
		test(domains_may_be_sparse_and_large),
		test(nodes_beyond_64_are_counted),
		test(memory_beyond_256_entries_is_counted),
		test(memory_in_any_order_is_sorted),
		test(of_two_that_overlap_the_first_counts),
		test(wrap_around_and_no_length_are_no_memory),
		test(the_last_byte_but_one_is_still_memory),
		test(a_cpu_named_twice_takes_one_place),
		test(short_entries_are_skipped),
		test(long_entries_are_read_up_to_what_is_known),
		test(nothing_is_read_behind_a_bad_length),
		test(a_table_cut_anywhere_gives_only_whole_entries),
		test(what_is_no_srat_is_refused),
		test(every_edge_of_memory_has_its_node),
		test(without_a_table_all_is_node_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
