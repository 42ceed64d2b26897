/* SPDX-License-Identifier: MIT */
/*
 * Classifier of x86 branches and system instructions; see classify.h.
 *
 * 0x40..0x4f are REX in 64-bit code and one-byte INC/DEC else. Since the length
 * is known both are skipped alike: nothing follows an INC.
 */
#include "classify.h"

#include <string.h>

struct cursor {
	const uint8_t *bytes;
	size_t len, pos;
	bool rep;
};

static bool is_legacy_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return false;
}

static void skip_prefixes(struct cursor *c)
{
	while (c->pos < c->len && is_legacy_prefix(c->bytes[c->pos])) {
		c->rep |= (c->bytes[c->pos] & 0xfe) == 0xf2;
		c->pos++;
	}
	if (c->pos < c->len && (c->bytes[c->pos] & 0xf0) == 0x40)
		c->pos++;
}

/* The rest of a direct branch is its displacement: 1, 2 or 4 bytes. */
static int32_t displacement(const struct cursor *c)
{
	const uint8_t *at = c->bytes + c->pos;
	int32_t disp32 = 0;
	int16_t disp16 = 0;

	switch (c->len - c->pos) {
	case 1:
		return (int8_t)at[0];
	case 2:
		memcpy(&disp16, at, sizeof(disp16));
		return disp16;
	case 4:
		memcpy(&disp32, at, sizeof(disp32));
		return disp32;
	}
	return 0;
}

/* ModRM.reg of the byte behind the opcode; 8 when there is none. */
static unsigned int modrm_reg(const struct cursor *c)
{
	return c->pos < c->len ? c->bytes[c->pos] >> 3 & 7 : 8;
}

static enum insn_class class_ff(const struct cursor *c)
{
	switch (modrm_reg(c)) {
	case 2:
		return INSN_ICALL;
	case 4:
		return INSN_IJMP;
	case 3:
	case 5:
		return INSN_FAR;
	}
	return INSN_OTHER;
}

static enum insn_class class_0f01(const struct cursor *c)
{
	bool memory = c->pos < c->len && c->bytes[c->pos] < 0xc0;

	if (memory)
		return modrm_reg(c) == 2 ? INSN_LGDT : INSN_OTHER;
	if (c->pos < c->len && c->bytes[c->pos] == 0xf9)
		return INSN_RDTSC;		/* RDTSCP */
	return INSN_OTHER;
}

static enum insn_class class_0f(const struct cursor *c, uint8_t opcode)
{
	if (opcode >= 0x80 && opcode <= 0x8f)
		return INSN_JCC;
	switch (opcode) {
	case 0x05:		/* SYSCALL */
	case 0x07:		/* SYSRET */
	case 0x34:		/* SYSENTER */
	case 0x35:		/* SYSEXIT */
	case 0xaa:		/* RSM */
		return INSN_FAR;
	case 0x01:
		return class_0f01(c);
	case 0x22:		/* MOV to CRn */
		return modrm_reg(c) == 3 ? INSN_MOV_CR3 : INSN_OTHER;
	case 0x30:
		return INSN_WRMSR;
	case 0x31:
		return INSN_RDTSC;
	case 0x32:
		return INSN_RDMSR;
	case 0xa2:
		return INSN_CPUID;
	}
	return INSN_OTHER;
}

static enum insn_class class_1byte(const struct cursor *c, uint8_t opcode)
{
	if (opcode >= 0x70 && opcode <= 0x7f)
		return INSN_JCC;
	switch (opcode) {
	case 0xe0: case 0xe1: case 0xe2:
		return INSN_LOOP;
	case 0xe3:
		return INSN_JCXZ;
	case 0xe8:
		return INSN_CALL;
	case 0xe9: case 0xeb:
		return INSN_JMP;
	case 0xc2: case 0xc3:
		return INSN_RET;
	case 0x9a: case 0xea: case 0xca: case 0xcb: case 0xcf:
		return INSN_FAR;
	case 0xcc: case 0xcd: case 0xce: case 0xf1:
		return INSN_INT;
	case 0xff:
		return class_ff(c);
	}
	return INSN_OTHER;
}

/* MOVS, CMPS, STOS, LODS, SCAS, INS, OUTS. */
static bool is_string(uint8_t opcode)
{
	return (opcode >= 0xa4 && opcode <= 0xa7) ||
	       (opcode >= 0xaa && opcode <= 0xaf) ||
	       (opcode >= 0x6c && opcode <= 0x6f);
}

static bool is_direct(enum insn_class class)
{
	return class >= INSN_JCC && class <= INSN_CALL;
}

void insn_classify(struct insn_info *info, const uint8_t *bytes, size_t len)
{
	struct cursor c = { .bytes = bytes, .len = len };

	memset(info, 0, sizeof(*info));
	skip_prefixes(&c);
	if (c.pos >= c.len)
		return;
	info->opcode = c.bytes[c.pos++];
	if (info->opcode == 0x0f) {
		if (c.pos >= c.len)
			return;
		info->opcode = c.bytes[c.pos++];
		info->class = class_0f(&c, info->opcode);
	} else {
		info->class = class_1byte(&c, info->opcode);
		info->rep = c.rep && is_string(info->opcode);
	}
	if (is_direct(info->class))
		info->disp = displacement(&c);
}

/* ---- conditions ---- */

#define FLAG_CF		(1U << 0)
#define FLAG_PF		(1U << 2)
#define FLAG_ZF		(1U << 6)
#define FLAG_SF		(1U << 7)
#define FLAG_OF		(1U << 11)

/* The eight conditions; the odd opcodes are their negations. */
static bool condition(unsigned int code, uint64_t rflags)
{
	bool less = !(rflags & FLAG_SF) != !(rflags & FLAG_OF);

	switch (code) {
	case 0:
		return rflags & FLAG_OF;
	case 1:
		return rflags & FLAG_CF;
	case 2:
		return rflags & FLAG_ZF;
	case 3:
		return rflags & (FLAG_CF | FLAG_ZF);
	case 4:
		return rflags & FLAG_SF;
	case 5:
		return rflags & FLAG_PF;
	case 6:
		return less;
	}
	return less || (rflags & FLAG_ZF);
}

bool insn_jcc_taken(const struct insn_info *info, uint64_t rflags,
		    uint64_t count)
{
	if (info->class == INSN_JCXZ)
		return !count;
	if (info->class == INSN_LOOP) {
		if (info->opcode == 0xe2)
			return count;
		return count && !(rflags & FLAG_ZF) == (info->opcode == 0xe0);
	}
	return condition(info->opcode >> 1 & 7, rflags) != (info->opcode & 1);
}
