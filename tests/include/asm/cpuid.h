/* SPDX-License-Identifier: MIT */
/*
 * Host stand-in for asm/cpuid.h: CPUID as the hardware model's engine gives it
 * (tests/unit/host_pt.c).
 */
#ifndef ASM_CPUID_H
#define ASM_CPUID_H

#include "lib/types.h"

struct cpuid_regs {
	u32 eax;
	u32 ebx;
	u32 ecx;
	u32 edx;
};

struct cpuid_regs cpuid_checked(u32 leaf, u32 subleaf);

#endif /* ASM_CPUID_H */
