/* SPDX-License-Identifier: MIT */
/*
 * The TSCs of all CPUs, held against the boot CPU's.
 */
#include <asm/percpu.h>
#include <asm/smp.h>
#include <asm/tsc.h>
#include "arch/x86/tsc_sync.h"
#include "lib/printk.h"

#define ASK_US		20000		/* of each CPU; real ones need some 100 */
#define WAIT_US		1000000		/* a host may run it late */
#define MAX_LINES	8

struct summary {
	u64 worst;		/* distance that no error explains */
	u64 error;		/* the largest bound */
	unsigned int nr_off, nr_silent, nr_lines;
};

static unsigned long long ns(u64 ticks)
{
	return tsc_to_ns(ticks, tsc_hz());
}

static void add(struct summary *sum, unsigned int cpu,
		const struct tsc_offset *off)
{
	u64 away = (u64)(off->ticks < 0 ? -off->ticks : off->ticks);

	if (!off->nr_rounds) {
		sum->nr_silent++;
		return;
	}
	sum->error = max(sum->error, off->error);
	if (away <= off->error)
		return;
	sum->nr_off++;
	sum->worst = max(sum->worst, away);
	if (sum->nr_lines++ < MAX_LINES)
		printk("time: cpu %u: its TSC is %llu ns %s (+-%llu)\n", cpu,
		       ns(away), off->ticks < 0 ? "behind" : "ahead",
		       ns(off->error));
}

static bool ask(unsigned int cpu, struct tsc_offset *off)
{
	/* Static: a CPU that comes late still finds it. */
	static struct tsc_sync sync;

	sync = (struct tsc_sync){
		.clock_a = rdtsc_ordered,
		.clock_b = rdtsc_ordered,
		.max_ticks = tsc_from_us(ASK_US, tsc_hz()),
	};
	if (smp_run_on(cpu, tsc_sync_answer, &sync))
		return false;
	tsc_sync_ask(&sync, off);
	/* A CPU that does not come back may use @sync yet: the last one. */
	return !smp_wait(cpu, WAIT_US);
}

void tsc_check_cpus(void)
{
	struct summary sum = { 0, 0, 0, 0, 0 };

	if (nr_cpus() < 2)
		return;
	for (unsigned int cpu = 1; cpu < nr_cpus(); cpu++) {
		struct tsc_offset off = { 0, 0, 0 };

		if (!ask(cpu, &off)) {
			printk("time: cpu %u does not answer: TSCs are not compared further\n",
			       cpu);
			return;
		}
		add(&sum, cpu, &off);
	}
	if (sum.nr_silent)
		printk("time: %u CPUs gave no TSC in time\n", sum.nr_silent);
	printk("time: TSCs of %u CPUs: %u off, by %llu ns at most; measured to +-%llu ns\n",
	       nr_cpus(), sum.nr_off, ns(sum.worst), ns(sum.error));
}
