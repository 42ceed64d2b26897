/* SPDX-License-Identifier: MIT */
/*
 * The width of physical addresses. An access through a page table entry with
 * bits beyond it faults: SDM "Reserved Bits" of "Page-Fault Exceptions".
 */
#ifndef ASM_PHYSADDR_H
#define ASM_PHYSADDR_H

#include <asm/cpuid.h>
#include "lib/compiler.h"

#define CPUID_ADDRESS_SIZES	0x80000008u

/* MAXPHYADDR: 36 where CPUID does not say; entries have room for 52. */
static inline unsigned int phys_bits(void)
{
	unsigned int bits = cpuid_checked(CPUID_ADDRESS_SIZES, 0).eax & 0xff;

	return bits ? min(bits, 52u) : 36;
}

/* Whether the processor has all of these addresses. @size: at least 1. */
static inline bool phys_range_valid(phys_addr_t pa, u64 size)
{
	u64 last = pa + size - 1;

	return last >= pa && last >> phys_bits() == 0;
}

#endif /* ASM_PHYSADDR_H */
