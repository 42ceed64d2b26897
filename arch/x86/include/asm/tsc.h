/* SPDX-License-Identifier: MIT */
/*
 * Time by the time stamp counter.
 */
#ifndef ASM_TSC_H
#define ASM_TSC_H

#include "lib/compiler.h"

static inline u64 rdtsc(void)
{
	u32 lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (u64)hi << 32 | lo;
}

/* Not before earlier loads, nor after later ones. */
static inline u64 rdtsc_ordered(void)
{
	u32 lo, hi;

	__asm__ volatile("lfence; rdtsc; lfence" : "=a"(lo), "=d"(hi) : :
			 "memory");
	return (u64)hi << 32 | lo;
}

/* Neither overflows for a result of up to 500 years, @hz below 18 GHz. */
static inline u64 tsc_from_us(u64 us, u64 hz)
{
	return us / 1000000 * hz + us % 1000000 * hz / 1000000;
}

static inline u64 tsc_to_ns(u64 ticks, u64 hz)
{
	return ticks / hz * 1000000000 + ticks % hz * 1000000000 / hz;
}

/**
 * tsc_init() - find out how fast the TSC runs
 *
 * By CPUID, held against a second clock (arch/x86/tsc_cal.h); prints what came
 * out. The option clock=pm, hpet, pit or none names the only one to use. Before
 * it delays are long rather than short: a TSC of 4 GHz is assumed.
 *
 * Context: boot; after paging_init() and the ACPI tables.
 */
void tsc_init(void);
u64 tsc_hz(void);

/**
 * tsc_check_cpus() - hold every CPU's TSC against the boot CPU's
 *
 * Prints who is off by more than the measurement's error, and that error.
 *
 * Context: boot CPU, after smp_start(); the others wait for work.
 */
void tsc_check_cpus(void);

/* Context: any; the TSC decides, a TSC that stands still does not hang it. */
void udelay(u64 us);
/* Nanoseconds since tsc_init(). */
u64 now_ns(void);

#endif /* ASM_TSC_H */
