/* SPDX-License-Identifier: MIT */
/*
 * Calls of functions on other CPUs: taken, late, never.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include <asm/apic.h>
#include <asm/smp.h>
#include <asm/traps.h>
#include <asm/tsc.h>
#include "arch/x86/cpu.h"
#include "lib/err.h"

#define TIMEOUT_US	1000
#define NEVER		~0ULL

struct cpu cpus[NR_CPUS];
_Thread_local unsigned int host_cpu;
unsigned int host_nr_cpus = 4;

static irq_handler_t handler;
static u64 clock_ns;
static u64 take_at;		/* time at which CPU 1 takes its interrupts */
static unsigned int nr_sent;
static unsigned int ran_on;
static unsigned int nr_ran;

void irq_set_handler(unsigned int vector, irq_handler_t fn)
{
	assert_int_equal(vector, VECTOR_CALL);
	handler = fn;
}

void lapic_send_ipi(u32 apic_id, u8 vector)
{
	assert_int_equal(apic_id, 0x21);
	assert_int_equal(vector, VECTOR_CALL);
	nr_sent++;
}

static void interrupt_on_cpu_1(void)
{
	unsigned int me = host_cpu;

	host_cpu = 1;
	handler(NULL);
	host_cpu = me;
}

/* Each look at the clock is a microsecond, and when CPU 1 gets on. */
u64 now_ns(void)
{
	clock_ns += 1000;
	if (clock_ns >= take_at) {
		take_at = NEVER;
		interrupt_on_cpu_1();
	}
	return clock_ns;
}

static void note(void *arg)
{
	ran_on = host_cpu;
	nr_ran += *(unsigned int *)arg;
}

static int setup(void **state)
{
	(void)state;
	memset(cpus, 0, sizeof(cpus));
	cpus[1].apic_id = 0x21;
	clock_ns = 0;
	take_at = NEVER;
	nr_sent = nr_ran = 0;
	ran_on = 99;
	smp_call_init();
	return 0;
}

static unsigned int one = 1;

static void the_function_runs_there_and_is_waited_for(void **state)
{
	(void)state;
	take_at = 50000;
	assert_int_equal(smp_call(1, note, &one, TIMEOUT_US), 0);
	assert_int_equal(ran_on, 1);
	assert_int_equal(nr_ran, 1);
	assert_int_equal(nr_sent, 1);
	assert_in_range(clock_ns, 50000, 60000);
	take_at = clock_ns + 20000;
	assert_int_equal(smp_call(1, note, &one, TIMEOUT_US), 0);
	assert_int_equal(nr_ran, 2);
}

static void on_the_own_cpu_it_is_a_call(void **state)
{
	(void)state;
	assert_int_equal(smp_call(0, note, &one, TIMEOUT_US), 0);
	assert_int_equal(ran_on, 0);
	assert_int_equal(nr_sent, 0);
}

static void an_unknown_cpu_is_refused(void **state)
{
	(void)state;
	assert_int_equal(smp_call(4, note, &one, TIMEOUT_US), -EINVAL);
	assert_int_equal(nr_ran, 0);
}

static void a_cpu_that_does_not_take_it_never_runs_it(void **state)
{
	(void)state;
	assert_int_equal(smp_call(1, note, &one, TIMEOUT_US), -ETIMEDOUT);
	assert_in_range(clock_ns, TIMEOUT_US * 1000, TIMEOUT_US * 1100);
	interrupt_on_cpu_1();
	assert_int_equal(nr_ran, 0);
	/* And the next call is as good as the first. */
	take_at = clock_ns + 20000;
	assert_int_equal(smp_call(1, note, &one, TIMEOUT_US), 0);
	assert_int_equal(nr_ran, 1);
}

static u32 may_end, has_begun;

static void slow(void *arg)
{
	__atomic_store_n(&has_begun, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&may_end, __ATOMIC_ACQUIRE))
		;
	note(arg);
}

static void *cpu_1(void *arg)
{
	(void)arg;
	host_cpu = 1;
	while (!__atomic_load_n(&cpus[1].call.state, __ATOMIC_ACQUIRE))
		;
	while (!__atomic_load_n(&has_begun, __ATOMIC_ACQUIRE))
		handler(NULL);
	return NULL;
}

static void a_function_that_is_slow_is_left_alone(void **state)
{
	pthread_t thread;

	(void)state;
	may_end = has_begun = 0;
	assert_int_equal(pthread_create(&thread, NULL, cpu_1, NULL), 0);
	/* The clock stands for the caller; five seconds of it. */
	assert_int_equal(smp_call(1, slow, &one, 5000000), -EINPROGRESS);
	assert_int_equal(smp_call(1, note, &one, TIMEOUT_US), -EBUSY);
	assert_int_equal(nr_ran, 0);
	__atomic_store_n(&may_end, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_int_equal(nr_ran, 1);
	take_at = clock_ns + 20000;
	assert_int_equal(smp_call(1, note, &one, TIMEOUT_US), 0);
	assert_int_equal(nr_ran, 2);
}

#define TEST(fn)	cmocka_unit_test_setup(fn, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_function_runs_there_and_is_waited_for),
		TEST(on_the_own_cpu_it_is_a_call),
		TEST(an_unknown_cpu_is_refused),
		TEST(a_cpu_that_does_not_take_it_never_runs_it),
		TEST(a_function_that_is_slow_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
