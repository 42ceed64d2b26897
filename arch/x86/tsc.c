/* SPDX-License-Identifier: MIT */
/*
 * Time by the time stamp counter.
 */
#include <asm/tsc.h>

#include <asm/cpuid.h>
#include <asm/io.h>
#include "lib/printk.h"

#define PIT_HZ		1193182
#define PIT_TICKS	11932		/* 10 ms */
#define PIT_SPINS	10000000	/* port reads; 10 ms take some 10^4 */
#define FALLBACK_HZ	1000000000ULL

/* Owner: tsc_init(). */
static u64 hz = FALLBACK_HZ;
static u64 tsc_start;

static u64 hz_from_cpuid(void)
{
	struct cpuid_regs leaf15 = cpuid_checked(0x15, 0);
	struct cpuid_regs leaf16 = cpuid_checked(0x16, 0);

	if (leaf15.eax && leaf15.ebx && leaf15.ecx)
		return (u64)leaf15.ecx * leaf15.ebx / leaf15.eax;
	return (u64)(leaf16.eax & 0xffff) * 1000000;
}

/* Counts TSC ticks while PIT channel 2 counts down. Return: 0: no PIT. */
static u64 hz_from_pit(void)
{
	u8 gate = (u8)((inb(0x61) & ~3) | 1);
	u64 start, spins = 0;

	outb(0x61, gate);
	outb(0x43, 0xb0);		/* channel 2, both bytes, mode 0 */
	outb(0x42, PIT_TICKS & 0xff);
	outb(0x42, PIT_TICKS >> 8);
	start = rdtsc();
	while (!(inb(0x61) & 0x20))
		if (++spins == PIT_SPINS)
			return 0;
	if (spins < 10)
		return 0;		/* the port reads as all ones */
	return (rdtsc() - start) * PIT_HZ / PIT_TICKS;
}

void tsc_init(void)
{
	u64 found = hz_from_cpuid();
	const char *how = "CPUID";

	if (!found) {
		found = hz_from_pit();
		how = "PIT";
	}
	if (found < 1000000) {
		found = FALLBACK_HZ;
		how = "no clock: a guess";
	}
	hz = found;
	tsc_start = rdtsc();
	printk("time: TSC %llu MHz (%s)\n",
	       (unsigned long long)(hz / 1000000), how);
}

u64 tsc_hz(void)
{
	return hz;
}

void udelay(u64 us)
{
	u64 end = rdtsc() + us * hz / 1000000;

	while ((s64)(rdtsc() - end) < 0)
		cpu_relax();
}

u64 now_ns(void)
{
	u64 ticks = rdtsc() - tsc_start;

	return ticks / hz * 1000000000ULL + ticks % hz * 1000000000ULL / hz;
}
