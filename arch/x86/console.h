/* SPDX-License-Identifier: MIT */
/*
 * Consoles: every place that shows text gets the same text.
 *
 * printk() keeps the text in a log in RAM; a console that is registered later
 * gets the log first, so all show the run from its first line.
 */
#ifndef X86_CONSOLE_H
#define X86_CONSOLE_H

#include "lib/compiler.h"

struct console {
	char name[40];		/* "COM1", "SPCR mmio fe030000", "fb0 1280x800" */
	/*
	 * Text with "\n" line ends. Under the console lock, interrupts off; in a
	 * panic perhaps without the lock. Must end in bounded time; must not
	 * call printk().
	 */
	void (*write)(struct console *con, const char *text, size_t n);
	u64 nr_dropped;		/* bytes that the device did not take in time */
	struct console *next;
};

/**
 * console_register() - add a console and play the log so far on it
 * @con:	storage of the driver, with name and write set; for good
 *
 * Context: boot, thread.
 */
void console_register(struct console *con);

#endif /* X86_CONSOLE_H */
