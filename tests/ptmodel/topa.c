/* SPDX-License-Identifier: MIT */
/*
 * ToPA tables: entries, links, regions, INT and STOP.
 *
 * Implements the SDM's "Table of Physical Addresses (ToPA)" with its
 * operational errors. Like hardware that caches the current entry, it reads an
 * entry once, when it reaches it; with PTM_INJECT_CACHE_TOPA the whole table.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define EARLY_PMI	512	/* bytes before the end */
#define TABLE_MASK	(~0xfffULL)
#define PTRS_FIXED	0x7fULL
#define INDEX_SHIFT	7
#define INDEX_MASK	0x1ffffffULL
#define OFFSET_SHIFT	32
#define ENTRY_RESERVED	(PTM_BIT(1) | PTM_BIT(3) | PTM_BIT(5) | \
			 PTM_BIT(10) | PTM_BIT(11))
#define TABLE_ENTRIES	(1u << 16)	/* that are cached */

struct ptm_table {
	uint64_t base;
	unsigned int nr;
	uint64_t entries[TABLE_ENTRIES];
};

uint64_t ptm_topa_index(const struct ptm_cpu *cpu)
{
	return cpu->output_mask >> INDEX_SHIFT & INDEX_MASK;
}

void ptm_topa_set_pointers(struct ptm_cpu *cpu, uint64_t index, uint64_t offset)
{
	cpu->output_mask = PTRS_FIXED | index << INDEX_SHIFT |
			   offset << OFFSET_SHIFT;
}

bool ptm_restricted(const struct ptm_cpu *cpu, uint64_t pa, uint64_t size)
{
	return cpu->restricted_size &&
	       pa < cpu->restricted + cpu->restricted_size &&
	       cpu->restricted < pa + size;
}

/* ---- the table as it was when it was reached ---- */

static int fetch_entry(struct ptm_cpu *cpu, uint64_t pa, uint64_t *entry)
{
	return cpu->ops->read_phys(cpu->opaque, pa, entry, sizeof(*entry));
}

void ptm_table_forget(struct ptm_cpu *cpu)
{
	free(cpu->table);
	cpu->table = NULL;
}

static void compare_entry(struct ptm_cpu *cpu, unsigned int i)
{
	uint64_t pa = cpu->table->base + i * 8ULL, now;

	if (fetch_entry(cpu, pa, &now) || now == cpu->table->entries[i])
		return;
	ptm_report(cpu, PTM_REPORT_TOPA_EDIT, pa);
	/* Once for each edit. */
	cpu->table->entries[i] = now;
}

void ptm_table_check(struct ptm_cpu *cpu)
{
	unsigned int i;

	for (i = 0; cpu->table && i < cpu->table->nr; i++)
		compare_entry(cpu, i);
}

static void cache_table(struct ptm_cpu *cpu, uint64_t base)
{
	struct ptm_table *table = cpu->table;

	if (table && table->base == base)
		return;
	/* Edits while it was the current one. */
	ptm_table_check(cpu);
	if (!table)
		table = malloc(sizeof(*table));
	if (!table)
		abort();
	table->base = base;
	table->nr = 0;
	cpu->table = table;
	while (table->nr < TABLE_ENTRIES &&
	       !fetch_entry(cpu, base + table->nr * 8ULL,
			    &table->entries[table->nr]))
		if (table->entries[table->nr++] & PTM_TOPA_END)
			break;
}

static int entry_at(struct ptm_cpu *cpu, uint64_t base, uint64_t index,
		    uint64_t *entry)
{
	uint64_t cached;

	if (!cpu->cache_topa)
		return fetch_entry(cpu, base + index * 8, entry);
	cache_table(cpu, base);
	if (index >= cpu->table->nr)
		return fetch_entry(cpu, base + index * 8, entry);
	cached = cpu->table->entries[index];
	compare_entry(cpu, index);
	*entry = cached;
	return 0;
}

/* ---- entries ---- */

static int read_entry(struct ptm_cpu *cpu, uint64_t index, uint64_t *entry)
{
	uint64_t address_bits = PTM_BIT(cpu->profile->maxphyaddr) - 1;

	if (entry_at(cpu, cpu->output_base & TABLE_MASK, index, entry))
		return -1;
	return *entry & (ENTRY_RESERVED | ~address_bits) ? -1 : 0;
}

static bool region_ok(const struct ptm_cpu *cpu, uint64_t entry)
{
	uint64_t base = entry & TABLE_MASK, size = PTM_ENTRY_SIZE(entry);

	if (base & (size - 1))
		return false;
	return (base + size - 1) >> cpu->profile->maxphyaddr == 0 &&
	       !ptm_restricted(cpu, base, size);
}

/* Hardware with one entry for each table also wants it closed properly. */
static bool single_entry_ok(struct ptm_cpu *cpu)
{
	uint64_t link;

	if (ptm_has_ecx(cpu, PTM_ECX_TOPA_MULTI))
		return true;
	return !read_entry(cpu, 1, &link) && (link & PTM_TOPA_END) &&
	       (link & TABLE_MASK) == (cpu->output_base & TABLE_MASK);
}

/* Makes the entry at the current index the region; follows a link. */
static int load_entry(struct ptm_cpu *cpu)
{
	uint64_t entry;

	if (read_entry(cpu, ptm_topa_index(cpu), &entry))
		return -1;
	if (entry & PTM_TOPA_END) {
		if (ptm_topa_index(cpu) == 0 ||
		    (entry & (PTM_TOPA_INT | PTM_TOPA_STOP)))
			return -1;
		cpu->output_base = entry & TABLE_MASK;
		ptm_topa_set_pointers(cpu, 0, cpu->output_mask >> OFFSET_SHIFT);
		if (read_entry(cpu, 0, &entry) || (entry & PTM_TOPA_END))
			return -1;
	}
	if (!region_ok(cpu, entry) || !single_entry_ok(cpu))
		return -1;
	cpu->entry = entry;
	cpu->region = entry & TABLE_MASK;
	cpu->region_size = PTM_ENTRY_SIZE(entry);
	return 0;
}

int ptm_topa_start(struct ptm_cpu *cpu)
{
	uint64_t offset = cpu->output_mask >> OFFSET_SHIFT;

	ptm_table_forget(cpu);
	if ((cpu->output_base & ~TABLE_MASK) || load_entry(cpu) ||
	    offset >= cpu->region_size)
		return -1;
	cpu->region_off = offset;
	return 0;
}

/* ---- regions ---- */

/*
 * A processor with one entry for each table attempts the PMI before the output
 * wraps (SDM "ToPA PMI and Single Output Region ToPA Implementation"), which
 * gives no number; this is one that leaves room for some skid.
 */
void ptm_topa_early_pmi(struct ptm_cpu *cpu, unsigned int len)
{
	uint64_t left = cpu->region_size - cpu->region_off;

	if ((cpu->entry & PTM_TOPA_INT) &&
	    !ptm_has_ecx(cpu, PTM_ECX_TOPA_MULTI) &&
	    left && left <= EARLY_PMI && left + len > EARLY_PMI)
		ptm_pmi(cpu);
}

void ptm_topa_region_full(struct ptm_cpu *cpu)
{
	uint64_t done = cpu->entry;

	/* The stop takes effect first, then the PMI. */
	if (done & PTM_TOPA_STOP) {
		cpu->status |= PTM_STATUS_STOPPED;
		ptm_note(cpu, PTM_NOTE_STOPPED, 0);
		ptm_update_trigger(cpu);
	} else {
		cpu->region_off = 0;
		ptm_topa_set_pointers(cpu, ptm_topa_index(cpu) + 1, 0);
		if (load_entry(cpu))
			ptm_output_error(cpu);
	}
	if (done & PTM_TOPA_INT)
		ptm_pmi(cpu);
}
