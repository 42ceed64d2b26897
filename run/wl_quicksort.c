/* SPDX-License-Identifier: MIT */
/*
 * Quicksort of pseudo-random numbers: branches that depend on the data.
 *
 * The result is right when it is in order and has the input's sum and xor.
 */
#include "run/builtin.h"
#include "run/count.h"
#include "run/random.h"

#include "lib/err.h"
#include "mm/slab.h"

#define NR_ITEMS	50000u

struct quicksort {
	u64 calls;			/* of quicksort() */
	u64 swaps;			/* calls of swap_items() */
	struct site_count below_pivot;
	u64 sum;
	u64 xor;
	u32 item[NR_ITEMS];
};

DECLARE_SITE(qs_below_pivot);

static __counted void swap_items(struct quicksort *qs, u32 a, u32 b)
{
	u32 tmp = qs->item[a];

	qs->swaps++;
	qs->item[a] = qs->item[b];
	qs->item[b] = tmp;
}

/* Lomuto's partition of [lo, hi] around the middle item; where that ends. */
static __counted u32 partition(struct quicksort *qs, u32 lo, u32 hi)
{
	u32 store = lo;
	u32 pivot;

	swap_items(qs, lo + (hi - lo) / 2, hi);
	pivot = qs->item[hi];
	for (u32 i = lo; i < hi; i++) {
		if (!site_below(qs_below_pivot, qs->item[i], pivot)) {
			qs->below_pivot.taken++;
			continue;
		}
		qs->below_pivot.next++;
		if (i != store)
			swap_items(qs, i, store);
		store++;
	}
	swap_items(qs, store, hi);
	return store;
}

/* Sorts [lo, hi). Recursion takes the smaller part: at most log2(n) deep. */
static __counted void quicksort(struct quicksort *qs, u32 lo, u32 hi)
{
	qs->calls++;
	while (hi - lo > 1) {
		u32 mid = partition(qs, lo, hi - 1);

		if (mid - lo < hi - mid - 1) {
			quicksort(qs, lo, mid);
			lo = mid + 1;
		} else {
			quicksort(qs, mid + 1, hi);
			hi = mid;
		}
	}
}

static int quicksort_prepare(struct workload_run *run)
{
	struct quicksort *qs = kzalloc(sizeof(*qs), GFP_KERNEL);
	u64 seed = RANDOM_SEED;

	if (!qs)
		return -ENOMEM;
	for (u32 i = 0; i < NR_ITEMS; i++) {
		qs->item[i] = (u32)(random_next(&seed) >> 32);
		qs->sum += qs->item[i];
		qs->xor ^= qs->item[i];
	}
	run->priv = qs;
	return 0;
}

static int quicksort_run(struct workload_run *run)
{
	struct quicksort *qs = run->priv;
	u64 sum = 0, xor = 0;

	quicksort(qs, 0, NR_ITEMS);
	for (u32 i = 0; i < NR_ITEMS; i++) {
		if (i && qs->item[i - 1] > qs->item[i])
			return -EIO;
		sum += qs->item[i];
		xor ^= qs->item[i];
	}
	return sum == qs->sum && xor == qs->xor ? 0 : -EIO;
}

static void quicksort_finish(struct workload_run *run)
{
	struct quicksort *qs = run->priv;

	count_calls(run, "calls of quicksort", fn_addr(quicksort), qs->calls);
	count_calls(run, "calls of swap_items", fn_addr(swap_items),
		    qs->swaps);
	count_site(run, "compare with the pivot", &qs_below_pivot,
		   &qs->below_pivot);
	kfree(qs);
	run->priv = NULL;
}

const struct workload wl_quicksort = {
	.name = "quicksort",
	.help = "sort 50000 numbers: branches that depend on the data",
	.prepare = quicksort_prepare,
	.run = quicksort_run,
	.finish = quicksort_finish,
};
