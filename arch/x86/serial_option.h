/* SPDX-License-Identifier: MIT */
/*
 * The text of the options serial= and dump=.
 *
 *	none | auto | PLACE[,BAUD[,CLOCK]]
 *	PLACE: com1..com4, io:HEX, mmio:HEX (byte registers), mmio16:HEX,
 *	       mmio32:HEX (32-bit registers)
 *	BAUD:  decimal; 0 or none: what firmware set
 *	CLOCK: Hz, decimal
 */
#ifndef X86_SERIAL_OPTION_H
#define X86_SERIAL_OPTION_H

#include "arch/x86/serial_table.h"

enum serial_mode {
	SERIAL_AUTO,
	SERIAL_NONE,
	SERIAL_PLACE,
};

struct serial_option {
	enum serial_mode mode;
	struct uart_desc desc;	/* of SERIAL_PLACE */
	/* Of an error: the character, what was expected there. */
	size_t bad_pos;
	const char *why;
};

/* Return: 0; -EINVAL: bad_pos and why are set, the mode is SERIAL_AUTO. */
int __must_check serial_option_parse(const char *text,
				     struct serial_option *opt);

/* The usual ports; @n from 0 to 3. */
struct uart_desc serial_com(unsigned int n);

#endif /* X86_SERIAL_OPTION_H */
