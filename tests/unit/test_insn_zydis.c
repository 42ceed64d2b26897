/* SPDX-License-Identifier: MIT */
/*
 * The classifier against Zydis: every byte of .text of large system binaries,
 * in a linear sweep, and random bytes in all three modes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <Zydis/Zydis.h>

#include "lib/err.h"
#include "pt/decode/insn.h"

static const char *const patterns[] = {
	"/usr/lib/gcc/x86_64-linux-gnu/*/cc1", "/usr/bin/python3.*",
	"/bin/bash", "/usr/lib/x86_64-linux-gnu/libc.so.6",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3", "/usr/bin/git",
	"/usr/bin/perl", "/usr/bin/qemu-system-x86_64",
	"/usr/lib/x86_64-linux-gnu/libm.so.6",
};

static enum branch_class zydis_class(const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return BRANCH_COND;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return BRANCH_FAR;
		return z->raw.imm[0].is_relative ? BRANCH_JUMP : BRANCH_IJUMP;
	case ZYDIS_CATEGORY_CALL:
		if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return BRANCH_FAR;
		return z->raw.imm[0].is_relative ? BRANCH_CALL : BRANCH_ICALL;
	case ZYDIS_CATEGORY_RET:
		if (z->mnemonic == ZYDIS_MNEMONIC_RET)
			return z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ?
			       BRANCH_FAR : BRANCH_RETURN;
		return BRANCH_IRET;
	case ZYDIS_CATEGORY_INTERRUPT:
		return BRANCH_INTERRUPT;
	case ZYDIS_CATEGORY_SYSCALL:
		return BRANCH_SYSCALL;
	case ZYDIS_CATEGORY_SYSRET:
		return BRANCH_SYSRET;
	default:
		break;
	}
	return BRANCH_NONE;
}

/*
 * TSX instructions: Zydis calls them branches; the trace has none for them.
 * BOUND and INTO go on to the next instruction when they do not trap.
 */
static enum branch_class expected_class(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_BOUND:
	case ZYDIS_MNEMONIC_INTO:
		return BRANCH_NONE;
	case ZYDIS_MNEMONIC_VMLAUNCH:
	case ZYDIS_MNEMONIC_VMRESUME:
	case ZYDIS_MNEMONIC_RSM:
		return BRANCH_FAR;
	default:
		return zydis_class(z);
	}
}

/* Knights Corner's mask jumps were never in a processor with Intel PT. */
static bool never_with_pt(const ZydisDecodedInstruction *z)
{
	return z->mnemonic == ZYDIS_MNEMONIC_JKZD ||
	       z->mnemonic == ZYDIS_MNEMONIC_JKNZD;
}

static void init_decoder(ZydisDecoder *d, enum insn_mode mode)
{
	static const struct {
		ZydisMachineMode machine;
		ZydisStackWidth width;
	} modes[] = {
		{ ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64 },
		{ ZYDIS_MACHINE_MODE_LEGACY_32, ZYDIS_STACK_WIDTH_32 },
		{ ZYDIS_MACHINE_MODE_LEGACY_16, ZYDIS_STACK_WIDTH_16 },
	};

	assert_true(ZYAN_SUCCESS(ZydisDecoderInit(d, modes[mode].machine,
						  modes[mode].width)));
}

static void show(const char *what, uint64_t at, const u8 *bytes)
{
	char hex[64] = "";

	for (int i = 0; i < 15; i++)
		sprintf(hex + 3 * i, "%02x ", bytes[i]);
	print_message("%s, length %lu, differs: %s\n", what, at, hex);
}

struct tally {
	unsigned long insns;
	unsigned long different;
};

/* Return: length to go on by. */
static size_t compare_one(ZydisDecoder *d, enum insn_mode mode, uint64_t ip,
			  const u8 *p, size_t n, struct tally *tally)
{
	ZydisDecodedInstruction z;
	struct insn ours;
	size_t have = n < 15 ? n : 15;
	bool theirs = ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
		d, ZYAN_NULL, p, have, &z));
	int err = insn_decode(&ours, mode, ip, p, have);

	if (!theirs || never_with_pt(&z))
		return 1;
	tally->insns++;
	if (!err && ours.len == z.length && ours.class == expected_class(&z)) {
		if (z.raw.imm[0].is_relative &&
		    (ours.class == BRANCH_COND || ours.class == BRANCH_CALL ||
		     ours.class == BRANCH_JUMP) && mode == INSN_MODE_64)
			assert_int_equal(ours.target, ip + z.length +
					 (uint64_t)z.raw.imm[0].value.s);
		return z.length;
	}
	if (tally->different++ < 25)
		show(ZydisMnemonicGetString(z.mnemonic), z.length, p);
	return z.length;
}

static void compare_range(const u8 *text, size_t size, uint64_t base,
			  struct tally *tally)
{
	ZydisDecoder d;

	init_decoder(&d, INSN_MODE_64);
	for (size_t off = 0; off < size;)
		off += compare_one(&d, INSN_MODE_64, base + off, text + off,
				   size - off, tally);
}

static void compare_file(const char *path, struct tally *tally)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	const u8 *file;
	const Elf64_Ehdr *eh;
	const Elf64_Phdr *ph;

	assert_true(fd >= 0 && !fstat(fd, &st));
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(file, MAP_FAILED);
	eh = (const Elf64_Ehdr *)file;
	ph = (const Elf64_Phdr *)(file + eh->e_phoff);
	for (int i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X)
			compare_range(file + ph[i].p_offset, ph[i].p_filesz,
				      ph[i].p_vaddr, tally);
	munmap((void *)file, (size_t)st.st_size);
	close(fd);
}

static bool is_elf(const char *path)
{
	char magic[4] = "";
	FILE *f = fopen(path, "rb");
	bool elf;

	if (!f)
		return false;
	elf = fread(magic, 1, 4, f) == 4 && !memcmp(magic, ELFMAG, SELFMAG);
	fclose(f);
	return elf;
}

static void no_instruction_of_large_binaries_differs_from_zydis(void **state)
{
	struct tally tally = { 0, 0 };
	glob_t found;

	(void)state;
	memset(&found, 0, sizeof(found));
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (!is_elf(found.gl_pathv[i]))
			continue;
		compare_file(found.gl_pathv[i], &tally);
		print_message("%s: %lu instructions so far, %lu differ\n",
			      found.gl_pathv[i], tally.insns, tally.different);
	}
	globfree(&found);
	if (!tally.insns) {
		print_message("skip: none of the binaries is on this machine\n");
		skip();
	}
	assert_int_equal(tally.different, 0);
	assert_true(tally.insns > 500000);
}

static void random_bytes_agree_in_every_mode(void **state)
{
	struct tally tally = { 0, 0 };
	u8 bytes[15];

	(void)state;
	srandom(1);
	for (int mode = INSN_MODE_64; mode <= INSN_MODE_16; mode++) {
		ZydisDecoder d;

		init_decoder(&d, (enum insn_mode)mode);
		for (int n = 0; n < 700000; n++) {
			for (int i = 0; i < 15; i++)
				bytes[i] = (u8)(random() >> 7);
			compare_one(&d, (enum insn_mode)mode, 0x1000, bytes,
				    sizeof(bytes), &tally);
		}
		print_message("mode %d: %lu instructions, %lu differ\n", mode,
			      tally.insns, tally.different);
	}
	assert_int_equal(tally.different, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_instruction_of_large_binaries_differs_from_zydis),
		cmocka_unit_test(random_bytes_agree_in_every_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
