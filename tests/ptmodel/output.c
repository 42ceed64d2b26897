/* SPDX-License-Identifier: MIT */
/*
 * Where packet bytes go: ToPA tables or a single range.
 *
 * Implements the SDM's "Trace Output" with its operational errors. Bytes are
 * collected in out[], never beyond the end of the current region, so that INT,
 * STOP and an error of the next entry act at exactly the byte they belong to.
 * Like hardware that caches the current entry, it reads an entry once, when it
 * reaches it.
 */
#include "internal.h"

#define EARLY_PMI	512	/* bytes before the end */
#define TABLE_MASK	(~0xfffULL)
#define PTRS_FIXED	0x7fULL
#define INDEX_SHIFT	7
#define INDEX_MASK	0x1ffffffULL
#define OFFSET_SHIFT	32
#define ENTRY_RESERVED	(PTM_BIT(1) | PTM_BIT(3) | PTM_BIT(5) | \
			 PTM_BIT(10) | PTM_BIT(11))
#define ENTRY_SIZE(e)	(4096ULL << ((e) >> 6 & 15))

static void operational_error(struct ptm_cpu *cpu)
{
	/* What is buffered may be lost: the region is not to be trusted. */
	cpu->used = 0;
	cpu->status |= PTM_STATUS_ERROR;
	ptm_update_trigger(cpu);
}

static uint64_t table_index(const struct ptm_cpu *cpu)
{
	return cpu->output_mask >> INDEX_SHIFT & INDEX_MASK;
}

static void set_pointers(struct ptm_cpu *cpu, uint64_t index, uint64_t offset)
{
	cpu->output_mask = PTRS_FIXED | index << INDEX_SHIFT |
			   offset << OFFSET_SHIFT;
}

static void set_room(struct ptm_cpu *cpu)
{
	uint64_t left = cpu->region_size - cpu->region_off;

	cpu->room = left < PTM_OUT_BYTES ? left : PTM_OUT_BYTES;
}

/* ---- ToPA ---- */

static int read_entry(struct ptm_cpu *cpu, uint64_t index, uint64_t *entry)
{
	uint64_t address_bits = PTM_BIT(cpu->profile->maxphyaddr) - 1;
	uint64_t pa = (cpu->output_base & TABLE_MASK) + index * 8;

	if (cpu->ops->read_phys(cpu->opaque, pa, entry, sizeof(*entry)))
		return -1;
	if (*entry & (ENTRY_RESERVED | ~address_bits))
		return -1;
	return 0;
}

static bool region_ok(const struct ptm_cpu *cpu, uint64_t entry)
{
	uint64_t base = entry & TABLE_MASK;

	if (base & (ENTRY_SIZE(entry) - 1))
		return false;
	return (base + ENTRY_SIZE(entry) - 1) >> cpu->profile->maxphyaddr == 0;
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

	if (read_entry(cpu, table_index(cpu), &entry))
		return -1;
	if (entry & PTM_TOPA_END) {
		if (table_index(cpu) == 0 ||
		    (entry & (PTM_TOPA_INT | PTM_TOPA_STOP)))
			return -1;
		cpu->output_base = entry & TABLE_MASK;
		set_pointers(cpu, 0, cpu->output_mask >> OFFSET_SHIFT);
		if (read_entry(cpu, 0, &entry) || (entry & PTM_TOPA_END))
			return -1;
	}
	if (!region_ok(cpu, entry) || !single_entry_ok(cpu))
		return -1;
	cpu->entry = entry;
	cpu->region = entry & TABLE_MASK;
	cpu->region_size = ENTRY_SIZE(entry);
	return 0;
}

static void start_topa(struct ptm_cpu *cpu)
{
	uint64_t offset = cpu->output_mask >> OFFSET_SHIFT;

	if ((cpu->output_base & ~TABLE_MASK) || load_entry(cpu) ||
	    offset >= cpu->region_size) {
		operational_error(cpu);
		return;
	}
	cpu->region_off = offset;
	set_room(cpu);
}

static void topa_pmi(struct ptm_cpu *cpu)
{
	cpu->global_status |= PTM_GLOBAL_STATUS_TOPA_PMI;
	cpu->ops->raise_pmi(cpu->opaque);
}

/*
 * A processor with one entry for each table attempts the PMI before the output
 * wraps (SDM "ToPA PMI and Single Output Region ToPA Implementation"), which
 * gives no number; this is one that leaves room for some skid.
 */
static bool early_pmi_due(const struct ptm_cpu *cpu, unsigned int len)
{
	uint64_t left = cpu->region_size - cpu->region_off;

	return (cpu->ctl & PTM_CTL_TOPA) && (cpu->entry & PTM_TOPA_INT) &&
	       !ptm_has_ecx(cpu, PTM_ECX_TOPA_MULTI) &&
	       left && left <= EARLY_PMI && left + len > EARLY_PMI;
}

static void topa_region_full(struct ptm_cpu *cpu)
{
	uint64_t done = cpu->entry;

	/* The stop takes effect first, then the PMI. */
	if (done & PTM_TOPA_STOP) {
		cpu->status |= PTM_STATUS_STOPPED;
		ptm_update_trigger(cpu);
	} else {
		cpu->region_off = 0;
		set_pointers(cpu, table_index(cpu) + 1, 0);
		if (load_entry(cpu))
			operational_error(cpu);
	}
	if (done & PTM_TOPA_INT)
		topa_pmi(cpu);
}

/* ---- single range ---- */

static void start_single(struct ptm_cpu *cpu)
{
	uint64_t mask = cpu->output_mask & 0xffffffff;
	uint64_t offset = cpu->output_mask >> OFFSET_SHIFT;

	if ((mask & (mask + 1)) || (cpu->output_base & mask) || offset > mask) {
		operational_error(cpu);
		return;
	}
	cpu->entry = 0;
	cpu->region = cpu->output_base;
	cpu->region_size = mask + 1;
	cpu->region_off = offset;
	set_room(cpu);
}

/* ---- both ---- */

void ptm_output_start(struct ptm_cpu *cpu)
{
	cpu->used = 0;
	if (cpu->ctl & PTM_CTL_TOPA)
		start_topa(cpu);
	else
		start_single(cpu);
}

static void update_pointers(struct ptm_cpu *cpu)
{
	if (cpu->ctl & PTM_CTL_TOPA)
		set_pointers(cpu, table_index(cpu), cpu->region_off);
	else
		cpu->output_mask = (cpu->output_mask & 0xffffffff) |
				   cpu->region_off << OFFSET_SHIFT;
}

void ptm_flush(struct ptm_cpu *cpu)
{
	unsigned int len = cpu->used;

	if (!len || !cpu->trigger_en)
		return;
	cpu->used = 0;
	if (cpu->ops->write_phys(cpu->opaque, cpu->region + cpu->region_off,
				 cpu->out, len)) {
		operational_error(cpu);
		return;
	}
	if (cpu->ops->written)
		cpu->ops->written(cpu->opaque, cpu->out, len);
	cpu->region_off += len;
	if (!(cpu->ctl & PTM_CTL_TOPA) && cpu->region_off == cpu->region_size)
		cpu->region_off = 0;
	update_pointers(cpu);
	if (early_pmi_due(cpu, len))
		topa_pmi(cpu);
	if (cpu->region_off == cpu->region_size)
		topa_region_full(cpu);
	set_room(cpu);
}

void ptm_output_stop(struct ptm_cpu *cpu)
{
	ptm_flush(cpu);
}

void ptm_output(struct ptm_cpu *cpu, const uint8_t *bytes, unsigned int len)
{
	if (!cpu->trigger_en || cpu->overflow)
		return;
	if (ptm_faults_due(cpu, len))
		ptm_flow_overflow(cpu);
	cpu->byte_cnt += len;
	if (cpu->byte_cnt > PTM_STATUS_BYTECNT_MAX)
		cpu->byte_cnt = PTM_STATUS_BYTECNT_MAX;
	while (len-- && cpu->trigger_en) {
		cpu->out[cpu->used++] = *bytes++;
		if (cpu->used == cpu->room)
			ptm_flush(cpu);
	}
}
