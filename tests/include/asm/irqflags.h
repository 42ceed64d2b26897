/* SPDX-License-Identifier: MIT */
/* Host stand-in for asm/irqflags.h: a host test has no interrupts. */
#ifndef ASM_IRQFLAGS_H
#define ASM_IRQFLAGS_H

#include "lib/types.h"

#define X86_EFLAGS_IF	0x200UL

static inline void local_irq_disable(void)
{
}

static inline void local_irq_enable(void)
{
}

static inline unsigned long local_irq_save(void)
{
	return 0;
}

static inline void local_irq_restore(unsigned long flags)
{
	(void)flags;
}

#endif /* ASM_IRQFLAGS_H */
