/* SPDX-License-Identifier: MIT */
/*
 * Consoles: every place that shows text gets the same text.
 *
 * printk() keeps the text in a log in RAM; a console that is registered later
 * gets the log first, so all show the run from its first line. No console at
 * all is not an error.
 */
#ifndef X86_CONSOLE_H
#define X86_CONSOLE_H

#include "lib/compiler.h"
#include "lib/printk.h"

#define CONSOLE_LOG	(256u << 10)	/* bytes that the log keeps */

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
	/* What consoles_show() says besides: "115200 baud"; may be empty. */
	char detail[64];
};

/**
 * console_register() - add a console and play the log so far on it
 * @con:	storage of the driver, with name and write set; for good
 *
 * A console that is registered already is left as it is.
 *
 * Context: boot, thread.
 */
void console_register(struct console *con);

/* From now on the lock is taken only if it is free: for panic. */
void console_panic(void);

/* Each console with its detail and what it and the log dropped. */
void consoles_show(struct printer *out);

/* A line for each console that dropped bytes: goes with the results. */
void consoles_show_dropped(struct printer *out);

/**
 * console_log_read() - a piece of the log
 * @pos:	in: bytes since the start of the run; moved behind the piece, over
 *		those that the log no longer has
 * @buf:	filled in
 *
 * Context: thread. Return: bytes; 0 at the end.
 */
size_t console_log_read(u64 *pos, char *buf, size_t size);

#endif /* X86_CONSOLE_H */
