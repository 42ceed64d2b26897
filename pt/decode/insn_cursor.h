/* SPDX-License-Identifier: MIT */
/*
 * An instruction while it is being read: shared by insn.c and insn_class.c.
 */
#ifndef PT_DECODE_INSN_CURSOR_H
#define PT_DECODE_INSN_CURSOR_H

#include "pt/decode/insn.h"

enum opcode_map {
	MAP_1,
	MAP_0F,
	MAP_0F38,
	MAP_0F3A,
	MAP_EVEX4,		/* promoted one-byte opcodes */
	MAP_EVEX5,
	MAP_EVEX6,
	MAP_VEX7,
	MAP_XOP8,
	MAP_XOP9,
	MAP_XOPA,
	MAP_NONE,
};

/* An instruction under the knife. */
struct insn_cursor {
	const u8 *bytes;
	size_t n;		/* readable, at most INSN_MAX_LEN */
	bool limited;		/* n is INSN_MAX_LEN: running out is -EINVAL */
	size_t pos;
	enum insn_mode mode;
	bool prefix_66;
	bool prefix_67;
	u8 repeat;		/* F2 or F3, the last one */
	u8 rex;			/* W and R bits as in REX */
	bool compound;		/* VEX, EVEX or XOP */
	enum opcode_map map;
	u8 opcode;
	u8 modrm;
	s64 imm;		/* last immediate, sign extended */
};

static inline unsigned int cursor_reg(const struct insn_cursor *c)
{
	return c->modrm >> 3 & 7;
}

/* All of the instruction has been read. Context: any. */
enum branch_class insn_classify(const struct insn_cursor *c);

#endif /* PT_DECODE_INSN_CURSOR_H */
