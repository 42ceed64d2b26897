/* SPDX-License-Identifier: MIT */
/*
 * A UEFI program's file, as far as this project makes and checks it.
 *
 * Microsoft, "PE Format": PE32+ for x86-64. All fields are little endian, and
 * so is every host that builds this.
 */
#ifndef TOOLS_PE_H
#define TOOLS_PE_H

#include <stddef.h>
#include <stdint.h>

#define PE_DOS_MAGIC		0x5a4d		/* "MZ" */
#define PE_DOS_LFANEW		0x3c		/* u32: where the PE header is */
#define PE_MAGIC		0x00004550	/* "PE\0\0" */
#define PE_MACHINE_X86_64	0x8664
#define PE_OPT_MAGIC		0x20b		/* PE32+ */
#define PE_SUBSYSTEM_EFI_APP	10

#define PE_SECTION_ALIGN	0x1000
#define PE_FILE_ALIGN		0x200

/* struct pe_header.characteristics */
#define PE_RELOCS_STRIPPED	0x0001
#define PE_EXECUTABLE		0x0002
#define PE_LARGE_ADDRESS	0x0020
#define PE_DEBUG_STRIPPED	0x0200

/* struct pe_header.dll_characteristics */
#define PE_HIGH_ENTROPY_VA	0x0020
#define PE_DYNAMIC_BASE		0x0040
#define PE_NX_COMPAT		0x0100

/* struct pe_section.characteristics */
#define PE_SCN_CODE		0x00000020
#define PE_SCN_DATA		0x00000040
#define PE_SCN_DISCARDABLE	0x02000000
#define PE_SCN_X		0x20000000
#define PE_SCN_R		0x40000000
#define PE_SCN_W		0x80000000

#define PE_NR_DIRS		16
#define PE_DIR_CERTIFICATE	4	/* its address is a file offset */
#define PE_DIR_RELOC		5

#define PE_REL_ABSOLUTE		0		/* padding */
#define PE_REL_DIR64		10

struct pe_dir {
	uint32_t address;
	uint32_t size;
};

/* Signature, COFF header and optional header. */
struct pe_header {
	uint32_t magic;
	uint16_t machine;
	uint16_t nr_sections;
	uint32_t time;
	uint32_t symbols;
	uint32_t nr_symbols;
	uint16_t opt_size;		/* from @opt_magic to the end of @dir */
	uint16_t characteristics;

	uint16_t opt_magic;
	uint16_t linker_version;
	uint32_t code_size;
	uint32_t data_size;
	uint32_t bss_size;
	uint32_t entry;
	uint32_t code_base;
	uint64_t image_base;
	uint32_t section_align;
	uint32_t file_align;
	uint32_t os_version;
	uint32_t image_version;
	uint32_t subsystem_version;
	uint32_t win32_version;
	uint32_t image_size;
	uint32_t headers_size;
	uint32_t checksum;
	uint16_t subsystem;
	uint16_t dll_characteristics;
	uint64_t stack_reserve;
	uint64_t stack_commit;
	uint64_t heap_reserve;
	uint64_t heap_commit;
	uint32_t loader_flags;
	uint32_t nr_dirs;
	struct pe_dir dir[PE_NR_DIRS];
};

#define PE_OPT_OFFSET	offsetof(struct pe_header, opt_magic)
_Static_assert(sizeof(struct pe_header) == 24 + 240, "PE32+ header");

struct pe_section {
	char name[8];
	uint32_t size;			/* in memory */
	uint32_t address;
	uint32_t raw_size;
	uint32_t raw;
	uint32_t relocs;
	uint32_t lines;
	uint16_t nr_relocs;
	uint16_t nr_lines;
	uint32_t characteristics;
};
_Static_assert(sizeof(struct pe_section) == 40, "PE section header");

/* Relocations of one page: then u16 entries, type << 12 | offset. */
struct pe_reloc_block {
	uint32_t page;
	uint32_t size;			/* with this header */
};

/**
 * pe_check() - is this a file that strict firmware starts
 * @file:	the whole file
 * @size:	bytes
 *
 * What is asked for: header and sections whole, aligned (0x1000 in memory,
 * 0x200 in the file), in order and apart; NX_COMPAT, subsystem 10; .text R-X,
 * .rodata R--, .data RW-, .sbat and .reloc R--, no other; entry in .text; each
 * relocation of 64 bits, and in .rodata or .data.
 *
 * Return: NULL, or what is wrong.
 */
const char *pe_check(const void *file, size_t size);

#endif /* TOOLS_PE_H */
