/* SPDX-License-Identifier: MIT */
/*
 * How far the TSCs of two CPUs are apart.
 */
#include "arch/x86/tsc_sync.h"

#include "lib/string.h"

#define MAX_ROUNDS	256
#define MAX_TURNS	20000000U	/* should a TSC stand still */

struct bound {
	u64 (*clock)(void);
	u64 start;
	u64 ticks;
	u32 turns;
};

static struct bound bound_of(u64 (*clock)(void), u64 ticks)
{
	return (struct bound){ clock, clock(), ticks, 0 };
}

static bool expired(struct bound *b)
{
	return b->clock() - b->start > b->ticks || ++b->turns > MAX_TURNS;
}

static bool ask_once(struct tsc_sync *sync, struct bound *bound,
		     struct tsc_offset *off)
{
	u32 nr = sync->asked + 1;
	u64 before = sync->clock_a(), after, half;

	/* Pairs with the acquire in tsc_sync_answer(). */
	smp_store_release(&sync->asked, nr);
	do {
		if (expired(bound))
			return false;
	} while (smp_load_acquire(&sync->answered) != nr);
	after = sync->clock_a();
	half = (after - before) / 2;
	if (!off->nr_rounds++ || half + 1 < off->error) {
		/* The stamp is from between the two; rounding is one tick. */
		off->ticks = (s64)(sync->stamp - before - half);
		off->error = half + 1;
	}
	return true;
}

void tsc_sync_ask(struct tsc_sync *sync, struct tsc_offset *off)
{
	struct bound bound = bound_of(sync->clock_a, sync->max_ticks);

	memset(off, 0, sizeof(*off));
	while (off->nr_rounds < MAX_ROUNDS && ask_once(sync, &bound, off))
		;
	smp_store_release(&sync->end, 1);
}

void tsc_sync_answer(void *ptr)
{
	struct tsc_sync *sync = ptr;
	/* B may come later than A, so it may stay later as well. */
	struct bound bound = bound_of(sync->clock_b, 2 * sync->max_ticks);
	u32 done = 0;

	while (!smp_load_acquire(&sync->end) && !expired(&bound)) {
		u32 nr = smp_load_acquire(&sync->asked);

		if (nr == done)
			continue;
		sync->stamp = sync->clock_b();
		done = nr;
		/* Pairs with the acquire in ask_once(): the stamp first. */
		smp_store_release(&sync->answered, nr);
	}
}
