/* SPDX-License-Identifier: MIT */
/*
 * Time in the trace: TSC and TMA, MTC, CYC.
 *
 * The SDM's "Time-Stamp Counter (TSC) Packet", "TMA", "Mini Time Counter (MTC)
 * Packet" and "Cycle Count (CYC) Packet". The crystal's count is the TSC
 * through the ratio of CPUID leaf 15H.
 */
#include "internal.h"

#include <string.h>

#define MTC_MAX_AT_ONCE	16	/* beyond, time is told by TSC and TMA */
#define TMA_FC_MASK	0x1ff

static uint64_t tsc_now(struct ptm_cpu *cpu)
{
	return cpu->ops->tsc ? cpu->ops->tsc(cpu->opaque) : cpu->cycle;
}

/* TSC = crystal * EBX / EAX of leaf 15H; *@left: TSC ticks since. */
static uint64_t crystal(const struct ptm_cpu *cpu, uint64_t tsc, uint64_t *left)
{
	uint64_t eax = cpu->profile->leaf15[0], ebx = cpu->profile->leaf15[1];
	uint64_t whole, rest;

	if (!eax || !ebx) {
		*left = 0;
		return tsc;
	}
	/* tsc * eax / ebx without overflow. */
	whole = tsc / ebx * eax;
	rest = tsc % ebx * eax;
	*left = rest % ebx / eax;
	return whole + rest / ebx;
}

static unsigned int mtc_shift(const struct ptm_cpu *cpu)
{
	return cpu->ctl >> PTM_CTL_MTCFREQ_SHIFT & PTM_CTL_FREQ_MASK;
}

/* SKL168: the first CYC and MTC behind a PSB may be missing. */
static bool lost_near_psb(bool *lose)
{
	bool lost = *lose;

	*lose = false;
	return lost;
}

void ptm_time_psb(struct ptm_cpu *cpu)
{
	cpu->lose_cyc = cpu->lose_mtc = ptm_erratum(cpu, PTM_ERRATUM_SKL168);
}

/* ---- CYC ---- */

static void packet_cyc(struct ptm_cpu *cpu, uint64_t count)
{
	uint8_t bytes[10];
	unsigned int len = 0;

	bytes[len++] = (count & 31) << 3 | (count >> 5 ? 4 : 0) | 3;
	for (count >>= 5; count; count >>= 7)
		bytes[len++] = (count & 127) << 1 | (count >> 7 ? 1 : 0);
	ptm_output(cpu, bytes, len);
}

/* Cycles that must have passed; encoding n of CycThresh is 2^(n-1). */
static uint64_t cyc_threshold(const struct ptm_cpu *cpu)
{
	unsigned int code = cpu->ctl >> PTM_CTL_CYCTHRESH_SHIFT &
			    PTM_CTL_FREQ_MASK;

	return code ? 1ULL << (code - 1) : 0;
}

void ptm_time_cyc(struct ptm_cpu *cpu, uint64_t cycle)
{
	uint64_t count = cycle - cpu->last_cyc;

	if (!(cpu->ctl & PTM_CTL_CYCEN) || count < cyc_threshold(cpu))
		return;
	cpu->last_cyc = cycle;
	if (lost_near_psb(&cpu->lose_cyc))
		return;
	packet_cyc(cpu, count);
}

/* ---- TSC, TMA, MTC ---- */

static void packet_tma(struct ptm_cpu *cpu, uint64_t tsc)
{
	uint64_t fast, ctc = crystal(cpu, tsc, &fast);
	uint8_t bytes[8] = { 0x02, 0x73, ctc, ctc >> 8 };

	fast &= TMA_FC_MASK;
	bytes[5] = fast;
	bytes[6] = fast >> 8;
	cpu->last_mtc = ctc >> mtc_shift(cpu);
	/* SKZ84: reserved bits are set, and a byte too many follows. */
	if (ptm_erratum(cpu, PTM_ERRATUM_SKZ84))
		bytes[4] = bytes[7] = 0xff;
	ptm_output(cpu, bytes, ptm_erratum(cpu, PTM_ERRATUM_SKZ84) ? 8 : 7);
}

void ptm_time_tsc(struct ptm_cpu *cpu)
{
	uint64_t tsc = tsc_now(cpu);
	uint8_t bytes[9] = { 0x19 };

	if (!(cpu->ctl & PTM_CTL_TSCEN))
		return;
	ptm_packet_tnt_flush(cpu);
	ptm_time_cyc(cpu, cpu->cycle);
	memcpy(bytes + 1, &tsc, sizeof(tsc));
	ptm_output(cpu, bytes, 8);
	if (cpu->ctl & PTM_CTL_MTCEN)
		packet_tma(cpu, tsc);
}

static void packet_mtc(struct ptm_cpu *cpu, uint64_t count)
{
	uint8_t bytes[2] = { 0x59, count };

	if (lost_near_psb(&cpu->lose_mtc))
		return;
	ptm_packet_tnt_flush(cpu);
	ptm_time_cyc(cpu, cpu->cycle);
	ptm_output(cpu, bytes, sizeof(bytes));
}

/*
 * A processor sends each MTC as its tick passes. Here time moves at branches
 * only, perhaps by many ticks at once: more than a decoder could count in the
 * eight bits of MTC are told by TSC and TMA, as after a deep sleep.
 */
void ptm_time_mtc(struct ptm_cpu *cpu)
{
	uint64_t left, count;

	if (!(cpu->ctl & PTM_CTL_MTCEN))
		return;
	count = crystal(cpu, tsc_now(cpu), &left) >> mtc_shift(cpu);
	if (count <= cpu->last_mtc)
		return;
	if (count - cpu->last_mtc > MTC_MAX_AT_ONCE) {
		cpu->last_mtc = count - 1;
		ptm_time_tsc(cpu);
	}
	while (cpu->last_mtc < count)
		packet_mtc(cpu, ++cpu->last_mtc);
}

void ptm_time_restart(struct ptm_cpu *cpu)
{
	uint64_t left;

	cpu->last_cyc = cpu->cycle;
	cpu->last_mtc = crystal(cpu, tsc_now(cpu), &left) >> mtc_shift(cpu);
}
