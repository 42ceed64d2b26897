/* SPDX-License-Identifier: MIT */
/*
 * NUMA: which node a CPU and a stretch of memory belong to, and how far nodes
 * are from each other. Nodes are numbered from 0 in the order in which the
 * firmware's table names them; without a table all is node 0.
 *
 * Sources: ACPI specification, "System Resource Affinity Table" and "System
 * Locality Information Table".
 */
#ifndef ASM_NUMA_H
#define ASM_NUMA_H

#include "lib/compiler.h"

#define NUMA_MAX_NODES	64

/* Nodes that the firmware names; at least 1. */
unsigned int numa_nr_nodes(void);

/**
 * numa_node_at() - the node of a physical address
 * @pa:		any
 * @end:	set to where the next stretch begins, which may be of another node
 *
 * Context: any, once the ACPI tables are read. Return: the node; 0 where the
 * firmware does not say.
 */
int numa_node_at(phys_addr_t pa, u64 *end);

/*
 * Distances as in the SLIT: numa_nr_nodes() rows of as many bytes, 10 is the
 * node itself. NULL where the firmware gives none.
 */
const u8 *numa_distances(void);

#endif /* ASM_NUMA_H */
