/* SPDX-License-Identifier: MIT */
/*
 * Edges and functions as tracing_maps: filling and asking.
 *
 * What is printed is in trace/report.c and trace/dump.c.
 */
#include "trace/branch_map.h"

#include "lib/err.h"
#include "mm/slab.h"

static bool is_call(enum branch_class class)
{
	return class == BRANCH_CALL || class == BRANCH_ICALL;
}

static int init_map(struct tracing_map *map, bool two_keys)
{
	tracing_map_cmp_fn_t cmp = tracing_map_cmp_num(sizeof(u64), false);
	int err = tracing_map_add_key_field(map, 0, cmp);

	if (err >= 0 && two_keys)
		err = tracing_map_add_key_field(map, sizeof(u64), cmp);
	if (err >= 0)
		err = tracing_map_add_sum_field(map);
	return err < 0 ? err : tracing_map_init(map);
}

static int create_map(struct tracing_map **map, unsigned int map_bits,
		      bool two_keys)
{
	struct tracing_map *m = tracing_map_create(map_bits, two_keys ?
			sizeof(struct branch_key) : sizeof(u64), NULL, NULL);

	if (IS_ERR(m))
		return (int)PTR_ERR(m);
	*map = m;
	return init_map(m, two_keys);
}

struct branch_map *branch_map_create(unsigned int map_bits)
{
	struct branch_map *map = kzalloc(sizeof(*map), GFP_KERNEL);
	int err;

	if (!map)
		return ERR_PTR(-ENOMEM);
	err = create_map(&map->edges, map_bits, true);
	if (!err)
		err = create_map(&map->functions, map_bits, false);
	if (!err)
		return map;
	branch_map_destroy(map);
	return ERR_PTR(err);
}

void branch_map_destroy(struct branch_map *map)
{
	if (!map)
		return;
	tracing_map_destroy(map->edges);
	tracing_map_destroy(map->functions);
	kfree(map);
}

void branch_map_clear(struct branch_map *map)
{
	tracing_map_clear(map->edges);
	tracing_map_clear(map->functions);
	map->hits = 0;
	map->dropped = 0;
}

static void add_function(struct branch_map *map, u64 entry, u64 calls)
{
	struct tracing_map_elt *elt = tracing_map_insert(map->functions,
							 &entry);

	if (elt)
		tracing_map_update_sum(elt, BRANCH_FIELD_HITS - 1, calls);
	else
		__atomic_fetch_add(&map->dropped, calls, __ATOMIC_RELAXED);
}

static int add_edge(void *ctx, const struct pt_edge *edge)
{
	struct branch_map *map = ctx;
	struct branch_key key = { edge->from, edge->to };
	struct tracing_map_elt *elt = tracing_map_insert(map->edges, &key);

	__atomic_fetch_add(&map->hits, edge->count, __ATOMIC_RELAXED);
	if (!elt) {
		__atomic_fetch_add(&map->dropped, edge->count,
				   __ATOMIC_RELAXED);
		return 0;
	}
	/* The same key has the same class: who writes it last does not matter. */
	WRITE_ONCE(elt->private_data, (void *)(uintptr_t)edge->class);
	tracing_map_update_sum(elt, BRANCH_FIELD_HITS, edge->count);
	if (is_call(edge->class))
		add_function(map, edge->to, edge->count);
	return 0;
}

void branch_map_add_flow(struct branch_map *map, struct pt_flow *flow)
{
	pt_flow_for_each_edge(flow, add_edge, map);
}

enum branch_class branch_map_class(const struct tracing_map_elt *elt)
{
	return (enum branch_class)(uintptr_t)READ_ONCE(elt->private_data);
}

/* ---- asking ---- */

struct question {
	u64 from;		/* 0: any */
	u64 to;			/* 0: any */
	bool calls_only;
	u64 hits;
};

static int answer(void *ctx, struct tracing_map_elt *elt)
{
	struct question *q = ctx;
	const struct branch_key *key = (const struct branch_key *)elt->key;

	if (q->from && q->from != key->from)
		return 0;
	if (q->to && q->to != key->to)
		return 0;
	if (q->calls_only && !is_call(branch_map_class(elt)))
		return 0;
	q->hits += tracing_map_read_sum(elt, BRANCH_FIELD_HITS);
	return 0;
}

u64 branch_map_hits(const struct branch_map *map, u64 from, u64 to)
{
	struct question q = { .from = from, .to = to };

	tracing_map_for_each(map->edges, answer, &q);
	return q.hits;
}

u64 branch_map_calls(const struct branch_map *map, u64 to)
{
	struct question q = { .to = to, .calls_only = true };

	tracing_map_for_each(map->edges, answer, &q);
	return q.hits;
}
