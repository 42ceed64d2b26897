/* SPDX-License-Identifier: MIT */
/*
 * Host stand-in for asm/io.h: the test plays what is behind the ports; mapped
 * registers are memory.
 */
#ifndef ASM_IO_H
#define ASM_IO_H

#include <asm/mmio.h>
#include "lib/compiler.h"

void outb(u16 port, u8 val);
u8 inb(u16 port);
void outw(u16 port, u16 val);
u16 inw(u16 port);
void outl(u16 port, u32 val);
u32 inl(u16 port);

#endif /* ASM_IO_H */
