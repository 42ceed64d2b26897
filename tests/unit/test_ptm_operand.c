/* SPDX-License-Identifier: MIT */
/*
 * The PT hardware model's operands of PTWRITE against Zydis: length, address and
 * segment, in 16, 32 and 64-bit code, with random prefixes, ModRM and SIB.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <Zydis/Zydis.h>

#include "tests/ptmodel/operand.h"

#define ROUNDS	1000000
#define IP	0x7fff12345678ULL

static const ZydisRegister reg64[16] = {
	ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RDX,
	ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_RSP, ZYDIS_REGISTER_RBP,
	ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_R8,
	ZYDIS_REGISTER_R9, ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
	ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14,
	ZYDIS_REGISTER_R15,
};

static const ZydisRegister segs[] = {
	[SEG_ES] = ZYDIS_REGISTER_ES, [SEG_CS] = ZYDIS_REGISTER_CS,
	[SEG_SS] = ZYDIS_REGISTER_SS, [SEG_DS] = ZYDIS_REGISTER_DS,
	[SEG_FS] = ZYDIS_REGISTER_FS, [SEG_GS] = ZYDIS_REGISTER_GS,
};

static void random_ptwrite(uint8_t p[15], enum insn_mode mode,
			   unsigned int *seed)
{
	static const uint8_t prefixes[] = {
		0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x67,
	};
	unsigned int i, k = 0;

	for (i = 0; i < 15; i++)
		p[i] = rand_r(seed) >> 8;
	while (rand_r(seed) % 2 && k < 3)
		p[k++] = prefixes[rand_r(seed) % sizeof(prefixes)];
	p[k++] = 0xf3;
	if (mode == INSN_64 && rand_r(seed) % 2)
		p[k++] = 0x40 | (rand_r(seed) >> 4 & 15);
	p[k++] = 0x0f;
	p[k++] = 0xae;
	p[k] = (p[k] & 0xc7) | 4 << 3;
}

static void registers_of(ZydisRegisterContext *context,
			 const uint64_t regs[16])
{
	unsigned int i;

	memset(context, 0, sizeof(*context));
	for (i = 0; i < 16; i++)
		context->values[reg64[i]] = regs[i];
	/* Zydis looks for the register as it is named. */
	for (i = 0; i < 8; i++) {
		context->values[ZYDIS_REGISTER_EAX + i] = (uint32_t)regs[i];
		context->values[ZYDIS_REGISTER_R8D + i] = (uint32_t)regs[8 + i];
		context->values[ZYDIS_REGISTER_AX + i] = (uint16_t)regs[i];
	}
}

static void compare_memory(const struct operand *op,
			   const ZydisDecodedInstruction *z,
			   const ZydisDecodedOperand *zop)
{
	ZydisRegisterContext context;
	uint64_t regs[16], theirs;
	unsigned int i;

	for (i = 0; i < 16; i++)
		regs[i] = 0x0123456789abcdefULL * (2 * i + 1);
	registers_of(&context, regs);
	assert_int_equal(segs[op->seg], zop->mem.segment);
	assert_true(ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(z, zop, IP,
							    &context,
							    &theirs)));
	/* Zydis cuts by the address size but in 64-bit code. */
	if (op->addr_size == 4)
		theirs = (uint32_t)theirs;
	if (op->addr_size == 2)
		theirs = (uint16_t)theirs;
	assert_int_equal(operand_offset(op, regs, IP + op->len), theirs);
}

/*
 * SDM volume 2, "Special Cases of REX Encodings": REX.B does not count where
 * there is no base; this Zydis says R13.
 */
static bool zydis_is_wrong(const ZydisDecodedInstruction *z)
{
	return !z->raw.modrm.mod && z->raw.modrm.rm == 4 &&
	       z->raw.sib.base == 5 && z->raw.rex.B;
}

static void compare(const ZydisDecoder *decoder, enum insn_mode mode,
		    const uint8_t p[15])
{
	ZydisDecodedOperand zops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction z;
	struct operand op;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder, p, 15, &z, zops)))
		return;
	assert_int_equal(z.mnemonic, ZYDIS_MNEMONIC_PTWRITE);
	assert_int_equal(operand_decode(&op, mode, p, 15), 0);
	assert_int_equal(op.len, z.length);
	assert_int_equal(op.memory, zops[0].type == ZYDIS_OPERAND_TYPE_MEMORY);
	assert_int_equal(op.rex_w ? 64 : 32, zops[0].size);
	if (op.memory && !zydis_is_wrong(&z))
		compare_memory(&op, &z, &zops[0]);
	if (!op.memory)
		assert_int_equal(op.base,
				 ZydisRegisterGetId(zops[0].reg.value));
	/* One byte less is not enough. */
	assert_int_equal(operand_decode(&op, mode, p, z.length - 1), -1);
}

static void operands_are_as_zydis_has_them(void **state)
{
	static const struct {
		enum insn_mode mode;
		ZydisMachineMode machine;
		ZydisStackWidth stack;
	} modes[] = {
		{ INSN_16, ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16 },
		{ INSN_32, ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32 },
		{ INSN_64, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64 },
	};
	unsigned int i, seed = 1;
	ZydisDecoder decoder;
	uint8_t bytes[15];
	size_t m;

	(void)state;
	for (m = 0; m < 3; m++) {
		ZydisDecoderInit(&decoder, modes[m].machine, modes[m].stack);
		for (i = 0; i < ROUNDS; i++) {
			random_ptwrite(bytes, modes[m].mode, &seed);
			compare(&decoder, modes[m].mode, bytes);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_are_as_zydis_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
