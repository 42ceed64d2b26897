/* SPDX-License-Identifier: MIT */
/*
 * Which instructions the model must see: branches, system instructions.
 *
 * Takes the length from who fetched the instruction and looks only at prefixes
 * and opcode: no length decoder. Good for 64, 32 and 16-bit code.
 */
#ifndef TESTS_PTMODEL_CLASSIFY_H
#define TESTS_PTMODEL_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	INSN_INT,		/* INT n, INT3, INT1, INTO: an event, no branch */
	INSN_MOV_CR3,
	INSN_WRMSR,
	INSN_RDMSR,
	INSN_CPUID,
	INSN_RDTSC,		/* and RDTSCP */
	INSN_LGDT,
};

/**
 * struct insn_info - one instruction, classified
 * @class:	what it is
 * @opcode:	last opcode byte: the condition of INSN_JCC, which INSN_LOOP
 * @rep:	has a REP or REPNE prefix, and is a string instruction
 * @disp:	displacement of a direct branch, relative to the next instruction
 */
struct insn_info {
	enum insn_class class;
	uint8_t opcode;
	bool rep;
	int32_t disp;
};

/**
 * insn_classify() - what the @len bytes of an instruction are
 * @bytes:	exactly one instruction
 */
void insn_classify(struct insn_info *info, const uint8_t *bytes, size_t len);

/**
 * insn_jcc_taken() - would this conditional branch be taken
 * @info:	INSN_JCC, INSN_LOOP or INSN_JCXZ
 * @rflags:	RFLAGS
 * @count:	RCX as after the instruction, cut to its address size
 */
bool insn_jcc_taken(const struct insn_info *info, uint64_t rflags,
		    uint64_t count);

#endif /* TESTS_PTMODEL_CLASSIFY_H */
