/* SPDX-License-Identifier: MIT */
/*
 * 16550 UARTs at the PC's I/O ports. Every wait has a bound.
 */
#include <asm/io.h>
#include <asm/machine.h>
#include "arch/x86/console.h"
#include "lib/string.h"

struct serial {
	struct console con;
	u16 port;		/* 0: not there */
};

static const u16 com_ports[] = { 0x3f8, 0x2f8, 0x3e8, 0x2e8 };

/* Owner: serial_init(). */
static struct serial first;
static struct serial dump;

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

static bool serial_probe(struct serial *s, u16 port)
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
static void serial_write(const struct serial *s, const char *text, size_t n)
{
	while (n) {
		if (!wait_lsr(s->port, LSR_EMPTY))
			return;
		for (unsigned int i = 0; n && i < FIFO_BYTES; i++, n--)
			outb(s->port, (u8)*text++);
	}
}

/* Terminals want CR LF. */
static void write_lines(struct console *con, const char *text, size_t n)
{
	const struct serial *s = container_of(con, struct serial, con);

	while (n) {
		const char *nl = memchr(text, '\n', n);
		size_t line = nl ? (size_t)(nl - text) : n;

		serial_write(s, text, line);
		if (nl) {
			serial_write(s, "\r\n", 2);
			line++;
		}
		text += line;
		n -= line;
	}
}

void serial_init(void)
{
	struct serial *want = &first;

	for (size_t i = 0; i < ARRAY_SIZE(com_ports); i++) {
		if (!serial_probe(want, com_ports[i]))
			continue;
		if (want == &dump)
			return;
		scnprintf(first.con.name, sizeof(first.con.name), "COM%zu",
			  i + 1);
		first.con.write = write_lines;
		console_register(&first.con);
		want = &dump;
	}
}

static void dump_write(struct printer *p, const char *text, size_t n)
{
	(void)p;
	serial_write(&dump, text, n);
}

struct printer *dump_printer(void)
{
	static struct printer printer = { .write = dump_write };

	return dump.port ? &printer : &console_printer;
}
