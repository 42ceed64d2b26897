/* SPDX-License-Identifier: MIT */
/*
 * Counted edges as in cpuN.K.edges, for the programs that read the model's
 * files.
 */
#ifndef TESTS_PTMODEL_EDGES_H
#define TESTS_PTMODEL_EDGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct edge {
	uint64_t from, to, count;
};

/* All 0 is none. */
struct edges {
	struct edge *slots;
	size_t nr, room;
};

void edges_add(struct edges *edges, uint64_t from, uint64_t to,
	       uint64_t count);

/** edges_sort() - packs and sorts; nothing can be added any more */
void edges_sort(struct edges *edges);

/** edges_order() - by FROM, then by TO; for qsort() */
int edges_order(const void *a, const void *b);

/** edges_print() - as lines of the file; they are sorted */
void edges_print(const struct edges *edges, FILE *out);

/**
 * edges_read() - adds the lines of @path
 * Return: 0, -1 with errno, -2: not a list of edges.
 */
int edges_read(struct edges *edges, const char *path);

#endif /* TESTS_PTMODEL_EDGES_H */
