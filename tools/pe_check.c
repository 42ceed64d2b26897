/* SPDX-License-Identifier: MIT */
/*
 * The rules for a UEFI program that firmware with memory protection, or with
 * an old parser, starts. The file is not trusted: nothing is read outside it.
 */
#include "tools/pe.h"

#include <stdbool.h>
#include <string.h>

#define SBAT_START	"sbat,1,"

struct pe {
	const uint8_t *file;
	size_t size;
	uint64_t at;			/* of the header */
	struct pe_header header;
	struct pe_section section[8];
	unsigned int nr;
};

static const struct rule {
	const char *name;
	uint32_t rights;
} rules[] = {
	{ ".text", PE_SCN_R | PE_SCN_X },
	{ ".rodata", PE_SCN_R },
	{ ".data", PE_SCN_R | PE_SCN_W },
	{ ".sbat", PE_SCN_R },
	{ ".reloc", PE_SCN_R },
};
#define NR_RULES	(sizeof(rules) / sizeof(rules[0]))

static bool copy(void *to, const struct pe *pe, uint64_t at, size_t n)
{
	if (at > pe->size || n > pe->size - at)
		return false;
	memcpy(to, pe->file + at, n);
	return true;
}

static const char *check_header(struct pe *pe)
{
	const struct pe_header *h = &pe->header;
	uint32_t lfanew;
	uint16_t dos;

	if (!copy(&dos, pe, 0, sizeof(dos)) || dos != PE_DOS_MAGIC)
		return "no MZ at its start";
	if (!copy(&lfanew, pe, PE_DOS_LFANEW, sizeof(lfanew)) || lfanew % 8 ||
	    !copy(&pe->header, pe, lfanew, sizeof(pe->header)))
		return "the PE header lies outside of the file";
	pe->at = lfanew;
	if (h->magic != PE_MAGIC)
		return "no PE signature";
	if (h->machine != PE_MACHINE_X86_64)
		return "not for x86-64";
	if (h->opt_magic != PE_OPT_MAGIC ||
	    h->opt_size != sizeof(*h) - PE_OPT_OFFSET ||
	    h->nr_dirs != PE_NR_DIRS)
		return "the optional header is not PE32+ with 16 directories";
	if (!(h->characteristics & PE_EXECUTABLE) ||
	    h->characteristics & PE_RELOCS_STRIPPED)
		return "not executable, or its relocations are stripped";
	if (h->subsystem != PE_SUBSYSTEM_EFI_APP)
		return "the subsystem is not 10, EFI application";
	if (!(h->dll_characteristics & PE_NX_COMPAT))
		return "NX_COMPAT is not set";
	if (h->section_align != PE_SECTION_ALIGN)
		return "SectionAlignment is not 0x1000";
	if (h->file_align != PE_FILE_ALIGN)
		return "FileAlignment is not 0x200";
	return NULL;
}

static const char *read_sections(struct pe *pe)
{
	uint64_t at = pe->at + sizeof(pe->header);
	size_t bytes = pe->header.nr_sections * sizeof(pe->section[0]);

	pe->nr = pe->header.nr_sections;
	if (pe->nr != NR_RULES)
		return "there are not just .text .rodata .data .sbat .reloc";
	if (!copy(pe->section, pe, at, bytes))
		return "the section table lies outside of the file";
	if (pe->header.headers_size % PE_FILE_ALIGN ||
	    pe->header.headers_size < at + bytes ||
	    pe->header.headers_size > pe->size)
		return "SizeOfHeaders is wrong";
	return NULL;
}

static uint64_t align(uint64_t x, uint64_t to)
{
	return (x + to - 1) / to * to;
}

static const char *check_section(const struct pe *pe,
				 const struct pe_section *s, uint64_t end,
				 uint64_t raw_end)
{
	uint32_t rights = s->characteristics & (PE_SCN_R | PE_SCN_W | PE_SCN_X);

	if ((rights & (PE_SCN_W | PE_SCN_X)) == (PE_SCN_W | PE_SCN_X))
		return "a section is writable and executable";
	if (!s->size || s->address % PE_SECTION_ALIGN)
		return "a section is empty or not aligned in memory";
	if (s->address < end)
		return "sections overlap in memory or are not in order";
	if (s->raw % PE_FILE_ALIGN || s->raw_size % PE_FILE_ALIGN)
		return "a section is not aligned in the file";
	if (s->raw < raw_end)
		return "sections overlap in the file or are not in order";
	if (s->raw > pe->size || s->raw_size > pe->size - s->raw)
		return "a section lies outside of the file";
	if (s->raw_size > align(s->size, PE_FILE_ALIGN))
		return "a section is larger in the file than in memory";
	for (size_t i = 0; i < NR_RULES; i++)
		if (!strncmp(s->name, rules[i].name, sizeof(s->name)))
			return rights == rules[i].rights ? NULL :
				"a section has not the rights of its name";
	return "a section has an unknown name";
}

static const char *check_sections(const struct pe *pe)
{
	uint64_t end = pe->header.headers_size;
	uint64_t raw_end = pe->header.headers_size;

	for (unsigned int i = 0; i < pe->nr; i++) {
		const struct pe_section *s = &pe->section[i];
		const char *fault = check_section(pe, s, end, raw_end);

		if (fault)
			return fault;
		end = (uint64_t)s->address + s->size;
		raw_end = (uint64_t)s->raw + s->raw_size;
	}
	if (pe->header.image_size != align(end, PE_SECTION_ALIGN))
		return "SizeOfImage is not the end of the last section";
	if (raw_end != pe->size && !pe->header.dir[PE_DIR_CERTIFICATE].size)
		return "there are bytes behind the last section";
	return NULL;
}

static const struct pe_section *find(const struct pe *pe, const char *name)
{
	for (unsigned int i = 0; i < pe->nr; i++)
		if (!strncmp(pe->section[i].name, name, 8))
			return &pe->section[i];
	return NULL;
}

static bool inside(const struct pe_section *s, uint64_t at, uint64_t n)
{
	return s && at >= s->address && n <= s->size &&
	       at - s->address <= s->size - n;
}

/* One page's relocations, @at in the file. */
static const char *check_block(const struct pe *pe, uint64_t at,
			       const struct pe_reloc_block *b)
{
	for (uint64_t i = sizeof(*b); i < b->size; i += 2) {
		uint64_t target;
		uint16_t entry;

		if (!copy(&entry, pe, at + i, sizeof(entry)))
			return "a relocation lies outside of the file";
		target = (uint64_t)b->page + (entry & 0xfff);
		if (entry >> 12 == PE_REL_ABSOLUTE)
			continue;
		if (entry >> 12 != PE_REL_DIR64)
			return "a relocation is not one of 64 bits";
		if (!inside(find(pe, ".data"), target, 8) &&
		    !inside(find(pe, ".rodata"), target, 8))
			return "a relocation is not in .data or .rodata";
	}
	return NULL;
}

static const char *check_relocs(const struct pe *pe)
{
	const struct pe_dir *dir = &pe->header.dir[PE_DIR_RELOC];
	const struct pe_section *s = find(pe, ".reloc");
	uint64_t at = 0;

	if (!dir->size || !inside(s, dir->address, dir->size) ||
	    dir->address - s->address + (uint64_t)dir->size > s->raw_size)
		return "the relocation directory is not in .reloc";
	while (at < dir->size) {
		uint64_t raw = s->raw + (dir->address - s->address) + at;
		struct pe_reloc_block b;
		const char *fault;

		if (dir->size - at < sizeof(b) ||
		    !copy(&b, pe, raw, sizeof(b)) || b.size < sizeof(b) ||
		    b.size % 4 || b.size > dir->size - at)
			return "a relocation block has a wrong size";
		if (b.page % PE_SECTION_ALIGN)
			return "a relocation block is not page aligned";
		fault = check_block(pe, raw, &b);
		if (fault)
			return fault;
		at += b.size;
	}
	return NULL;
}

static const char *check_rest(const struct pe *pe)
{
	const struct pe_section *sbat = find(pe, ".sbat");
	char start[sizeof(SBAT_START) - 1];

	for (size_t i = 0; i < NR_RULES; i++)
		if (!find(pe, rules[i].name))
			return "a section is there twice, another is missing";
	if (!inside(find(pe, ".text"), pe->header.entry, 1))
		return "the entry point is not in .text";
	if (!copy(start, pe, sbat->raw, sizeof(start)) ||
	    memcmp(start, SBAT_START, sizeof(start)))
		return ".sbat does not start with sbat,1";
	return check_relocs(pe);
}

const char *pe_check(const void *file, size_t size)
{
	struct pe pe = { .file = file, .size = size };
	const char *fault = check_header(&pe);

	if (!fault)
		fault = read_sections(&pe);
	if (!fault)
		fault = check_sections(&pe);
	if (!fault)
		fault = check_rest(&pe);
	return fault;
}
