/* SPDX-License-Identifier: MIT */
/*
 * The PT hardware model's classifier against Zydis, in 16, 32 and 64-bit code:
 * the bytes of .text of system binaries, and random bytes behind random
 * prefixes. Some instructions are written out by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <Zydis/Zydis.h>

#include "tests/ptmodel/classify.h"

#define IP		0x12345678ULL
#define SWEEP_BYTES	(4UL << 20)
#define RANDOM_INSNS	3000000

static const char *const files[] = {
	"/bin/bash", "/usr/lib/x86_64-linux-gnu/libc.so.6",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
};

static const enum insn_mode modes[] = { INSN_16, INSN_32, INSN_64 };

struct referee {
	ZydisDecoder decoder;
	enum insn_mode mode;
	unsigned long insns, branches, different;
};

static void init(struct referee *r, enum insn_mode mode)
{
	ZydisMachineMode machine = mode == INSN_64 ?
		ZYDIS_MACHINE_MODE_LONG_64 : mode == INSN_32 ?
		ZYDIS_MACHINE_MODE_LEGACY_32 : ZYDIS_MACHINE_MODE_LEGACY_16;
	ZydisStackWidth stack = mode == INSN_64 ? ZYDIS_STACK_WIDTH_64 :
		mode == INSN_32 ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_16;

	memset(r, 0, sizeof(*r));
	r->mode = mode;
	assert_true(ZYAN_SUCCESS(ZydisDecoderInit(&r->decoder, machine,
						  stack)));
}

static bool is_far(const ZydisDecodedInstruction *z)
{
	return z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
}

static enum insn_class class_of_branch(const ZydisDecodedInstruction *z)
{
	bool direct = z->raw.imm[0].is_relative;

	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return INSN_JCC;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return is_far(z) ? INSN_FAR : direct ? INSN_JMP : INSN_IJMP;
	case ZYDIS_CATEGORY_CALL:
		return is_far(z) ? INSN_FAR : direct ? INSN_CALL : INSN_ICALL;
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
		return INSN_FAR;
	default:
		return INSN_OTHER;
	}
}

static enum insn_class class_of(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		return INSN_LOOP;
	case ZYDIS_MNEMONIC_JCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_JRCXZ:
		return INSN_JCXZ;
	case ZYDIS_MNEMONIC_RET:
		return is_far(z) ? INSN_FAR : INSN_RET;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
		return INSN_IRET;
	case ZYDIS_MNEMONIC_RSM:
		return INSN_FAR;
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INTO:
		return INSN_INT;
	case ZYDIS_MNEMONIC_CLI:
	case ZYDIS_MNEMONIC_STI:
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFD:
	case ZYDIS_MNEMONIC_POPFQ:
		return INSN_IFLAG;
	case ZYDIS_MNEMONIC_LMSW:
		return INSN_MOV_CR0;
	case ZYDIS_MNEMONIC_WRMSR:
		return INSN_WRMSR;
	case ZYDIS_MNEMONIC_RDMSR:
		return INSN_RDMSR;
	case ZYDIS_MNEMONIC_CPUID:
		return INSN_CPUID;
	case ZYDIS_MNEMONIC_RDTSC:
	case ZYDIS_MNEMONIC_RDTSCP:
		return INSN_RDTSC;
	case ZYDIS_MNEMONIC_LGDT:
		return INSN_LGDT;
	case ZYDIS_MNEMONIC_LIDT:
		return INSN_LIDT;
	case ZYDIS_MNEMONIC_PTWRITE:
		return INSN_PTWRITE;
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_XEND:
		return INSN_OTHER;
	default:
		return class_of_branch(z);
	}
}

/* MOV CRn: Zydis puts the register into an operand. */
static enum insn_class expected(const ZydisDecodedInstruction *z)
{
	if (z->mnemonic != ZYDIS_MNEMONIC_MOV || z->opcode != 0x22 ||
	    z->opcode_map != ZYDIS_OPCODE_MAP_0F)
		return class_of(z);
	/* REX.R or LOCK make it CR8 and above. */
	switch (z->raw.modrm.reg) {
	case 0:
		return INSN_MOV_CR0;
	case 3:
		return INSN_MOV_CR3;
	}
	return INSN_OTHER;
}

/*
 * Not in any processor with Intel PT; a higher register by REX.R, LOCK; #UD by
 * the SDM (66 before PTWRITE).
 */
static bool passed_over(const ZydisDecodedInstruction *z)
{
	if (z->mnemonic == ZYDIS_MNEMONIC_JKZD ||
	    z->mnemonic == ZYDIS_MNEMONIC_JKNZD)
		return true;
	if (z->mnemonic == ZYDIS_MNEMONIC_PTWRITE)
		return z->attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE;
	return z->mnemonic == ZYDIS_MNEMONIC_MOV && z->opcode == 0x22 &&
	       ((z->attributes & ZYDIS_ATTRIB_HAS_LOCK) || z->raw.rex.R);
}

static bool target_equal(const struct insn_info *info,
			 const ZydisDecodedInstruction *z)
{
	uint64_t mask = z->operand_width == 64 ? ~0ULL :
			(1ULL << z->operand_width) - 1;
	uint64_t next = (IP + z->length) & mask;

	return insn_target(info, next) ==
	       ((next + (uint64_t)z->raw.imm[0].value.s) & mask);
}

static bool equal(const struct insn_info *info,
		  const ZydisDecodedInstruction *z)
{
	if (info->class != expected(z))
		return false;
	if (info->class >= INSN_JCC && info->class <= INSN_CALL &&
	    !target_equal(info, z))
		return false;
	if (info->class == INSN_LOOP || info->class == INSN_JCXZ)
		return info->addr_size * 8 == z->address_width;
	if (z->mnemonic == ZYDIS_MNEMONIC_INT)
		return info->vector == z->raw.imm[0].value.u;
	return true;
}

/* Return: length to go on by. */
static size_t compare(struct referee *r, const uint8_t *p, size_t n)
{
	ZydisDecodedInstruction z;
	struct insn_info info;
	size_t i;

	if (n > 15)
		n = 15;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&r->decoder, ZYAN_NULL,
							p, n, &z)))
		return 1;
	if (passed_over(&z))
		return z.length;
	insn_classify(&info, r->mode, p, z.length);
	r->insns++;
	r->branches += info.class != INSN_OTHER;
	if (equal(&info, &z))
		return z.length;
	if (r->different++ < 10) {
		print_message("%d-bit, class %d, Zydis %s:", r->mode,
			      info.class, ZydisMnemonicGetString(z.mnemonic));
		for (i = 0; i < z.length; i++)
			print_message(" %02x", p[i]);
		print_message("\n");
	}
	return z.length;
}

static void sweep(struct referee *r, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	uint8_t *bytes;
	size_t at, len;

	if (fd < 0 || fstat(fd, &st)) {
		print_message("%s cannot be read\n", path);
		return;
	}
	len = (size_t)st.st_size < SWEEP_BYTES ? (size_t)st.st_size :
	      SWEEP_BYTES;
	bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	for (at = 0; at < len; )
		at += compare(r, bytes + at, len - at);
	munmap(bytes, len);
	close(fd);
}

static void agrees_with_zydis_on_binaries(void **state)
{
	struct referee r;
	size_t m, f;

	(void)state;
	for (m = 0; m < 3; m++) {
		init(&r, modes[m]);
		for (f = 0; f < sizeof(files) / sizeof(files[0]); f++)
			sweep(&r, files[f]);
		assert_true(r.branches > 100000);
		assert_int_equal(r.different, 0);
	}
}

/* Prefixes, then an opcode that is often one that counts. */
static void random_insn(uint8_t *p, unsigned int *seed)
{
	static const uint8_t prefixes[] = {
		0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x64, 0x48, 0x41,
	};
	static const uint8_t opcodes[] = {
		0x70, 0x7f, 0xe0, 0xe1, 0xe2, 0xe3, 0xe8, 0xe9, 0xeb, 0xc2,
		0xc3, 0xff, 0x9a, 0xea, 0xca, 0xcb, 0xcf, 0xcc, 0xcd, 0xce,
		0xf1, 0x9d, 0xfa, 0xfb,
	};
	static const uint8_t second[] = {
		0x05, 0x07, 0x34, 0x35, 0xaa, 0x01, 0x22, 0x30, 0x31, 0x32,
		0xa2, 0xae, 0x80, 0x8f, 0x84,
	};
	unsigned int i, k = 0;

	for (i = 0; i < 15; i++)
		p[i] = rand_r(seed) >> 8;
	while (rand_r(seed) % 3 == 0 && k < 4)
		p[k++] = prefixes[rand_r(seed) % sizeof(prefixes)];
	if (rand_r(seed) % 2) {
		p[k] = opcodes[rand_r(seed) % sizeof(opcodes)];
	} else if (rand_r(seed) % 4) {
		p[k++] = 0x0f;
		p[k] = second[rand_r(seed) % sizeof(second)];
	}
}

static void agrees_with_zydis_on_random_bytes(void **state)
{
	struct referee r;
	unsigned int seed = 1;
	uint8_t bytes[15];
	size_t m;
	long i;

	(void)state;
	for (m = 0; m < 3; m++) {
		init(&r, modes[m]);
		for (i = 0; i < RANDOM_INSNS; i++) {
			random_insn(bytes, &seed);
			compare(&r, bytes, sizeof(bytes));
		}
		assert_true(r.branches > RANDOM_INSNS / 4);
		assert_int_equal(r.different, 0);
	}
}

/* ---- by hand ---- */

static uint64_t target_of(enum insn_mode mode, const char *bytes, size_t len,
			  uint64_t next)
{
	struct insn_info info;

	insn_classify(&info, mode, (const uint8_t *)bytes, len);
	return insn_target(&info, next);
}

static void targets_wrap_at_the_operand_size(void **state)
{
	(void)state;
	/* jmp +10h at the end of a real mode segment */
	assert_int_equal(target_of(INSN_16, "\xeb\x10", 2, 0xfff8), 8);
	/* jmp rel16, backwards past 0 */
	assert_int_equal(target_of(INSN_16, "\xe9\xf0\xff", 3, 3), 0xfff3);
	/* the same with 66: 32 bits of EIP */
	assert_int_equal(target_of(INSN_16, "\x66\xe9\xf0\xff\xff\xff", 6, 6),
			 0xfffffff6);
	/* 66 in 32-bit code cuts EIP */
	assert_int_equal(target_of(INSN_32, "\x66\xeb\x02", 3, 0x12345678),
			 0x567a);
	/* and does nothing in 64-bit code */
	assert_int_equal(target_of(INSN_64, "\x66\xe9\x00\x01\x00\x00", 6,
				   0x7f0000000000), 0x7f0000000100);
}

static void loops_count_in_the_address_size(void **state)
{
	static const struct {
		enum insn_mode mode;
		const char *bytes;
		size_t len;
		uint64_t count;
		bool taken;
	} cases[] = {
		{ INSN_16, "\xe3\x00", 2, 0x10000, true },
		{ INSN_16, "\x67\xe3\x00", 3, 0x10000, false },
		{ INSN_32, "\xe2\x00", 2, 0x100000000, false },
		{ INSN_32, "\x67\xe2\x00", 3, 0x10000, false },
		{ INSN_64, "\xe2\x00", 2, 0x100000000, true },
		{ INSN_64, "\x67\xe2\x00", 3, 0x100000000, false },
	};
	struct insn_info info;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		insn_classify(&info, cases[i].mode,
			      (const uint8_t *)cases[i].bytes, cases[i].len);
		assert_int_equal(insn_jcc_taken(&info, 0, cases[i].count),
				 cases[i].taken);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_zydis_on_binaries),
		cmocka_unit_test(agrees_with_zydis_on_random_bytes),
		cmocka_unit_test(targets_wrap_at_the_operand_size),
		cmocka_unit_test(loops_count_in_the_address_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
