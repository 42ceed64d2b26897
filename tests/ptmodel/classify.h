/* SPDX-License-Identifier: MIT */
/*
 * Which instructions the model must see: branches, system instructions.
 *
 * Takes the length from who fetched the instruction and looks only at prefixes,
 * opcode and displacement: no length decoder. For 64, 32 and 16-bit code.
 */
#ifndef TESTS_PTMODEL_CLASSIFY_H
#define TESTS_PTMODEL_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code segment's default size, as its bits. */
enum insn_mode {
	INSN_16 = 16,
	INSN_32 = 32,
	INSN_64 = 64,
};

enum insn_class {
	INSN_OTHER,
	INSN_JCC,
	INSN_LOOP,		/* LOOP, LOOPE, LOOPNE */
	INSN_JCXZ,
	INSN_JMP,
	INSN_CALL,
	INSN_IJMP,
	INSN_ICALL,
	INSN_RET,
	INSN_FAR,
	INSN_IRET,
	INSN_INT,		/* INT n, INT3, INT1, INTO: an event, no branch */
	INSN_MOV_CR3,
	INSN_MOV_CR0,		/* and LMSW */
	INSN_IFLAG,		/* CLI, STI, POPF */
	INSN_WRMSR,
	INSN_RDMSR,
	INSN_CPUID,
	INSN_RDTSC,		/* and RDTSCP */
	INSN_LGDT,
	INSN_LIDT,
	INSN_PTWRITE,
};

/**
 * struct insn_info - one instruction, classified
 * @class:	what it is
 * @opcode:	last opcode byte: the condition of INSN_JCC, which INSN_LOOP
 * @vector:	INSN_INT: of its interrupt
 * @op_size:	operand size in bytes, 2, 4 or 8; for near branches how much of
 *		the instruction pointer counts
 * @addr_size:	address size in bytes: INSN_LOOP and INSN_JCXZ count in it
 * @rep:	has a REP or REPNE prefix, and is a string instruction
 * @disp:	displacement of a direct branch, relative to the next instruction
 */
struct insn_info {
	enum insn_class class;
	uint8_t opcode, vector;
	uint8_t op_size, addr_size;
	bool rep;
	int32_t disp;
};

/**
 * insn_classify() - what the @len bytes of an instruction are
 * @bytes:	exactly one instruction
 *
 * As an Intel processor has it: in 64-bit code an operand size prefix does not
 * shorten a near branch.
 */
void insn_classify(struct insn_info *info, enum insn_mode mode,
		   const uint8_t *bytes, size_t len);

/** insn_target() - where a direct branch goes
 * @next:	offset, in its code segment, of the instruction behind it
 * Return: an offset in the code segment.
 */
uint64_t insn_target(const struct insn_info *info, uint64_t next);

/**
 * insn_jcc_taken() - would this conditional branch be taken
 * @info:	INSN_JCC, INSN_LOOP or INSN_JCXZ
 * @rflags:	RFLAGS
 * @count:	RCX as after the instruction
 */
bool insn_jcc_taken(const struct insn_info *info, uint64_t rflags,
		    uint64_t count);

#endif /* TESTS_PTMODEL_CLASSIFY_H */
