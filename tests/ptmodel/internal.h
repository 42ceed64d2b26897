/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the engine need of each other; nobody else includes it.
 */
#ifndef TESTS_PTMODEL_INTERNAL_H
#define TESTS_PTMODEL_INTERNAL_H

#include "engine.h"

static inline bool ptm_has_ebx(const struct ptm_cpu *cpu, uint32_t bit)
{
	return cpu->profile->leaf14_0[1] & bit;
}

static inline bool ptm_has_ecx(const struct ptm_cpu *cpu, uint32_t bit)
{
	return cpu->profile->leaf14_0[2] & bit;
}

static inline unsigned int ptm_nr_ranges(const struct ptm_cpu *cpu)
{
	return cpu->profile->leaf14_1[0] & 7;
}

static inline bool ptm_erratum(const struct ptm_cpu *cpu, uint32_t which)
{
	return (cpu->errata | cpu->profile->errata) & which;
}

static inline void ptm_note(struct ptm_cpu *cpu, enum ptm_note_kind kind,
			    uint64_t payload)
{
	const struct ptm_note note = { .kind = kind, .payload = payload };

	if (cpu->ops->note)
		cpu->ops->note(cpu->opaque, &note);
}

static inline void ptm_note_at(struct ptm_cpu *cpu, enum ptm_note_kind kind,
			       uint64_t ip, uint64_t payload)
{
	const struct ptm_note note = {
		.kind = kind, .has_ip = true, .ip = ip, .payload = payload,
	};

	if (cpu->ops->note)
		cpu->ops->note(cpu->opaque, &note);
}

/* ---- msr.c ---- */

/*
 * Recomputes TriggerEn = TraceEn & !Stopped & !Error after a change of CTL or
 * STATUS, and tells of a change.
 */
void ptm_update_trigger(struct ptm_cpu *cpu);

/* ---- output.c ---- */

/* TraceEn 0 to 1: reads the current entry; may set Error. */
void ptm_output_start(struct ptm_cpu *cpu);
/* TraceEn 1 to 0: everything goes to memory, also what is held. */
void ptm_output_stop(struct ptm_cpu *cpu);
/* What has not reached memory never will: reset, Error, MSRs zeroed. */
void ptm_output_lose(struct ptm_cpu *cpu);
/* STATUS.Error; what is buffered is lost. */
void ptm_output_error(struct ptm_cpu *cpu);
/*
 * Appends the bytes of one packet; they are dropped while TriggerEn is 0 and
 * while an overflow lasts. Asks ptm_faults_due() with each.
 */
void ptm_output(struct ptm_cpu *cpu, const uint8_t *bytes, unsigned int len);

/* ---- topa.c ---- */

#define PTM_ENTRY_SIZE(e)	(4096ULL << ((e) >> 6 & 15))

/* At TraceEn: the region that the MSRs point to. 0, or -1: operational error */
int ptm_topa_start(struct ptm_cpu *cpu);
/* The region is full: INT, STOP, and the next one; may set Error. */
void ptm_topa_region_full(struct ptm_cpu *cpu);
/* @len bytes were stored: the PMI of a processor with one entry a table. */
void ptm_topa_early_pmi(struct ptm_cpu *cpu, unsigned int len);
void ptm_topa_set_pointers(struct ptm_cpu *cpu, uint64_t index,
			   uint64_t offset);
uint64_t ptm_topa_index(const struct ptm_cpu *cpu);
/* PTM_INJECT_CACHE_TOPA: TraceEn is cleared, the table as read is compared. */
void ptm_table_check(struct ptm_cpu *cpu);
void ptm_table_forget(struct ptm_cpu *cpu);
/* Does output to this region meet memory that it must not reach? */
bool ptm_restricted(const struct ptm_cpu *cpu, uint64_t pa, uint64_t size);

/* ---- hold.c ---- */

/* Up to @bytes stay inside from now on; 0: all go out, and none stay. */
void ptm_hold_set(struct ptm_cpu *cpu, uint64_t bytes);
/* Bytes for @pa; the oldest go to memory where there are too many. */
void ptm_hold_push(struct ptm_cpu *cpu, uint64_t pa, const uint8_t *buf,
		   unsigned int len);
void ptm_hold_flush(struct ptm_cpu *cpu);
/* Forgets them. Returns: how many bytes. */
uint64_t ptm_hold_lose(struct ptm_cpu *cpu);
/* To memory or the trace transport subsystem, and counted. */
void ptm_store(struct ptm_cpu *cpu, uint64_t pa, const uint8_t *buf,
	       unsigned int len);

/* ---- inject.c ---- */

/* The byte counts for which faults wait pass @len; true: an overflow is due,
 * which ptm_flow_overflow() takes note of. */
bool ptm_faults_due(struct ptm_cpu *cpu, unsigned int len);
/* TraceEn has become 0: a PMI that is on its way arrives. */
void ptm_faults_stop(struct ptm_cpu *cpu);
/* The ToPA PMI; it may come late or get lost. */
void ptm_pmi(struct ptm_cpu *cpu);
void ptm_pmi_now(struct ptm_cpu *cpu);
void ptm_report(struct ptm_cpu *cpu, enum ptm_report what, uint64_t addr);

/* ---- packet.c: encodings ---- */

enum ptm_ip_packet {
	PTM_TIP = 0x0d,
	PTM_TIP_PGE = 0x11,
	PTM_TIP_PGD = 0x01,
	PTM_FUP = 0x1d,
};

/* CS.L, CS.D and, with event trace, RFLAGS.IF: payload of MODE.Exec. */
uint8_t ptm_exec_mode(const struct ptm_cpu *cpu, const struct ptm_state *state);

/* TNT bits that are waiting, then the TIPs that wait behind them. */
void ptm_packet_tnt_flush(struct ptm_cpu *cpu);

/* Here, since most branches do nothing else. */
static inline void ptm_packet_tnt(struct ptm_cpu *cpu, bool taken)
{
	if (cpu->ctl & PTM_CTL_DISTNT)
		return;
	if (!cpu->nr_tnt)
		cpu->tnt_cycle = cpu->cycle;
	cpu->tnt_bits = cpu->tnt_bits << 1 | taken;
	if (++cpu->nr_tnt == cpu->max_tnt)
		ptm_packet_tnt_flush(cpu);
}

void ptm_packet_ip(struct ptm_cpu *cpu, enum ptm_ip_packet type, uint64_t ip);
/* A TIP that may wait behind TNT bits, where the profile's policy says so. */
void ptm_packet_tip_deferred(struct ptm_cpu *cpu, uint64_t ip);
/* TIP.PGE with all of the IP, whatever LastIP is. */
void ptm_packet_pge_full(struct ptm_cpu *cpu, uint64_t ip);
/* TIP.PGD or FUP without an IP. */
void ptm_packet_no_ip(struct ptm_cpu *cpu, enum ptm_ip_packet type);
void ptm_packet_mode_exec(struct ptm_cpu *cpu, const struct ptm_state *state);
void ptm_packet_mode_tsx(struct ptm_cpu *cpu, bool in_tx, bool abort);
void ptm_packet_pip(struct ptm_cpu *cpu, const struct ptm_state *state);
void ptm_packet_cbr(struct ptm_cpu *cpu);
void ptm_packet_ovf(struct ptm_cpu *cpu);
void ptm_packet_tracestop(struct ptm_cpu *cpu);
void ptm_packet_mnt(struct ptm_cpu *cpu, uint64_t payload);
void ptm_packet_ptw(struct ptm_cpu *cpu, uint64_t operand, unsigned int size,
		    bool ip);
void ptm_packet_mwait(struct ptm_cpu *cpu, uint32_t hints, uint32_t ext);
void ptm_packet_pwre(struct ptm_cpu *cpu, uint16_t payload);
void ptm_packet_exstop(struct ptm_cpu *cpu, bool ip);
void ptm_packet_pwrx(struct ptm_cpu *cpu, uint64_t payload);
void ptm_packet_cfe(struct ptm_cpu *cpu, uint8_t type, uint8_t vector, bool ip);
void ptm_packet_evd(struct ptm_cpu *cpu, uint8_t type, uint64_t payload);
/* PSB+ at @ip; FUP and MODE.Exec only while PacketEn is 1. */
void ptm_packet_psb_plus(struct ptm_cpu *cpu, const struct ptm_state *state,
			 uint64_t ip);

/* ---- time.c ---- */

/* TSC, and TMA behind it where MTC is on. */
void ptm_time_tsc(struct ptm_cpu *cpu);
/* MTC packets for the crystal's ticks since the last call. */
void ptm_time_mtc(struct ptm_cpu *cpu);
/* The CYC packet in front of one that counts from @cycle, when one is due. */
void ptm_time_cyc(struct ptm_cpu *cpu, uint64_t cycle);
/* TraceEn 0 to 1, and behind an overflow: counters begin anew. */
void ptm_time_restart(struct ptm_cpu *cpu);
/* A PSB has been sent: erratum SKL168. */
void ptm_time_psb(struct ptm_cpu *cpu);

/* ---- enable.c: enable conditions ---- */

/* Why ptm_branch() must leave its short path. */
#define PTM_SLOW_FILTER		(1U << 0)	/* address ranges are in use */
#define PTM_SLOW_TIME		(1U << 1)	/* MTC */
#define PTM_SLOW_OVERFLOW	(1U << 2)	/* one is due or lasts */
#define PTM_SLOW_REOPEN		(1U << 3)	/* erratum APL11 */

/* After a change of CTL or of an overflow: recomputes cpu->slow. */
void ptm_update_slow(struct ptm_cpu *cpu);

/**
 * struct ptm_landing - where a branch or event arrives
 * @ip:		there
 * @has_ip:	a TIP.PGD may carry it
 * @tip:	while PacketEn stays 1, a TIP does
 * @direct:	by a direct, unconditional branch: erratum SKL014
 */
struct ptm_landing {
	uint64_t ip;
	bool has_ip, tip, direct;
};

/* TraceEn has been set or is being cleared by the WRMSR at @at. */
void ptm_flow_enable(struct ptm_cpu *cpu, const struct ptm_at *at);
void ptm_flow_disable(struct ptm_cpu *cpu, const struct ptm_at *at);
/* Reads the processor's state anew, and with it ContextEn. */
void ptm_read_context(struct ptm_cpu *cpu);
/* FilterEn, PacketEn and TraceStop at the new address, and their packets. */
void ptm_land(struct ptm_cpu *cpu, const struct ptm_landing *to);
/* Would the ranges leave PacketEn at 1 at @ip? */
bool ptm_stays_on(const struct ptm_cpu *cpu, uint64_t ip);

/* ---- flow.c: branches ---- */

/*
 * Around all packets of one branch, event or the like, which are lost in an
 * overflow together. ptm_bundle_end(): @ip comes next; returns what
 * ptm_branch() does.
 */
void ptm_bundle_begin(struct ptm_cpu *cpu);
unsigned int ptm_bundle_end(struct ptm_cpu *cpu, unsigned int was, uint64_t ip);

/* ---- event.c ---- */

/* What event trace says of a branch: IRET. */
void ptm_event_of_branch(struct ptm_cpu *cpu, const struct ptm_branch *branch);

/* ---- overflow.c ---- */

/* ptm_faults_due() has said so: one begins with the next bundle. */
void ptm_flow_overflow(struct ptm_cpu *cpu);
void ptm_overflow_begin(struct ptm_cpu *cpu);
/* OVF and what must follow it; tracing goes on at @ip. */
void ptm_overflow_end(struct ptm_cpu *cpu, uint64_t ip);
/* Ends one without a word: erratum SKL042. */
void ptm_overflow_forget(struct ptm_cpu *cpu);

/* ---- happen.c: what PTM_INJECT_MNT to PTM_INJECT_PWRX ask for ---- */

int ptm_happen(struct ptm_cpu *cpu, enum ptm_inject what, const uint64_t arg[3],
	       const struct ptm_at *at);

#endif /* TESTS_PTMODEL_INTERNAL_H */
