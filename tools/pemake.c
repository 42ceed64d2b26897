/* SPDX-License-Identifier: MIT */
/*
 * Turns the linked loader, a position-independent ELF file, into a UEFI
 * program, and checks it.
 *
 * usage: pemake IN.elf OUT.efi
 *
 * The sections .text, .rodata, .data and .sbat are taken as they lie; relative
 * relocations become base relocations, any other is an error. The same input
 * gives the same bytes. Status 1: one line that says what is wrong.
 */
#include <elf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pe.h"

#define HEADER_AT	0x80
#define NR_SECTIONS	5
#define MAX_IMAGE	(64u << 20)

static const struct kind {
	const char *name;
	uint32_t characteristics;
} kinds[NR_SECTIONS] = {
	{ ".text", PE_SCN_CODE | PE_SCN_R | PE_SCN_X },
	{ ".rodata", PE_SCN_DATA | PE_SCN_R },
	{ ".data", PE_SCN_DATA | PE_SCN_R | PE_SCN_W },
	{ ".sbat", PE_SCN_DATA | PE_SCN_R },
	{ ".reloc", PE_SCN_DATA | PE_SCN_R | PE_SCN_DISCARDABLE },
};

struct elf {
	uint8_t *file;
	size_t size;
	const Elf64_Ehdr *eh;
	const Elf64_Shdr *sh;
};

struct out {
	uint8_t *file;
	uint32_t size;
	struct pe_header header;
	struct pe_section section[NR_SECTIONS];
};

static void __attribute__((noreturn, format(printf, 1, 2)))
fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("pemake: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static uint32_t align(uint64_t x, uint32_t to)
{
	if (x > MAX_IMAGE)
		fail("larger than %u bytes", MAX_IMAGE);
	return (uint32_t)(x + to - 1) / to * to;
}

/* ---- the ELF file ---- */

static const uint8_t *elf_bytes(const struct elf *elf, const Elf64_Shdr *sh)
{
	if (sh->sh_type == SHT_NOBITS || sh->sh_offset > elf->size ||
	    sh->sh_size > elf->size - sh->sh_offset)
		fail("a section has no bytes in the file");
	return elf->file + sh->sh_offset;
}

static bool is_kind(const char *name)
{
	for (unsigned int i = 0; i < NR_SECTIONS - 1; i++)
		if (!strcmp(name, kinds[i].name))
			return true;
	return false;
}

/* No code or data may be left behind: only what the linker says of them. */
static void elf_check_sections(const struct elf *elf)
{
	const Elf64_Shdr *strings = &elf->sh[elf->eh->e_shstrndx];
	const char *text = (const char *)elf_bytes(elf, strings);

	if (!strings->sh_size || text[strings->sh_size - 1])
		fail("the section names have no end");
	for (unsigned int i = 1; i < elf->eh->e_shnum; i++) {
		const Elf64_Shdr *sh = &elf->sh[i];

		if (sh->sh_name >= strings->sh_size)
			fail("a section has no name");
		if (sh->sh_flags & SHF_ALLOC && sh->sh_size &&
		    (sh->sh_type == SHT_PROGBITS ||
		     sh->sh_type == SHT_NOBITS) &&
		    !is_kind(text + sh->sh_name))
			fail("no place for section %s", text + sh->sh_name);
	}
}

static void elf_read(struct elf *elf, const char *path)
{
	FILE *in = fopen(path, "rb");

	if (!in)
		fail("%s cannot be opened", path);
	elf->file = malloc(MAX_IMAGE);
	if (!elf->file)
		fail("no memory");
	elf->size = fread(elf->file, 1, MAX_IMAGE, in);
	if (ferror(in) || elf->size == MAX_IMAGE)
		fail("%s cannot be read whole", path);
	fclose(in);
	elf->eh = (const Elf64_Ehdr *)elf->file;
	if (elf->size < sizeof(*elf->eh) ||
	    memcmp(elf->eh->e_ident, ELFMAG, SELFMAG) ||
	    elf->eh->e_machine != EM_X86_64 || elf->eh->e_type != ET_DYN)
		fail("%s is no position-independent x86-64 ELF file", path);
	if (elf->eh->e_shoff > elf->size || elf->eh->e_shoff % 8 ||
	    elf->eh->e_shnum * sizeof(Elf64_Shdr) >
	    elf->size - elf->eh->e_shoff ||
	    elf->eh->e_shstrndx >= elf->eh->e_shnum)
		fail("%s: the section table lies outside of the file", path);
	elf->sh = (const Elf64_Shdr *)(elf->file + elf->eh->e_shoff);
	elf_check_sections(elf);
}

static const Elf64_Shdr *elf_section(const struct elf *elf, const char *name)
{
	const Elf64_Shdr *strings = &elf->sh[elf->eh->e_shstrndx];
	const char *text = (const char *)elf_bytes(elf, strings);

	for (unsigned int i = 1; i < elf->eh->e_shnum; i++)
		if (!strcmp(text + elf->sh[i].sh_name, name))
			return &elf->sh[i];
	return NULL;
}

/* ---- the PE file ---- */

/* Appends zeroed room in the file. Return: the section's header. */
static struct pe_section *section_add(struct out *out, unsigned int i,
				      uint32_t address, uint64_t size)
{
	struct pe_section *s = &out->section[i];

	memcpy(s->name, kinds[i].name, strlen(kinds[i].name));
	s->characteristics = kinds[i].characteristics;
	s->address = address;
	s->size = (uint32_t)size;
	s->raw_size = align(size, PE_FILE_ALIGN);
	s->raw = out->size;
	out->size = s->raw + s->raw_size;
	if (align(out->size, 1) > MAX_IMAGE - PE_SECTION_ALIGN)
		fail("larger than %u bytes", MAX_IMAGE);
	return s;
}

static void copy_sections(struct out *out, const struct elf *elf)
{
	for (unsigned int i = 0; i < NR_SECTIONS - 1; i++) {
		const Elf64_Shdr *sh = elf_section(elf, kinds[i].name);
		struct pe_section *s;

		if (!sh || !sh->sh_size)
			fail("no section %s", kinds[i].name);
		if (sh->sh_addr > MAX_IMAGE || sh->sh_size > MAX_IMAGE)
			fail("%s is too far or too large", kinds[i].name);
		s = section_add(out, i, (uint32_t)sh->sh_addr, sh->sh_size);
		memcpy(out->file + s->raw, elf_bytes(elf, sh), sh->sh_size);
	}
}

/* Where 8 bytes of an address are in the file. */
static uint8_t *place(const struct out *out, uint64_t address)
{
	for (unsigned int i = 0; i < NR_SECTIONS - 1; i++) {
		const struct pe_section *s = &out->section[i];

		if (address >= s->address && s->size >= 8 &&
		    address - s->address <= s->size - 8)
			return out->file + s->raw + (address - s->address);
	}
	fail("a relocation at %#llx is in no section",
	     (unsigned long long)address);
}

static int address_cmp(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Applies the relocations for base 0. Return: their addresses, sorted. */
static uint64_t *apply_relocs(struct out *out, const struct elf *elf,
			      size_t *nr)
{
	const Elf64_Shdr *sh = elf_section(elf, ".rela.dyn");
	const uint8_t *bytes = sh ? elf_bytes(elf, sh) : NULL;
	uint64_t *address;

	*nr = sh ? sh->sh_size / sizeof(Elf64_Rela) : 0;
	address = calloc(*nr + 1, sizeof(*address));
	if (!address)
		fail("no memory");
	for (size_t i = 0; i < *nr; i++) {
		Elf64_Rela r;

		memcpy(&r, bytes + i * sizeof(r), sizeof(r));
		if (r.r_info != R_X86_64_RELATIVE)
			fail("a relocation of type %u at %#llx: only relative ones are known",
			     (unsigned int)ELF64_R_TYPE(r.r_info),
			     (unsigned long long)r.r_offset);
		memcpy(place(out, r.r_offset), &r.r_addend, 8);
		address[i] = r.r_offset;
	}
	qsort(address, *nr, sizeof(*address), address_cmp);
	return address;
}

/* Blocks of one page each. Without relocations: one that pads only. */
static uint32_t put_blocks(uint8_t *to, const uint64_t *address, size_t nr)
{
	uint32_t size = 0;
	size_t i = 0;

	do {
		struct pe_reloc_block b = {
			.page = (uint32_t)address[i] & ~0xfffu,
			.size = sizeof(b),
		};
		uint8_t *start = to + size;

		for (; i < nr && (address[i] & ~0xfffULL) == b.page; i++) {
			uint16_t entry = PE_REL_DIR64 << 12 |
					 (address[i] & 0xfff);

			memcpy(start + b.size, &entry, sizeof(entry));
			b.size += sizeof(entry);
		}
		b.size = align(b.size + !nr, 4);
		memcpy(start, &b, sizeof(b));
		size += b.size;
	} while (i < nr);
	return size;
}

static void add_relocs(struct out *out, const struct elf *elf)
{
	const struct pe_section *last = &out->section[NR_SECTIONS - 2];
	struct pe_dir *dir = &out->header.dir[PE_DIR_RELOC];
	size_t nr;
	uint64_t *address = apply_relocs(out, elf, &nr);

	/* At most a block and a padding for each: the buffer has that room. */
	if (nr > MAX_IMAGE / 16)
		fail("too many relocations");
	dir->address = align((uint64_t)last->address + last->size,
			     PE_SECTION_ALIGN);
	dir->size = put_blocks(out->file + out->size, address, nr);
	section_add(out, NR_SECTIONS - 1, dir->address, dir->size);
	free(address);
}

static void fill_header(struct out *out, const struct elf *elf)
{
	const struct pe_section *last = &out->section[NR_SECTIONS - 1];
	struct pe_header *h = &out->header;

	h->magic = PE_MAGIC;
	h->machine = PE_MACHINE_X86_64;
	h->nr_sections = NR_SECTIONS;
	h->opt_size = sizeof(*h) - PE_OPT_OFFSET;
	h->characteristics = PE_EXECUTABLE | PE_LARGE_ADDRESS |
			     PE_DEBUG_STRIPPED;
	h->opt_magic = PE_OPT_MAGIC;
	h->code_size = out->section[0].raw_size;
	h->data_size = out->size - out->section[1].raw;
	h->entry = (uint32_t)elf->eh->e_entry;
	h->code_base = out->section[0].address;
	h->section_align = PE_SECTION_ALIGN;
	h->file_align = PE_FILE_ALIGN;
	h->image_size = align((uint64_t)last->address + last->size,
			      PE_SECTION_ALIGN);
	h->headers_size = out->section[0].raw;
	h->subsystem = PE_SUBSYSTEM_EFI_APP;
	h->dll_characteristics = PE_NX_COMPAT | PE_DYNAMIC_BASE |
				 PE_HIGH_ENTROPY_VA;
	h->nr_dirs = PE_NR_DIRS;
}

static void put_headers(struct out *out)
{
	const uint16_t dos = PE_DOS_MAGIC;
	const uint32_t at = HEADER_AT;

	memcpy(out->file, &dos, sizeof(dos));
	memcpy(out->file + PE_DOS_LFANEW, &at, sizeof(at));
	memcpy(out->file + at, &out->header, sizeof(out->header));
	memcpy(out->file + at + sizeof(out->header), out->section,
	       sizeof(out->section));
}

int main(int argc, char **argv)
{
	struct out out = { 0 };
	struct elf elf;
	const char *fault;
	FILE *file;

	if (argc != 3) {
		fputs("usage: pemake IN.elf OUT.efi\n", stderr);
		return 2;
	}
	elf_read(&elf, argv[1]);
	/* Room for the image, and as much for the relocations. */
	out.file = calloc(2, MAX_IMAGE);
	if (!out.file)
		fail("no memory");
	out.size = align(HEADER_AT + sizeof(out.header) + sizeof(out.section),
			 PE_FILE_ALIGN);
	copy_sections(&out, &elf);
	add_relocs(&out, &elf);
	fill_header(&out, &elf);
	put_headers(&out);
	fault = pe_check(out.file, out.size);
	if (fault)
		fail("%s: %s", argv[1], fault);
	file = fopen(argv[2], "wb");
	if (!file || fwrite(out.file, 1, out.size, file) != out.size ||
	    fclose(file))
		fail("%s cannot be written", argv[2]);
	free(out.file);
	free(elf.file);
	return 0;
}
