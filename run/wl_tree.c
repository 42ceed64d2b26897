/* SPDX-License-Identifier: MIT */
/*
 * A binary search tree whose order and visitors are function pointers:
 * indirect calls.
 *
 * Keys go in twice, in two trees of different order; lookups find what is
 * there and miss what is not; a walk through each tree meets the keys in
 * order.
 */
#include "run/builtin.h"
#include "run/count.h"
#include "run/random.h"

#include "lib/err.h"
#include "mm/slab.h"

#define NR_NODES	4000u

struct tree_work;

struct tree_node {
	struct tree_node *child[2];
	u64 key;
};

typedef bool (*before_fn)(struct tree_work *work, u64 a, u64 b);

struct walk {
	u64 last;
	u64 nr;
	u64 misplaced;
};

typedef void (*visit_fn)(struct tree_work *work, struct walk *walk, u64 key);

struct tree_work {
	u64 ascending;		/* calls of before_ascending() */
	u64 descending;
	u64 visits_up;
	u64 visits_down;
	u64 inserts;
	struct site_count below;
	u64 nr_used;
	u64 key[NR_NODES];
	struct tree_node node[2 * NR_NODES];
};

DECLARE_SITE(tree_key_below);

static __counted bool before_ascending(struct tree_work *work, u64 a, u64 b)
{
	bool below = site_below(tree_key_below, a, b);

	work->ascending++;
	work->below.next += below;
	work->below.taken += !below;
	return below;
}

static __counted bool before_descending(struct tree_work *work, u64 a, u64 b)
{
	work->descending++;
	return a > b;
}

static __counted void visit_up(struct tree_work *work, struct walk *walk,
			       u64 key)
{
	work->visits_up++;
	if (walk->nr++ && key <= walk->last)
		walk->misplaced++;
	walk->last = key;
}

static __counted void visit_down(struct tree_work *work, struct walk *walk,
				 u64 key)
{
	work->visits_down++;
	if (walk->nr++ && key >= walk->last)
		walk->misplaced++;
	walk->last = key;
}

/* Where @key is or would hang. */
static struct tree_node **tree_find(struct tree_work *work,
				    struct tree_node **link, u64 key,
				    before_fn before)
{
	while (*link && (*link)->key != key)
		link = &(*link)->child[!before(work, key, (*link)->key)];
	return link;
}

static __counted void tree_insert(struct tree_work *work,
				  struct tree_node **root, u64 key,
				  before_fn before)
{
	struct tree_node **link = tree_find(work, root, key, before);

	work->inserts++;
	if (*link)
		return;
	*link = &work->node[work->nr_used++];
	(*link)->key = key;
}

static void tree_walk(struct tree_work *work, const struct tree_node *node,
		      visit_fn visit, struct walk *walk)
{
	if (!node)
		return;
	tree_walk(work, node->child[0], visit, walk);
	visit(work, walk, node->key);
	tree_walk(work, node->child[1], visit, walk);
}

/* Keys are odd, so that an even one is never there. */
static int tree_prepare(struct workload_run *run)
{
	struct tree_work *work = kzalloc(sizeof(*work), GFP_KERNEL);
	u64 seed = RANDOM_SEED;

	if (!work)
		return -ENOMEM;
	for (u32 i = 0; i < NR_NODES; i++)
		work->key[i] = random_next(&seed) | 1;
	run->priv = work;
	return 0;
}

/* Builds a tree, looks keys up in it, walks it. Return: keys misplaced. */
static u64 one_tree(struct tree_work *work, before_fn before, visit_fn visit)
{
	struct tree_node *root = NULL;
	struct walk walk = { 0 };
	u64 wrong = 0;

	for (u32 i = 0; i < NR_NODES; i++)
		tree_insert(work, &root, work->key[i], before);
	for (u32 i = 0; i < NR_NODES; i += 4) {
		u64 key = work->key[i];

		wrong += !*tree_find(work, &root, key, before);
		wrong += !!*tree_find(work, &root, key - 1, before);
	}
	tree_walk(work, root, visit, &walk);
	return wrong + walk.misplaced + (walk.nr != NR_NODES);
}

static int tree_run(struct workload_run *run)
{
	struct tree_work *work = run->priv;
	u64 wrong = one_tree(work, before_ascending, visit_up);

	wrong += one_tree(work, before_descending, visit_down);
	return wrong ? -EIO : 0;
}

static void tree_finish(struct workload_run *run)
{
	struct tree_work *work = run->priv;

	count_calls(run, "calls of tree_insert", fn_addr(tree_insert),
		    work->inserts);
	count_calls(run, "calls of before_ascending",
		    fn_addr(before_ascending), work->ascending);
	count_calls(run, "calls of before_descending",
		    fn_addr(before_descending), work->descending);
	count_calls(run, "calls of visit_up", fn_addr(visit_up),
		    work->visits_up);
	count_calls(run, "calls of visit_down", fn_addr(visit_down),
		    work->visits_down);
	count_site(run, "compare of two keys", &tree_key_below, &work->below);
	kfree(work);
	run->priv = NULL;
}

const struct workload wl_tree = {
	.name = "tree",
	.help = "binary search trees with function pointers: indirect calls",
	.prepare = tree_prepare,
	.run = tree_run,
	.finish = tree_finish,
};
