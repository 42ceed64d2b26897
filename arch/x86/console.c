/* SPDX-License-Identifier: MIT */
/*
 * Consoles: the first serial port for people, the second one for dumps.
 */
#include <asm/irqflags.h>
#include <asm/machine.h>
#include "arch/x86/cpu.h"
#include "lib/spinlock.h"
#include "lib/string.h"

static const u16 com_ports[] = { 0x3f8, 0x2f8, 0x3e8, 0x2e8 };

/* Owner: console_init(). */
static struct serial console;
static struct serial dump;
static struct spinlock lock = SPINLOCK_INIT;
static bool panicking;

/* Terminals want CR LF. */
static void write_lines(const struct serial *s, const char *text, size_t n)
{
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

static void sink(const char *text, size_t n)
{
	unsigned long flags = local_irq_save();
	bool locked = true;

	if (panicking)
		locked = spin_trylock(&lock);
	else
		spin_lock(&lock);
	if (console.port)
		write_lines(&console, text, n);
	if (locked)
		spin_unlock(&lock);
	local_irq_restore(flags);
}

void console_panic(void)
{
	panicking = true;
}

void console_init(void)
{
	struct serial *want = &console;

	for (size_t i = 0; i < ARRAY_SIZE(com_ports); i++) {
		if (!serial_probe(want, com_ports[i]))
			continue;
		if (want == &dump)
			break;
		want = &dump;
	}
	printk_set_sink(sink);
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
