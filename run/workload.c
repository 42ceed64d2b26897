/* SPDX-License-Identifier: MIT */
/*
 * The table of built-in workloads, and the software counts of a run.
 */
#include "run/workload.h"

#include <asm/traps.h>
#include "lib/err.h"
#include "lib/string.h"
#include "run/builtin.h"
#include "run/count.h"

const struct workload *const workloads[] = {
	&wl_quicksort,
	&wl_fibonacci,
	&wl_interpreter,
	&wl_tree,
	&wl_sha256,
	&wl_user,
	NULL,
};

const struct workload *workload_by_name(const char *name)
{
	for (unsigned int i = 0; workloads[i]; i++)
		if (!strcmp(workloads[i]->name, name))
			return workloads[i];
	return NULL;
}

int workload_count_add(struct workload_run *run,
		       const struct workload_count *count)
{
	if (run->nr_counts == WORKLOAD_MAX_COUNTS)
		return -ENOSPC;
	run->count[run->nr_counts++] = *count;
	return 0;
}

void count_calls(struct workload_run *run, const char *name, u64 function,
		 u64 count)
{
	const struct workload_count c = {
		.kind = COUNT_CALLS, .name = name, .to = function,
		.count = count,
	};

	BUG_ON(workload_count_add(run, &c));
}

void count_edge(struct workload_run *run, const char *name, u64 from, u64 to,
		u64 count)
{
	const struct workload_count c = {
		.kind = COUNT_EDGE, .name = name, .from = from, .to = to,
		.count = count,
	};

	BUG_ON(workload_count_add(run, &c));
}

void count_site(struct workload_run *run, const char *name,
		const struct site *site, const struct site_count *count)
{
	count_edge(run, name, site->branch, site->taken, count->taken);
	count_edge(run, name, site->branch, site->next, count->next);
}
