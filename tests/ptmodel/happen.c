/* SPDX-License-Identifier: MIT */
/*
 * Packets of things that are no branch: PTWRITE, RFLAGS.IF, and, by injection,
 * what an emulator does not execute: TSX, power management, frequency changes.
 */
#include "internal.h"

/* ---- executed ---- */

void ptm_ptwrite(struct ptm_cpu *cpu, const struct ptm_at *at, uint64_t operand,
		 unsigned int size)
{
	bool ip = cpu->ctl & PTM_CTL_FUPONPTW;

	if (!cpu->trigger_en || !(cpu->ctl & PTM_CTL_PTWEN))
		return;
	ptm_bundle_begin(cpu);
	if (!cpu->trigger_en || !cpu->context_en || !cpu->filter_en)
		return;
	ptm_packet_ptw(cpu, operand, size, ip);
	if (ip)
		ptm_packet_ip(cpu, PTM_FUP, at->ip);
	ptm_note_at(cpu, PTM_NOTE_PTW, at->ip, operand);
}

void ptm_iflag(struct ptm_cpu *cpu, const struct ptm_at *at)
{
	if (!cpu->trigger_en || !(cpu->ctl & PTM_CTL_EVENTEN))
		return;
	ptm_bundle_begin(cpu);
	ptm_read_context(cpu);
	if (!cpu->packet_en || !cpu->exec_known ||
	    cpu->exec_mode == ptm_exec_mode(cpu, &cpu->now))
		return;
	ptm_packet_mode_exec(cpu, &cpu->now);
	ptm_packet_ip(cpu, PTM_FUP, at->next);
}

/* ---- injected ---- */

static void tsx(struct ptm_cpu *cpu, bool in_tx, uint64_t ip)
{
	if (!cpu->context_en || !(cpu->ctl & PTM_CTL_BRANCHEN))
		return;
	cpu->in_tx = in_tx;
	cpu->tsx_known = true;
	ptm_packet_mode_tsx(cpu, in_tx, false);
	if (cpu->packet_en)
		ptm_packet_ip(cpu, PTM_FUP, ip);
	ptm_note_at(cpu, PTM_NOTE_TSX, ip, in_tx);
}

static void exstop(struct ptm_cpu *cpu, bool ip, uint64_t next)
{
	ip = ip && cpu->context_en;
	ptm_packet_exstop(cpu, ip);
	if (!ip) {
		ptm_note(cpu, PTM_NOTE_EXSTOP, 0);
		return;
	}
	ptm_packet_ip(cpu, PTM_FUP, next);
	ptm_note_at(cpu, PTM_NOTE_EXSTOP, next, 0);
}

/* The wake: time and frequency first, since the clocks have stood still. */
static void pwrx(struct ptm_cpu *cpu, uint64_t payload)
{
	ptm_time_tsc(cpu);
	ptm_packet_cbr(cpu);
	ptm_packet_pwrx(cpu, payload);
	ptm_note(cpu, PTM_NOTE_PWRX, payload);
	cpu->after_c6 = ptm_erratum(cpu, PTM_ERRATUM_SKL062);
}

static void power(struct ptm_cpu *cpu, enum ptm_inject what,
		  const uint64_t arg[3], uint64_t next)
{
	if (!(cpu->ctl & PTM_CTL_PWREVTEN))
		return;
	switch (what) {
	case PTM_INJECT_MWAIT:
		if (!cpu->context_en)
			return;
		ptm_packet_mwait(cpu, arg[0], arg[1]);
		ptm_note_at(cpu, PTM_NOTE_MWAIT, next,
			    (arg[0] & 0xff) | (arg[1] & 3) << 32);
		return;
	case PTM_INJECT_PWRE:
		ptm_packet_pwre(cpu, arg[0]);
		ptm_note(cpu, PTM_NOTE_PWRE, arg[0]);
		return;
	case PTM_INJECT_EXSTOP:
		exstop(cpu, arg[0], next);
		return;
	default:
		pwrx(cpu, arg[0]);
	}
}

static bool arguments_ok(enum ptm_inject what, const uint64_t arg[3])
{
	switch (what) {
	case PTM_INJECT_MNT:
		return true;
	case PTM_INJECT_CBR:
		return arg[0] <= 0xff;
	case PTM_INJECT_TSX:
	case PTM_INJECT_EXSTOP:
	case PTM_INJECT_NON_ROOT:
		return arg[0] <= 1;
	case PTM_INJECT_MWAIT:
		return arg[0] <= 0xff && arg[1] <= 3;
	case PTM_INJECT_PWRE:
		return arg[0] <= 0xffff;
	case PTM_INJECT_PWRX:
		return arg[0] <= 0xffffffffffULL;
	default:
		return false;
	}
}

static void happen(struct ptm_cpu *cpu, enum ptm_inject what,
		   const uint64_t arg[3], uint64_t next)
{
	switch (what) {
	case PTM_INJECT_MNT:
		ptm_packet_mnt(cpu, arg[0]);
		ptm_note(cpu, PTM_NOTE_MNT, arg[0]);
		return;
	case PTM_INJECT_CBR:
		ptm_packet_cbr(cpu);
		ptm_note(cpu, PTM_NOTE_CBR, arg[0]);
		return;
	case PTM_INJECT_TSX:
		tsx(cpu, arg[0], next);
		return;
	default:
		power(cpu, what, arg, next);
	}
}

int ptm_happen(struct ptm_cpu *cpu, enum ptm_inject what, const uint64_t arg[3],
	       const struct ptm_at *at)
{
	if (!arguments_ok(what, arg))
		return -1;
	if (what == PTM_INJECT_CBR)
		cpu->cbr = arg[0];
	if (what == PTM_INJECT_NON_ROOT) {
		cpu->non_root = arg[0];
		return 0;
	}
	if (!cpu->trigger_en)
		return 0;
	ptm_bundle_begin(cpu);
	if (cpu->trigger_en)
		happen(cpu, what, arg, at->next);
	return 0;
}
