/* SPDX-License-Identifier: MIT */
/*
 * Boot options: words apart by blanks, "name=value" or a flag "name".
 *
 *	serial=io:3f8,115200 dump=com2 noapic
 *
 * Where a name is given twice the first word counts: the boot manager's
 * options stand before those of the file on the boot volume.
 */
#ifndef LIB_CMDLINE_H
#define LIB_CMDLINE_H

#include "lib/compiler.h"

/**
 * cmdline_init() - say what the options are
 * @text:	stays where it is for good; what is not NUL terminated within
 *		@size bytes is cut there; NULL: no options
 */
void cmdline_init(const char *text, size_t size);

/**
 * cmdline_get() - the value of an option
 * @name:	without "="
 * @buf:	filled in, always NUL terminated; "" when there is none
 * @size:	of @buf, at least 1
 *
 * Context: any, after cmdline_init(); before it there are no options.
 * Return: the offset of the value in the options, for messages; -ENOENT:
 * no such option; -E2BIG: the value is longer than @buf, which holds its start.
 */
int __must_check cmdline_get(const char *name, char *buf, size_t size);

/* Whether the word @name stands there alone, without "=". */
bool cmdline_has(const char *name);

/**
 * cmdline_bad() - print that a value was not understood
 * @name:	of the option
 * @value:	as cmdline_get() gave it
 * @pos:	of the first wrong character in it
 * @why:	what was expected
 *
 * The three lines are the message, the word, and a caret below @pos.
 */
void cmdline_bad(const char *name, const char *value, size_t pos,
		 const char *why);

#endif /* LIB_CMDLINE_H */
