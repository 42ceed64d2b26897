/* SPDX-License-Identifier: MIT */
/*
 * x86 instructions as far as the flow needs them: length, class, target.
 *
 * Read in the order of the encoding: legacy prefixes, REX or one of the
 * compound prefixes (VEX, EVEX, XOP, REX2), opcode, ModRM with its
 * displacement, immediates.
 */
#include "pt/decode/insn.h"

#include "lib/err.h"
#include "pt/decode/insn_cursor.h"
#include "pt/decode/insn_table.h"

static int out_of_bytes(const struct insn_cursor *c)
{
	return c->limited ? -EINVAL : -ENODATA;
}

static int next_byte(struct insn_cursor *c, u8 *byte)
{
	if (c->pos >= c->n)
		return out_of_bytes(c);
	*byte = c->bytes[c->pos++];
	return 0;
}

/* The byte after the next ones, for encodings that it tells apart. */
static int peek_byte(const struct insn_cursor *c, u8 *byte)
{
	if (c->pos >= c->n)
		return out_of_bytes(c);
	*byte = c->bytes[c->pos];
	return 0;
}

static int skip_bytes(struct insn_cursor *c, size_t n)
{
	if (c->n - c->pos < n)
		return out_of_bytes(c);
	c->pos += n;
	return 0;
}

static int read_imm(struct insn_cursor *c, size_t n)
{
	u64 v = 0;

	if (c->n - c->pos < n)
		return out_of_bytes(c);
	for (size_t i = n; i-- > 0;)
		v = v << 8 | c->bytes[c->pos + i];
	c->pos += n;
	c->imm = n == 8 ? (s64)v : (s64)(v << (64 - 8 * n)) >> (64 - 8 * n);
	return 0;
}

/* ---- prefixes ---- */

static bool take_legacy_prefix(struct insn_cursor *c, u8 byte)
{
	switch (byte) {
	case 0x66:
		c->prefix_66 = true;
		return true;
	case 0x67:
		c->prefix_67 = true;
		return true;
	case 0xf2:
	case 0xf3:
		c->repeat = byte;
		return true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0xf0:
		return true;
	}
	return false;
}

/* Prefixes in any order; a REX counts only right before the opcode. */
static int read_prefixes(struct insn_cursor *c, u8 *opcode)
{
	for (;;) {
		int err = next_byte(c, opcode);

		if (err)
			return err;
		if (take_legacy_prefix(c, *opcode))
			c->rex = 0;
		else if (c->mode == INSN_MODE_64 && (*opcode & 0xf0) == 0x40)
			c->rex = *opcode;
		else
			return 0;
	}
}

/* ---- compound prefixes ---- */

static enum opcode_map vex_map(unsigned int m)
{
	switch (m) {
	case 1:
		return MAP_0F;
	case 2:
		return MAP_0F38;
	case 3:
		return MAP_0F3A;
	case 7:
		return MAP_VEX7;
	}
	return MAP_NONE;
}

static enum opcode_map evex_map(unsigned int m)
{
	static const enum opcode_map maps[8] = {
		MAP_NONE, MAP_0F, MAP_0F38, MAP_0F3A,
		MAP_EVEX4, MAP_EVEX5, MAP_EVEX6, MAP_VEX7,
	};

	return maps[m];
}

static enum opcode_map xop_map(unsigned int m)
{
	return m == 8 ? MAP_XOP8 : m == 9 ? MAP_XOP9 : m == 10 ? MAP_XOPA :
	       MAP_NONE;
}

/* Payload bytes behind the compound prefix; the first one stands at the cursor. */
static int read_compound(struct insn_cursor *c, size_t nr_payload,
			 enum opcode_map map)
{
	int err = skip_bytes(c, nr_payload);

	if (err)
		return err;
	c->compound = true;
	c->map = map;
	if (map == MAP_NONE)
		return -EINVAL;
	return next_byte(c, &c->opcode);
}

/*
 * VEX, EVEX, XOP or REX2 behind byte @first. Outside of 64-bit mode C4, C5 and
 * 62 are LES, LDS and BOUND unless the next byte looks like a register ModRM;
 * 8F is POP unless the map number is 8 or more.
 * Return: 1 when it was one, 0 when not, or an error.
 */
static int try_compound(struct insn_cursor *c, u8 first)
{
	u8 p0;
	int err;

	if (first != 0xc4 && first != 0xc5 && first != 0x62 && first != 0x8f &&
	    !(first == 0xd5 && c->mode == INSN_MODE_64))
		return 0;
	err = peek_byte(c, &p0);
	if (err)
		return err;
	if (first == 0x8f && (p0 & 31) < 8)
		return 0;
	if (first != 0x8f && c->mode != INSN_MODE_64 && p0 < 0xc0)
		return 0;
	switch (first) {
	case 0xc5:
		err = read_compound(c, 1, MAP_0F);
		break;
	case 0xc4:
		err = read_compound(c, 2, vex_map(p0 & 31));
		break;
	case 0x62:
		err = read_compound(c, 3, evex_map(p0 & 7));
		break;
	case 0x8f:
		err = read_compound(c, 2, xop_map(p0 & 31));
		break;
	default:
		/* REX2: legacy opcodes, W and R as in REX, map in bit 7. */
		err = read_compound(c, 1, p0 & 0x80 ? MAP_0F : MAP_1);
		c->compound = false;
		c->rex = 0x40 | (p0 & 15);
	}
	return err ? err : 1;
}

static int read_opcode(struct insn_cursor *c)
{
	u8 byte;
	int err = read_prefixes(c, &byte);

	if (err)
		return err;
	err = try_compound(c, byte);
	if (err)
		return err < 0 ? err : 0;
	c->opcode = byte;
	if (byte != 0x0f)
		return 0;
	c->map = MAP_0F;
	err = next_byte(c, &c->opcode);
	if (err || (c->opcode != 0x38 && c->opcode != 0x3a))
		return err;
	c->map = c->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
	return next_byte(c, &c->opcode);
}

/* ---- what follows the opcode ---- */

static u8 opcode_flags(const struct insn_cursor *c)
{
	switch (c->map) {
	case MAP_1:
		return insn_map_1[c->opcode];
	case MAP_0F:
		if (c->compound && c->opcode == 0x77)
			return 0;
		if (c->compound)
			return (insn_map_0f[c->opcode] & OP_IMM8) | OP_MODRM;
		return insn_map_0f[c->opcode];
	case MAP_EVEX4:
		return (insn_map_1[c->opcode] & (OP_IMM8 | OP_IMMZ)) | OP_MODRM;
	case MAP_0F3A:
	case MAP_XOP8:
		return OP_MODRM | OP_IMM8;
	default:
		return OP_MODRM;
	}
}

/* 2 or 4: what an operand-size dependent immediate takes. */
static size_t immz_size(const struct insn_cursor *c)
{
	bool small = c->prefix_66 != (c->mode == INSN_MODE_16);

	return c->rex & 8 || !small ? 4 : 2;
}

static size_t address_size(const struct insn_cursor *c)
{
	switch (c->mode) {
	case INSN_MODE_64:
		return c->prefix_67 ? 4 : 8;
	case INSN_MODE_32:
		return c->prefix_67 ? 2 : 4;
	default:
		return c->prefix_67 ? 4 : 2;
	}
}

static size_t displacement_16(u8 modrm)
{
	switch (modrm >> 6) {
	case 0:
		return (modrm & 7) == 6 ? 2 : 0;
	case 1:
		return 1;
	case 2:
		return 2;
	}
	return 0;
}

static int read_sib(struct insn_cursor *c, size_t *disp)
{
	u8 sib;
	int err = next_byte(c, &sib);

	if (!err && c->modrm >> 6 == 0 && (sib & 7) == 5)
		*disp = 4;
	return err;
}

static int read_modrm(struct insn_cursor *c)
{
	size_t disp;
	int err = next_byte(c, &c->modrm);

	if (err)
		return err;
	/* MOV to and from CR and DR: mod is ignored, always registers. */
	if (c->map == MAP_0F && !c->compound && c->opcode >= 0x20 &&
	    c->opcode <= 0x23)
		return 0;
	if (c->modrm >> 6 == 3)
		return 0;
	if (address_size(c) == 2)
		return skip_bytes(c, displacement_16(c->modrm));
	disp = c->modrm >> 6 == 1 ? 1 : c->modrm >> 6 == 2 ? 4 : 0;
	if (c->modrm >> 6 == 0 && (c->modrm & 7) == 5)
		disp = 4;
	if ((c->modrm & 7) == 4)
		err = read_sib(c, &disp);
	return err ? err : skip_bytes(c, disp);
}

/* Immediates that the tables cannot tell. */
static u8 special_flags(const struct insn_cursor *c, u8 flags)
{
	if ((c->map == MAP_1 || c->map == MAP_EVEX4) &&
	    (c->opcode == 0xf6 || c->opcode == 0xf7) && cursor_reg(c) < 2)
		return flags | (c->opcode == 0xf6 ? OP_IMM8 : OP_IMMZ);
	if (c->map == MAP_XOPA || c->map == MAP_VEX7)
		return flags;
	/* SSE4A: EXTRQ and INSERTQ take two bytes. */
	if (c->map == MAP_0F && !c->compound && c->opcode == 0x78 &&
	    (c->prefix_66 || c->repeat == 0xf2))
		return flags | OP_IMM16;
	return flags;
}

static bool is_near_branch(const struct insn_cursor *c)
{
	if (c->map == MAP_1)
		return c->opcode == 0xe8 || c->opcode == 0xe9;
	return c->map == MAP_0F && (c->opcode & 0xf0) == 0x80;
}

static int read_immediates(struct insn_cursor *c, u8 flags)
{
	int err = 0;

	if (flags & OP_MOFFS)
		err = skip_bytes(c, address_size(c));
	if (!err && flags & OP_FARPTR)
		err = skip_bytes(c, immz_size(c) + 2);
	if (!err && flags & OP_IMM16)
		err = read_imm(c, 2);
	if (!err && flags & OP_IMMV)
		err = skip_bytes(c, c->rex & 8 ? 8 : immz_size(c));
	/* Near branches of 64-bit code ignore the operand size prefix. */
	if (!err && flags & OP_IMMZ)
		err = read_imm(c, is_near_branch(c) && !c->compound &&
			       c->mode == INSN_MODE_64 ? 4 : immz_size(c));
	if (!err && flags & OP_IMM8)
		err = read_imm(c, 1);
	if (!err && (c->map == MAP_XOPA || c->map == MAP_VEX7))
		err = skip_bytes(c, 4);
	return err;
}

static u64 direct_target(const struct insn_cursor *c, u64 ip)
{
	u64 target = ip + c->pos + (u64)c->imm;

	if (c->mode == INSN_MODE_64)
		return target;
	return target & (immz_size(c) == 2 ? 0xffff : 0xffffffff);
}

static bool is_direct(enum branch_class class)
{
	return class == BRANCH_COND || class == BRANCH_JUMP ||
	       class == BRANCH_CALL;
}

int insn_decode(struct insn *insn, enum insn_mode mode, u64 ip,
		const u8 *bytes, size_t n)
{
	struct insn_cursor c = {
		.bytes = bytes,
		.n = min(n, (size_t)INSN_MAX_LEN),
		.limited = n >= INSN_MAX_LEN,
		.mode = mode,
		.map = MAP_1,
	};
	u8 flags;
	int err = read_opcode(&c);

	if (err)
		return err;
	flags = opcode_flags(&c);
	if (flags == OP_BAD || (flags & OP_BAD64 && c.map == MAP_1 &&
				mode == INSN_MODE_64))
		return -EINVAL;
	if (flags & OP_MODRM) {
		err = read_modrm(&c);
		flags = special_flags(&c, flags);
	}
	if (!err)
		err = read_immediates(&c, flags);
	if (err)
		return err;
	insn->len = (u8)c.pos;
	insn->class = (u8)insn_classify(&c);
	insn->mov_cr3 = c.map == MAP_0F && !c.compound && c.opcode == 0x22 &&
			cursor_reg(&c) == 3 && !(c.rex & 4);
	insn->ptwrite = c.map == MAP_0F && !c.compound && c.opcode == 0xae &&
			cursor_reg(&c) == 4 && c.repeat == 0xf3;
	insn->target = is_direct(insn->class) ? direct_target(&c, ip) : 0;
	return 0;
}
