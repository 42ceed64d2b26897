/* SPDX-License-Identifier: MIT */
/*
 * Packet encodings: the SDM's "Packet Definitions", bytes and order within a
 * packet. When a packet is due is decided in flow.c.
 */
#include "internal.h"

#include <string.h>

#define TNT_SHORT_BITS	6
#define IPBYTES_SHIFT	5
#define CR3_LOW		0xfffULL	/* PCID, PWT, PCD: not in a PIP */
#define CR3_LOW_PAE	0x1fULL

/* Every IP form of the SDM's "IP Payload" table that carries bytes. */
enum ip_bytes {
	IP_UPDATE_16 = 1,
	IP_UPDATE_32 = 2,
	IP_SEXT_48 = 3,
	IP_UPDATE_48 = 4,
	IP_FULL = 6,
};

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

/* A CYC packet precedes the packet that it times. */
static void cyc_before(struct ptm_cpu *cpu, uint64_t cycle)
{
	if (!(cpu->ctl & PTM_CTL_CYCEN))
		return;
	if (cycle - cpu->last_cyc < cyc_threshold(cpu))
		return;
	packet_cyc(cpu, cycle - cpu->last_cyc);
	cpu->last_cyc = cycle;
}

/* ---- TNT ---- */

void ptm_packet_tnt_flush(struct ptm_cpu *cpu)
{
	uint8_t byte;

	if (!cpu->nr_tnt)
		return;
	/* The stop bit, then the results with the oldest just below it. */
	byte = 1U << (cpu->nr_tnt + 1) | cpu->tnt_bits << 1;
	cpu->nr_tnt = 0;
	cpu->tnt_bits = 0;
	cyc_before(cpu, cpu->tnt_cycle);
	ptm_output(cpu, &byte, 1);
}

void ptm_packet_tnt(struct ptm_cpu *cpu, bool taken)
{
	if (!cpu->nr_tnt)
		cpu->tnt_cycle = cpu->cycle;
	cpu->tnt_bits = cpu->tnt_bits << 1 | taken;
	if (++cpu->nr_tnt == TNT_SHORT_BITS)
		ptm_packet_tnt_flush(cpu);
}

/* ---- IP packets ---- */

static void packet_ip(struct ptm_cpu *cpu, enum ptm_ip_packet type,
		      enum ip_bytes form, uint64_t ip)
{
	static const uint8_t lengths[] = {
		[IP_UPDATE_16] = 2, [IP_UPDATE_32] = 4, [IP_SEXT_48] = 6,
		[IP_UPDATE_48] = 6, [IP_FULL] = 8,
	};
	uint8_t bytes[9];

	ptm_packet_tnt_flush(cpu);
	if (type != PTM_FUP)
		cyc_before(cpu, cpu->cycle);
	bytes[0] = type | form << IPBYTES_SHIFT;
	memcpy(bytes + 1, &ip, sizeof(ip));
	cpu->last_ip = ip;
	ptm_output(cpu, bytes, 1 + lengths[form]);
}

static bool canonical_48(uint64_t ip)
{
	return (uint64_t)((int64_t)(ip << 16) >> 16) == ip;
}

static enum ip_bytes compress(uint64_t last, uint64_t ip)
{
	uint64_t diff = last ^ ip;

	if (!(diff >> 16))
		return IP_UPDATE_16;
	if (!(diff >> 32))
		return IP_UPDATE_32;
	if (!(diff >> 48))
		return IP_UPDATE_48;
	return canonical_48(ip) ? IP_SEXT_48 : IP_FULL;
}

void ptm_packet_ip(struct ptm_cpu *cpu, enum ptm_ip_packet type, uint64_t ip)
{
	packet_ip(cpu, type, compress(cpu->last_ip, ip), ip);
}

void ptm_packet_pge_full(struct ptm_cpu *cpu, uint64_t ip)
{
	packet_ip(cpu, PTM_TIP_PGE, canonical_48(ip) ? IP_SEXT_48 : IP_FULL,
		  ip);
}

void ptm_packet_pgd(struct ptm_cpu *cpu)
{
	uint8_t byte = PTM_TIP_PGD;

	ptm_packet_tnt_flush(cpu);
	cyc_before(cpu, cpu->cycle);
	ptm_output(cpu, &byte, 1);
}

/* ---- context and status ---- */

void ptm_packet_mode_exec(struct ptm_cpu *cpu, const struct ptm_state *state)
{
	uint8_t bytes[2] = { 0x99, state->cs_l | state->cs_d << 1 };

	ptm_packet_tnt_flush(cpu);
	cyc_before(cpu, cpu->cycle);
	cpu->exec_l = state->cs_l;
	cpu->exec_d = state->cs_d;
	ptm_output(cpu, bytes, sizeof(bytes));
}

void ptm_packet_pip(struct ptm_cpu *cpu, const struct ptm_state *state)
{
	uint64_t low = state->pae ? CR3_LOW_PAE : CR3_LOW;
	uint64_t payload = (state->cr3 & ~low) >> 5 << 1;
	uint8_t bytes[10] = { 0x02, 0x43 };

	ptm_packet_tnt_flush(cpu);
	cyc_before(cpu, cpu->cycle);
	memcpy(bytes + 2, &payload, sizeof(payload));
	ptm_output(cpu, bytes, 8);
}

void ptm_packet_cbr(struct ptm_cpu *cpu)
{
	uint8_t bytes[4] = { 0x02, 0x03, cpu->profile->cbr, 0 };

	ptm_packet_tnt_flush(cpu);
	ptm_output(cpu, bytes, sizeof(bytes));
}

void ptm_packet_tsc(struct ptm_cpu *cpu)
{
	uint64_t tsc = cpu->ops->tsc ? cpu->ops->tsc(cpu->opaque) : 0;
	uint8_t bytes[9] = { 0x19 };

	ptm_packet_tnt_flush(cpu);
	cyc_before(cpu, cpu->cycle);
	memcpy(bytes + 1, &tsc, sizeof(tsc));
	ptm_output(cpu, bytes, 8);
}

static void packet_psb(struct ptm_cpu *cpu)
{
	uint8_t bytes[16];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i += 2) {
		bytes[i] = 0x02;
		bytes[i + 1] = 0x82;
	}
	ptm_packet_tnt_flush(cpu);
	ptm_output(cpu, bytes, sizeof(bytes));
	/* Cut off by a STOP it does not count. */
	if (cpu->trigger_en)
		cpu->byte_cnt = 0;
	cpu->last_ip = 0;
	cpu->nr_ret = 0;
}

void ptm_packet_psb_plus(struct ptm_cpu *cpu, const struct ptm_state *state,
			 uint64_t ip)
{
	static const uint8_t psbend[] = { 0x02, 0x23 };

	packet_psb(cpu);
	if (cpu->ctl & PTM_CTL_TSCEN)
		ptm_packet_tsc(cpu);
	if (cpu->context_en && (cpu->ctl & PTM_CTL_OS))
		ptm_packet_pip(cpu, state);
	ptm_packet_cbr(cpu);
	if (cpu->packet_en) {
		ptm_packet_mode_exec(cpu, state);
		ptm_packet_ip(cpu, PTM_FUP, ip);
	}
	ptm_output(cpu, psbend, sizeof(psbend));
}
