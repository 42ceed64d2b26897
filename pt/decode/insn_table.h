/* SPDX-License-Identifier: MIT */
/*
 * What follows an opcode: flags of the opcode maps.
 */
#ifndef PT_DECODE_INSN_TABLE_H
#define PT_DECODE_INSN_TABLE_H

#include "lib/types.h"

enum {
	OP_MODRM = 1,
	OP_IMM8 = 2,
	OP_IMM16 = 4,
	OP_IMMZ = 8,		/* 2 or 4 bytes by operand size */
	OP_IMMV = 16,		/* 2, 4 or 8 bytes by operand size */
	OP_MOFFS = 32,		/* an address by address size */
	OP_FARPTR = 64,		/* IMMZ and a 16-bit selector */
	OP_BAD64 = 128,		/* no such instruction in 64-bit mode */
	OP_BAD = 255,		/* no such instruction */
};

extern const u8 insn_map_1[256];	/* one-byte opcodes */
extern const u8 insn_map_0f[256];	/* 0F xx */

#endif /* PT_DECODE_INSN_TABLE_H */
