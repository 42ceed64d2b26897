/* SPDX-License-Identifier: MIT */
/*
 * From branches and events to packets: the SDM's "Filtering" (enable
 * conditions) and its table of packets for each kind of event.
 *
 * Policies where the SDM leaves a choice: no TIP is deferred behind TNT bits;
 * a RET that was not compressed empties the return stack, which suits decoders
 * that pop for every RET and those that pop for compressed ones only; TIP.PGE
 * after a WRMSR carries its whole IP.
 */
#include "internal.h"

static bool context_matches(const struct ptm_cpu *cpu,
			    const struct ptm_state *state)
{
	uint64_t low = state->pae ? 0x1f : 0xfff;
	uint64_t who = state->cpl ? PTM_CTL_USER : PTM_CTL_OS;

	if (!(cpu->ctl & who))
		return false;
	if (!(cpu->ctl & PTM_CTL_CR3FILTER))
		return true;
	return !((state->cr3 ^ cpu->cr3_match) & ~low);
}

static void set_packet_en(struct ptm_cpu *cpu)
{
	cpu->packet_en = cpu->trigger_en && cpu->context_en &&
			 (cpu->ctl & PTM_CTL_BRANCHEN);
	cpu->capture_traced |= cpu->packet_en;
}

/* ---- TraceEn ---- */

void ptm_flow_enable(struct ptm_cpu *cpu, const struct ptm_at *at)
{
	struct ptm_state state;
	bool psb = !cpu->byte_cnt || !ptm_has_ebx(cpu, PTM_EBX_PSB_CYC);

	cpu->packet_en = false;
	cpu->nr_ret = 0;
	cpu->nr_tnt = 0;
	if (!cpu->trigger_en)
		return;
	/* Also without PacketByteCnt: STATUS written as 0 begins a capture. */
	if (!cpu->byte_cnt) {
		if (cpu->ops->capture)
			cpu->ops->capture(cpu->opaque);
		cpu->capture_traced = false;
	}
	ptm_output_start(cpu);
	cpu->ops->read_state(cpu->opaque, &state);
	cpu->context_en = context_matches(cpu, &state);
	if (psb) {
		ptm_packet_psb_plus(cpu, &state, 0);
	} else {
		ptm_time_tsc(cpu);
		ptm_packet_cbr(cpu);
	}
	set_packet_en(cpu);
	if (!cpu->packet_en)
		return;
	ptm_packet_mode_exec(cpu, &state);
	ptm_packet_pge_full(cpu, at->next);
}

void ptm_flow_disable(struct ptm_cpu *cpu, const struct ptm_at *at)
{
	if (cpu->packet_en) {
		ptm_packet_ip(cpu, PTM_FUP, at->ip);
		ptm_packet_no_ip(cpu, PTM_TIP_PGD);
	}
	ptm_flush(cpu);
	cpu->packet_en = false;
	cpu->context_en = false;
}

/* ---- the return stack ---- */

static void push_return(struct ptm_cpu *cpu, uint64_t next)
{
	cpu->ret_top = (cpu->ret_top + 1) % PTM_RET_STACK;
	cpu->ret_stack[cpu->ret_top] = next;
	if (cpu->nr_ret < PTM_RET_STACK)
		cpu->nr_ret++;
}

static bool pop_matches(struct ptm_cpu *cpu, uint64_t to)
{
	if (!cpu->nr_ret || cpu->ret_stack[cpu->ret_top] != to) {
		cpu->nr_ret = 0;
		return false;
	}
	cpu->ret_top = (cpu->ret_top + PTM_RET_STACK - 1) % PTM_RET_STACK;
	cpu->nr_ret--;
	return true;
}

static void packet_ret(struct ptm_cpu *cpu, uint64_t to)
{
	if (!(cpu->ctl & PTM_CTL_DISRETC) && pop_matches(cpu, to))
		ptm_packet_tnt(cpu, true);
	else
		ptm_packet_ip(cpu, PTM_TIP, to);
}

/* ---- periodic PSB ---- */

static void psb_if_due(struct ptm_cpu *cpu, uint64_t ip)
{
	struct ptm_state state;

	if (cpu->byte_cnt < cpu->psb_period || !cpu->trigger_en)
		return;
	cpu->ops->read_state(cpu->opaque, &state);
	ptm_packet_psb_plus(cpu, &state, ip);
}

/* ---- branches and events ---- */

static void mode_exec_if_changed(struct ptm_cpu *cpu,
				 const struct ptm_state *state)
{
	if (!cpu->exec_known || cpu->exec_mode != ptm_exec_mode(cpu, state))
		ptm_packet_mode_exec(cpu, state);
}

/* Near branches: no enable condition can change without IP filters. */
static void near_branch(struct ptm_cpu *cpu, const struct ptm_branch *branch)
{
	switch (branch->kind) {
	case PTM_JCC:
		ptm_packet_tnt(cpu, branch->taken);
		break;
	case PTM_CALL:
		/* A call to the next instruction only reads the IP. */
		if (branch->to != branch->next)
			push_return(cpu, branch->next);
		break;
	case PTM_ICALL:
		push_return(cpu, branch->next);
		ptm_packet_ip(cpu, PTM_TIP, branch->to);
		break;
	case PTM_IJMP:
		ptm_packet_ip(cpu, PTM_TIP, branch->to);
		break;
	case PTM_RET:
		packet_ret(cpu, branch->to);
		break;
	default:
		break;
	}
}

/*
 * After a far transfer, MOV CR3 or an event: closes or opens the trace when
 * ContextEn has changed. @cr3: that may have changed too.
 */
static void change_context(struct ptm_cpu *cpu, bool cr3, bool tip, uint64_t to)
{
	struct ptm_state state;
	bool was = cpu->packet_en;

	cpu->ops->read_state(cpu->opaque, &state);
	cpu->context_en = context_matches(cpu, &state);
	if (cr3 && cpu->context_en && (cpu->ctl & PTM_CTL_OS))
		ptm_packet_pip(cpu, &state);
	set_packet_en(cpu);
	if (was && !cpu->packet_en) {
		/* ContextEn is 0 now: no IP. */
		ptm_packet_no_ip(cpu, PTM_TIP_PGD);
		cpu->nr_ret = 0;
	} else if (!was && cpu->packet_en) {
		ptm_packet_mode_exec(cpu, &state);
		ptm_packet_ip(cpu, PTM_TIP_PGE, to);
	} else if (was && tip) {
		mode_exec_if_changed(cpu, &state);
		ptm_packet_ip(cpu, PTM_TIP, to);
	}
}

unsigned int ptm_branch(struct ptm_cpu *cpu, const struct ptm_branch *branch)
{
	unsigned int was = cpu->packet_en ? PTM_WAS : 0;

	if (!cpu->trigger_en)
		return 0;
	cpu->cycle++;
	if (branch->kind == PTM_MOV_CR3)
		change_context(cpu, true, false, branch->to);
	else if (branch->kind == PTM_FAR || branch->kind == PTM_IRET)
		change_context(cpu, false, true, branch->to);
	else if (was)
		near_branch(cpu, branch);
	psb_if_due(cpu, branch->to);
	return was | (cpu->packet_en ? PTM_IS : 0);
}

unsigned int ptm_event(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	unsigned int was = cpu->packet_en ? PTM_WAS : 0;

	if (!cpu->trigger_en)
		return 0;
	cpu->cycle++;
	if (was)
		ptm_packet_ip(cpu, PTM_FUP, event->from);
	change_context(cpu, false, true, event->to);
	psb_if_due(cpu, event->to);
	return was | (cpu->packet_en ? PTM_IS : 0);
}

int ptm_happen(struct ptm_cpu *cpu, enum ptm_inject what, const uint64_t arg[3],
	       const struct ptm_at *at)
{
	(void)cpu;
	(void)what;
	(void)arg;
	(void)at;
	return -1;
}

void ptm_ptwrite(struct ptm_cpu *cpu, const struct ptm_at *at, uint64_t operand,
		 unsigned int size)
{
	bool ip = cpu->ctl & PTM_CTL_FUPONPTW;

	if (!cpu->trigger_en || !cpu->context_en || !cpu->filter_en ||
	    !(cpu->ctl & PTM_CTL_PTWEN))
		return;
	ptm_packet_ptw(cpu, operand, size, ip);
	if (ip)
		ptm_packet_ip(cpu, PTM_FUP, at->ip);
	ptm_note_at(cpu, PTM_NOTE_PTW, at->ip, operand);
}

void ptm_iflag(struct ptm_cpu *cpu, const struct ptm_at *at)
{
	(void)cpu;
	(void)at;
}
