/* SPDX-License-Identifier: MIT */
/*
 * Static ELF64 programs: checking a file and laying it out in memory.
 *
 * Structures are read by memcpy(): nothing in a file is aligned for sure.
 * Sources: System V ABI, "Object Files" and "Program Loading", and its AMD64
 * supplement.
 */
#include "run/elfload.h"

#include "lib/elf.h"
#include "lib/err.h"
#include "lib/string.h"
#include "run/user_vm.h"

/* What a program without a dynamic loader and a C library cannot have. */
#define PT_TLS		7

#define DT_NEEDED	1
#define DT_PLTRELSZ	2
#define DT_REL		17
#define DT_RELR		36

#define EHDR_AT(field)	offsetof(struct elf64_ehdr, field)
#define PHDR_AT(field)	offsetof(struct elf64_phdr, field)
#define MAX_PHDRS	64u

static int bad(struct elf_error *error, u64 offset, const char *reason)
{
	error->offset = offset;
	error->reason = reason;
	return -ENOEXEC;
}

static bool in_file(const struct elf_image *image, u64 offset, u64 n)
{
	return offset <= image->size && n <= image->size - offset;
}

static int check_header(struct elf_image *image, struct elf64_ehdr *ehdr,
			struct elf_error *error)
{
	if (image->size < sizeof(*ehdr))
		return bad(error, image->size, "shorter than an ELF header");
	memcpy(ehdr, image->file, sizeof(*ehdr));
	if (memcmp(ehdr->e_ident, ELF64_IDENT, sizeof(ELF64_IDENT) - 1))
		return bad(error, 0, "no ELF64 little-endian magic");
	if (ehdr->e_machine != EM_X86_64)
		return bad(error, EHDR_AT(e_machine), "not for x86-64");
	if (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN)
		return bad(error, EHDR_AT(e_type), "not an executable");
	if (ehdr->e_phentsize != sizeof(struct elf64_phdr))
		return bad(error, EHDR_AT(e_phentsize),
			   "wrong size of a program header");
	if (!ehdr->e_phnum || ehdr->e_phnum > MAX_PHDRS)
		return bad(error, EHDR_AT(e_phnum),
			   "no or too many program headers");
	if (!in_file(image, ehdr->e_phoff,
		     (u64)ehdr->e_phnum * sizeof(struct elf64_phdr)))
		return bad(error, EHDR_AT(e_phoff),
			   "program headers beyond the end of the file");
	return 0;
}

static unsigned int prot_of(u32 flags)
{
	return (flags & PF_R ? PROT_READ : 0) |
	       (flags & PF_W ? PROT_WRITE : 0) |
	       (flags & PF_X ? PROT_EXEC : 0);
}

static int check_load(const struct elf_image *image,
		      const struct elf64_phdr *ph, u64 at,
		      struct elf_error *error)
{
	u64 limit = USER_LOAD_MAX - image->bias;

	if (ph->p_flags & PF_W && ph->p_flags & PF_X)
		return bad(error, at + PHDR_AT(p_flags),
			   "segment both writable and executable");
	if (ph->p_filesz > ph->p_memsz)
		return bad(error, at + PHDR_AT(p_filesz),
			   "segment larger in the file than in memory");
	if (!in_file(image, ph->p_offset, ph->p_filesz))
		return bad(error, at + PHDR_AT(p_offset),
			   "segment beyond the end of the file");
	if (ph->p_memsz > ELF_MAX_MEMORY)
		return bad(error, at + PHDR_AT(p_memsz),
			   "segment larger than 256 MiB");
	if (ph->p_vaddr >= limit || ph->p_memsz > limit - ph->p_vaddr ||
	    ph->p_vaddr + image->bias < USER_LOAD_MIN)
		return bad(error, at + PHDR_AT(p_vaddr),
			   "segment outside of 10000..500000000000");
	return 0;
}

/* Segments must come in order, as the ABI wants, and share no page. */
static int check_order(const struct elf_image *image,
		       const struct elf_segment *seg, u64 at,
		       struct elf_error *error)
{
	const struct elf_segment *last;
	u64 total = seg->memsz;

	if (!image->nr_segments)
		return 0;
	last = &image->segment[image->nr_segments - 1];
	if ((seg->va & PAGE_MASK) <
	    round_up_u64(last->va + last->memsz, PAGE_SIZE))
		return bad(error, at + PHDR_AT(p_vaddr),
			   "segment not above the one before, or in its last page");
	for (unsigned int i = 0; i < image->nr_segments; i++)
		total += image->segment[i].memsz;
	if (total > ELF_MAX_MEMORY)
		return bad(error, at + PHDR_AT(p_memsz),
			   "segments larger than 256 MiB together");
	return 0;
}

static int add_segment(struct elf_image *image, const struct elf64_phdr *ph,
		       u64 at, struct elf_error *error)
{
	struct elf_segment seg;
	int err;

	if (!ph->p_memsz)
		return 0;
	if (image->nr_segments == ELF_MAX_SEGMENTS)
		return bad(error, at, "more than 16 segments");
	err = check_load(image, ph, at, error);
	if (err)
		return err;
	seg = (struct elf_segment){
		.va = ph->p_vaddr + image->bias,
		.memsz = ph->p_memsz,
		.offset = ph->p_offset,
		.filesz = ph->p_filesz,
		.prot = prot_of(ph->p_flags),
	};
	err = check_order(image, &seg, at, error);
	if (!err)
		image->segment[image->nr_segments++] = seg;
	return err;
}

/* File offset of @n bytes at the file's address @addr. Return: 0 or -EFAULT. */
static int file_offset(const struct elf_image *image, u64 addr, u64 n,
		       u64 *offset)
{
	for (unsigned int i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *seg = &image->segment[i];
		u64 pos = addr + image->bias - seg->va;

		if (pos > seg->filesz || n > seg->filesz - pos)
			continue;
		*offset = seg->offset + pos;
		return 0;
	}
	return -EFAULT;
}

struct dynamic {
	u64 rela;
	u64 rela_size;
	u64 rela_entry;
};

static int read_tag(struct dynamic *dynamic, const struct elf64_dyn *dyn,
		    u64 at, struct elf_error *error)
{
	switch (dyn->d_tag) {
	case DT_NEEDED:
		return bad(error, at, "needs a shared library");
	case DT_REL:
	case DT_RELR:
		return bad(error, at, "has relocations of a kind not loaded here");
	case DT_PLTRELSZ:
		return dyn->d_val ? bad(error, at, "has PLT relocations") : 0;
	case DT_RELA:
		dynamic->rela = dyn->d_val;
		return 0;
	case DT_RELASZ:
		dynamic->rela_size = dyn->d_val;
		return 0;
	case DT_RELAENT:
		dynamic->rela_entry = dyn->d_val;
		return 0;
	}
	return 0;
}

/* Finds the relocations. Their entries are checked when they are applied. */
static int read_dynamic(struct elf_image *image, const struct elf64_phdr *ph,
			u64 at, struct elf_error *error)
{
	struct dynamic dynamic = { 0 };
	struct elf64_dyn dyn;

	if (!in_file(image, ph->p_offset, ph->p_filesz))
		return bad(error, at + PHDR_AT(p_offset),
			   "dynamic section beyond the end of the file");
	for (u64 i = 0; i < ph->p_filesz / sizeof(dyn); i++) {
		u64 pos = ph->p_offset + i * sizeof(dyn);
		int err;

		memcpy(&dyn, image->file + pos, sizeof(dyn));
		if (dyn.d_tag == DT_NULL)
			break;
		err = read_tag(&dynamic, &dyn, pos, error);
		if (err)
			return err;
	}
	if (!dynamic.rela_size)
		return 0;
	if (dynamic.rela_entry != sizeof(struct elf64_rela) ||
	    dynamic.rela_size % sizeof(struct elf64_rela))
		return bad(error, ph->p_offset, "wrong size of a relocation");
	if (file_offset(image, dynamic.rela, dynamic.rela_size, &image->rela))
		return bad(error, ph->p_offset,
			   "relocations outside of the segments");
	image->nr_rela = dynamic.rela_size / sizeof(struct elf64_rela);
	return 0;
}

static int check_phdr(struct elf_image *image, const struct elf64_phdr *ph,
		      u64 at, struct elf_error *error)
{
	switch (ph->p_type) {
	case PT_LOAD:
		return add_segment(image, ph, at, error);
	case PT_INTERP:
		return bad(error, at, "needs a dynamic loader (PT_INTERP)");
	case PT_TLS:
		return bad(error, at, "has thread-local variables (PT_TLS)");
	}
	return 0;
}

static int check_entry(const struct elf_image *image, struct elf_error *error)
{
	for (unsigned int i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *seg = &image->segment[i];

		if (seg->prot & PROT_EXEC &&
		    image->entry - seg->va < seg->memsz)
			return 0;
	}
	return bad(error, EHDR_AT(e_entry), "entry point not in code");
}

typedef int (*phdr_fn)(struct elf_image *image, const struct elf64_phdr *ph,
		       u64 at, struct elf_error *error);

/* Calls @fn for each program header; for those of @type when it is not 0. */
static int for_each_phdr(struct elf_image *image,
			 const struct elf64_ehdr *ehdr, u32 type, phdr_fn fn,
			 struct elf_error *error)
{
	for (unsigned int i = 0; i < ehdr->e_phnum; i++) {
		struct elf64_phdr ph;
		u64 at = ehdr->e_phoff + i * sizeof(ph);
		int err;

		memcpy(&ph, image->file + at, sizeof(ph));
		if (type && ph.p_type != type)
			continue;
		err = fn(image, &ph, at, error);
		if (err)
			return err;
	}
	return 0;
}

int elf_check(struct elf_image *image, const void *file, size_t size,
	      struct elf_error *error)
{
	struct elf64_ehdr ehdr;
	int err;

	memset(image, 0, sizeof(*image));
	image->file = file;
	image->size = size;
	err = check_header(image, &ehdr, error);
	if (err)
		return err;
	image->bias = ehdr.e_type == ET_DYN ? USER_LOAD_BIAS : 0;
	image->entry = ehdr.e_entry + image->bias;
	err = for_each_phdr(image, &ehdr, 0, check_phdr, error);
	/* A static ET_EXEC relocates itself, if at all. */
	if (!err && ehdr.e_type == ET_DYN)
		err = for_each_phdr(image, &ehdr, PT_DYNAMIC, read_dynamic,
				    error);
	return err ? err : check_entry(image, error);
}

static bool in_segment(const struct elf_image *image, u64 va, u64 n)
{
	for (unsigned int i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *seg = &image->segment[i];
		u64 pos = va - seg->va;

		if (pos <= seg->memsz && n <= seg->memsz - pos)
			return true;
	}
	return false;
}

static int relocate(const struct elf_image *image, struct user_vm *uvm,
		    struct elf_error *error)
{
	struct elf64_rela rela;

	for (u64 i = 0; i < image->nr_rela; i++) {
		u64 at = image->rela + i * sizeof(rela);
		u64 value, va;

		memcpy(&rela, image->file + at, sizeof(rela));
		if (rela.r_info != R_X86_64_RELATIVE)
			return bad(error, at + 8,
				   "relocation other than R_X86_64_RELATIVE");
		va = rela.r_offset + image->bias;
		if (!in_segment(image, va, sizeof(value)))
			return bad(error, at,
				   "relocation outside of the segments");
		value = (u64)rela.r_addend + image->bias;
		if (user_vm_write(uvm, va, &value, sizeof(value)))
			return bad(error, at, "relocation of a page not there");
	}
	return 0;
}

int elf_load(const struct elf_image *image, struct user_vm *uvm,
	     struct elf_error *error)
{
	for (unsigned int i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *seg = &image->segment[i];
		int err = user_vm_alloc(uvm, seg->va, seg->memsz, seg->prot);

		if (!err)
			err = user_vm_write(uvm, seg->va,
					    image->file + seg->offset,
					    seg->filesz);
		if (err)
			return err;
	}
	return relocate(image, uvm, error);
}
