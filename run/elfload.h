/* SPDX-License-Identifier: MIT */
/*
 * Static ELF64 programs: checking a file and laying it out in memory.
 *
 * Takes ET_EXEC, and ET_DYN without a loader whose relocations are all
 * R_X86_64_RELATIVE (a static PIE). The file is hostile: nothing of it is used
 * before it was held against the file's size and the address space.
 */
#ifndef RUN_ELFLOAD_H
#define RUN_ELFLOAD_H

#include "lib/compiler.h"

struct user_vm;

#define ELF_MAX_SEGMENTS	16
#define ELF_MAX_MEMORY		(256ULL << 20)	/* all segments together */

/* A PT_LOAD segment; addresses have the bias in them. */
struct elf_segment {
	u64 va;
	u64 memsz;
	u64 offset;		/* in the file */
	u64 filesz;
	unsigned int prot;	/* PROT_*; never WRITE with EXEC */
};

struct elf_image {
	const u8 *file;
	size_t size;
	u64 bias;		/* added to the file's addresses */
	u64 entry;
	unsigned int nr_segments;	/* sorted, no page in two of them */
	struct elf_segment segment[ELF_MAX_SEGMENTS];
	u64 rela;		/* relocations: offset in the file */
	u64 nr_rela;
};

/* What is wrong with a file, and where. */
struct elf_error {
	u64 offset;		/* in the file */
	const char *reason;	/* constant */
};

/**
 * elf_check() - check a file and describe its image
 * @image:	filled; refers to @file
 * @error:	filled on -ENOEXEC
 *
 * Context: any; reads @file only.
 * Return: 0 or -ENOEXEC.
 */
int __must_check elf_check(struct elf_image *image, const void *file,
			   size_t size, struct elf_error *error);

/**
 * elf_load() - lay a checked image out in an address space
 * @error:	filled on -ENOEXEC
 *
 * Maps the segments, clears what the file does not fill, relocates.
 *
 * Context: thread. On error part of it is mapped.
 * Return: 0; -ENOEXEC for a relocation that is not ours; user_vm_alloc()'s
 * errors.
 */
int __must_check elf_load(const struct elf_image *image, struct user_vm *uvm,
			  struct elf_error *error);

#endif /* RUN_ELFLOAD_H */
