/* SPDX-License-Identifier: MIT */
/*
 * For host tests: a good static ELF64 program, to be broken.
 *
 * Included after cmocka.h.
 */
#ifndef TESTS_UNIT_ELF_FILE_H
#define TESTS_UNIT_ELF_FILE_H

#include <stdlib.h>
#include <string.h>

#include "lib/elf.h"
#include "lib/err.h"
#include "run/elfload.h"
#include "run/user_vm.h"

#define PT_TLS		7
#define DT_NEEDED	1
#define DT_PLTRELSZ	2
#define DT_REL		17
#define DT_RELR		36

#define EXEC_BASE	0x400000ULL
#define DATA_AT		0x3000ULL	/* from the base; not page aligned: */
#define DATA_SHIFT	0x120ULL
#define BSS_SIZE	0x2000ULL
#define TEXT_SIZE	64
#define MAX_PHDRS	64

enum { TEXT, DATA, DYNAMIC, NR_USED };

enum { NR_DYN = 6, NR_RELA = 3 };

/*
 * The data segment is all from data on; after it comes .bss. The file ends with
 * the segment, so that any cut is seen.
 */
struct file {
	struct elf64_ehdr ehdr;
	struct elf64_phdr phdr[MAX_PHDRS];
	u8 text[TEXT_SIZE];
	u64 data[4];
	struct elf64_dyn dyn[NR_DYN];
	struct elf64_rela rela[NR_RELA];
};

#define DATA_SIZE	(sizeof(struct file) - offsetof(struct file, data))
#define IN_DATA(field)	(DATA_AT + DATA_SHIFT + offsetof(struct file, field) - \
			 offsetof(struct file, data))
#define PHDR(i, field)	(offsetof(struct file, phdr[i]) + \
			 offsetof(struct elf64_phdr, field))
#define EHDR(field)	offsetof(struct elf64_ehdr, field)

static struct file file;
static u8 *copy;		/* of the file; image refers to it */
static struct elf_image image;
static struct elf_error error;

static inline void add_headers(u16 type, u64 base)
{
	file.ehdr = (struct elf64_ehdr){
		.e_type = type, .e_machine = EM_X86_64,
		.e_entry = base + 16, .e_phoff = offsetof(struct file, phdr),
		.e_phentsize = sizeof(struct elf64_phdr), .e_phnum = NR_USED,
	};
	memcpy(file.ehdr.e_ident, ELF64_IDENT, sizeof(ELF64_IDENT) - 1);
	file.phdr[TEXT] = (struct elf64_phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X,
		.p_offset = offsetof(struct file, text), .p_vaddr = base,
		.p_filesz = TEXT_SIZE, .p_memsz = TEXT_SIZE,
	};
	file.phdr[DATA] = (struct elf64_phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_W,
		.p_offset = offsetof(struct file, data),
		.p_vaddr = base + DATA_AT + DATA_SHIFT,
		.p_filesz = DATA_SIZE, .p_memsz = DATA_SIZE + BSS_SIZE,
	};
	file.phdr[DYNAMIC] = (struct elf64_phdr){
		.p_type = PT_DYNAMIC, .p_flags = PF_R | PF_W,
		.p_offset = offsetof(struct file, dyn),
		.p_vaddr = base + IN_DATA(dyn),
		.p_filesz = sizeof(file.dyn), .p_memsz = sizeof(file.dyn),
	};
}

static inline void file_start(u16 type)
{
	u64 base = type == ET_EXEC ? EXEC_BASE : 0;

	memset(&file, 0, sizeof(file));
	add_headers(type, base);
	for (unsigned int i = 0; i < TEXT_SIZE; i++)
		file.text[i] = (u8)(0x80 + i);
	for (unsigned int i = 0; i < 4; i++)
		file.data[i] = 0x1111111111111111ULL * (i + 1);
	file.dyn[0] = (struct elf64_dyn){ DT_RELA, base + IN_DATA(rela) };
	file.dyn[1] = (struct elf64_dyn){ DT_RELASZ, sizeof(file.rela) };
	file.dyn[2] = (struct elf64_dyn){ DT_RELAENT, sizeof(file.rela[0]) };
	file.dyn[3] = (struct elf64_dyn){ DT_PLTRELSZ, 0 };
	for (unsigned int i = 0; i < NR_RELA; i++)
		file.rela[i] = (struct elf64_rela){
			base + IN_DATA(data[i + 1]), R_X86_64_RELATIVE,
			(s64)(0x10 * i),
		};
}

/* Checks @size bytes of the file in a block of their own, at an odd address. */
static inline int check_bytes(size_t size)
{
	free(copy);
	copy = malloc(size + 1);
	assert_non_null(copy);
	memcpy(copy + 1, &file, size);
	memset(&error, 0, sizeof(error));
	return elf_check(&image, copy + 1, size, &error);
}

static inline int check(void)
{
	return check_bytes(sizeof(file));
}

static inline void expect_refusal_at(u64 offset, const char *reason_has)
{
	assert_int_equal(check(), -ENOEXEC);
	assert_non_null(error.reason);
	assert_int_equal(error.offset, offset);
	assert_non_null(strstr(error.reason, reason_has));
}

/* Tear-down of a group. */
static inline int free_copy(void **state)
{
	(void)state;
	free(copy);
	copy = NULL;
	return 0;
}

#endif /* TESTS_UNIT_ELF_FILE_H */
