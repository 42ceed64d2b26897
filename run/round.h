/* SPDX-License-Identifier: MIT */
/*
 * Rounds: which CPUs are traced at the same time, and who decodes for whom.
 */
#ifndef RUN_ROUND_H
#define RUN_ROUND_H

#include <asm/percpu.h>
#include "lib/list.h"

struct capture;

/* Captures that run at the same time, by traced CPU. */
struct round {
	struct capture *cap[NR_CPUS];
};

/**
 * pair_cpus() - choose who is traced now, and who decodes
 * @nr:		CPUs that run, at least 2
 * @todo:	CPUs that still have to be traced; those chosen are cleared
 * @decoder_of:	by CPU: the one that decodes for it, -1 where it is not traced
 *		now
 *
 * No CPU has two parts. At least one CPU of @todo is chosen when there is one,
 * so that repeating it ends.
 */
void pair_cpus(unsigned int nr, bool todo[NR_CPUS], int decoder_of[NR_CPUS]);

/**
 * round_run() - run all captures of a round to their end
 *
 * Context: thread, CPU 0; every other CPU waits for work.
 */
void round_run(struct round *round);

/* Finishes the captures and appends them to @done. */
void round_finish(struct round *round, struct list_head *done);

/* Frees the captures of a round that does not run. */
void round_abandon(struct round *round);

#endif /* RUN_ROUND_H */
