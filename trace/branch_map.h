/* SPDX-License-Identifier: MIT */
/*
 * Edges and functions as tracing_maps.
 *
 * The map of edges has the key (from, to) and the sum hitcount; the map of
 * functions the key (entry address) with hits (calls into it) counted from the
 * edges. Both are filled from a decoder's block counters when a capture ends.
 */
#ifndef TRACE_BRANCH_MAP_H
#define TRACE_BRANCH_MAP_H

#include "lib/compiler.h"
#include "lib/printk.h"
#include "pt/decode/flow.h"
#include "trace/tracing_map.h"

/* Key of the map of edges, and its fields. */
struct branch_key {
	u64 from;
	u64 to;
};

enum {
	BRANCH_FIELD_FROM,
	BRANCH_FIELD_TO,
	BRANCH_FIELD_HITS,
};

#define BRANCH_SUM_HITS	0	/* index in elt->sums, both maps */

struct branch_map {
	struct tracing_map *edges;
	struct tracing_map *functions;
	u64 hits;		/* edge executions offered */
	u64 dropped;		/* edge executions that found no room */
};

/**
 * branch_map_create() - empty maps with 2^map_bits elements each
 *
 * Return: the maps; ERR_PTR of what tracing_map_create() or _init() gave.
 */
struct branch_map *branch_map_create(unsigned int map_bits);
void branch_map_destroy(struct branch_map *map);
void branch_map_clear(struct branch_map *map);

/**
 * branch_map_add_flow() - add all edges of a decoder
 *
 * Context: thread; several CPUs may add to one map at once.
 */
void branch_map_add_flow(struct branch_map *map, struct pt_flow *flow);

/* The class of an element of the map of edges. */
enum branch_class branch_map_class(const struct tracing_map_elt *elt);

/* Hits of one edge, or of all edges into @to (from = 0), or out of @from
 * (to = 0); 0 when there are none. */
u64 branch_map_hits(const struct branch_map *map, u64 from, u64 to);
/* Hits of edges into @to that are calls (call, icall). */
u64 branch_map_calls(const struct branch_map *map, u64 to);

/**
 * branch_map_print_top() - the report: top edges and functions with symbols
 * @title:	workload name and CPU, for the heading
 * @top:	rows of each list
 *
 * Deterministic: ties are broken by the key.
 */
int branch_map_print_top(struct branch_map *map, struct printer *out,
			 const char *title, unsigned int top);

/**
 * branch_map_dump() - all edges in the dump format of trace/README.md
 * @workload, @cpu, @capture: name the capture in each record's header
 */
int branch_map_dump(struct branch_map *map, struct printer *out,
		    const char *workload, unsigned int cpu,
		    unsigned int capture);

#endif /* TRACE_BRANCH_MAP_H */
