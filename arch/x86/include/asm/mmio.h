/* SPDX-License-Identifier: MIT */
/*
 * Mapped registers: one access of the width that is named. The same in the
 * kernel and in host tests, where they are memory.
 */
#ifndef ASM_MMIO_H
#define ASM_MMIO_H

#include "lib/compiler.h"

static inline u8 readb(const volatile void *reg)
{
	return *(const volatile u8 *)reg;
}

static inline void writeb(u8 val, volatile void *reg)
{
	*(volatile u8 *)reg = val;
}

static inline u16 readw(const volatile void *reg)
{
	return *(const volatile u16 *)reg;
}

static inline void writew(u16 val, volatile void *reg)
{
	*(volatile u16 *)reg = val;
}

static inline u32 readl(const volatile void *reg)
{
	return *(const volatile u32 *)reg;
}

static inline void writel(u32 val, volatile void *reg)
{
	*(volatile u32 *)reg = val;
}

#endif /* ASM_MMIO_H */
