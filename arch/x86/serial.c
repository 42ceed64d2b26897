/* SPDX-License-Identifier: MIT */
/*
 * Serial ports: the list of those in use, and what is written to them.
 */
#include "arch/x86/serial.h"

#include <asm/machine.h>
#include "arch/x86/device_map.h"
#include "lib/err.h"
#include "lib/string.h"

struct port {
	struct console con;
	struct uart uart;
	u64 nr_told;		/* of uart.nr_dropped: said on the line */
	bool for_dumps;
};

/* Owner: serial_add(), boot CPU only. Entries stay for good. */
static struct port ports[SERIAL_MAX];
static unsigned int nr_ports;
static struct port *dump;

/* ---- text ---- */

/* Who reads the line must know of a hole in it. */
static void tell_hole(struct port *p)
{
	char line[48];
	size_t n;

	if (p->uart.nr_dropped == p->nr_told)
		return;
	n = (size_t)scnprintf(line, sizeof(line), "\r\n[%llu bytes lost]\r\n",
			      (unsigned long long)(p->uart.nr_dropped -
						   p->nr_told));
	p->nr_told = p->uart.nr_dropped;
	uart_write(&p->uart, line, n);
}

/* Terminals want CR LF. */
static void write_lines(struct port *p, const char *text, size_t n)
{
	while (n) {
		const char *nl = memchr(text, '\n', n);
		size_t line = nl ? (size_t)(nl - text) : n;

		uart_write(&p->uart, text, line);
		if (nl) {
			uart_write(&p->uart, "\r\n", 2);
			line++;
		}
		text += line;
		n -= line;
	}
}

static void port_write(struct console *con, const char *text, size_t n)
{
	struct port *p = container_of(con, struct port, con);

	if (p->for_dumps)
		return;
	if (uart_alive(&p->uart))
		tell_hole(p);
	write_lines(p, text, n);
	con->nr_dropped = p->uart.nr_dropped;
}

/* ---- dumps ---- */

static void dump_write(struct printer *out, const char *text, size_t n)
{
	(void)out;
	uart_write(&dump->uart, text, n);
	dump->con.nr_dropped = dump->uart.nr_dropped;
}

struct printer *dump_printer(void)
{
	static struct printer printer = { .write = dump_write };

	return dump ? &printer : &console_printer;
}

/* ---- the list ---- */

static struct port *port_find(const struct uart_access *a)
{
	for (unsigned int i = 0; i < nr_ports; i++)
		if (ports[i].uart.access.space == a->space &&
		    ports[i].uart.access.base == a->base)
			return &ports[i];
	return NULL;
}

static const char *space_name(const struct uart_access *a)
{
	return a->space == UART_IO ? "io" : "mmio";
}

static void describe(struct port *p)
{
	const struct uart *u = &p->uart;
	char rate[24];

	if (u->baud)
		scnprintf(rate, sizeof(rate), "%u baud", u->baud);
	else
		scnprintf(rate, sizeof(rate), "baud as it was set");
	scnprintf(p->con.detail, sizeof(p->con.detail), "%s %llx, %s, %s%s",
		  space_name(&u->access), (unsigned long long)u->access.base,
		  u->dead ? "asleep" : rate, u->dead ? "UART" : u->type,
		  p->for_dumps ? ", dumps only" : "");
}

static int reuse(struct port *p, const struct uart_desc *desc)
{
	if (desc->baud && desc->baud != p->uart.baud && !p->uart.dead) {
		p->uart.access.clock = desc->access.clock;
		p->uart.want_baud = desc->baud;
		uart_setup(&p->uart);
		describe(p);
	}
	printk("console: %s is %s: %s\n", desc->name, p->con.name,
	       p->con.detail);
	return -EEXIST;
}

/* Return: false: the registers are out of reach. */
static bool reach(struct uart_access *a)
{
	if (a->ops)
		return true;
	a->ops = a->space == UART_IO ? &uart_io_ops : &uart_mmio_ops;
	if (a->space == UART_MMIO && !a->regs)
		a->regs = device_map(a->base, (size_t)UART_REGS << a->shift);
	return a->space == UART_IO || a->regs;
}

static enum uart_state look(struct port *p, unsigned int how)
{
	enum uart_state state = uart_detect(&p->uart);

	if (state == UART_THERE && how & SERIAL_LOOP &&
	    !uart_loops_back(&p->uart))
		return UART_ABSENT;
	if (state == UART_NOT_NOW && !(p->uart.flags & UART_SLEEPS))
		return UART_ABSENT;
	return state;
}

static int refuse(const struct uart_desc *desc, int err, const char *why)
{
	printk("console: %s at %s %llx: %s: skipped\n", desc->name,
	       space_name(&desc->access),
	       (unsigned long long)desc->access.base, why);
	return err;
}

static void take(struct port *p, const struct uart_desc *desc,
		 enum uart_state state)
{
	nr_ports++;
	strscpy(p->con.name, desc->name, sizeof(p->con.name));
	p->con.write = port_write;
	if (state == UART_THERE)
		uart_setup(&p->uart);
	else
		p->uart.dead = true;
	if (p->for_dumps)
		dump = p;
	describe(p);
	console_register(&p->con);
	printk("console: %s: %s\n", p->con.name, p->con.detail);
}

int serial_add(const struct uart_desc *desc, unsigned int how)
{
	struct port *p = port_find(&desc->access);
	enum uart_state state;

	if (p)
		return reuse(p, desc);
	if (nr_ports == SERIAL_MAX)
		return refuse(desc, -ENOSPC, "too many ports");
	p = &ports[nr_ports];
	memset(p, 0, sizeof(*p));
	p->for_dumps = how & SERIAL_DUMP;
	p->uart.access = desc->access;
	p->uart.want_baud = desc->baud;
	p->uart.want_fifo = desc->fifo;
	p->uart.flags = desc->flags;
	if (!reach(&p->uart.access))
		return refuse(desc, -EFAULT, "no address of registers");
	state = look(p, how);
	if (state == UART_ABSENT)
		return how & SERIAL_QUIET ? -ENODEV :
		       refuse(desc, -ENODEV, "no UART answers");
	take(p, desc, state);
	return 0;
}
