/* SPDX-License-Identifier: MIT */
/*
 * Model specific registers.
 *
 * tests/include/asm/msr.h stands in for this file in host builds and leads to
 * the hardware model's engine.
 */
#ifndef ASM_MSR_H
#define ASM_MSR_H

#include <asm/msr-index.h>
#include "lib/compiler.h"

static inline u64 rdmsr(u32 msr)
{
	u32 lo, hi;

	__asm__ volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr) : "memory");
	return (u64)hi << 32 | lo;
}

static inline void wrmsr(u32 msr, u64 val)
{
	__asm__ volatile("wrmsr" : : "c"(msr), "a"((u32)val),
			 "d"((u32)(val >> 32)) : "memory");
}

/**
 * rdmsr_safe() - read an MSR that may not exist
 * @msr:	register number
 * @val:	where the value goes; untouched on error
 *
 * Context: any, NMI included.
 * Return: 0 or -EIO when the instruction raised #GP.
 */
int __must_check rdmsr_safe(u32 msr, u64 *val);

/**
 * wrmsr_safe() - write an MSR that may refuse the value
 * @msr:	register number
 * @val:	value to write
 *
 * Context: any, NMI included.
 * Return: 0 or -EIO when the instruction raised #GP.
 */
int __must_check wrmsr_safe(u32 msr, u64 val);

#endif /* ASM_MSR_H */
