/* SPDX-License-Identifier: MIT */
/*
 * Port I/O, and with it mapped registers.
 */
#ifndef ASM_IO_H
#define ASM_IO_H

#include <asm/mmio.h>
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

#endif /* ASM_IO_H */
