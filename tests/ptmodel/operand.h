/* SPDX-License-Identifier: MIT */
/*
 * The operand that a ModRM byte names: register or memory, in all three modes.
 *
 * For instructions that QEMU does not know, so that not even their length is
 * told: PTWRITE.
 */
#ifndef TESTS_PTMODEL_OPERAND_H
#define TESTS_PTMODEL_OPERAND_H

#include "classify.h"

#define OPERAND_NONE	(-1)

/* Segment registers by their numbers in instructions. */
enum operand_seg {
	SEG_ES, SEG_CS, SEG_SS, SEG_DS, SEG_FS, SEG_GS,
};

/**
 * struct operand - r/m of one instruction of two opcode bytes, without immediate
 * @len:	of the whole instruction
 * @memory:	else @base is the register itself
 * @base:	register number, or OPERAND_NONE
 * @index:	register number, or OPERAND_NONE
 * @rip:	relative to the next instruction
 * @explicit_seg: @seg comes from a prefix
 */
struct operand {
	uint8_t len, addr_size;
	bool rex_w, memory, rip, explicit_seg;
	int base, index;
	unsigned int scale;
	int32_t disp;
	enum operand_seg seg;
};

/**
 * operand_decode() - of "prefixes 0F xx ModRM [SIB] [disp]"
 * @bytes:	the instruction's first bytes, and what follows it
 * Return: 0, or -1: @len bytes are not enough.
 */
int operand_decode(struct operand *op, enum insn_mode mode,
		   const uint8_t *bytes, size_t len);

/**
 * operand_offset() - effective address, without the segment's base
 * @regs:	sixteen general registers by their numbers
 * @next:	RIP of the next instruction
 */
uint64_t operand_offset(const struct operand *op, const uint64_t regs[16],
			uint64_t next);

#endif /* TESTS_PTMODEL_OPERAND_H */
