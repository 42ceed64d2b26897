/* SPDX-License-Identifier: MIT */
/*
 * 16550 UARTs at the PC's I/O ports. Every wait has a bound.
 */
#include <asm/io.h>
#include "arch/x86/cpu.h"

enum {
	UART_DATA,
	UART_IER,
	UART_FCR,
	UART_LCR,
	UART_MCR,
	UART_LSR,
};

#define LCR_8N1		0x03
#define LCR_DLAB	0x80
#define FCR_ENABLE	0x07	/* FIFOs on and cleared */
#define MCR_DTR_RTS	0x03
#define MCR_LOOP	0x1e	/* loop-back, OUT2 off */
#define LSR_READY	0x01
#define LSR_EMPTY	0x20
#define FIFO_BYTES	16
#define WAIT_MAX	100000	/* LSR reads: some 100 ms; a byte takes 0.1 ms */

static bool wait_lsr(u16 port, u8 bit)
{
	for (unsigned int i = 0; i < WAIT_MAX; i++)
		if (inb((u16)(port + UART_LSR)) & bit)
			return true;
	return false;
}

static bool loops_back(u16 port, u8 byte)
{
	outb((u16)(port + UART_DATA), byte);
	return wait_lsr(port, LSR_READY) &&
	       inb((u16)(port + UART_DATA)) == byte;
}

bool serial_probe(struct serial *s, u16 port)
{
	bool there;

	s->port = 0;
	if (inb((u16)(port + UART_LSR)) == 0xff)
		return false;
	outb((u16)(port + UART_IER), 0);
	outb((u16)(port + UART_LCR), LCR_DLAB);
	outb((u16)(port + UART_DATA), 1);	/* 115200 baud */
	outb((u16)(port + UART_IER), 0);
	outb((u16)(port + UART_LCR), LCR_8N1);
	outb((u16)(port + UART_FCR), FCR_ENABLE);
	outb((u16)(port + UART_MCR), MCR_LOOP);
	there = loops_back(port, 0x5a) && loops_back(port, 0xa5);
	outb((u16)(port + UART_MCR), MCR_DTR_RTS);
	if (there)
		s->port = port;
	return there;
}

/* As many bytes as the FIFO holds for each look at the status. */
void serial_write(const struct serial *s, const char *text, size_t n)
{
	while (n) {
		if (!wait_lsr(s->port, LSR_EMPTY))
			return;
		for (unsigned int i = 0; n && i < FIFO_BYTES; i++, n--)
			outb(s->port, (u8)*text++);
	}
}
