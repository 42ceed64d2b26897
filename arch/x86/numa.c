/* SPDX-License-Identifier: MIT */
/*
 * The nodes of this machine.
 */
#include <asm/numa.h>

#include "arch/x86/acpi.h"
#include "arch/x86/cpu.h"
#include "arch/x86/srat.h"
#include "lib/err.h"
#include "lib/printk.h"

/* Owner: numa_init(); constant afterwards. */
static struct srat srat;

static void report(void)
{
	printk("numa: %u nodes, %u stretches of memory\n", srat.nr_nodes,
	       srat.nr_mem);
	if (srat.nr_skipped || srat.nr_overlaps)
		printk("numa: SRAT: %u entries skipped, %u overlap others\n",
		       srat.nr_skipped, srat.nr_overlaps);
	if (srat.bad_offset)
		printk("numa: SRAT: entry at offset %zu has a bad length: the rest is left out\n",
		       srat.bad_offset);
}

static void read_slit(void)
{
	struct acpi_table table;

	if (!acpi_find("SLIT", 0, &table))
		return;
	if (!table.sum_good || slit_parse(&srat, &table))
		printk("numa: the SLIT cannot be used: all nodes are as far\n");
}

/* A table that lies about nodes costs speed only, but a bad one is no help. */
void numa_init(void)
{
	struct acpi_table table;

	if (srat.nr_nodes)
		return;
	for (unsigned int i = 0; acpi_find("SRAT", i, &table); i++) {
		if (table.sum_good && !srat_parse(&srat, &table)) {
			report();
			read_slit();
			return;
		}
		srat.nr_nodes = 0;
		printk("numa: SRAT %u cannot be used%s\n", i,
		       table.sum_good ? "" : ": bad check sum");
	}
}

unsigned int numa_nr_nodes(void)
{
	return max(srat.nr_nodes, 1u);
}

int numa_node_at(phys_addr_t pa, u64 *end)
{
	return srat_node_at(&srat, pa, end);
}

const u8 *numa_distances(void)
{
	return srat.has_distances ? srat.distance : NULL;
}

int numa_node_of_apic(u32 apic_id)
{
	return srat_node_of_cpu(&srat, apic_id);
}
