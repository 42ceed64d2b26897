/* SPDX-License-Identifier: MIT */
/*
 * The command bench-mm: what an order-0 allocate and free pair costs.
 *
 * The time stamp counter counts, so the figure is one of instructions only
 * where the TSC counts those, as in QEMU under -icount. Whether it does is
 * tried out first; elsewhere the command says so and prints ticks.
 */
#include <asm/tsc.h>
#include "lib/err.h"
#include "lib/shell.h"
#include "mm/console.h"
#include "mm/page.h"

#define NR_PAIRS	1000
#define NR_TRIES	8
#define LIMIT		100
#define NOPS		500

/* Two reads of the TSC with nothing between them, and with NOPS. */
static ALWAYS_INLINE u64 ticks_empty(void)
{
	u64 start = rdtsc();

	return rdtsc() - start;
}

static u64 ticks_nops(void)
{
	u64 start = rdtsc();

	__asm__ volatile(".rept %c0; nop; .endr" : : "i"(NOPS));
	return rdtsc() - start;
}

/* Return: TSC ticks of an instruction when all take the same, else 0. */
static u64 ticks_per_instruction(void)
{
	u64 ticks = ticks_nops() - ticks_empty();

	if (ticks % NOPS)
		return 0;
	for (int i = 0; i < NR_TRIES; i++)
		if (ticks_nops() - ticks_empty() != ticks)
			return 0;
	return ticks / NOPS;
}

/* Return: false when there was no page. */
static bool ticks_pair(u64 *ticks)
{
	u64 start = rdtsc();
	struct page *page = alloc_pages(GFP_KERNEL, 0);

	__free_pages(page, 0);
	*ticks = rdtsc() - start - ticks_empty();
	return page;
}

static int report(struct printer *out, u64 least, u64 most, u64 ticks)
{
	if (!ticks) {
		pr_to(out, "bench-mm: the TSC does not count instructions here (under QEMU's -icount it does): %llu to %llu ticks a pair\n",
		      (unsigned long long)least, (unsigned long long)most);
		return 0;
	}
	pr_to(out, "bench-mm: %d pairs, %llu TSC ticks an instruction; the longest took %llu instructions\n",
	      NR_PAIRS, (unsigned long long)ticks,
	      (unsigned long long)(most / ticks));
	pr_to(out, "figure: mm_pair_instructions_kernel = %llu (required <= %u)\n",
	      (unsigned long long)(least / ticks), LIMIT);
	return least / ticks <= LIMIT ? 0 : -ERANGE;
}

static int run_bench(struct shell *sh, struct shell_args *args)
{
	u64 least = ~0ULL, most = 0, ticks;

	(void)args;
	for (int i = 0; i < NR_PAIRS; i++) {
		if (!ticks_pair(&ticks))
			return -ENOMEM;
		least = min(least, ticks);
		most = max(most, ticks);
	}
	return report(sh->out, least, most, ticks_per_instruction());
}

int bench_init(void)
{
	static struct command bench = {
		.name = "bench-mm",
		.usage = "bench-mm",
		.help = "instructions of one page allocated and freed",
		.run = run_bench,
	};

	return command_register(&bench);
}
