/* SPDX-License-Identifier: MIT */
/*
 * Time by the time stamp counter.
 */
#include <asm/tsc.h>

#include <asm/cpuid.h>
#include <asm/msr.h>
#include "arch/x86/timers.h"
#include "arch/x86/tsc_cal.h"
#include "lib/cmdline.h"
#include "lib/err.h"
#include "lib/string.h"

/* Owner: tsc_init(). */
static u64 hz = TSC_GUESS_HZ;
static u64 tsc_start;

/* The clock that the option clock= names. Return: how many to use, from @use. */
static unsigned int choose_clock(const struct ref_clock *clocks,
				 unsigned int nr, const struct ref_clock **use)
{
	char want[8];

	*use = clocks;
	if (cmdline_get("clock", want, sizeof(want)) == -ENOENT)
		return nr;
	for (unsigned int i = 0; i < nr; i++) {
		if (strcmp(want, clocks[i].option))
			continue;
		*use = &clocks[i];
		return 1;
	}
	if (!strcmp(want, "none"))
		return 0;
	cmdline_bad("clock", want, 0, "a clock of this machine, or none");
	return nr;
}

void tsc_init(void)
{
	struct ref_clock clocks[MAX_REF_CLOCKS];
	struct tsc_hw hw = {
		.cpuid = cpuid_checked,
		.rdmsr = rdmsr_safe,
		.tsc = rdtsc,
	};
	unsigned int nr = ref_clocks_find(clocks);
	struct tsc_cal cal;

	hw.nr_clocks = choose_clock(clocks, nr, &hw.clock);
	tsc_calibrate(&hw, &cal);
	ref_clocks_put(clocks, nr);
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
