/* SPDX-License-Identifier: MIT */
/*
 * Who is traced and who decodes, for every number of CPUs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <asm/smp.h>
#include <asm/traps.h>
#include "lib/err.h"
#include "run/capture.h"
#include "run/round.h"

/* Stand-ins: what round.c calls when a round runs, which is not tested here. */
void capture_trace(void *cap);
void capture_decode(void *cap);

void capture_trace(void *cap)
{
	(void)cap;
	fail();
}

void capture_decode(void *cap)
{
	(void)cap;
	fail();
}

void capture_finish(struct capture *cap)
{
	(void)cap;
	fail();
}

void capture_destroy(struct capture *cap)
{
	(void)cap;
	fail();
}

int smp_run_on(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	(void)cpu;
	(void)fn;
	(void)arg;
	fail();
	return -EINVAL;
}

int smp_wait(unsigned int cpu, u64 timeout_us)
{
	(void)cpu;
	(void)timeout_us;
	fail();
	return 0;
}

void panic(const char *fmt, ...)
{
	(void)fmt;
	fail();
	__builtin_unreachable();
}

static unsigned int run_round(unsigned int nr, bool todo[NR_CPUS],
			      unsigned int traced[NR_CPUS])
{
	int decoder_of[NR_CPUS];
	unsigned int parts[NR_CPUS] = { 0 };
	unsigned int chosen = 0;

	pair_cpus(nr, todo, decoder_of);
	for (unsigned int cpu = 0; cpu < nr; cpu++) {
		if (decoder_of[cpu] < 0)
			continue;
		assert_true((unsigned int)decoder_of[cpu] < nr);
		assert_int_not_equal(decoder_of[cpu], cpu);
		assert_false(todo[cpu]);
		parts[cpu]++;
		parts[decoder_of[cpu]]++;
		traced[cpu]++;
		chosen++;
	}
	for (unsigned int cpu = 0; cpu < nr; cpu++)
		assert_true(parts[cpu] <= 1);
	return chosen;
}

static void every_cpu_is_traced_once_and_no_cpu_has_two_parts(void **state)
{
	(void)state;
	for (unsigned int nr = 2; nr <= NR_CPUS; nr++) {
		bool todo[NR_CPUS];
		unsigned int traced[NR_CPUS] = { 0 };
		unsigned int rounds = 0;

		memset(todo, 0, sizeof(todo));
		memset(todo, 1, nr);
		while (memchr(todo, 1, nr)) {
			assert_true(run_round(nr, todo, traced) > 0);
			assert_true(++rounds <= nr);
		}
		for (unsigned int cpu = 0; cpu < nr; cpu++)
			assert_int_equal(traced[cpu], 1);
		if (!(nr & (nr - 1)))
			assert_int_equal(rounds, 2);
	}
}

static void neighbours_decode_for_each_other(void **state)
{
	bool todo[NR_CPUS] = { true, true, true, true };
	int decoder_of[NR_CPUS];

	(void)state;
	pair_cpus(4, todo, decoder_of);
	assert_int_equal(decoder_of[0], 1);
	assert_int_equal(decoder_of[1], -1);
	assert_int_equal(decoder_of[2], 3);
	pair_cpus(4, todo, decoder_of);
	assert_int_equal(decoder_of[1], 0);
	assert_int_equal(decoder_of[3], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cpu_is_traced_once_and_no_cpu_has_two_parts),
		cmocka_unit_test(neighbours_decode_for_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
