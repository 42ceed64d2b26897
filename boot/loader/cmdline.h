/* SPDX-License-Identifier: MIT */
/*
 * Boot options: what firmware, boot managers and editors make of a line of
 * text, turned into printable ASCII. Knows nothing of EFI: also a host program.
 */
#ifndef BOOT_LOADER_CMDLINE_H
#define BOOT_LOADER_CMDLINE_H

#include <stddef.h>

enum cmdline_result {
	CMDLINE_OK,
	CMDLINE_NOT_TEXT,	/* not printable text: nothing was added */
	CMDLINE_CUT,		/* no room: the words that fit were added */
};

/**
 * cmdline_add() - append the words of a text to the boot options
 * @cmdline:	NUL-terminated options so far
 * @room:	size of @cmdline, at least 1
 * @data:	the text: UCS-2 or ASCII, with or without a byte order mark, NUL
 *		terminated or not; NULL: none. Any other bytes, as boot
 *		managers leave them in load options, are no text.
 * @size:	bytes
 *
 * White space of any kind becomes one space. A word is added whole or, with
 * all that follow it, not at all.
 *
 * Context: any; allocates nothing.
 */
enum cmdline_result cmdline_add(char *cmdline, size_t room, const void *data,
				size_t size);

/**
 * cmdline_drop_program() - remove the first word if it names an EFI program
 * @cmdline:	NUL-terminated options
 *
 * The shell passes the whole line that it was given.
 */
void cmdline_drop_program(char *cmdline);

#endif /* BOOT_LOADER_CMDLINE_H */
