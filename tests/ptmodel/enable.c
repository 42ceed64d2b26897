/* SPDX-License-Identifier: MIT */
/*
 * Enable conditions: when is a packet due at all.
 *
 * The SDM's "Trace Filtering": ContextEn by CPL and CR3, FilterEn by address
 * ranges, TraceStop, and what is sent when PacketEn changes. FilterEn is looked
 * at where a branch or event lands; running straight into a range or out of it
 * changes nothing, and neither does a conditional branch that is not taken.
 */
#include "internal.h"

#define LONG_TNT_BITS	47
#define SHORT_TNT_BITS	6

/* ---- the conditions ---- */

static unsigned int range_cfg(const struct ptm_cpu *cpu, unsigned int i)
{
	return cpu->ctl >> (PTM_CTL_ADDR0_CFG_SHIFT + 4 * i) &
	       PTM_CTL_ADDR_CFG_MASK;
}

static bool in_range(const struct ptm_cpu *cpu, unsigned int i, uint64_t ip)
{
	return ip >= cpu->addr[i][0] && ip <= cpu->addr[i][1];
}

/* Inside of a filter range, or there is none. */
static bool filter_matches(const struct ptm_cpu *cpu, uint64_t ip)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < ptm_nr_ranges(cpu); i++) {
		if (range_cfg(cpu, i) != PTM_ADDR_FILTER)
			continue;
		if (in_range(cpu, i, ip))
			return true;
		any = true;
	}
	return !any;
}

static bool in_tracestop(const struct ptm_cpu *cpu, uint64_t ip)
{
	unsigned int i;

	for (i = 0; i < ptm_nr_ranges(cpu); i++)
		if (range_cfg(cpu, i) == PTM_ADDR_TRACESTOP &&
		    in_range(cpu, i, ip))
			return true;
	return false;
}

static bool context_matches(const struct ptm_cpu *cpu)
{
	const struct ptm_state *state = &cpu->now;
	uint64_t low = state->pae ? 0x1f : 0xfff;
	uint64_t who = state->cpl ? PTM_CTL_USER : PTM_CTL_OS;

	if (!(cpu->ctl & who))
		return false;
	if (!(cpu->ctl & PTM_CTL_CR3FILTER))
		return true;
	return !((state->cr3 ^ cpu->cr3_match) & ~low);
}

/* What they come to for an instruction at @ip. */
static bool packet_en_at(const struct ptm_cpu *cpu, uint64_t ip)
{
	return cpu->trigger_en && cpu->context_en && cpu->filter_en &&
	       (cpu->ctl & PTM_CTL_BRANCHEN) && !in_tracestop(cpu, ip);
}

bool ptm_stays_on(const struct ptm_cpu *cpu, uint64_t ip)
{
	return filter_matches(cpu, ip) && !in_tracestop(cpu, ip);
}

void ptm_update_slow(struct ptm_cpu *cpu)
{
	bool ranges = cpu->ctl >> PTM_CTL_ADDR0_CFG_SHIFT & 0xffff;

	cpu->slow = (ranges ? PTM_SLOW_FILTER : 0) |
		    (cpu->ctl & PTM_CTL_MTCEN ? PTM_SLOW_TIME : 0) |
		    (cpu->overflow || cpu->ovf_due ? PTM_SLOW_OVERFLOW : 0) |
		    (cpu->slow & PTM_SLOW_REOPEN);
}

/* ---- PacketEn changes ---- */

static void mode_exec_if_changed(struct ptm_cpu *cpu)
{
	if (!cpu->exec_known ||
	    cpu->exec_mode != ptm_exec_mode(cpu, &cpu->now))
		ptm_packet_mode_exec(cpu, &cpu->now);
}

/* SKL062: after C6 the next TIP.PGE or TIP.PGD of a filter is missing. */
static bool lost_after_c6(struct ptm_cpu *cpu)
{
	if (!cpu->after_c6 || !(cpu->slow & PTM_SLOW_FILTER))
		return false;
	cpu->after_c6 = false;
	return true;
}

static void open_trace(struct ptm_cpu *cpu, uint64_t ip)
{
	cpu->packet_en = true;
	cpu->capture_traced = true;
	cpu->slow &= ~PTM_SLOW_REOPEN;
	cpu->nr_ret = 0;
	if (ptm_erratum(cpu, PTM_ERRATUM_BDM70)) {
		ptm_packet_psb_plus(cpu, &cpu->now, ip);
		ptm_packet_pge_full(cpu, ip);
	} else if (!lost_after_c6(cpu)) {
		mode_exec_if_changed(cpu);
		ptm_packet_ip(cpu, PTM_TIP_PGE, ip);
	}
	ptm_note_at(cpu, PTM_NOTE_ENABLED, ip, 0);
}

static void close_trace(struct ptm_cpu *cpu, const struct ptm_landing *to)
{
	bool ip = to->has_ip && cpu->context_en && cpu->trigger_en;

	if (to->direct && ptm_erratum(cpu, PTM_ERRATUM_SKL014))
		ip = false;
	if (!lost_after_c6(cpu)) {
		if (ip)
			ptm_packet_ip(cpu, PTM_TIP_PGD, to->ip);
		else
			ptm_packet_no_ip(cpu, PTM_TIP_PGD);
	}
	cpu->packet_en = false;
	cpu->nr_ret = 0;
	if (ip)
		ptm_note_at(cpu, PTM_NOTE_DISABLED, to->ip, 0);
	else
		ptm_note(cpu, PTM_NOTE_DISABLED, 0);
}

static void tracestop(struct ptm_cpu *cpu, uint64_t ip)
{
	if (cpu->overflow && ptm_erratum(cpu, PTM_ERRATUM_SKL042))
		ptm_overflow_forget(cpu);
	else if (cpu->overflow)
		ptm_overflow_end(cpu, ip);
	ptm_packet_tracestop(cpu);
	ptm_note_at(cpu, PTM_NOTE_TRACESTOP, ip, 0);
	/* All of it leaves the buffer before TriggerEn goes. */
	ptm_flush(cpu);
	cpu->status |= PTM_STATUS_STOPPED;
	ptm_update_trigger(cpu);
}

void ptm_read_context(struct ptm_cpu *cpu)
{
	cpu->ops->read_state(cpu->opaque, &cpu->now);
	cpu->context_en = context_matches(cpu);
}

void ptm_land(struct ptm_cpu *cpu, const struct ptm_landing *to)
{
	bool was = cpu->packet_en, stop, is;

	cpu->filter_en = filter_matches(cpu, to->ip);
	is = packet_en_at(cpu, to->ip);
	stop = cpu->trigger_en && cpu->context_en && in_tracestop(cpu, to->ip);
	if (was && !is) {
		close_trace(cpu, to);
	} else if (!was && is) {
		open_trace(cpu, to->ip);
	} else if (is && to->tip) {
		mode_exec_if_changed(cpu);
		ptm_packet_ip(cpu, PTM_TIP, to->ip);
	}
	if (stop)
		tracestop(cpu, to->ip);
}

/* ---- TraceEn changes ---- */

static bool psb_at_enable(struct ptm_cpu *cpu)
{
	bool pending = (cpu->ctl & PTM_CTL_INJECT_PSB_PMI) &&
		       (cpu->status & PTM_STATUS_PENDPSB);

	cpu->status &= ~PTM_STATUS_PENDPSB;
	return pending || !cpu->byte_cnt || !ptm_has_ebx(cpu, PTM_EBX_PSB_CYC);
}

/* Also without PacketByteCnt: STATUS written as 0 begins a capture. */
static void begin_capture(struct ptm_cpu *cpu)
{
	if (cpu->byte_cnt)
		return;
	if (cpu->ops->capture)
		cpu->ops->capture(cpu->opaque);
	cpu->capture_traced = false;
}

static void open_at_enable(struct ptm_cpu *cpu, uint64_t ip)
{
	cpu->filter_en = filter_matches(cpu, ip);
	if (packet_en_at(cpu, ip)) {
		cpu->packet_en = true;
		cpu->capture_traced = true;
		mode_exec_if_changed(cpu);
		ptm_packet_pge_full(cpu, ip);
		ptm_note_at(cpu, PTM_NOTE_ENABLED, ip, 0);
	} else if (cpu->context_en && in_tracestop(cpu, ip)) {
		tracestop(cpu, ip);
	}
}

void ptm_flow_enable(struct ptm_cpu *cpu, const struct ptm_at *at)
{
	bool psb;

	cpu->packet_en = false;
	cpu->nr_ret = cpu->nr_tnt = cpu->nr_tips = 0;
	cpu->max_tnt = cpu->profile->policy & PTM_POLICY_LONG_TNT ?
		       LONG_TNT_BITS : SHORT_TNT_BITS;
	ptm_update_slow(cpu);
	if (!cpu->trigger_en)
		return;
	begin_capture(cpu);
	ptm_output_start(cpu);
	psb = psb_at_enable(cpu);
	ptm_read_context(cpu);
	ptm_time_restart(cpu);
	if (psb) {
		ptm_packet_psb_plus(cpu, &cpu->now, 0);
	} else {
		ptm_time_tsc(cpu);
		ptm_packet_cbr(cpu);
	}
	open_at_enable(cpu, at->next);
}

void ptm_flow_disable(struct ptm_cpu *cpu, const struct ptm_at *at)
{
	const struct ptm_landing nowhere = { 0 };

	if (cpu->overflow)
		ptm_overflow_end(cpu, at->ip);
	if (cpu->packet_en) {
		ptm_packet_ip(cpu, PTM_FUP, at->ip);
		close_trace(cpu, &nowhere);
	} else {
		ptm_packet_tnt_flush(cpu);
	}
	if ((cpu->ctl & PTM_CTL_INJECT_PSB_PMI) &&
	    cpu->byte_cnt >= cpu->psb_period)
		cpu->status |= PTM_STATUS_PENDPSB;
	ptm_output_stop(cpu);
	cpu->context_en = false;
	cpu->filter_en = false;
}
