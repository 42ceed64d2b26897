/* SPDX-License-Identifier: MIT */
/*
 * Overflow of the processor's internal buffer: packets are lost from the next
 * branch or event on, for as many of them as were asked for; then OVF says so.
 *
 * The SDM's "Overflow (OVF) Packet" and "Internal Buffer Overflow".
 */
#include "internal.h"

/* One becomes due between two packets; it begins in front of a whole bundle. */
void ptm_flow_overflow(struct ptm_cpu *cpu)
{
	cpu->ovf_due = true;
	ptm_update_slow(cpu);
}

void ptm_overflow_begin(struct ptm_cpu *cpu)
{
	ptm_packet_tnt_flush(cpu);
	cpu->ovf_due = false;
	cpu->overflow = true;
	/* Packets behind OVF are compressed against the last one before it. */
	cpu->ovf_last_ip = cpu->last_ip;
	cpu->ovf_cr3 = cpu->now.cr3;
	cpu->ovf_exec = cpu->exec_known ? cpu->exec_mode : -1;
	ptm_note(cpu, PTM_NOTE_OVF_BEGIN, 0);
}

void ptm_overflow_forget(struct ptm_cpu *cpu)
{
	cpu->overflow = false;
	cpu->nr_tnt = cpu->nr_tips = cpu->nr_ret = 0;
	cpu->tnt_bits = 0;
	cpu->last_ip = cpu->ovf_last_ip;
	ptm_update_slow(cpu);
}

/* SKD007: OVF comes behind the first of two bytes of a CYC packet. */
static void half_cyc(struct ptm_cpu *cpu)
{
	static const uint8_t first = 0x07;

	if ((cpu->ctl & PTM_CTL_CYCEN) && ptm_erratum(cpu, PTM_ERRATUM_SKD007))
		ptm_output(cpu, &first, 1);
}

static void resume_traced(struct ptm_cpu *cpu, uint64_t ip)
{
	bool changed = cpu->now.cr3 != cpu->ovf_cr3 ||
		       ptm_exec_mode(cpu, &cpu->now) != cpu->ovf_exec;

	if (ptm_erratum(cpu, PTM_ERRATUM_APL11)) {
		/* Off at an address that nobody knows; the next branch that
		 * lands turns it on again. */
		ptm_packet_no_ip(cpu, PTM_TIP_PGD);
		cpu->packet_en = false;
		cpu->slow |= PTM_SLOW_REOPEN;
		ptm_note(cpu, PTM_NOTE_DISABLED, 0);
		return;
	}
	if (!ptm_erratum(cpu, PTM_ERRATUM_SKD010))
		ptm_packet_ip(cpu, PTM_FUP, ip);
	/* What a decoder can no longer know is told anew. */
	if (changed)
		ptm_packet_psb_plus(cpu, &cpu->now, ip);
}

void ptm_overflow_end(struct ptm_cpu *cpu, uint64_t ip)
{
	bool half = ptm_erratum(cpu, PTM_ERRATUM_SKD007);

	ptm_overflow_forget(cpu);
	half_cyc(cpu);
	ptm_time_restart(cpu);
	if (half)
		cpu->last_cyc = cpu->cycle;
	ptm_packet_ovf(cpu);
	ptm_note_at(cpu, PTM_NOTE_OVF_END, ip, cpu->packet_en);
	if (cpu->packet_en)
		resume_traced(cpu, ip);
	else if (ptm_erratum(cpu, PTM_ERRATUM_APL12))
		ptm_packet_ip(cpu, PTM_FUP, ip);
}
