/* SPDX-License-Identifier: MIT */
/*
 * Stand-in for asm/irqflags.h in a host program that counts instructions: the
 * kernel's, but that a NOP stands for each CLI and STI, which fault here.
 */
#ifndef ASM_IRQFLAGS_H
#define ASM_IRQFLAGS_H

#include "lib/types.h"

#define X86_EFLAGS_IF	(1UL << 9)	/* always set in a host program */

static inline unsigned long local_irq_save(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0; nop" : "=r"(flags) : : "memory");
	return flags;
}

static inline void local_irq_restore(unsigned long flags)
{
	if (flags & X86_EFLAGS_IF)
		__asm__ volatile("nop" : : : "memory");
}

#endif /* ASM_IRQFLAGS_H */
