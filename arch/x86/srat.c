/* SPDX-License-Identifier: MIT */
/*
 * The SRAT and the SLIT: nodes of CPUs and memory.
 */
#include "arch/x86/srat.h"

#include "arch/x86/acpi.h"
#include "lib/err.h"
#include "lib/string.h"

#define SRAT_ENTRIES	48
#define SRAT_REVISION	8	/* 1: domains have 8 bits */
#define SRAT_LAPIC	0	/* entry types */
#define SRAT_MEMORY	1
#define SRAT_X2APIC	2
#define SRAT_ENABLED	1u

#define SLIT_COUNT	36
#define SLIT_MATRIX	44
#define SLIT_LOCAL	10

/* Node of a proximity domain, made at its first use. Return: -1: no room. */
static int node_of_domain(struct srat *srat, u32 domain)
{
	for (unsigned int i = 0; i < srat->nr_nodes; i++)
		if (srat->domain[i] == domain)
			return (int)i;
	if (srat->nr_nodes == NUMA_MAX_NODES)
		return -1;
	srat->domain[srat->nr_nodes] = domain;
	return (int)srat->nr_nodes++;
}

static int find_cpu(const struct srat *srat, u32 apic_id)
{
	for (unsigned int i = 0; i < srat->nr_cpus; i++)
		if (srat->cpu[i].apic_id == apic_id)
			return (int)i;
	return -1;
}

/* Types 0 and 2 may both name a CPU: the first one counts. */
static void add_cpu(struct srat *srat, u32 apic_id, u32 domain)
{
	int known = find_cpu(srat, apic_id), node;

	if (known >= 0) {
		if (srat->domain[srat->cpu[known].node] != domain)
			srat->nr_overlaps++;
		return;
	}
	if (srat->nr_cpus == NR_CPUS) {
		srat->nr_skipped++;
		return;
	}
	node = node_of_domain(srat, domain);
	if (node < 0) {
		srat->nr_skipped++;
		return;
	}
	srat->cpu[srat->nr_cpus].apic_id = apic_id;
	srat->cpu[srat->nr_cpus++].node = (u8)node;
}

static void add_mem(struct srat *srat, u64 base, u64 size, u32 domain)
{
	struct srat_mem *mem = srat->mem;
	unsigned int at = 0;
	int node;

	if (!size)
		return;		/* a slot without memory */
	if (base + size < base || srat->nr_mem == SRAT_MAX_MEM) {
		srat->nr_skipped++;
		return;
	}
	while (at < srat->nr_mem && mem[at].base < base)
		at++;
	if ((at && mem[at - 1].end > base) ||
	    (at < srat->nr_mem && mem[at].base < base + size)) {
		srat->nr_overlaps++;
		return;
	}
	node = node_of_domain(srat, domain);
	if (node < 0) {
		srat->nr_skipped++;
		return;
	}
	memmove(&mem[at + 1], &mem[at], (srat->nr_mem - at) * sizeof(*mem));
	mem[at] = (struct srat_mem){ base, base + size, (u8)node };
	srat->nr_mem++;
}

static void take_entry(struct srat *srat, const struct acpi_table *t,
		       size_t pos, size_t len)
{
	bool wide = acpi_u8(t, SRAT_REVISION) >= 2;
	u8 type = acpi_u8(t, pos);

	if (type == SRAT_LAPIC && len >= 16) {
		u32 high = wide ? acpi_u32(t, pos + 8) & 0xffffff00 : 0;

		if (acpi_u32(t, pos + 4) & SRAT_ENABLED)
			add_cpu(srat, acpi_u8(t, pos + 3),
				high | acpi_u8(t, pos + 2));
	} else if (type == SRAT_X2APIC && len >= 24) {
		if (acpi_u32(t, pos + 12) & SRAT_ENABLED)
			add_cpu(srat, acpi_u32(t, pos + 8),
				acpi_u32(t, pos + 4));
	} else if (type == SRAT_MEMORY && len >= 40) {
		u32 domain = acpi_u32(t, pos + 2);

		if (acpi_u32(t, pos + 28) & SRAT_ENABLED)
			add_mem(srat, acpi_u64(t, pos + 8),
				acpi_u64(t, pos + 16),
				wide ? domain : domain & 0xff);
	} else if (type <= SRAT_X2APIC) {
		srat->nr_skipped++;
	}
}

int srat_parse(struct srat *srat, const struct acpi_table *table)
{
	memset(srat, 0, sizeof(*srat));
	if (table->size < SRAT_ENTRIES || memcmp(table->data, "SRAT", 4))
		return -EBADMSG;
	for (size_t pos = SRAT_ENTRIES; pos < table->size;) {
		size_t left = table->size - pos;
		size_t len = acpi_u8(table, pos + 1);

		/* What follows a bad length cannot be found any more. */
		if (len < 2 || len > left) {
			srat->nr_skipped++;
			srat->bad_offset = pos;
			break;
		}
		take_entry(srat, table, pos, len);
		pos += len;
	}
	return srat->nr_nodes ? 0 : -EBADMSG;
}

int slit_parse(struct srat *srat, const struct acpi_table *table)
{
	u64 count = acpi_u64(table, SLIT_COUNT);
	unsigned int nr = srat->nr_nodes;

	if (table->size < SLIT_MATRIX || memcmp(table->data, "SLIT", 4) ||
	    !count || count > table->size ||
	    count * count > table->size - SLIT_MATRIX)
		return -EBADMSG;
	for (unsigned int i = 0; i < nr * nr; i++) {
		u32 from = srat->domain[i / nr], to = srat->domain[i % nr];
		u8 distance;

		if (from >= count || to >= count)
			return -EBADMSG;
		distance = acpi_u8(table, SLIT_MATRIX + from * count + to);
		if (distance < SLIT_LOCAL)
			return -EBADMSG;
		srat->distance[i] = distance;
	}
	srat->has_distances = true;
	return 0;
}

int srat_node_of_cpu(const struct srat *srat, u32 apic_id)
{
	int known = find_cpu(srat, apic_id);

	return known < 0 ? 0 : srat->cpu[known].node;
}

int srat_node_at(const struct srat *srat, u64 pa, u64 *end)
{
	*end = ~0ULL;
	for (unsigned int i = 0; i < srat->nr_mem; i++) {
		if (pa < srat->mem[i].base) {
			*end = srat->mem[i].base;
			break;
		}
		if (pa < srat->mem[i].end) {
			*end = srat->mem[i].end;
			return srat->mem[i].node;
		}
	}
	return 0;
}
