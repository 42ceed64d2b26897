/* SPDX-License-Identifier: MIT */
/*
 * SRAT and SLIT bytes as tables of nodes. Pure functions over hostile bytes.
 */
#ifndef X86_SRAT_H
#define X86_SRAT_H

#include <asm/numa.h>
#include <asm/percpu.h>
#include "lib/compiler.h"

struct acpi_table;

#define SRAT_MAX_MEM	256

struct srat_mem {
	u64 base;
	u64 end;
	u8 node;
};

struct srat {
	unsigned int nr_nodes;
	u32 domain[NUMA_MAX_NODES];	/* proximity domain of a node */
	unsigned int nr_cpus;
	struct {
		u32 apic_id;
		u8 node;
	} cpu[NR_CPUS];
	unsigned int nr_mem;
	struct srat_mem mem[SRAT_MAX_MEM];	/* by base, not overlapping */
	unsigned int nr_skipped;	/* malformed, or more than fit */
	unsigned int nr_overlaps;	/* said otherwise before: left out */
	size_t bad_offset;	/* of the entry that ended the walk; or 0 */
	bool has_distances;
	u8 distance[NUMA_MAX_NODES * NUMA_MAX_NODES];	/* nr_nodes per row */
};

/**
 * srat_parse() - nodes, and what belongs to them
 * @srat:	filled in; no nodes after an error
 * @table:	the SRAT
 *
 * Return: 0; -EBADMSG when it is no SRAT, too short, or names no node.
 */
int srat_parse(struct srat *srat, const struct acpi_table *table);

/**
 * slit_parse() - distances between the nodes of @srat
 * @table:	the SLIT
 *
 * Return: 0; -EBADMSG when it is no SLIT, too short for its matrix, or a
 * distance is below 10, which the specification reserves; nothing is taken
 * then.
 */
int slit_parse(struct srat *srat, const struct acpi_table *table);

/* The node of a CPU; 0 where the table does not name it. */
int srat_node_of_cpu(const struct srat *srat, u32 apic_id);

/* numa_node_at() of one table. */
int srat_node_at(const struct srat *srat, u64 pa, u64 *end);

#endif /* X86_SRAT_H */
