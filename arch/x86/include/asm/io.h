/* SPDX-License-Identifier: MIT */
/*
 * Port I/O and memory-mapped register access.
 */
#ifndef ASM_IO_H
#define ASM_IO_H

#include "lib/compiler.h"

static inline void outb(u16 port, u8 val)
{
	__asm__ volatile("outb %0, %1" : : "a"(val), "Nd"(port) : "memory");
}

static inline u8 inb(u16 port)
{
	u8 val;

	__asm__ volatile("inb %1, %0" : "=a"(val) : "Nd"(port) : "memory");
	return val;
}

static inline void outw(u16 port, u16 val)
{
	__asm__ volatile("outw %0, %1" : : "a"(val), "Nd"(port) : "memory");
}

static inline u16 inw(u16 port)
{
	u16 val;

	__asm__ volatile("inw %1, %0" : "=a"(val) : "Nd"(port) : "memory");
	return val;
}

static inline void outl(u16 port, u32 val)
{
	__asm__ volatile("outl %0, %1" : : "a"(val), "Nd"(port) : "memory");
}

static inline u32 inl(u16 port)
{
	u32 val;

	__asm__ volatile("inl %1, %0" : "=a"(val) : "Nd"(port) : "memory");
	return val;
}

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
