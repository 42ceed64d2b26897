/* SPDX-License-Identifier: MIT */
/*
 * Clocks of the board to hold the TSC against: PM timer, HPET, PIT.
 *
 * All are read as counters that run up and wrap. No interrupt is used: IRQ 0
 * does not arrive on many machines.
 */
#ifndef X86_TIMERS_H
#define X86_TIMERS_H

#include "lib/compiler.h"

#define MAX_REF_CLOCKS	3

struct ref_clock {
	const char *name;	/* "PM timer" */
	const char *option;	/* "pm": in clock= */
	u64 hz;
	u64 mask;		/* of the counter: 2^bits - 1 */
	/* Low bits of the counter; what is beyond @mask is rubbish. */
	u32 (*read)(const struct ref_clock *clock);
	void (*stop)(const struct ref_clock *clock);	/* NULL: it runs on */
	bool is_pit;
	/* Owner: the driver. */
	u16 port;
	volatile u8 *reg;
	u32 saved;
};

/**
 * ref_clocks_find() - the clocks that this machine claims to have
 * @clocks:	filled in, the best first; each is running then
 *
 * Whether one really counts is for the caller to see: chip sets switch the
 * clock of the PIT off and do not tell.
 *
 * Context: boot; after paging_init() and the ACPI tables.
 * Return: how many.
 */
unsigned int ref_clocks_find(struct ref_clock clocks[MAX_REF_CLOCKS]);

/* Leaves the clocks as they were found. */
void ref_clocks_put(struct ref_clock *clocks, unsigned int nr);

#endif /* X86_TIMERS_H */
