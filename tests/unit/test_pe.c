/* SPDX-License-Identifier: MIT */
/*
 * The rules for a UEFI program's file: a right one, and one broken in each way
 * that firmware in the field refused.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pe.h"

#define NR		5
#define HEADER_AT	0x80
#define SIZE		(0x400 + NR * 0x200)

static const char sbat[] = "sbat,1,SBAT Version,sbat,1,none\n";

static struct {
	struct pe_header h;
	struct pe_section s[NR];
	uint8_t bytes[SIZE];
	size_t size;
} pe;

static void section(unsigned int i, const char *name, uint32_t rights)
{
	pe.s[i] = (struct pe_section){
		.size = 0x180,
		.address = 0x1000 * (i + 1),
		.raw_size = 0x200,
		.raw = 0x400 + 0x200 * i,
		.characteristics = rights,
	};
	memcpy(pe.s[i].name, name, strlen(name));
}

static void put_reloc(size_t at, uint32_t page, uint32_t size, uint16_t first,
		      uint16_t second)
{
	struct pe_reloc_block b = { .page = page, .size = size };
	uint16_t entry[2] = { first, second };

	memcpy(pe.bytes + pe.s[4].raw + at, &b, sizeof(b));
	memcpy(pe.bytes + pe.s[4].raw + at + sizeof(b), entry, sizeof(entry));
}

static int setup(void **state)
{
	(void)state;
	memset(&pe, 0, sizeof(pe));
	pe.size = SIZE;
	section(0, ".text", PE_SCN_CODE | PE_SCN_R | PE_SCN_X);
	section(1, ".rodata", PE_SCN_DATA | PE_SCN_R);
	section(2, ".data", PE_SCN_DATA | PE_SCN_R | PE_SCN_W);
	section(3, ".sbat", PE_SCN_DATA | PE_SCN_R);
	section(4, ".reloc", PE_SCN_DATA | PE_SCN_R | PE_SCN_DISCARDABLE);
	pe.h = (struct pe_header){
		.magic = PE_MAGIC,
		.machine = PE_MACHINE_X86_64,
		.nr_sections = NR,
		.opt_size = 240,
		.characteristics = PE_EXECUTABLE,
		.opt_magic = PE_OPT_MAGIC,
		.entry = 0x1010,
		.section_align = 0x1000,
		.file_align = 0x200,
		.image_size = 0x6000,
		.headers_size = 0x400,
		.subsystem = PE_SUBSYSTEM_EFI_APP,
		.dll_characteristics = PE_NX_COMPAT,
		.nr_dirs = PE_NR_DIRS,
	};
	pe.h.dir[PE_DIR_RELOC] = (struct pe_dir){ 0x5000, 24 };
	memcpy(pe.bytes, "MZ", 2);
	pe.bytes[PE_DOS_LFANEW] = HEADER_AT;
	memcpy(pe.bytes + pe.s[3].raw, sbat, sizeof(sbat));
	put_reloc(0, 0x2000, 12, 10 << 12 | 0x20, 0);
	put_reloc(12, 0x3000, 12, 10 << 12 | 0x178, 10 << 12 | 0x80);
	return 0;
}

/* From an exact allocation: reading past the end is caught. */
static const char *verdict(void)
{
	uint8_t *file = malloc(pe.size + !pe.size);
	const char *fault;

	assert_non_null(file);
	memcpy(pe.bytes + HEADER_AT, &pe.h, sizeof(pe.h));
	memcpy(pe.bytes + HEADER_AT + sizeof(pe.h), pe.s, sizeof(pe.s));
	memcpy(file, pe.bytes, pe.size);
	fault = pe_check(file, pe.size);
	free(file);
	return fault;
}

static void refused(const char *words)
{
	const char *fault = verdict();

	assert_non_null(fault);
	if (!strstr(fault, words))
		fail_msg("\"%s\" does not say \"%s\"", fault, words);
	setup(NULL);
}

static void a_right_file_is_accepted(void **state)
{
	(void)state;
	assert_null(verdict());
}

static void a_cut_file_is_refused_at_every_length(void **state)
{
	(void)state;
	for (size_t size = 0; size < SIZE; size++) {
		pe.size = size;
		assert_non_null(verdict());
	}
}

static void magics_and_machine_are_looked_at(void **state)
{
	(void)state;
	pe.bytes[0] = 'N';
	refused("MZ");
	pe.bytes[PE_DOS_LFANEW + 3] = 0x7f;
	refused("outside");
	pe.bytes[PE_DOS_LFANEW] = 0x84;
	refused("outside");
	pe.h.magic ^= 1;
	refused("PE signature");
	pe.h.machine = 0x14c;
	refused("x86-64");
	pe.h.opt_magic = 0x10b;
	refused("PE32+");
	pe.h.opt_size = 224;
	refused("PE32+");
	pe.h.nr_dirs = 5;
	refused("16 directories");
	pe.h.characteristics = 0;
	refused("not executable");
	pe.h.characteristics |= PE_RELOCS_STRIPPED;
	refused("stripped");
}

static void what_firmware_with_protection_wants_is_there(void **state)
{
	(void)state;
	pe.h.subsystem = 3;
	refused("subsystem");
	pe.h.dll_characteristics = PE_DYNAMIC_BASE;
	refused("NX_COMPAT");
	pe.h.section_align = 0x200;
	refused("SectionAlignment");
	pe.h.file_align = 0x1000;
	refused("FileAlignment");
}

static void no_section_is_writable_and_executable(void **state)
{
	(void)state;
	pe.s[0].characteristics |= PE_SCN_W;
	refused("writable and executable");
	pe.s[2].characteristics |= PE_SCN_X;
	refused("writable and executable");
	pe.s[1].characteristics |= PE_SCN_W;
	refused("rights");
	pe.s[1].characteristics |= PE_SCN_X;
	refused("rights");
	pe.s[0].characteristics &= ~PE_SCN_X;
	refused("rights");
	pe.s[2].characteristics &= ~PE_SCN_W;
	refused("rights");
}

static void sections_are_whole_aligned_and_apart(void **state)
{
	(void)state;
	pe.s[1].address += 0x200;
	refused("not aligned in memory");
	pe.s[1].size = 0;
	refused("empty");
	pe.s[0].size = 0x1001;
	refused("overlap in memory");
	pe.s[0].address = 0;
	refused("overlap in memory");
	pe.s[1].raw += 0x20;
	refused("not aligned in the file");
	pe.s[1].raw_size = 0x180;
	refused("not aligned in the file");
	pe.s[1].raw = pe.s[0].raw;
	refused("overlap in the file");
	pe.s[0].raw = 0;
	refused("overlap in the file");
	pe.s[4].raw = 0xfffffe00;
	refused("outside");
	pe.s[4].raw_size = 0xfffffe00;
	refused("outside");
	pe.s[1].size = 0xffffffff;
	refused("overlap in memory");
	pe.s[0].raw_size = 0x400;
	refused("larger in the file");
}

static void the_set_of_sections_is_fixed(void **state)
{
	(void)state;
	pe.h.nr_sections = 4;
	refused("not just");
	pe.h.nr_sections = 0xffff;
	refused("not just");
	memcpy(pe.s[3].name, ".sbas", 5);
	refused("unknown name");
	memcpy(pe.s[3].name, ".rodata", 7);
	refused("twice");
	pe.bytes[pe.s[3].raw] = 'S';
	refused(".sbat");
}

static void sizes_of_the_header_fit_the_sections(void **state)
{
	(void)state;
	pe.h.image_size = 0x7000;
	refused("SizeOfImage");
	pe.h.headers_size = 0x200;
	refused("SizeOfHeaders");
	pe.h.headers_size = 0x401;
	refused("SizeOfHeaders");
	pe.h.headers_size = 0xfffffe00;
	refused("SizeOfHeaders");
	pe.h.entry = 0x2000;
	refused("entry");
	pe.h.entry = 0;
	refused("entry");
	pe.h.entry = 0xffffffff;
	refused("entry");
}

static void relocations_are_of_64_bits_and_in_data(void **state)
{
	struct pe_dir *dir = &pe.h.dir[PE_DIR_RELOC];

	(void)state;
	dir->size = 0;
	refused("not in .reloc");
	dir->address = 0x4000;
	refused("not in .reloc");
	dir->size = 0x181;
	refused("not in .reloc");
	put_reloc(0, 0x2000, 4, 0, 0);
	refused("wrong size");
	put_reloc(0, 0x2000, 14, 0, 0);
	refused("wrong size");
	put_reloc(12, 0x2000, 16, 0, 0);
	refused("wrong size");
	put_reloc(12, 0x2000, 0xfffffffc, 0, 0);
	refused("wrong size");
	put_reloc(0, 0x2010, 12, 0, 0);
	refused("page aligned");
	put_reloc(0, 0x2000, 12, 3 << 12, 0);
	refused("64 bits");
	put_reloc(0, 0x1000, 12, 10 << 12, 0);
	refused(".data or .rodata");
	put_reloc(0, 0x2000, 12, 10 << 12 | 0x179, 0);
	refused(".data or .rodata");
	put_reloc(0, 0xfffff000, 12, 10 << 12 | 0xfff, 0);
	refused(".data or .rodata");
}

static void bytes_behind_the_sections_are_a_signature_or_nothing(void **state)
{
	(void)state;
	pe.s[4].raw_size = 0;
	refused("behind the last section");
	pe.s[4].raw_size = 0;
	pe.h.dir[PE_DIR_CERTIFICATE] = (struct pe_dir){ pe.s[4].raw, 0x200 };
	refused("not in .reloc");
}

static void random_damage_is_never_read_outside_the_file(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 200000; i++) {
		uint8_t *h = (uint8_t *)&pe.h, *s = (uint8_t *)pe.s;

		h[(size_t)rand() % sizeof(pe.h)] = (uint8_t)rand();
		s[(size_t)rand() % sizeof(pe.s)] = (uint8_t)rand();
		pe.bytes[(size_t)rand() % SIZE] = (uint8_t)rand();
		verdict();
		if (i % 3 == 2)
			setup(NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_right_file_is_accepted, setup),
		cmocka_unit_test_setup(a_cut_file_is_refused_at_every_length,
				       setup),
		cmocka_unit_test_setup(magics_and_machine_are_looked_at,
				       setup),
		cmocka_unit_test_setup(
			what_firmware_with_protection_wants_is_there, setup),
		cmocka_unit_test_setup(no_section_is_writable_and_executable,
				       setup),
		cmocka_unit_test_setup(sections_are_whole_aligned_and_apart,
				       setup),
		cmocka_unit_test_setup(the_set_of_sections_is_fixed, setup),
		cmocka_unit_test_setup(sizes_of_the_header_fit_the_sections,
				       setup),
		cmocka_unit_test_setup(relocations_are_of_64_bits_and_in_data,
				       setup),
		cmocka_unit_test_setup(
			bytes_behind_the_sections_are_a_signature_or_nothing,
			setup),
		cmocka_unit_test_setup(
			random_damage_is_never_read_outside_the_file, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
