/* SPDX-License-Identifier: MIT */
/*
 * x86 instructions as far as the flow needs them: length, class, target.
 *
 * Not a disassembler: operands other than a direct branch's displacement are
 * only measured. Handles 64-, 32- and 16-bit code, legacy, VEX, EVEX, XOP and
 * REX2 encodings. Source: SDM volume 2, "Instruction Format" and the opcode
 * maps.
 */
#ifndef PT_DECODE_INSN_H
#define PT_DECODE_INSN_H

#include "lib/compiler.h"
#include "pt/decode/branch.h"

#define INSN_MAX_LEN	15

enum insn_mode {
	INSN_MODE_64,
	INSN_MODE_32,
	INSN_MODE_16,
};

struct insn {
	u8 len;
	u8 class;		/* enum branch_class; INT n is BRANCH_INTERRUPT */
	bool mov_cr3;		/* MOV to CR3: a PIP may follow */
	bool ptwrite;
	u64 target;		/* direct branches: where it goes when taken */
};

/**
 * insn_decode() - length and class of one instruction
 * @insn:	result; undefined on error
 * @mode:	the code's operating mode
 * @ip:		its address, for the target
 * @bytes:	the code
 * @n:		readable bytes, up to INSN_MAX_LEN are looked at
 *
 * Context: any. Return: 0; -ENODATA when the instruction runs past @n bytes;
 * -EINVAL when no such instruction exists or it is longer than 15 bytes.
 */
int __must_check insn_decode(struct insn *insn, enum insn_mode mode, u64 ip,
			     const u8 *bytes, size_t n);

#endif /* PT_DECODE_INSN_H */
