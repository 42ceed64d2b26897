/* SPDX-License-Identifier: MIT */
/*
 * The error log: the last 8 refused commands with a caret under the token, in
 * the three-line form of tracefs' error_log.
 *
 *	[    1.234567] topaz.rc:3: error: No such command
 *	  Command: frobnicate now
 *	           ^
 */
#ifndef LIB_ERRLOG_H
#define LIB_ERRLOG_H

#include "lib/printk.h"

#define ERRLOG_ENTRIES	8
#define ERRLOG_LOC	64
#define ERRLOG_CMD	256

/**
 * errlog_add() - log an error; the oldest of 8 gives way
 * @loc:	where: a file and line, or a node's path; truncated
 * @cmd:	the command as it was given; truncated; tabs become blanks
 * @pos:	offset in @cmd of the offending token; clamped to its length
 * @text:	what is wrong; a constant string, not copied
 *
 * Context: thread; takes a lock. Allocates nothing.
 */
void errlog_add(const char *loc, const char *cmd, unsigned int pos,
		const char *text);

/* Oldest first. */
void errlog_print(struct printer *out);
void errlog_print_last(struct printer *out);
void errlog_clear(void);
/* Errors logged since boot, the forgotten ones included. */
unsigned long errlog_total(void);

/**
 * errlog_init() - hang the file error_log into the console tree
 *
 * Reading prints the log, any write clears it.
 * Return: 0 or tree_add()'s error.
 */
int __must_check errlog_init(void);

/* Clock for the stamps: nanoseconds since boot. Unset: stamps are 0. */
void errlog_set_clock(u64 (*now_ns)(void));

#endif /* LIB_ERRLOG_H */
