/* SPDX-License-Identifier: MIT */
/*
 * How the registers of a UART are reached: I/O ports, mapped memory.
 */
#include <asm/io.h>
#include "arch/x86/uart.h"

static u32 io_read(const struct uart_access *a, unsigned int off)
{
	u16 port = (u16)(a->base + off);

	switch (a->width) {
	case 4:
		return inl(port);
	case 2:
		return inw(port);
	default:
		return inb(port);
	}
}

static void io_write(const struct uart_access *a, unsigned int off, u32 val)
{
	u16 port = (u16)(a->base + off);

	switch (a->width) {
	case 4:
		outl(port, val);
		break;
	case 2:
		outw(port, (u16)val);
		break;
	default:
		outb(port, (u8)val);
	}
}

static u32 mmio_read(const struct uart_access *a, unsigned int off)
{
	switch (a->width) {
	case 4:
		return readl(a->regs + off);
	case 2:
		return readw(a->regs + off);
	default:
		return readb(a->regs + off);
	}
}

static void mmio_write(const struct uart_access *a, unsigned int off, u32 val)
{
	switch (a->width) {
	case 4:
		writel(val, a->regs + off);
		break;
	case 2:
		writew((u16)val, a->regs + off);
		break;
	default:
		writeb((u8)val, a->regs + off);
	}
}

const struct uart_ops uart_io_ops = { .read = io_read, .write = io_write };
const struct uart_ops uart_mmio_ops = {
	.read = mmio_read,
	.write = mmio_write,
};
