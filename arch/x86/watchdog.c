/* SPDX-License-Identifier: MIT */
/*
 * The watchdog: where each CPU is when a run hangs.
 */
#include <asm/watchdog.h>

#include <asm/apic.h>
#include <asm/machine.h>
#include <asm/smp.h>
#include <asm/traps.h>
#include <asm/tsc.h>
#include "arch/x86/console.h"
#include "arch/x86/cpu.h"
#include "lib/printk.h"

#define MAX_PERIOD_US	10000000u
#define STOP_US		100000		/* for all CPUs to take their NMI */
#define STOP_STEP_US	100
#define FRAMES		8
#define ARM_US		1000000
#define RISK_NS		(300ULL * 1000 * 1000 * 1000)

/* Where a CPU was when it was stopped. */
struct place {
	u64 rip, cs, rbp;
	u32 here;		/* set last */
};

/* Owner: watchdog_start(); 0: nobody watches. */
static u64 limit;
static unsigned int limit_s, period_us;
/* Owners: who gives the sign of life. */
static u64 last_pet;
static char doing[96];
/* Owner: the CPU that fires. */
static u32 fired, stopping;
static struct place places[NR_CPUS];

/* ---- the report ---- */

static void place_set(struct place *place, const struct pt_regs *regs)
{
	place->rip = regs->rip;
	place->cs = regs->cs;
	place->rbp = regs->rbp;
	smp_store_release(&place->here, 1);
}

void watchdog_nmi(const struct pt_regs *regs)
{
	if (!smp_load_acquire(&stopping))
		return;
	place_set(&places[cpu_id()], regs);
	/* The report walks this stack: it must not change any more. */
	for (;;)
		__asm__ volatile("hlt");
}

static bool all_here(void)
{
	for (unsigned int cpu = 0; cpu < nr_cpus(); cpu++)
		if (!smp_load_acquire(&places[cpu].here))
			return false;
	return true;
}

static void stop_others(void)
{
	smp_store_release(&stopping, 1);
	for (unsigned int cpu = 0; cpu < nr_cpus(); cpu++)
		if (cpu != cpu_id())
			lapic_send_nmi(cpu_apic_id(cpu));
	for (unsigned int us = 0; us < STOP_US && !all_here();
	     us += STOP_STEP_US)
		udelay(STOP_STEP_US);
}

static void print_place(unsigned int cpu)
{
	const struct place *place = &places[cpu];
	bool user = place->cs & 3;

	if (!smp_load_acquire(&place->here)) {
		printk("cpu %u: takes no NMI: it is nowhere\n", cpu);
		return;
	}
	printk("cpu %u: %s %04llx:%016llx %pS%s\n", cpu,
	       user ? "ring 3" : "kernel", (unsigned long long)place->cs,
	       (unsigned long long)place->rip, (void *)place->rip,
	       cpu && smp_idle(cpu) ? ", waits for work" : "");
	/* The stack of ring 3 is in an address space of its own. */
	if (!user && (!cpu || !smp_idle(cpu)))
		backtrace(place->rbp, FRAMES);
}

static void __noreturn fire(const struct pt_regs *regs)
{
	/* Two at once: the other one stops this one. */
	while (__atomic_exchange_n(&fired, 1, __ATOMIC_SEQ_CST))
		cpu_relax();
	place_set(&places[cpu_id()], regs);
	stop_others();
	console_panic();
	printk("\ntopaz: watchdog: no sign of life for %u s, seen by cpu %u, while: %s\n",
	       limit_s, cpu_id(), doing);
	for (unsigned int cpu = 0; cpu < nr_cpus(); cpu++)
		print_place(cpu);
	printk("topaz: FAIL: the run hangs\n");
	machine_exit(1);
}

/* ---- the deadline ---- */

/* Boards have watchdogs that are not ours to stop. */
static void check_risk(void)
{
	static u32 said;

	if (now_ns() < RISK_NS ||
	    __atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
		return;
	printk("time: running for more than 5 minutes: a watchdog that the firmware started (TCO, Super-I/O, BMC) may reset the machine\n");
}

void watchdog_check(struct pt_regs *regs)
{
	u64 ticks = READ_ONCE(limit);

	/* Signed: the TSC of who gave the sign may be a little ahead. */
	if (ticks && (s64)(rdtsc() - READ_ONCE(last_pet) - ticks) > 0)
		fire(regs);
}

void watchdog_rearm(void)
{
	if (READ_ONCE(limit))
		lapic_timer_once(VECTOR_WATCHDOG, period_us);
}

static void on_timer(struct pt_regs *regs)
{
	watchdog_check(regs);
	if (!cpu_id())
		check_risk();
	watchdog_rearm();
}

static void arm(void *unused)
{
	(void)unused;
	watchdog_rearm();
}

static void arm_others(void)
{
	for (unsigned int cpu = 1; cpu < nr_cpus(); cpu++)
		if (smp_run_on(cpu, arm, NULL) || smp_wait(cpu, ARM_US))
			printk("watchdog: cpu %u is busy: it does not watch\n",
			       cpu);
}

void watchdog_start(unsigned int seconds)
{
	watchdog_stop();
	if (!seconds)
		return;
	limit_s = seconds;
	period_us = min(seconds, MAX_PERIOD_US / 250000) * 250000;
	irq_set_handler(VECTOR_WATCHDOG, on_timer);
	watchdog_pet();
	smp_store_release(&limit, seconds * tsc_hz());
	watchdog_rearm();
	arm_others();
}

unsigned int watchdog_seconds(void)
{
	return READ_ONCE(limit) ? limit_s : 0;
}

void watchdog_stop(void)
{
	WRITE_ONCE(limit, 0);
}

void watchdog_pet(void)
{
	WRITE_ONCE(last_pet, rdtsc());
}

void watchdog_doing(const char *what)
{
	check_risk();
	watchdog_pet();
	scnprintf(doing, sizeof(doing), "%s", what);
}
