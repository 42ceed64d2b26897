/* SPDX-License-Identifier: MIT */
/*
 * Fibonacci numbers by recursion: calls and returns, and little else.
 */
#include "run/builtin.h"
#include "run/count.h"

#include "lib/err.h"
#include "mm/slab.h"

#define FIB_N		28u
#define FIB_RESULT	317811u

struct fibonacci {
	u64 calls;
	struct site_count base_case;
};

DECLARE_SITE(fib_base_case);

static __counted u64 fibonacci(struct fibonacci *fib, u64 n)
{
	fib->calls++;
	if (site_below(fib_base_case, n, 2)) {
		fib->base_case.next++;
		return n;
	}
	fib->base_case.taken++;
	return fibonacci(fib, n - 1) + fibonacci(fib, n - 2);
}

static int fibonacci_prepare(struct workload_run *run)
{
	run->priv = kzalloc(sizeof(struct fibonacci), GFP_KERNEL);
	return run->priv ? 0 : -ENOMEM;
}

static int fibonacci_run(struct workload_run *run)
{
	return fibonacci(run->priv, FIB_N) == FIB_RESULT ? 0 : -EIO;
}

static void fibonacci_finish(struct workload_run *run)
{
	struct fibonacci *fib = run->priv;

	count_calls(run, "calls of fibonacci", fn_addr(fibonacci), fib->calls);
	count_site(run, "test for the base case", &fib_base_case,
		   &fib->base_case);
	kfree(fib);
	run->priv = NULL;
}

const struct workload wl_fibonacci = {
	.name = "fibonacci",
	.help = "the 28th Fibonacci number by recursion: calls and returns",
	.prepare = fibonacci_prepare,
	.run = fibonacci_run,
	.finish = fibonacci_finish,
};
