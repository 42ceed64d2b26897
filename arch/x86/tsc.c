/* SPDX-License-Identifier: MIT */
/*
 * Time by the time stamp counter.
 */
#include <asm/tsc.h>

#include <asm/cpuid.h>
#include <asm/msr.h>
#include "arch/x86/timers.h"
#include "arch/x86/tsc_cal.h"

/* Owner: tsc_init(). */
static u64 hz = TSC_GUESS_HZ;
static u64 tsc_start;

void tsc_init(void)
{
	struct ref_clock clocks[MAX_REF_CLOCKS];
	struct tsc_hw hw = {
		.cpuid = cpuid_checked,
		.rdmsr = rdmsr_safe,
		.tsc = rdtsc,
		.clock = clocks,
		.nr_clocks = ref_clocks_find(clocks),
	};
	struct tsc_cal cal;

	tsc_calibrate(&hw, &cal);
	ref_clocks_put(clocks, hw.nr_clocks);
	hz = cal.hz;
	tsc_start = rdtsc();
	tsc_cal_print(&cal);
}

u64 tsc_hz(void)
{
	return hz;
}

/*
 * A turn takes more than one tick, so the count of turns ends the wait also
 * where the TSC stands still.
 */
void udelay(u64 us)
{
	u64 ticks = tsc_from_us(us, hz);
	u64 start = rdtsc();

	for (u64 turns = 0; turns < ticks && rdtsc() - start < ticks; turns++)
		cpu_relax();
}

u64 now_ns(void)
{
	return tsc_to_ns(rdtsc() - tsc_start, hz);
}
