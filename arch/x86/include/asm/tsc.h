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

/* By CPUID 15H/16H, else measured against the PIT. */
void tsc_init(void);
u64 tsc_hz(void);
void udelay(u64 us);
/* Nanoseconds since tsc_init(). */
u64 now_ns(void);

#endif /* ASM_TSC_H */
