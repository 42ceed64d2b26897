/* SPDX-License-Identifier: MIT */
/*
 * The CPUID instruction.
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

/* Raw leaf; a leaf above the maximum gives what the processor makes of it. */
static inline struct cpuid_regs cpuid(u32 leaf, u32 subleaf)
{
	struct cpuid_regs r;

	__asm__ volatile("cpuid"
			 : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
			 : "a"(leaf), "c"(subleaf));
	return r;
}

/* All zero when @leaf is above the processor's maximum for its range. */
static inline struct cpuid_regs cpuid_checked(u32 leaf, u32 subleaf)
{
	struct cpuid_regs none = { 0, 0, 0, 0 };
	u32 max_leaf = cpuid(leaf & 0xffff0000u, 0).eax;

	return leaf <= max_leaf ? cpuid(leaf, subleaf) : none;
}

#endif /* ASM_CPUID_H */
