/* SPDX-License-Identifier: MIT */
/*
 * The interrupt flag. NMIs are not held off by any of this.
 */
#ifndef ASM_IRQFLAGS_H
#define ASM_IRQFLAGS_H

#include "lib/types.h"

#define X86_EFLAGS_IF	(1UL << 9)

static inline unsigned long local_save_flags(void)
{
	unsigned long flags;

	__asm__ volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
	return flags;
}

static inline void local_irq_disable(void)
{
	__asm__ volatile("cli" : : : "memory");
}

static inline void local_irq_enable(void)
{
	__asm__ volatile("sti" : : : "memory");
}

/* Returns the flags to hand to local_irq_restore(). */
static inline unsigned long local_irq_save(void)
{
	unsigned long flags = local_save_flags();

	local_irq_disable();
	return flags;
}

static inline void local_irq_restore(unsigned long flags)
{
	if (flags & X86_EFLAGS_IF)
		local_irq_enable();
}

#endif /* ASM_IRQFLAGS_H */
