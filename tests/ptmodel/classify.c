/* SPDX-License-Identifier: MIT */
/*
 * Classifier of x86 branches and system instructions; see classify.h.
 */
#include "classify.h"

#include <string.h>

struct cursor {
	const uint8_t *bytes;
	size_t len, pos;
	enum insn_mode mode;
	bool op, addr, rex_w;		/* prefixes */
	uint8_t rep;			/* F2, F3 or 0 */
};

static bool is_segment_or_lock(uint8_t byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0xf0:
		return true;
	}
	return false;
}

/* REX counts only directly before the opcode. */
static void skip_prefixes(struct cursor *c)
{
	uint8_t byte;

	for (; c->pos < c->len; c->pos++) {
		byte = c->bytes[c->pos];
		if (c->mode == INSN_64 && (byte & 0xf0) == 0x40) {
			c->rex_w = byte & 8;
			continue;
		}
		if (byte == 0x66)
			c->op = true;
		else if (byte == 0x67)
			c->addr = true;
		else if ((byte & 0xfe) == 0xf2)
			c->rep = byte;
		else if (!is_segment_or_lock(byte))
			return;
		c->rex_w = false;
	}
}

static void set_sizes(struct insn_info *info, const struct cursor *c)
{
	bool is_16 = c->mode == INSN_16;

	info->op_size = c->rex_w ? 8 : c->op != is_16 ? 2 : 4;
	if (c->mode == INSN_64)
		info->addr_size = c->addr ? 4 : 8;
	else
		info->addr_size = c->addr != is_16 ? 2 : 4;
}

static int32_t displacement(const struct insn_info *info,
			    const struct cursor *c, bool rel8)
{
	const uint8_t *at = c->bytes + c->pos;
	size_t size = rel8 ? 1 : info->op_size == 2 ? 2 : 4;
	int32_t disp32;
	int16_t disp16;

	if (c->len - c->pos < size)
		return 0;
	if (size == 1)
		return (int8_t)at[0];
	if (size == 2) {
		memcpy(&disp16, at, sizeof(disp16));
		return disp16;
	}
	memcpy(&disp32, at, sizeof(disp32));
	return disp32;
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

	if (modrm_reg(c) == 6)
		return INSN_MOV_CR0;		/* LMSW */
	if (memory && modrm_reg(c) == 2)
		return INSN_LGDT;
	if (memory && modrm_reg(c) == 3)
		return INSN_LIDT;
	if (c->pos < c->len && c->bytes[c->pos] == 0xf9)
		return INSN_RDTSC;		/* RDTSCP */
	return INSN_OTHER;
}

static enum insn_class class_mov_cr(const struct cursor *c)
{
	switch (modrm_reg(c)) {
	case 0:
		return INSN_MOV_CR0;
	case 3:
		return INSN_MOV_CR3;
	}
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
		return class_mov_cr(c);
	case 0x30:
		return INSN_WRMSR;
	case 0x31:
		return INSN_RDTSC;
	case 0x32:
		return INSN_RDMSR;
	case 0xa2:
		return INSN_CPUID;
	case 0xae:
		if (c->rep == 0xf3 && !c->op && modrm_reg(c) == 4)
			return INSN_PTWRITE;
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
	case 0x9a: case 0xea: case 0xca: case 0xcb:
		return INSN_FAR;
	case 0xcf:
		return INSN_IRET;
	case 0xcc: case 0xcd: case 0xce: case 0xf1:
		return INSN_INT;
	case 0x9d: case 0xfa: case 0xfb:
		return INSN_IFLAG;
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

static bool is_near(enum insn_class class)
{
	return class >= INSN_JCC && class <= INSN_RET;
}

static bool is_direct(enum insn_class class)
{
	return class >= INSN_JCC && class <= INSN_CALL;
}

static uint8_t vector_of(uint8_t opcode, const struct cursor *c)
{
	switch (opcode) {
	case 0xcc:
		return 3;
	case 0xce:
		return 4;
	case 0xf1:
		return 1;
	}
	return c->pos < c->len ? c->bytes[c->pos] : 0;
}

void insn_classify(struct insn_info *info, enum insn_mode mode,
		   const uint8_t *bytes, size_t len)
{
	struct cursor c = { .bytes = bytes, .len = len, .mode = mode };
	bool rel8;

	memset(info, 0, sizeof(*info));
	skip_prefixes(&c);
	set_sizes(info, &c);
	if (c.pos >= c.len)
		return;
	info->opcode = c.bytes[c.pos++];
	if (info->opcode == 0x0f) {
		if (c.pos >= c.len)
			return;
		info->opcode = c.bytes[c.pos++];
		info->class = class_0f(&c, info->opcode);
		rel8 = false;
	} else {
		info->class = class_1byte(&c, info->opcode);
		info->rep = c.rep && is_string(info->opcode);
		rel8 = info->opcode != 0xe8 && info->opcode != 0xe9;
	}
	if (mode == INSN_64 && is_near(info->class))
		info->op_size = 8;
	if (is_direct(info->class))
		info->disp = displacement(info, &c, rel8);
	if (info->class == INSN_INT)
		info->vector = vector_of(info->opcode, &c);
}

uint64_t insn_target(const struct insn_info *info, uint64_t next)
{
	uint64_t target = next + (int64_t)info->disp;

	if (info->op_size == 8)
		return target;
	return info->op_size == 2 ? (uint16_t)target : (uint32_t)target;
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
	if (info->addr_size < 8)
		count = info->addr_size == 2 ? (uint16_t)count :
			(uint32_t)count;
	if (info->class == INSN_JCXZ)
		return !count;
	if (info->class == INSN_LOOP) {
		if (info->opcode == 0xe2)
			return count;
		return count && !(rflags & FLAG_ZF) == (info->opcode == 0xe0);
	}
	return condition(info->opcode >> 1 & 7, rflags) != (info->opcode & 1);
}
