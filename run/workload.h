/* SPDX-License-Identifier: MIT */
/*
 * Workloads: computations that Topaz carries to have something to trace.
 *
 * Each has a checked result, and counts its own calls and branches in
 * software while it runs. After the run the counts are held against the map
 * (selftest): that is how a run on hardware, with no model beside it, knows
 * that it was right.
 */
#ifndef RUN_WORKLOAD_H
#define RUN_WORKLOAD_H

#include "lib/compiler.h"

#define WORKLOAD_MAX_COUNTS	16

/* What a software count speaks of. */
enum workload_count_kind {
	COUNT_CALLS,		/* call edges into the function at @to */
	COUNT_EDGE,		/* executions of the edge @from -> @to */
	COUNT_INTO,		/* all edges into @to */
	COUNT_OUT_OF,		/* all edges out of the branch at @from */
};

struct workload_count {
	enum workload_count_kind kind;
	const char *name;	/* for the selftest's message */
	u64 from;
	u64 to;
	u64 count;
};

/* One run of a workload on one CPU. */
struct workload_run {
	unsigned int cpu;
	int argc;
	const char **argv;	/* argv[0] is the workload's name */
	void *priv;		/* between prepare, run and finish */
	unsigned int nr_counts;
	struct workload_count count[WORKLOAD_MAX_COUNTS];
};

struct workload {
	const char *name;
	const char *help;	/* one line */
	/* Untraced: memory and input. Return: 0 or a negative errno. */
	int (*prepare)(struct workload_run *run);
	/* Traced, on run->cpu. Return: 0 when the result was right. */
	int (*run)(struct workload_run *run);
	/* Untraced: fills run->count[], frees what prepare took. */
	void (*finish)(struct workload_run *run);
};

/* NULL-terminated table of the built-in workloads, in the order of a full run. */
extern const struct workload *const workloads[];

const struct workload *workload_by_name(const char *name);

#endif /* RUN_WORKLOAD_H */
