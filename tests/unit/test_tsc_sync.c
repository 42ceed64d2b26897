/* SPDX-License-Identifier: MIT */
/*
 * Comparing two TSCs: two threads, one host clock, skewed for one of them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <time.h>

#include "arch/x86/tsc_sync.h"

#define MS	1000000ULL

static s64 skew;

static u64 host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static u64 skewed(void)
{
	return host_ns() + (u64)skew;
}

static u64 still(void)
{
	return 4711;
}

static void *answer(void *sync)
{
	tsc_sync_answer(sync);
	return NULL;
}

static struct tsc_offset compare(s64 by)
{
	struct tsc_sync sync = {
		.clock_a = host_ns, .clock_b = skewed, .max_ticks = 2000 * MS,
	};
	struct tsc_offset off;
	pthread_t thread;

	skew = by;
	assert_int_equal(pthread_create(&thread, NULL, answer, &sync), 0);
	tsc_sync_ask(&sync, &off);
	pthread_join(thread, NULL);
	return off;
}

static void the_skew_is_found_within_the_bound(void **state)
{
	static const s64 skews[] = {
		0, 1, -1, 1000, -1000, 123456789, -987654321, 1LL << 40,
		-(1LL << 40),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(skews); i++) {
		struct tsc_offset off = compare(skews[i]);

		assert_true(off.nr_rounds > 0);
		assert_true(off.ticks - skews[i] <= (s64)off.error);
		assert_true(skews[i] - off.ticks <= (s64)off.error);
	}
}

static void a_cpu_that_never_answers_is_given_up(void **state)
{
	struct tsc_sync sync = {
		.clock_a = host_ns, .clock_b = skewed, .max_ticks = 20 * MS,
	};
	u64 start = host_ns();
	struct tsc_offset off;

	(void)state;
	tsc_sync_ask(&sync, &off);
	assert_int_equal(off.nr_rounds, 0);
	assert_true(host_ns() - start >= 20 * MS);
	assert_int_equal(sync.end, 1);
}

static void a_cpu_that_is_never_asked_goes_on(void **state)
{
	struct tsc_sync sync = {
		.clock_a = host_ns, .clock_b = host_ns, .max_ticks = 20 * MS,
	};

	(void)state;
	tsc_sync_answer(&sync);
	assert_int_equal(sync.answered, 0);
}

/* Bounded by turns then. */
static void a_clock_that_stands_still_ends_the_wait(void **state)
{
	struct tsc_sync sync = {
		.clock_a = still, .clock_b = still, .max_ticks = 20 * MS,
	};
	struct tsc_offset off;

	(void)state;
	tsc_sync_ask(&sync, &off);
	assert_int_equal(off.nr_rounds, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_skew_is_found_within_the_bound),
		cmocka_unit_test(a_cpu_that_never_answers_is_given_up),
		cmocka_unit_test(a_cpu_that_is_never_asked_goes_on),
		cmocka_unit_test(a_clock_that_stands_still_ends_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
