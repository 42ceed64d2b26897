/* SPDX-License-Identifier: MIT */
/*
 * The watchdog: when it fires, when it does not, and what it says. A "second"
 * is 10^8 ticks of the host's TSC here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <asm/apic.h>
#include <asm/machine.h>
#include <asm/smp.h>
#include <asm/traps.h>
#include <asm/tsc.h>
#include <asm/watchdog.h>
#include "arch/x86/console.h"
#include "arch/x86/cpu.h"
#include "lib/err.h"

#define HZ	100000000ULL

static jmp_buf ended;
static int exit_status, nr_nmis, nr_timers;
static u32 timer_us;
static u64 uptime_ns;
static irq_handler_t handler;
static char said[8192];
static size_t nr_said;

/* ---- the machine ---- */

_Thread_local unsigned int host_cpu;
unsigned int host_nr_cpus = 3;

u64 tsc_hz(void)
{
	return HZ;
}

u64 now_ns(void)
{
	return uptime_ns;
}

void udelay(u64 us)
{
	(void)us;
}

bool smp_idle(unsigned int cpu)
{
	return cpu == 2;
}

u32 cpu_apic_id(unsigned int cpu)
{
	return cpu;
}

/* The others arm their timers here and now. */
int smp_run_on(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	host_cpu = cpu;
	fn(arg);
	host_cpu = 0;
	return 0;
}

int smp_wait(unsigned int cpu, u64 timeout_us)
{
	(void)cpu;
	(void)timeout_us;
	return 0;
}

void lapic_send_nmi(u32 apic_id)
{
	assert_int_not_equal(apic_id, host_cpu);
	nr_nmis++;
}

void lapic_timer_once(u8 vector, u32 us)
{
	assert_int_equal(vector, VECTOR_WATCHDOG);
	timer_us = us;
	nr_timers++;
}

void irq_set_handler(unsigned int vector, irq_handler_t fn)
{
	assert_int_equal(vector, VECTOR_WATCHDOG);
	handler = fn;
}

void console_panic(void)
{
}

void backtrace(u64 rbp, unsigned int max_frames)
{
	(void)rbp;
	(void)max_frames;
}

void machine_exit(int status)
{
	exit_status = status;
	longjmp(ended, 1);
}

static void sink(const char *text, size_t n)
{
	assert_true(nr_said + n < sizeof(said));
	memcpy(said + nr_said, text, n);
	nr_said += n;
}

/* ---- tests ---- */

static void wait_ticks(u64 ticks)
{
	u64 start = rdtsc();

	while (rdtsc() - start < ticks)
		cpu_relax();
}

/* The timer's interrupt. Return: the watchdog fired. */
static bool tick(void)
{
	struct pt_regs regs = { .rip = 0x1234, .cs = 8 };

	if (setjmp(ended))
		return true;
	handler(&regs);
	return false;
}

static int start(void **state)
{
	(void)state;
	exit_status = nr_nmis = nr_timers = 0;
	nr_said = 0;
	memset(said, 0, sizeof(said));
	printk_set_sink(sink);
	return 0;
}

static void every_cpu_gets_a_timer_within_the_bound(void **state)
{
	(void)state;
	watchdog_start(8);
	assert_int_equal(nr_timers, 3);
	assert_int_equal(timer_us, 2000000);
	assert_int_equal(watchdog_seconds(), 8);
	watchdog_start(WATCHDOG_MAX_S);
	assert_int_equal(timer_us, 10000000);
	assert_false(tick());
	assert_int_equal(nr_timers, 7);
	watchdog_stop();
}

static void signs_of_life_hold_it_off(void **state)
{
	(void)state;
	watchdog_start(1);
	for (unsigned int i = 0; i < 4; i++) {
		wait_ticks(HZ / 2);
		watchdog_pet();
		assert_false(tick());
	}
	watchdog_stop();
	assert_int_equal(nr_said, 0);
}

static void a_stopped_one_stays_quiet(void **state)
{
	(void)state;
	watchdog_start(1);
	watchdog_stop();
	wait_ticks(HZ + HZ / 2);
	nr_timers = 0;
	assert_false(tick());
	assert_int_equal(nr_timers, 0);
	assert_int_equal(watchdog_seconds(), 0);
	watchdog_start(0);
	assert_int_equal(nr_timers, 0);
}

static void a_board_s_watchdog_is_a_risk_after_5_minutes(void **state)
{
	(void)state;
	uptime_ns = 299ULL * 1000000000;
	watchdog_doing("run all");
	assert_int_equal(nr_said, 0);
	uptime_ns = 301ULL * 1000000000;
	watchdog_doing("run all");
	assert_non_null(strstr(said, "more than 5 minutes"));
	nr_said = 0;
	watchdog_doing("run all");
	assert_int_equal(nr_said, 0);
}

/* The last one: it fires once in a machine's life. */
static void silence_ends_the_run_with_a_report(void **state)
{
	(void)state;
	watchdog_start(1);
	watchdog_doing("run sha256");
	wait_ticks(HZ + HZ / 10);
	assert_true(tick());
	assert_int_equal(exit_status, 1);
	assert_int_equal(nr_nmis, 2);
	assert_non_null(strstr(said, "no sign of life for 1 s"));
	assert_non_null(strstr(said, "while: run sha256"));
	assert_non_null(strstr(said, "cpu 0: kernel 0008:0000000000001234"));
	assert_non_null(strstr(said, "cpu 1: takes no NMI"));
	assert_non_null(strstr(said, "cpu 2: takes no NMI"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_cpu_gets_a_timer_within_the_bound,
				       start),
		cmocka_unit_test_setup(signs_of_life_hold_it_off, start),
		cmocka_unit_test_setup(a_stopped_one_stays_quiet, start),
		cmocka_unit_test_setup(
			a_board_s_watchdog_is_a_risk_after_5_minutes, start),
		cmocka_unit_test_setup(silence_ends_the_run_with_a_report,
				       start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
