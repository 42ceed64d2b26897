/* SPDX-License-Identifier: MIT */
/*
 * What the plugin ABI does not show of a vCPU's segments: base, L and D of CS,
 * and where the IDT is. Followed by watching the instructions that load them.
 */
#ifndef TESTS_PTMODEL_SEGMENT_H
#define TESTS_PTMODEL_SEGMENT_H

#include "classify.h"

#include <stdbool.h>
#include <stdint.h>

struct vcpu;

/* What an instruction is executed under. QEMU keeps apart TBs that differ. */
struct code_mode {
	uint64_t cs_base;		/* 0 in 64-bit code */
	uint8_t cpl;
	bool cs_l, cs_d;
};

static inline enum insn_mode code_bits(const struct code_mode *mode)
{
	return mode->cs_l ? INSN_64 : mode->cs_d ? INSN_32 : INSN_16;
}

/* A linear address: 32 bits outside of 64-bit code. */
static inline uint64_t code_linear(const struct code_mode *mode,
				   uint64_t address)
{
	return mode->cs_l ? address : (uint32_t)address;
}

/* Of one vCPU. CS is as it was last loaded; see word cs_stale of vcpu.h. */
struct segments {
	uint64_t gdt_base, idt_base;
	uint16_t idt_limit, idt_limit_read;
	bool gdt_known;			/* LGDT was seen */
	uint16_t cs;
	uint64_t cs_base;
	bool cs_l, cs_d;
};

void segment_reset(struct vcpu *v);
/* As INIT and SIPI leave them: real mode, CS at @base. */
void segment_init(struct vcpu *v, uint64_t base);

/* What the vCPU is in now, by its registers and the GDT. */
void segment_mode(struct vcpu *v, struct code_mode *mode);
/* The same with another CS, as an interrupt has saved it. */
void segment_mode_of(struct vcpu *v, uint16_t cs, struct code_mode *mode);
/* While a TB is translated that begins at @vaddr and is to run next. */
void segment_mode_at(struct vcpu *v, uint64_t vaddr, struct code_mode *mode);

/* Base of the segment that @selector names outside of 64-bit code. */
uint64_t segment_base_of(struct vcpu *v, uint16_t selector);

/**
 * segment_vector() - whose handler is at @to
 * @sync:	an exception or INT n; else an interrupt or NMI
 * @likely:	vector to choose among several; -1: none
 * Return: the vector, or -1: no gate of the IDT leads there.
 */
int segment_vector(struct vcpu *v, uint64_t to, bool sync, int likely);

/* Does the gate of @vector lead to @to? */
bool segment_gate_leads(struct vcpu *v, uint8_t vector, uint64_t to);

/* ---- callbacks of instructions ---- */

/* LGDT and LIDT read the limit, then the base. */
void segment_lgdt(unsigned int vcpu, uint32_t info, uint64_t vaddr,
		  void *insn_rec);
void segment_lidt(unsigned int vcpu, uint32_t info, uint64_t vaddr,
		  void *insn_rec);
/* Before MOV CR0: what CS means must be known by the old mode's rules. */
void segment_mov_cr0(unsigned int vcpu, void *unused);

#endif /* TESTS_PTMODEL_SEGMENT_H */
