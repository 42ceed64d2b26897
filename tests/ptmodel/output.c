/* SPDX-License-Identifier: MIT */
/*
 * Where packet bytes go: ToPA (topa.c), a single range, or the trace transport
 * subsystem.
 *
 * Implements the SDM's "Trace Output". Bytes are collected in out[], never
 * beyond the end of the current region, so that INT, STOP and an error of the
 * next entry act at exactly the byte they belong to.
 */
#include "internal.h"

#define OFFSET_SHIFT	32
#define PAGE_BYTES	4096ULL

void ptm_output_lose(struct ptm_cpu *cpu)
{
	cpu->counts.dropped += cpu->used + ptm_hold_lose(cpu);
	cpu->used = 0;
}

void ptm_output_error(struct ptm_cpu *cpu)
{
	/* What is buffered may be lost: the region is not to be trusted. */
	ptm_output_lose(cpu);
	cpu->status |= PTM_STATUS_ERROR;
	ptm_note(cpu, PTM_NOTE_ERROR, 0);
	ptm_update_trigger(cpu);
}

static void set_room(struct ptm_cpu *cpu)
{
	uint64_t left = cpu->region_size - cpu->region_off;

	cpu->room = left < PTM_OUT_BYTES ? left : PTM_OUT_BYTES;
}

/* ---- the region at TraceEn ---- */

static int start_single(struct ptm_cpu *cpu)
{
	uint64_t mask = cpu->output_mask & 0xffffffff;
	uint64_t offset = cpu->output_mask >> OFFSET_SHIFT;

	if ((mask & (mask + 1)) || (cpu->output_base & mask) || offset > mask ||
	    ptm_restricted(cpu, cpu->output_base, mask + 1))
		return -1;
	cpu->entry = 0;
	cpu->region = cpu->output_base;
	cpu->region_size = mask + 1;
	cpu->region_off = offset;
	return 0;
}

/* No memory, no pointers. */
static int start_fabric(struct ptm_cpu *cpu)
{
	cpu->entry = 0;
	cpu->region = cpu->region_off = 0;
	cpu->region_size = PTM_OUT_BYTES;
	return 0;
}

void ptm_output_start(struct ptm_cpu *cpu)
{
	int err;

	cpu->used = 0;
	if (cpu->ctl & PTM_CTL_FABRICEN)
		err = start_fabric(cpu);
	else if (cpu->ctl & PTM_CTL_TOPA)
		err = ptm_topa_start(cpu);
	else
		err = start_single(cpu);
	if (err)
		ptm_output_error(cpu);
	else
		set_room(cpu);
}

/* ---- bytes ---- */

/* TGL052: a single range wraps within its first page, its pointer does not. */
static uint64_t where(const struct ptm_cpu *cpu)
{
	uint64_t off = cpu->region_off;

	if (!(cpu->ctl & PTM_CTL_TOPA) && ptm_erratum(cpu, PTM_ERRATUM_TGL052))
		off &= PAGE_BYTES - 1;
	return cpu->region + off;
}

static void update_pointers(struct ptm_cpu *cpu)
{
	if (cpu->ctl & PTM_CTL_FABRICEN) {
		cpu->region_off = 0;
		return;
	}
	if (cpu->ctl & PTM_CTL_TOPA) {
		ptm_topa_set_pointers(cpu, ptm_topa_index(cpu),
				      cpu->region_off);
		return;
	}
	if (cpu->region_off == cpu->region_size)
		cpu->region_off = 0;
	cpu->output_mask = (cpu->output_mask & 0xffffffff) |
			   cpu->region_off << OFFSET_SHIFT;
}

void ptm_flush(struct ptm_cpu *cpu)
{
	unsigned int len = cpu->used;

	if (!len || !cpu->trigger_en)
		return;
	cpu->used = 0;
	if (cpu->held)
		ptm_hold_push(cpu, where(cpu), cpu->out, len);
	else
		ptm_store(cpu, where(cpu), cpu->out, len);
	cpu->region_off += len;
	update_pointers(cpu);
	if (cpu->entry)
		ptm_topa_early_pmi(cpu, len);
	if (cpu->region_off == cpu->region_size)
		ptm_topa_region_full(cpu);
	set_room(cpu);
}

void ptm_output_stop(struct ptm_cpu *cpu)
{
	ptm_flush(cpu);
	ptm_hold_flush(cpu);
	ptm_table_check(cpu);
	ptm_faults_stop(cpu);
}

void ptm_output(struct ptm_cpu *cpu, const uint8_t *bytes, unsigned int len)
{
	if (!cpu->trigger_en)
		return;
	cpu->counts.produced += len;
	if (cpu->overflow) {
		cpu->counts.dropped += len;
		return;
	}
	if (ptm_faults_due(cpu, len))
		ptm_flow_overflow(cpu);
	cpu->byte_cnt += len;
	if (cpu->byte_cnt > PTM_STATUS_BYTECNT_MAX)
		cpu->byte_cnt = PTM_STATUS_BYTECNT_MAX;
	for (; len && cpu->trigger_en; len--) {
		cpu->out[cpu->used++] = *bytes++;
		if (cpu->used == cpu->room)
			ptm_flush(cpu);
	}
	/* Cut off by a STOP or an Error. */
	cpu->counts.dropped += len;
}
