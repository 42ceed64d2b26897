/* SPDX-License-Identifier: MIT */
/*
 * Counted edges: those of indirect branches in a table of their own, and all
 * of them when asked for.
 */
#include "pt/decode/flow_state.h"

static u32 edge_hash(const struct pt_flow *flow, u64 from, u64 to)
{
	u64 x = (from * 0x9e3779b97f4a7c15ULL ^ to) * 0xc2b2ae3d27d4eb4fULL;

	return (u32)(x >> 32) & flow->edge_mask;
}

void indirect_edge_count(struct pt_flow *flow, u64 from, u64 to,
			 enum branch_class class)
{
	struct indirect_edge *e;
	u32 i;

	for (i = edge_hash(flow, from, to); flow->edge[i].count;
	     i = (i + 1) & flow->edge_mask) {
		e = &flow->edge[i];
		if (e->from == from && e->to == to && e->class == class &&
		    e->cr3 == flow->cr3) {
			e->count++;
			flow->stats.edges++;
			return;
		}
	}
	/* A quarter stays free, so that the walk above always ends soon. */
	if (flow->nr_edges >= flow->edge_mask - flow->edge_mask / 4) {
		flow->stats.err_memory++;
		return;
	}
	flow->nr_edges++;
	flow->stats.edges++;
	flow->edge[i] = (struct indirect_edge){
		.from = from, .to = to, .count = 1, .cr3 = flow->cr3,
		.class = class,
	};
}

static int emit(const struct block *b, u64 to, u64 count,
		int (*fn)(void *ctx, const struct pt_edge *edge), void *ctx)
{
	struct pt_edge edge = {
		.from = b->branch,
		.to = to,
		.count = count,
		.cr3 = b->cr3,
		.class = b->class,
	};

	return count ? fn(ctx, &edge) : 0;
}

static int emit_block(const struct block *b,
		      int (*fn)(void *ctx, const struct pt_edge *edge),
		      void *ctx)
{
	int stop;

	if (b->class >= NR_BRANCH_CLASSES)
		return 0;
	stop = emit(b, b->target, b->nr_taken, fn, ctx);
	if (!stop)
		stop = emit(b, b->branch + b->branch_len, b->nr_not_taken, fn,
			    ctx);
	return stop;
}

int pt_flow_for_each_edge(struct pt_flow *flow,
			  int (*fn)(void *ctx, const struct pt_edge *edge),
			  void *ctx)
{
	int stop = 0;

	/* Index 0 is the scratch block: its counts belong to many. */
	for (u32 i = 1; i < flow->nr_blocks && !stop; i++)
		stop = emit_block(&flow->block[i], fn, ctx);
	for (u32 i = 0; i <= flow->edge_mask && !stop; i++) {
		const struct indirect_edge *e = &flow->edge[i];
		struct pt_edge edge = {
			.from = e->from,
			.to = e->to,
			.count = e->count,
			.cr3 = e->cr3,
			.class = (enum branch_class)e->class,
		};

		if (e->count)
			stop = fn(ctx, &edge);
	}
	return stop;
}
