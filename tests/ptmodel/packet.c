/* SPDX-License-Identifier: MIT */
/*
 * Packet encodings: the SDM's "Packet Definitions", bytes and order within a
 * packet. When a packet is due is decided in flow.c and happen.c; packets of
 * time are in time.c.
 */
#include "internal.h"

#include <string.h>

#define TNT_SHORT_BITS	6
#define TNT_LONG_BITS	47
#define IPBYTES_SHIFT	5
#define CR3_LOW		0xfffULL	/* PCID, PWT, PCD: not in a PIP */
#define CR3_LOW_PAE	0x1fULL

/* Every IP form of the SDM's "IP Payload" table that carries bytes. */
enum ip_bytes {
	IP_NONE = 0,
	IP_UPDATE_16 = 1,
	IP_UPDATE_32 = 2,
	IP_SEXT_48 = 3,
	IP_UPDATE_48 = 4,
	IP_FULL = 6,
};

/* Most packets: what waits goes first, then the clock, then the bytes. */
static void packet(struct ptm_cpu *cpu, bool timed, const uint8_t *bytes,
		   unsigned int len)
{
	ptm_packet_tnt_flush(cpu);
	if (timed)
		ptm_time_cyc(cpu, cpu->cycle);
	ptm_output(cpu, bytes, len);
}

/* Opcode 02 @second and @len bytes of @payload. */
static void packet_ext(struct ptm_cpu *cpu, bool timed, uint8_t second,
		       uint64_t payload, unsigned int len)
{
	uint8_t bytes[10] = { 0x02, second };

	memcpy(bytes + 2, &payload, sizeof(payload));
	packet(cpu, timed, bytes, 2 + len);
}

/* ---- IP packets ---- */

static bool canonical_48(uint64_t ip)
{
	return (uint64_t)((int64_t)(ip << 16) >> 16) == ip;
}

/*
 * Behind an OVF the SDM leaves LastIP as it was, and libipt takes it for 0: the
 * first IP there is whole, which suits both.
 */
static enum ip_bytes compress(const struct ptm_cpu *cpu, uint64_t ip)
{
	uint64_t diff = cpu->last_ip ^ ip;

	if (cpu->whole_ip)
		return canonical_48(ip) ? IP_SEXT_48 : IP_FULL;
	if (!(diff >> 16))
		return IP_UPDATE_16;
	if (!(diff >> 32))
		return IP_UPDATE_32;
	if (!(diff >> 48))
		return IP_UPDATE_48;
	return canonical_48(ip) ? IP_SEXT_48 : IP_FULL;
}

/* Where CPUID says so the payload is the linear address; else it is RIP. */
static uint64_t payload_of(const struct ptm_cpu *cpu, uint64_t ip)
{
	return ptm_has_ecx(cpu, PTM_ECX_LIP) ? ip : ip - cpu->now.cs_base;
}

static void put_ip(struct ptm_cpu *cpu, enum ptm_ip_packet type,
		   enum ip_bytes form, uint64_t ip)
{
	static const uint8_t lengths[] = {
		[IP_UPDATE_16] = 2, [IP_UPDATE_32] = 4, [IP_SEXT_48] = 6,
		[IP_UPDATE_48] = 6, [IP_FULL] = 8,
	};
	uint8_t bytes[9] = { type | form << IPBYTES_SHIFT };

	memcpy(bytes + 1, &ip, sizeof(ip));
	ptm_output(cpu, bytes, 1 + lengths[form]);
	cpu->last_ip = ip;
	cpu->whole_ip = false;
}

void ptm_packet_ip(struct ptm_cpu *cpu, enum ptm_ip_packet type, uint64_t ip)
{
	uint64_t payload = payload_of(cpu, ip);

	ptm_packet_tnt_flush(cpu);
	if (type != PTM_FUP)
		ptm_time_cyc(cpu, cpu->cycle);
	put_ip(cpu, type, compress(cpu, payload), payload);
}

void ptm_packet_pge_full(struct ptm_cpu *cpu, uint64_t ip)
{
	uint64_t payload = payload_of(cpu, ip);

	ptm_packet_tnt_flush(cpu);
	ptm_time_cyc(cpu, cpu->cycle);
	put_ip(cpu, PTM_TIP_PGE, canonical_48(payload) ? IP_SEXT_48 : IP_FULL,
	       payload);
}

void ptm_packet_no_ip(struct ptm_cpu *cpu, enum ptm_ip_packet type)
{
	uint8_t byte = type;

	packet(cpu, type != PTM_FUP, &byte, 1);
}

/* ---- TNT, and the TIPs that wait behind its bits ---- */

static void put_tnt(struct ptm_cpu *cpu)
{
	/* The stop bit, then the results with the oldest just below it. */
	uint64_t bits = 1ULL << cpu->nr_tnt | cpu->tnt_bits;
	uint8_t bytes[10] = { 0x02, 0xa3 };
	bool is_long = cpu->nr_tnt > TNT_SHORT_BITS;

	ptm_time_cyc(cpu, cpu->tnt_cycle);
	cpu->nr_tnt = 0;
	cpu->tnt_bits = 0;
	if (is_long) {
		memcpy(bytes + 2, &bits, sizeof(bits));
		ptm_output(cpu, bytes, 8);
	} else {
		bytes[0] = bits << 1;
		ptm_output(cpu, bytes, 1);
	}
}

void ptm_packet_tnt_flush(struct ptm_cpu *cpu)
{
	unsigned int i, nr = cpu->nr_tips;

	if (!cpu->nr_tnt)
		return;
	put_tnt(cpu);
	cpu->nr_tips = 0;
	for (i = 0; i < nr; i++) {
		ptm_time_cyc(cpu, cpu->cycle);
		put_ip(cpu, PTM_TIP, compress(cpu, cpu->tips[i]),
		       cpu->tips[i]);
	}
}

void ptm_packet_tip_deferred(struct ptm_cpu *cpu, uint64_t ip)
{
	if (!(cpu->profile->policy & PTM_POLICY_DEFER_TIP) || !cpu->nr_tnt) {
		ptm_packet_ip(cpu, PTM_TIP, ip);
		return;
	}
	cpu->tips[cpu->nr_tips++] = payload_of(cpu, ip);
	if (cpu->nr_tips == PTM_MAX_TIPS)
		ptm_packet_tnt_flush(cpu);
}

/* ---- MODE, PIP, CBR, OVF, TraceStop, MNT ---- */

uint8_t ptm_exec_mode(const struct ptm_cpu *cpu, const struct ptm_state *state)
{
	bool intr = state->intr && (cpu->ctl & PTM_CTL_EVENTEN);

	return state->cs_l | state->cs_d << 1 | intr << 2;
}

void ptm_packet_mode_exec(struct ptm_cpu *cpu, const struct ptm_state *state)
{
	uint8_t bytes[2] = { 0x99, ptm_exec_mode(cpu, state) };

	cpu->exec_mode = bytes[1];
	cpu->exec_known = true;
	packet(cpu, true, bytes, sizeof(bytes));
	ptm_note(cpu, PTM_NOTE_MODE_EXEC, bytes[1]);
}

void ptm_packet_mode_tsx(struct ptm_cpu *cpu, bool in_tx, bool abort)
{
	uint8_t bytes[2] = { 0x99, 0x20 | in_tx | abort << 1 };

	packet(cpu, true, bytes, sizeof(bytes));
}

void ptm_packet_pip(struct ptm_cpu *cpu, const struct ptm_state *state)
{
	uint64_t low = state->pae ? CR3_LOW_PAE : CR3_LOW;
	uint64_t payload = (state->cr3 & ~low) >> 5 << 1 | cpu->non_root;

	packet_ext(cpu, true, 0x43, payload, 6);
	ptm_note(cpu, PTM_NOTE_PIP, (state->cr3 & ~low) | cpu->non_root);
}

void ptm_packet_cbr(struct ptm_cpu *cpu)
{
	packet_ext(cpu, false, 0x03, cpu->cbr, 2);
}

void ptm_packet_ovf(struct ptm_cpu *cpu)
{
	packet_ext(cpu, true, 0xf3, 0, 0);
	cpu->whole_ip = true;
}

void ptm_packet_tracestop(struct ptm_cpu *cpu)
{
	packet_ext(cpu, false, 0x83, 0, 0);
}

void ptm_packet_mnt(struct ptm_cpu *cpu, uint64_t payload)
{
	uint8_t bytes[11] = { 0x02, 0xc3, 0x88 };

	memcpy(bytes + 3, &payload, sizeof(payload));
	packet(cpu, false, bytes, sizeof(bytes));
}

/* ---- PTWRITE, power events, event trace ---- */

void ptm_packet_ptw(struct ptm_cpu *cpu, uint64_t operand, unsigned int size,
		    bool ip)
{
	uint8_t second = ip << 7 | (size == 8) << 5 | 0x12;

	packet_ext(cpu, true, second, operand, size);
}

void ptm_packet_mwait(struct ptm_cpu *cpu, uint32_t hints, uint32_t ext)
{
	packet_ext(cpu, true, 0xc2, (hints & 0xff) |
		   (uint64_t)(ext & 3) << 32, 8);
}

void ptm_packet_pwre(struct ptm_cpu *cpu, uint16_t payload)
{
	packet_ext(cpu, true, 0x22, payload, 2);
}

void ptm_packet_exstop(struct ptm_cpu *cpu, bool ip)
{
	packet_ext(cpu, true, ip ? 0xe2 : 0x62, 0, 0);
}

void ptm_packet_pwrx(struct ptm_cpu *cpu, uint64_t payload)
{
	packet_ext(cpu, true, 0xa2, payload, 5);
}

void ptm_packet_cfe(struct ptm_cpu *cpu, uint8_t type, uint8_t vector, bool ip)
{
	packet_ext(cpu, true, 0x13, ip << 7 | type | vector << 8, 2);
}

void ptm_packet_evd(struct ptm_cpu *cpu, uint8_t type, uint64_t payload)
{
	uint8_t bytes[11] = { 0x02, 0x53, type };

	memcpy(bytes + 3, &payload, sizeof(payload));
	packet(cpu, true, bytes, sizeof(bytes));
}

/* ---- PSB+ ---- */

static void packet_psb(struct ptm_cpu *cpu)
{
	uint8_t bytes[16];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i += 2) {
		bytes[i] = 0x02;
		bytes[i + 1] = 0x82;
	}
	packet(cpu, false, bytes, sizeof(bytes));
	/* Cut off by a STOP it does not count. */
	if (cpu->trigger_en)
		cpu->byte_cnt = 0;
	cpu->last_ip = 0;
	cpu->whole_ip = false;
	cpu->nr_ret = 0;
	cpu->exec_known = false;
	ptm_time_psb(cpu);
	ptm_note(cpu, PTM_NOTE_PSB, 0);
}

void ptm_packet_psb_plus(struct ptm_cpu *cpu, const struct ptm_state *state,
			 uint64_t ip)
{
	packet_psb(cpu);
	ptm_time_tsc(cpu);
	if (cpu->context_en && (cpu->ctl & PTM_CTL_OS))
		ptm_packet_pip(cpu, state);
	ptm_packet_cbr(cpu);
	if (cpu->tsx_known && cpu->context_en && (cpu->ctl & PTM_CTL_BRANCHEN))
		ptm_packet_mode_tsx(cpu, cpu->in_tx, false);
	if (cpu->packet_en) {
		ptm_packet_mode_exec(cpu, state);
		ptm_packet_ip(cpu, PTM_FUP, ip);
	}
	packet_ext(cpu, false, 0x23, 0, 0);
}
