/* SPDX-License-Identifier: MIT */
/*
 * Counted edges: a hash table that is sorted in the end; see edges.h.
 */
#include "edges.h"

#include <inttypes.h>
#include <stdlib.h>

#define FIRST_ROOM	4096

static size_t slot_of(const struct edges *edges, uint64_t from, uint64_t to)
{
	uint64_t hash = (from * 3 + to) * 0x9e3779b97f4a7c15ULL;
	size_t slot = (hash >> 20) & (edges->room - 1);

	while (edges->slots[slot].count && (edges->slots[slot].from != from ||
					    edges->slots[slot].to != to))
		slot = (slot + 1) & (edges->room - 1);
	return slot;
}

static void grow(struct edges *edges)
{
	struct edges old = *edges;
	size_t i;

	edges->room = old.room ? old.room * 2 : FIRST_ROOM;
	edges->slots = calloc(edges->room, sizeof(*edges->slots));
	if (!edges->slots)
		abort();
	for (i = 0; i < old.room; i++)
		if (old.slots[i].count)
			edges->slots[slot_of(edges, old.slots[i].from,
					     old.slots[i].to)] = old.slots[i];
	free(old.slots);
}

void edges_add(struct edges *edges, uint64_t from, uint64_t to, uint64_t count)
{
	struct edge *edge;

	if (edges->nr * 2 >= edges->room)
		grow(edges);
	edge = &edges->slots[slot_of(edges, from, to)];
	if (!edge->count)
		edges->nr++;
	edge->from = from;
	edge->to = to;
	edge->count += count;
}

int edges_order(const void *a, const void *b)
{
	const struct edge *ea = a, *eb = b;

	if (ea->from != eb->from)
		return ea->from < eb->from ? -1 : 1;
	return ea->to < eb->to ? -1 : ea->to > eb->to;
}

void edges_sort(struct edges *edges)
{
	size_t i, n = 0;

	for (i = 0; i < edges->room; i++)
		if (edges->slots[i].count)
			edges->slots[n++] = edges->slots[i];
	if (n)
		qsort(edges->slots, n, sizeof(*edges->slots), edges_order);
}

void edges_print(const struct edges *edges, FILE *out)
{
	size_t i;

	for (i = 0; i < edges->nr; i++)
		fprintf(out, "%016" PRIx64 " %016" PRIx64 " %" PRIu64 "\n",
			edges->slots[i].from, edges->slots[i].to,
			edges->slots[i].count);
}

int edges_read(struct edges *edges, const char *path)
{
	struct edge edge;
	FILE *file = fopen(path, "r");
	int got;

	if (!file)
		return -1;
	while ((got = fscanf(file, "%" SCNx64 " %" SCNx64 " %" SCNu64,
			     &edge.from, &edge.to, &edge.count)) == 3)
		edges_add(edges, edge.from, edge.to, edge.count);
	fclose(file);
	return got == EOF ? 0 : -2;
}
