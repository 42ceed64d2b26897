/* SPDX-License-Identifier: MIT */
/*
 * Rounds: which CPUs are traced at the same time, and who decodes for whom.
 */
#include "run/round.h"

#include <asm/smp.h>
#include <asm/traps.h>
#include "run/capture.h"

void pair_cpus(unsigned int nr, bool todo[NR_CPUS], int decoder_of[NR_CPUS])
{
	bool busy[NR_CPUS] = { false };

	for (unsigned int cpu = 0; cpu < nr; cpu++)
		decoder_of[cpu] = -1;
	for (unsigned int cpu = 0; cpu < nr; cpu++) {
		if (!todo[cpu] || busy[cpu])
			continue;
		for (unsigned int i = 1; i < nr; i++) {
			/* The neighbour first: 0 and 1, 2 and 3, ... */
			unsigned int other = (cpu ^ i) < nr ? cpu ^ i : nr - i;

			if (other == cpu || busy[other])
				continue;
			busy[cpu] = busy[other] = true;
			todo[cpu] = false;
			decoder_of[cpu] = (int)other;
			break;
		}
	}
}

static void run_part(unsigned int cpu, void (*fn)(void *), struct capture *cap)
{
	if (cpu == cpu_id())
		return;
	if (smp_run_on(cpu, fn, cap))
		BUG_ON(true);	/* every CPU is idle between rounds */
}

static void run_own_part(const struct round *round)
{
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		struct capture *cap = round->cap[cpu];

		if (!cap)
			continue;
		if (cpu == cpu_id())
			capture_trace(cap);
		if (cap->decoder == cpu_id())
			capture_decode(cap);
	}
}

/* A post capture of another CPU: that CPU traces, then decodes. */
static void trace_then_decode(void *cap)
{
	capture_trace(cap);
	capture_decode(cap);
}

void round_run(struct round *round)
{
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		struct capture *cap = round->cap[cpu];

		if (!cap)
			continue;
		if (cap->decoder == cpu) {
			run_part(cpu, trace_then_decode, cap);
			continue;
		}
		run_part(cap->decoder, capture_decode, cap);
		run_part(cpu, capture_trace, cap);
	}
	run_own_part(round);
	for (unsigned int cpu = 0; cpu < nr_cpus(); cpu++)
		if (cpu != cpu_id())
			smp_wait(cpu, 0);
}

void round_finish(struct round *round, struct list_head *done)
{
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++) {
		struct capture *cap = round->cap[cpu];

		if (!cap)
			continue;
		capture_finish(cap);
		list_add_tail(&cap->list, done);
		round->cap[cpu] = NULL;
	}
}

void round_abandon(struct round *round)
{
	for (unsigned int cpu = 0; cpu < NR_CPUS; cpu++)
		capture_destroy(round->cap[cpu]);
}

