/* SPDX-License-Identifier: MIT */
/*
 * Host stand-in for asm/io.h: the test plays what is behind the ports; mapped
 * registers are memory.
 */
#ifndef ASM_IO_H
#define ASM_IO_H

#include "lib/compiler.h"

void outb(u16 port, u8 val);
u8 inb(u16 port);
void outw(u16 port, u16 val);
u16 inw(u16 port);
void outl(u16 port, u32 val);
u32 inl(u16 port);

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

#endif /* ASM_IO_H */
