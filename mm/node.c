/* SPDX-License-Identifier: MIT */
/*
 * Nodes: the zones of each, and the order in which others help out.
 */
#include "mm/node.h"

#include "lib/err.h"

#define DISTANCE_UNKNOWN	0x100	/* above all that a byte can say */

struct fallback {
	u8 nr;
	u8 node[MAX_NUMNODES];	/* those with memory, nearest first */
};

/* Owner: page_init(); the free lists are under each zone's lock. */
static struct zone zones[MAX_NUMNODES][NR_ZONES];
static struct fallback fallbacks[MAX_NUMNODES];
/* Owner: page_set_distances(). */
static u8 distances[MAX_NUMNODES][MAX_NUMNODES];
static unsigned int nr_distances;

struct zone *zone_of(unsigned int node, enum zone_type type)
{
	return &zones[node][type];
}

void nodes_init(void)
{
	for (unsigned int n = 0; n < MAX_NUMNODES; n++) {
		for (unsigned int t = 0; t < NR_ZONES; t++)
			zone_init(&zones[n][t], n, (enum zone_type)t);
		fallbacks[n].nr = 0;
	}
}

/* ---- distances ---- */

static unsigned int distance(unsigned int from, unsigned int to)
{
	if (from == to)
		return 0;
	if (from < nr_distances && to < nr_distances)
		return distances[from][to];
	return DISTANCE_UNKNOWN;
}

static bool has_memory(unsigned int node)
{
	for (unsigned int t = 0; t < NR_ZONES; t++)
		if (zones[node][t].nr_pages)
			return true;
	return false;
}

/* By insertion: equals stay in the order of their numbers. */
static void fallback_add(struct fallback *f, unsigned int from,
			 unsigned int node)
{
	unsigned int i = f->nr++;

	for (; i && distance(from, f->node[i - 1]) > distance(from, node); i--)
		f->node[i] = f->node[i - 1];
	f->node[i] = (u8)node;
}

void nodes_order(void)
{
	for (unsigned int from = 0; from < MAX_NUMNODES; from++) {
		fallbacks[from].nr = 0;
		for (unsigned int node = 0; node < MAX_NUMNODES; node++)
			if (has_memory(node))
				fallback_add(&fallbacks[from], from, node);
	}
}

int page_set_distances(const u8 *slit, unsigned int nr_nodes)
{
	if (nr_nodes > MAX_NUMNODES || (nr_nodes && !slit))
		return -EINVAL;
	nr_distances = nr_nodes;
	for (unsigned int i = 0; i < nr_nodes; i++)
		for (unsigned int k = 0; k < nr_nodes; k++)
			distances[i][k] = slit[i * nr_nodes + k];
	nodes_order();
	return 0;
}

/* ---- allocation ---- */

static const struct fallback *fallback_of(int nid)
{
	return &fallbacks[node_known(nid) ? nid : 0];
}

struct zone *node_main_zone(int nid)
{
	const struct fallback *f = fallback_of(nid);

	for (unsigned int i = 0; i < f->nr; i++)
		for (unsigned int t = ZONE_NORMAL; t > ZONE_LOW; t--)
			if (zones[f->node[i]][t].nr_pages)
				return &zones[f->node[i]][t];
	return NULL;
}

/* The nodes in their order; in each the zones from @top down to @bottom. */
static struct page *scan(int nid, gfp_t gfp, unsigned int order, int top,
			 int bottom)
{
	const struct fallback *f = fallback_of(nid);

	for (unsigned int i = 0; i < f->nr; i++) {
		struct zone *z = zones[f->node[i]];

		if (gfp & __GFP_THISNODE && f->node[i] != nid)
			continue;
		for (int t = top; t >= bottom; t--) {
			struct page *page = zone_alloc(&z[t], order);

			if (page)
				return page;
		}
	}
	return NULL;
}

struct page *node_alloc(int nid, gfp_t gfp, unsigned int order)
{
	struct page *page = NULL;

	if (!(gfp & __GFP_LOW)) {
		int top = gfp & __GFP_DMA32 ? ZONE_DMA32 : ZONE_NORMAL;

		page = scan(nid, gfp, order, top, ZONE_DMA32);
		if (page || gfp & __GFP_NORETRY)
			return page;
	}
	return scan(nid, gfp, order, ZONE_LOW, ZONE_LOW);
}
