/* SPDX-License-Identifier: MIT */
/*
 * How far the TSCs of two CPUs are apart: an exchange of stamps through memory.
 *
 * The asking CPU takes a stamp, the other one takes its own as soon as it sees
 * the question, the asking one takes a second stamp when it sees the answer. If
 * the clocks run alike, the answer's stamp belongs into the middle of the
 * other two, and can be off by half their distance at most. So the shortest of
 * many rounds gives the best value and the bound of its error.
 */
#ifndef X86_TSC_SYNC_H
#define X86_TSC_SYNC_H

#include "lib/compiler.h"

struct tsc_sync {
	/* A line of its own for each writer. */
	u32 asked __aligned(64);	/* number of the question; written by A */
	u32 end;			/* A has enough */
	u32 answered __aligned(64);	/* by B: number of the answer */
	u64 stamp;			/* B's clock then */
	u64 (*clock_a)(void) __aligned(64);
	u64 (*clock_b)(void);
	u64 max_ticks;			/* A's bound of it all, and B's */
};

struct tsc_offset {
	s64 ticks;		/* B's clock minus A's */
	u64 error;		/* bound: the true value is within +-error */
	unsigned int nr_rounds;	/* 0: B never answered */
};

/**
 * tsc_sync_ask() - CPU A's part
 * @sync:	zeroed but for the clocks and the bound
 * @off:	filled in
 *
 * Ends after enough rounds, or when @max_ticks or a number of turns have gone.
 *
 * Context: any.
 */
void tsc_sync_ask(struct tsc_sync *sync, struct tsc_offset *off);

/* CPU B's part, at the same time; @sync as its pointer. Bounded as well. */
void tsc_sync_answer(void *sync);

#endif /* X86_TSC_SYNC_H */
