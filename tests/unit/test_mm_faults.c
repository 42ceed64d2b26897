/* SPDX-License-Identifier: MIT */
/*
 * Fault injection: what fails, how often, and that nothing leaks when any
 * allocation of a mixed run does.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/err.h"
#include "mm/fault.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/mm_state.h"

#define NR_STEPS	60

/* A run over all sizes. Return: how many allocations failed. */
static unsigned int mixed_run(void)
{
	struct page *block[NR_STEPS];
	void *object[NR_STEPS], *many[40];
	unsigned int nr_failed = 0;

	for (unsigned int i = 0; i < NR_STEPS; i++) {
		block[i] = alloc_pages(NOWARN, i % 10);
		object[i] = i % 2 ? kzalloc(i * 97 + 1, NOWARN) :
			    kcalloc(i + 1, 120, NOWARN);
		nr_failed += !block[i] + !object[i];
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++) {
		many[i] = kmalloc(500, NOWARN);
		nr_failed += !many[i];
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++)
		kfree(many[i]);
	for (unsigned int i = 0; i < NR_STEPS; i++) {
		__free_pages(block[i], i % 10);
		kfree(object[i]);
	}
	return nr_failed;
}

static void fail_in_turn(void (*fail_nth)(unsigned long n),
			 struct fault_attr *attr, unsigned int least)
{
	static struct mm_state start, end;
	unsigned int nr = 0;

	assert_int_equal(mixed_run(), 0);
	mm_state_read(&start);
	for (unsigned long n = 1; ; n++) {
		unsigned int nr_failed;

		fail_nth(n);
		nr_failed = mixed_run();
		mm_state_read(&end);
		assert_memory_equal(&start, &end, sizeof(start));
		if (fault_get(attr, FAULT_NTH)) {
			assert_int_equal(nr_failed, 0);
			break;		/* n is more than there are */
		}
		assert_int_equal(nr_failed, 1);
		nr++;
	}
	fail_nth(0);
	assert_true(nr >= least);
	assert_int_equal(mm_nr_refused(), 0);
}

static void each_page_allocation_in_turn_fails_and_nothing_leaks(void **state)
{
	(void)state;
	fail_in_turn(page_fail_nth, &fail_page_alloc, NR_STEPS + 10);
}

static void each_object_in_turn_fails_and_nothing_leaks(void **state)
{
	(void)state;
	fail_in_turn(slab_fail_nth, &failslab, NR_STEPS + 40);
}

/* Bit i: whether the i-th of 64 allocations failed. */
static u64 pattern(void)
{
	u64 bits = 0;

	for (unsigned int i = 0; i < 64; i++) {
		struct page *page = alloc_pages(NOWARN, i % 3);

		bits |= (u64)!page << i;
		__free_pages(page, i % 3);
	}
	return bits;
}

static void set(enum fault_field field, u64 val)
{
	assert_int_equal(fault_set(&fail_page_alloc, field, val), 0);
}

static void a_probability_fails_about_so_many_the_same_for_a_seed(void **state)
{
	u64 first, second, third;

	(void)state;
	fault_reset(&fail_page_alloc);
	set(FAULT_PROBABILITY, 25);
	set(FAULT_TIMES, FAULT_NO_LIMIT);
	set(FAULT_SEED, 42);
	first = pattern();
	second = pattern();
	set(FAULT_SEED, 42);
	third = pattern();
	assert_int_equal(first, third);
	assert_true(first != second);
	assert_in_range(__builtin_popcountll(first) +
			__builtin_popcountll(second), 16, 48);
	set(FAULT_PROBABILITY, 100);
	assert_int_equal(pattern(), ~0ULL);
	set(FAULT_PROBABILITY, 0);
	assert_int_equal(pattern(), 0);
	assert_int_equal(fault_set(&fail_page_alloc, FAULT_PROBABILITY, 101),
			 -ERANGE);
	assert_int_equal(fault_get(&fail_page_alloc, FAULT_PROBABILITY), 0);
	fault_reset(&fail_page_alloc);
}

static void times_limits_how_often(void **state)
{
	(void)state;
	fault_reset(&fail_page_alloc);
	set(FAULT_PROBABILITY, 100);
	assert_int_equal(pattern(), 1);		/* one, when nothing is said */
	set(FAULT_TIMES, 5);
	assert_int_equal(pattern(), 0x1f);
	assert_int_equal(fault_get(&fail_page_alloc, FAULT_TIMES), 0);
	assert_int_equal(mm_stats().nr_injected, 6);
	fault_reset(&fail_page_alloc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_page_allocation_in_turn_fails_and_nothing_leaks),
		cmocka_unit_test(each_object_in_turn_fails_and_nothing_leaks),
		cmocka_unit_test(
			a_probability_fails_about_so_many_the_same_for_a_seed),
		cmocka_unit_test(times_limits_how_often),
	};

	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
