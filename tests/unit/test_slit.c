/* SPDX-License-Identifier: MIT */
/*
 * Distances between nodes, well formed and not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/srat_table.h"

#define MATRIX	44

/* Nodes 0..2 have the domains 2, 0, 1; then a matrix of @count rows. */
static void begin_slit(u64 count, size_t rows)
{
	begin(3);
	add_lapic(0, 2, ENABLED);
	add_lapic(1, 0, ENABLED);
	add_lapic(2, 1, ENABLED);
	assert_int_equal(parse_with(srat_parse, size), 0);
	memset(table, 0, sizeof(table));
	memcpy(table, "SLIT", 4);
	put(36, count, 8);
	size = MATRIX + rows * rows;
	for (size_t i = 0; i < rows * rows; i++)
		table[MATRIX + i] = i / rows == i % rows ? 10 :
			(u8)(20 + i / rows * 10 + i % rows);
}

static void assert_no_slit(size_t n)
{
	assert_int_equal(parse_with(slit_parse, n), -EBADMSG);
	assert_false(srat.has_distances);
}

static void distances_are_those_of_the_domains(void **state)
{
	static const u8 expected[] = { 10, 40, 41, 22, 10, 21, 32, 30, 10 };

	(void)state;
	begin_slit(3, 3);
	assert_int_equal(parse_with(slit_parse, size), 0);
	assert_true(srat.has_distances);
	assert_memory_equal(srat.distance, expected, sizeof(expected));
	/* More domains than nodes. */
	begin_slit(5, 5);
	assert_int_equal(parse_with(slit_parse, size), 0);
	assert_memory_equal(srat.distance, expected, sizeof(expected));
}

static void a_slit_that_is_cut_is_refused(void **state)
{
	(void)state;
	begin_slit(3, 3);
	for (size_t n = 0; n < size; n++)
		assert_no_slit(n);
	memcpy(table, "SLIX", 4);
	assert_no_slit(size);
}

static void absurd_counts_are_refused(void **state)
{
	static const u64 counts[] = {
		0, 1, 2, 4, 1ULL << 32, 1ULL << 33, (1ULL << 32) + 3,
		1ULL << 63, ~0ULL, ~0ULL - 2,
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(counts); i++) {
		begin_slit(counts[i], 3);
		assert_no_slit(size);
	}
}

static void distances_below_10_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < 9; i++) {
		begin_slit(3, 3);
		table[MATRIX + i] = 9;
		assert_no_slit(size);
	}
}

static void domains_beyond_the_matrix_are_refused(void **state)
{
	(void)state;
	begin_slit(3, 3);
	srat.domain[1] = 3;
	assert_no_slit(size);
	srat.domain[1] = 0xffffffff;
	assert_no_slit(size);
}

static void sixty_four_nodes_fill_the_matrix(void **state)
{
	(void)state;
	for (u32 i = 0; i < NUMA_MAX_NODES; i++)
		add_x2apic(i, NUMA_MAX_NODES - 1 - i, ENABLED);
	assert_int_equal(parse_with(srat_parse, size), 0);
	memset(table, 0xff, sizeof(table));
	memcpy(table, "SLIT", 4);
	put(36, NUMA_MAX_NODES, 8);
	table[MATRIX] = 10;
	assert_int_equal(parse_with(slit_parse, MATRIX + NUMA_MAX_NODES *
				    NUMA_MAX_NODES), 0);
	assert_int_equal(srat.distance[NUMA_MAX_NODES * NUMA_MAX_NODES - 1],
			 10);
	assert_int_equal(srat.distance[0], 0xff);
}

#define test(name) cmocka_unit_test_setup(name, start)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(distances_are_those_of_the_domains),
		test(a_slit_that_is_cut_is_refused),
		test(absurd_counts_are_refused),
		test(distances_below_10_are_refused),
		test(domains_beyond_the_matrix_are_refused),
		test(sixty_four_nodes_fill_the_matrix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
