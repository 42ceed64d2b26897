/* SPDX-License-Identifier: MIT */
/*
 * Filling the software counts of a run.
 */
#ifndef RUN_COUNT_H
#define RUN_COUNT_H

#include "run/site.h"
#include "run/workload.h"

/**
 * workload_count_add() - one more count of a run
 * @count:	copied; @count->name must stay where it is
 *
 * Return: 0, or -ENOSPC when the run has WORKLOAD_MAX_COUNTS already.
 */
int __must_check workload_count_add(struct workload_run *run,
				    const struct workload_count *count);

/* The same for built-in workloads, whose counts are known to have room. */
void count_calls(struct workload_run *run, const char *name, u64 function,
		 u64 count);
void count_edge(struct workload_run *run, const char *name, u64 from, u64 to,
		u64 count);

/* Both edges of a site; @name speaks of the branch. */
void count_site(struct workload_run *run, const char *name,
		const struct site *site, const struct site_count *count);

/* The address of a function as the trace shows it. */
#define fn_addr(fn)	((u64)(unsigned long)(fn))

#endif /* RUN_COUNT_H */
