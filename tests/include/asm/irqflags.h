/* SPDX-License-Identifier: MIT */
/*
 * Host stand-in for asm/irqflags.h: a flag of the thread, so that a test which
 * plays interrupts sees when one may come. The stores stand for CLI and STI.
 */
#ifndef ASM_IRQFLAGS_H
#define ASM_IRQFLAGS_H

#include "lib/compiler.h"

#define X86_EFLAGS_IF	0x200UL

/* One for the program: weak, since any file may be the only one to use it. */
__attribute__((weak)) _Thread_local volatile unsigned long host_irqs_off;

static inline void local_irq_disable(void)
{
	host_irqs_off = 1;
	barrier();
}

static inline void local_irq_enable(void)
{
	barrier();
	host_irqs_off = 0;
}

static inline unsigned long local_irq_save(void)
{
	unsigned long flags = host_irqs_off ? 0 : X86_EFLAGS_IF;

	local_irq_disable();
	return flags;
}

static inline void local_irq_restore(unsigned long flags)
{
	if (flags & X86_EFLAGS_IF)
		local_irq_enable();
}

#endif /* ASM_IRQFLAGS_H */
