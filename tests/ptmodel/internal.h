/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the engine need of each other; nobody else includes it.
 */
#ifndef TESTS_PTMODEL_INTERNAL_H
#define TESTS_PTMODEL_INTERNAL_H

#include "engine.h"

/* Bits of CPUID.14H that the parts ask for. */
enum {
	PTM_EBX_CR3_FILTER = 1 << 0,
	PTM_EBX_PSB_CYC = 1 << 1,
	PTM_ECX_TOPA = 1 << 0,
	PTM_ECX_TOPA_MULTI = 1 << 1,
	PTM_ECX_SINGLE_RANGE = 1 << 2,
};

static inline bool ptm_has_ebx(const struct ptm_cpu *cpu, uint32_t bit)
{
	return cpu->profile->leaf14_0[1] & bit;
}

static inline bool ptm_has_ecx(const struct ptm_cpu *cpu, uint32_t bit)
{
	return cpu->profile->leaf14_0[2] & bit;
}

/* Recomputes TriggerEn = TraceEn & !Stopped & !Error, and tells of a change. */
void ptm_update_trigger(struct ptm_cpu *cpu);

/* ---- output.c ---- */

/* TraceEn 0 to 1: reads the current entry; may set Error. */
void ptm_output_start(struct ptm_cpu *cpu);
/* Appends bytes of a packet; dropped while TriggerEn is 0. */
void ptm_output(struct ptm_cpu *cpu, const uint8_t *bytes, unsigned int len);

/* ---- packet.c ---- */

enum ptm_ip_packet {
	PTM_TIP = 0x0d,
	PTM_TIP_PGE = 0x11,
	PTM_TIP_PGD = 0x01,
	PTM_FUP = 0x1d,
};

void ptm_packet_tnt(struct ptm_cpu *cpu, bool taken);
void ptm_packet_tnt_flush(struct ptm_cpu *cpu);
void ptm_packet_ip(struct ptm_cpu *cpu, enum ptm_ip_packet type, uint64_t ip);
/* TIP.PGE with all of the IP, whatever LastIP is. */
void ptm_packet_pge_full(struct ptm_cpu *cpu, uint64_t ip);
void ptm_packet_pgd(struct ptm_cpu *cpu);
void ptm_packet_mode_exec(struct ptm_cpu *cpu, const struct ptm_state *state);
void ptm_packet_pip(struct ptm_cpu *cpu, const struct ptm_state *state);
void ptm_packet_cbr(struct ptm_cpu *cpu);
void ptm_packet_tsc(struct ptm_cpu *cpu);
/* PSB+ at @ip; FUP and MODE.Exec only while PacketEn is 1. */
void ptm_packet_psb_plus(struct ptm_cpu *cpu, const struct ptm_state *state,
			 uint64_t ip);

/* ---- flow.c ---- */

/* TraceEn has been set or is being cleared by the WRMSR at @at. */
void ptm_flow_enable(struct ptm_cpu *cpu, const struct ptm_at *at);
void ptm_flow_disable(struct ptm_cpu *cpu, const struct ptm_at *at);

#endif /* TESTS_PTMODEL_INTERNAL_H */
