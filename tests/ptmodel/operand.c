/* SPDX-License-Identifier: MIT */
/*
 * ModRM, SIB and displacement; see operand.h. SDM volume 2, "Instruction
 * Format": tables of 16-bit and 32-bit addressing forms.
 */
#include "operand.h"

#include <string.h>

#define REG_BX	3
#define REG_SP	4
#define REG_BP	5
#define REG_SI	6
#define REG_DI	7

struct bytes {
	const uint8_t *at;
	size_t len, pos;
	uint8_t rex;
	bool addr;
};

static int prefix_seg(uint8_t byte)
{
	switch (byte) {
	case 0x26:
		return SEG_ES;
	case 0x2e:
		return SEG_CS;
	case 0x36:
		return SEG_SS;
	case 0x3e:
		return SEG_DS;
	case 0x64:
		return SEG_FS;
	case 0x65:
		return SEG_GS;
	}
	return -1;
}

static bool is_other_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0xf0 || (byte & 0xfe) == 0xf2;
}

/* In 64-bit code only FS and GS count, and the others do not undo them. */
static void take_seg(struct operand *op, enum insn_mode mode, int seg)
{
	if (mode == INSN_64 && seg < SEG_FS)
		return;
	op->seg = seg;
	op->explicit_seg = true;
}

static void prefixes(struct operand *op, enum insn_mode mode, struct bytes *b)
{
	uint8_t byte;

	for (; b->pos < b->len; b->pos++) {
		byte = b->at[b->pos];
		if (mode == INSN_64 && (byte & 0xf0) == 0x40) {
			b->rex = byte;
			continue;
		}
		if (prefix_seg(byte) >= 0)
			take_seg(op, mode, prefix_seg(byte));
		else if (byte == 0x67)
			b->addr = true;
		else if (!is_other_prefix(byte))
			return;
		b->rex = 0;
	}
}

static int take_disp(struct operand *op, struct bytes *b, size_t size)
{
	int16_t disp16;

	if (b->len - b->pos < size)
		return -1;
	if (size == 1) {
		op->disp = (int8_t)b->at[b->pos];
	} else if (size == 2) {
		memcpy(&disp16, b->at + b->pos, 2);
		op->disp = disp16;
	} else if (size == 4) {
		memcpy(&op->disp, b->at + b->pos, 4);
	}
	b->pos += size;
	return 0;
}

static int memory_16(struct operand *op, struct bytes *b, uint8_t modrm)
{
	static const int8_t bases[8] = {
		REG_BX, REG_BX, REG_BP, REG_BP, REG_SI, REG_DI, REG_BP, REG_BX,
	};
	static const int8_t indices[8] = {
		REG_SI, REG_DI, REG_SI, REG_DI, -1, -1, -1, -1,
	};
	unsigned int mod = modrm >> 6, rm = modrm & 7;

	op->base = bases[rm];
	op->index = indices[rm];
	if (!mod && rm == 6)
		op->base = OPERAND_NONE;
	return take_disp(op, b, !mod ? (rm == 6 ? 2 : 0) : mod);
}

static int take_sib(struct operand *op, struct bytes *b)
{
	uint8_t sib;

	if (b->pos >= b->len)
		return -1;
	sib = b->at[b->pos++];
	op->scale = sib >> 6;
	op->index = (sib >> 3 & 7) | (b->rex << 2 & 8);
	if (op->index == REG_SP)
		op->index = OPERAND_NONE;
	op->base = sib & 7;
	return 0;
}

static int memory_32(struct operand *op, struct bytes *b, uint8_t modrm,
		     enum insn_mode mode)
{
	unsigned int mod = modrm >> 6;
	bool sib = (modrm & 7) == REG_SP;

	op->base = modrm & 7;
	if (sib && take_sib(op, b))
		return -1;
	if (!mod && op->base == REG_BP) {
		op->base = OPERAND_NONE;
		op->rip = mode == INSN_64 && !sib;
		return take_disp(op, b, 4);
	}
	op->base |= b->rex << 3 & 8;
	return take_disp(op, b, !mod ? 0 : mod == 1 ? 1 : 4);
}

static int take_memory(struct operand *op, struct bytes *b, uint8_t modrm,
		       enum insn_mode mode)
{
	int err = op->addr_size == 2 ? memory_16(op, b, modrm) :
		  memory_32(op, b, modrm, mode);

	/* What is addressed by BP or SP is on the stack. */
	if (!op->explicit_seg && (op->base == REG_BP || op->base == REG_SP))
		op->seg = SEG_SS;
	return err;
}

int operand_decode(struct operand *op, enum insn_mode mode,
		   const uint8_t *bytes, size_t len)
{
	struct bytes b = { .at = bytes, .len = len };
	uint8_t modrm;

	*op = (struct operand){
		.base = OPERAND_NONE, .index = OPERAND_NONE, .seg = SEG_DS,
	};
	prefixes(op, mode, &b);
	if (len - b.pos < 3)
		return -1;
	modrm = bytes[b.pos + 2];
	b.pos += 3;
	op->rex_w = b.rex & 8;
	if (mode == INSN_64)
		op->addr_size = b.addr ? 4 : 8;
	else
		op->addr_size = b.addr != (mode == INSN_16) ? 2 : 4;
	op->memory = modrm >> 6 != 3;
	if (!op->memory)
		op->base = (modrm & 7) | (b.rex << 3 & 8);
	else if (take_memory(op, &b, modrm, mode))
		return -1;
	op->len = b.pos;
	return 0;
}

uint64_t operand_offset(const struct operand *op, const uint64_t regs[16],
			uint64_t next)
{
	uint64_t offset = (int64_t)op->disp;

	if (op->rip)
		offset += next;
	if (op->base != OPERAND_NONE)
		offset += regs[op->base];
	if (op->index != OPERAND_NONE)
		offset += regs[op->index] << op->scale;
	if (op->addr_size == 8)
		return offset;
	return op->addr_size == 2 ? (uint16_t)offset : (uint32_t)offset;
}
