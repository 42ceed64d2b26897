/* SPDX-License-Identifier: MIT */
/*
 * ELF64 structures and the few constants that are used here.
 *
 * Source: System V ABI, "Object Files"; AMD64 supplement.
 */
#ifndef LIB_ELF_H
#define LIB_ELF_H

#include "lib/types.h"

/* \177ELF, 64 bit, little endian, version 1. */
#define ELF64_IDENT	"\177ELF\2\1\1"

#define ET_EXEC		2
#define ET_DYN		3
#define EM_X86_64	62

#define PT_LOAD		1
#define PT_DYNAMIC	2
#define PT_INTERP	3
#define PF_X		1u
#define PF_W		2u
#define PF_R		4u

#define SHT_SYMTAB	2
#define SHT_RELA	4
#define SHF_EXECINSTR	4u

#define STT_NOTYPE	0
#define STT_FUNC	2

#define DT_NULL		0
#define DT_RELA		7
#define DT_RELASZ	8
#define DT_RELAENT	9

#define R_X86_64_RELATIVE	8

struct elf64_ehdr {
	u8 e_ident[16];
	u16 e_type;
	u16 e_machine;
	u32 e_version;
	u64 e_entry;
	u64 e_phoff;
	u64 e_shoff;
	u32 e_flags;
	u16 e_ehsize;
	u16 e_phentsize;
	u16 e_phnum;
	u16 e_shentsize;
	u16 e_shnum;
	u16 e_shstrndx;
};
static_assert(sizeof(struct elf64_ehdr) == 64, "ELF header");

struct elf64_phdr {
	u32 p_type;
	u32 p_flags;
	u64 p_offset;
	u64 p_vaddr;
	u64 p_paddr;
	u64 p_filesz;
	u64 p_memsz;
	u64 p_align;
};
static_assert(sizeof(struct elf64_phdr) == 56, "ELF program header");

struct elf64_shdr {
	u32 sh_name;
	u32 sh_type;
	u64 sh_flags;
	u64 sh_addr;
	u64 sh_offset;
	u64 sh_size;
	u32 sh_link;
	u32 sh_info;
	u64 sh_addralign;
	u64 sh_entsize;
};
static_assert(sizeof(struct elf64_shdr) == 64, "ELF section header");

struct elf64_sym {
	u32 st_name;
	u8 st_info;
	u8 st_other;
	u16 st_shndx;
	u64 st_value;
	u64 st_size;
};
static_assert(sizeof(struct elf64_sym) == 24, "ELF symbol");

struct elf64_rela {
	u64 r_offset;
	u64 r_info;
	s64 r_addend;
};

struct elf64_dyn {
	s64 d_tag;
	u64 d_val;
};

#endif /* LIB_ELF_H */
