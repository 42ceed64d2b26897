/* SPDX-License-Identifier: MIT */
/*
 * For host tests of mm: statistics, and the free blocks of every zone as one
 * value that a test can compare.
 */
#ifndef TESTS_UNIT_MM_STATE_H
#define TESTS_UNIT_MM_STATE_H

#include <string.h>
#include "mm/node.h"
#include "mm/slab.h"

#define NOWARN		(GFP_KERNEL | __GFP_NOWARN)

struct mm_state {
	u64 nr_blocks[MAX_NUMNODES][NR_ZONES][MAX_ORDER + 1];
	u64 nr_free;
};

static inline struct page_stats mm_stats(void)
{
	struct page_stats now;

	page_stats_read(&now);
	return now;
}

static inline u64 mm_nr_refused(void)
{
	return mm_stats().nr_double_free + mm_stats().nr_wild_free;
}

/* What caches and CPUs keep is given back first. */
static inline void mm_state_read(struct mm_state *state)
{
	slab_shrink();
	page_drain_all();
	for (unsigned int n = 0; n < MAX_NUMNODES; n++)
		for (unsigned int t = 0; t < NR_ZONES; t++)
			memcpy(state->nr_blocks[n][t],
			       zone_of(n, (enum zone_type)t)->nr_blocks,
			       sizeof(state->nr_blocks[n][t]));
	state->nr_free = mm_stats().nr_free;
}

#endif /* TESTS_UNIT_MM_STATE_H */
