/* SPDX-License-Identifier: MIT */
/*
 * The one-byte and 0F opcode maps: which bytes follow each opcode.
 *
 * Source: SDM volume 2, appendix "Opcode Map". Prefixes, REX, the escapes and
 * VEX, EVEX, XOP, REX2 are handled before these tables are asked.
 */
#include "pt/decode/insn_table.h"

#define M	OP_MODRM
#define B	OP_IMM8
#define W	OP_IMM16
#define Z	OP_IMMZ
#define V	OP_IMMV
#define A	OP_MOFFS
#define F	OP_FARPTR
#define X	OP_BAD64
#define U	OP_BAD

/* clang-format off */

const u8 insn_map_1[256] = {
	/*       0    1    2    3    4    5    6    7    8    9    a    b    c    d    e    f */
	/* 0 */  M,   M,   M,   M,   B,   Z,   X,   X,   M,   M,   M,   M,   B,   Z,   X,   U,
	/* 1 */  M,   M,   M,   M,   B,   Z,   X,   X,   M,   M,   M,   M,   B,   Z,   X,   X,
	/* 2 */  M,   M,   M,   M,   B,   Z,   0,   X,   M,   M,   M,   M,   B,   Z,   0,   X,
	/* 3 */  M,   M,   M,   M,   B,   Z,   0,   X,   M,   M,   M,   M,   B,   Z,   0,   X,
	/* 4 */  0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
	/* 5 */  0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
	/* 6 */  X,   X,   M,   M,   0,   0,   0,   0,   Z,   M|Z, B,   M|B, 0,   0,   0,   0,
	/* 7 */  B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,   B,
	/* 8 */  M|B, M|Z, M|B|X, M|B, M, M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 9 */  0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   F|X, 0,   0,   0,   0,   0,
	/* a */  A,   A,   A,   A,   0,   0,   0,   0,   B,   Z,   0,   0,   0,   0,   0,   0,
	/* b */  B,   B,   B,   B,   B,   B,   B,   B,   V,   V,   V,   V,   V,   V,   V,   V,
	/* c */  M|B, M|B, W,   0,   M|X, M|X, M|B, M|Z, W|B, 0,   W,   0,   0,   B,   X,   0,
	/* d */  M,   M,   M,   M,   B|X, B|X, X,   0,   M,   M,   M,   M,   M,   M,   M,   M,
	/* e */  B,   B,   B,   B,   B,   B,   B,   B,   Z,   Z,   F|X, B,   0,   0,   0,   0,
	/* f */  0,   0,   0,   0,   0,   0,   M,   M,   0,   0,   0,   0,   0,   0,   M,   M,
};

const u8 insn_map_0f[256] = {
	/*       0    1    2    3    4    5    6    7    8    9    a    b    c    d    e    f */
	/* 0 */  M,   M,   M,   M,   U,   0,   0,   0,   0,   0,   U,   0,   U,   M,   0,   M|B,
	/* 1 */  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 2 */  M,   M,   M,   M,   U,   U,   U,   U,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 3 */  0,   0,   0,   0,   0,   0,   U,   0,   U,   U,   U,   U,   U,   U,   U,   U,
	/* 4 */  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 5 */  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 6 */  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* 7 */  M|B, M|B, M|B, M|B, M,   M,   M,   0,   M,   M,   U,   U,   M,   M,   M,   M,
	/* 8 */  Z,   Z,   Z,   Z,   Z,   Z,   Z,   Z,   Z,   Z,   Z,   Z,   Z,   Z,   Z,   Z,
	/* 9 */  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* a */  0,   0,   0,   M,   M|B, M,   U,   U,   0,   0,   0,   M,   M|B, M,   M,   M,
	/* b */  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M|B, M,   M,   M,   M,   M,
	/* c */  M,   M,   M|B, M,   M|B, M|B, M|B, M,   0,   0,   0,   0,   0,   0,   0,   0,
	/* d */  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* e */  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
	/* f */  M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,   M,
};
