/* SPDX-License-Identifier: MIT */
/*
 * The class of an instruction, from its opcode and ModRM.
 */
#include "pt/decode/insn_cursor.h"

static enum branch_class class_0f01(const struct insn_cursor *c)
{
	switch (c->modrm) {
	case 0xc2:		/* VMLAUNCH */
	case 0xc3:		/* VMRESUME */
		return BRANCH_FAR;
	case 0xca:		/* ERETS, ERETU with F2, F3; else CLAC */
		return c->repeat ? BRANCH_IRET : BRANCH_NONE;
	case 0xec:		/* UIRET with F3 */
		return c->repeat == 0xf3 ? BRANCH_IRET : BRANCH_NONE;
	}
	return BRANCH_NONE;
}

static enum branch_class class_0f(const struct insn_cursor *c)
{
	switch (c->opcode) {
	case 0x01:
		return class_0f01(c);
	case 0x05:
	case 0x34:
		return BRANCH_SYSCALL;
	case 0x07:
	case 0x35:
		return BRANCH_SYSRET;
	case 0xaa:		/* RSM */
		return BRANCH_FAR;
	}
	return (c->opcode & 0xf0) == 0x80 ? BRANCH_COND : BRANCH_NONE;
}

static enum branch_class class_ff(const struct insn_cursor *c)
{
	switch (cursor_reg(c)) {
	case 2:
		return BRANCH_ICALL;
	case 4:
		return BRANCH_IJUMP;
	case 3:
	case 5:
		return BRANCH_FAR;
	}
	return BRANCH_NONE;
}

static enum branch_class class_1(const struct insn_cursor *c)
{
	switch (c->opcode) {
	case 0xe0:
	case 0xe1:
	case 0xe2:
	case 0xe3:
		return BRANCH_COND;
	case 0xe8:
		return BRANCH_CALL;
	case 0xe9:
	case 0xeb:
		return BRANCH_JUMP;
	case 0xc2:
	case 0xc3:
		return BRANCH_RETURN;
	case 0xca:
	case 0xcb:
	case 0x9a:
	case 0xea:
		return BRANCH_FAR;
	case 0xcf:
		return BRANCH_IRET;
	case 0xcc:
	case 0xcd:
	case 0xf1:
		return BRANCH_INTERRUPT;
	case 0xff:
		return class_ff(c);
	}
	return (c->opcode & 0xf0) == 0x70 ? BRANCH_COND : BRANCH_NONE;
}

enum branch_class insn_classify(const struct insn_cursor *c)
{
	if (c->compound)
		return BRANCH_NONE;
	if (c->map == MAP_1)
		return class_1(c);
	return c->map == MAP_0F ? class_0f(c) : BRANCH_NONE;
}
