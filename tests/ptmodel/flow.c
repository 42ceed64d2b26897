/* SPDX-License-Identifier: MIT */
/*
 * From branches to packets: the SDM's table of packets for each kind of change
 * of flow, and return compression.
 *
 * Policies where the SDM leaves a choice: a RET that was not compressed empties
 * the return stack, which suits decoders that pop for every RET and those that
 * pop for compressed ones only; a RET's TIP is never deferred; TIP.PGE after a
 * WRMSR carries its whole IP. Others are the profile's, see PTM_POLICY_*.
 */
#include "internal.h"

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

/* Is this RET one whose target a decoder knows? */
static bool ret_compressed(struct ptm_cpu *cpu, uint64_t to)
{
	return !(cpu->ctl & PTM_CTL_DISRETC) && pop_matches(cpu, to);
}

/* ---- a bundle: all packets of one branch, event or the like ---- */

void ptm_bundle_begin(struct ptm_cpu *cpu)
{
	if (cpu->ovf_due)
		ptm_overflow_begin(cpu);
	ptm_time_mtc(cpu);
}

static void psb_if_due(struct ptm_cpu *cpu, uint64_t ip)
{
	if (cpu->byte_cnt < cpu->psb_period || !cpu->trigger_en ||
	    cpu->overflow)
		return;
	ptm_read_context(cpu);
	ptm_packet_psb_plus(cpu, &cpu->now, ip);
}

unsigned int ptm_bundle_end(struct ptm_cpu *cpu, unsigned int was, uint64_t ip)
{
	unsigned int lost = 0;

	if (cpu->overflow) {
		lost = PTM_LOST;
		if (!--cpu->ovf_for)
			ptm_overflow_end(cpu, ip);
	}
	psb_if_due(cpu, ip);
	return was | lost | (cpu->packet_en ? PTM_IS : 0);
}

/* ---- near branches ---- */

/* PacketEn is 1 and stays 1. */
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
		ptm_packet_tip_deferred(cpu, branch->to);
		break;
	case PTM_IJMP:
		ptm_packet_tip_deferred(cpu, branch->to);
		break;
	case PTM_RET:
		if (ret_compressed(cpu, branch->to))
			ptm_packet_tnt(cpu, true);
		else
			ptm_packet_ip(cpu, PTM_TIP, branch->to);
		break;
	default:
		break;
	}
}

/* Lands where FilterEn or TraceStop says something else than before? */
static void near_branch_filtered(struct ptm_cpu *cpu,
				 const struct ptm_branch *branch)
{
	struct ptm_landing to = {
		.ip = branch->to, .has_ip = true,
		.direct = branch->kind == PTM_JMP || branch->kind == PTM_CALL,
	};

	if (branch->kind == PTM_JCC && !branch->taken) {
		if (cpu->packet_en)
			ptm_packet_tnt(cpu, false);
		return;
	}
	if (cpu->packet_en && ptm_stays_on(cpu, branch->to)) {
		near_branch(cpu, branch);
		return;
	}
	/* TIP.PGD stands for the TNT bit: a decoder knows the target. */
	if (branch->kind == PTM_JCC ||
	    (branch->kind == PTM_RET && cpu->packet_en &&
	     ret_compressed(cpu, branch->to)))
		to.has_ip = false;
	ptm_land(cpu, &to);
}

/* ---- far transfers ---- */

/* MOV CR3 is no branch: PIP tells all, unless ContextEn changes. */
static void far_branch(struct ptm_cpu *cpu, const struct ptm_branch *branch)
{
	bool cr3 = branch->kind == PTM_MOV_CR3;
	bool context = cpu->context_en;
	uint64_t before = cpu->now.cr3;
	struct ptm_landing to = {
		.ip = branch->to, .has_ip = !cr3, .tip = !cr3,
	};

	ptm_read_context(cpu);
	/* A far branch changes CR3 by a task switch. */
	if (cpu->context_en && (cpu->ctl & PTM_CTL_OS) &&
	    (cr3 || cpu->now.cr3 != before))
		ptm_packet_pip(cpu, &cpu->now);
	if (cr3 && cpu->context_en == context)
		return;
	ptm_land(cpu, &to);
}

static unsigned int slow_branch(struct ptm_cpu *cpu,
				const struct ptm_branch *branch)
{
	unsigned int was = cpu->packet_en ? PTM_WAS : 0;

	ptm_bundle_begin(cpu);
	if (!cpu->trigger_en)
		return was;
	if (branch->kind >= PTM_FAR) {
		ptm_event_of_branch(cpu, branch);
		far_branch(cpu, branch);
	} else if (cpu->slow & PTM_SLOW_FILTER || !was) {
		near_branch_filtered(cpu, branch);
	} else {
		near_branch(cpu, branch);
	}
	return ptm_bundle_end(cpu, was, branch->to);
}

unsigned int ptm_branch(struct ptm_cpu *cpu, const struct ptm_branch *branch)
{
	if (!cpu->trigger_en)
		return 0;
	cpu->cycle++;
	if (cpu->slow || branch->kind >= PTM_FAR)
		return slow_branch(cpu, branch);
	if (!cpu->packet_en)
		return 0;
	/* By far the most. */
	if (branch->kind == PTM_JCC)
		ptm_packet_tnt(cpu, branch->taken);
	else
		near_branch(cpu, branch);
	psb_if_due(cpu, branch->to);
	return PTM_WAS | (cpu->packet_en ? PTM_IS : 0);
}
