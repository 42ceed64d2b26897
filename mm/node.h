/* SPDX-License-Identifier: MIT */
/*
 * Nodes: which zones an allocation may use, in which order.
 *
 * Inside of mm/ only.
 */
#ifndef MM_NODE_H
#define MM_NODE_H

#include "mm/zone.h"

static inline bool node_known(int nid)
{
	return nid >= 0 && nid < MAX_NUMNODES;
}

struct zone *zone_of(unsigned int node, enum zone_type type);

/* Empties all zones; what page_set_distances() said stays. */
void nodes_init(void);

/* After all zones have their pages: makes the fall-back orders. */
void nodes_order(void);

/*
 * The zone that a CPU of the node keeps single pages of: the highest of the
 * nearest node that has memory above 1 MiB. NULL: none has.
 */
struct zone *node_main_zone(int nid);

/**
 * node_alloc() - a block by the zone order of a node
 * @nid:	where to begin; out of range is 0
 * @gfp:	restricts zones and nodes
 * @order:	0..MAX_ORDER
 *
 * Return: the block in state USED, or NULL.
 */
struct page *node_alloc(int nid, gfp_t gfp, unsigned int order);

#endif /* MM_NODE_H */
