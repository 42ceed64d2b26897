/* SPDX-License-Identifier: MIT */
/*
 * The embedded kernel: checked as if it came from a stranger, then copied.
 */
#include "boot/loader/loader.h"

#include <elf.h>

static void __attribute__((noreturn)) damaged(const CHAR16 *what, UINT64 at)
{
	say(L"topaz-loader: kernel image: %s (offset %ld)\r\n", what, at);
	die(L"the loader carries a damaged kernel", EFI_LOAD_ERROR);
}

static UINT64 image_size(void)
{
	return (UINT64)(kernel_image_end - kernel_image);
}

static const Elf64_Ehdr *check_header(void)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)kernel_image;

	if (image_size() < sizeof(*eh))
		damaged(L"too short for an ELF header", 0);
	if (CompareMem(eh->e_ident, ELFMAG, SELFMAG) ||
	    eh->e_ident[EI_CLASS] != ELFCLASS64)
		damaged(L"no ELF64 magic", 0);
	if (eh->e_machine != EM_X86_64)
		damaged(L"not for x86-64", 18);
	if (eh->e_type != ET_EXEC)
		damaged(L"not an executable at a fixed address", 16);
	if (eh->e_phentsize != sizeof(Elf64_Phdr) || !eh->e_phnum ||
	    eh->e_phoff > image_size() ||
	    eh->e_phnum * sizeof(Elf64_Phdr) > image_size() - eh->e_phoff)
		damaged(L"program headers lie outside of the image", 32);
	return eh;
}

static void check_segment(const Elf64_Phdr *ph, UINT64 at)
{
	if (ph->p_offset > image_size() ||
	    ph->p_filesz > image_size() - ph->p_offset)
		damaged(L"segment lies outside of the image", at);
	if (ph->p_filesz > ph->p_memsz)
		damaged(L"segment is larger in the file than in memory", at);
	if (ph->p_vaddr % PAGE_SIZE || ph->p_vaddr < KERNEL_BASE ||
	    ph->p_memsz > 0x40000000 ||
	    ph->p_vaddr + ph->p_memsz - KERNEL_BASE > 0x40000000)
		damaged(L"segment is not in the kernel's address range", at);
	if ((ph->p_flags & (PF_W | PF_X)) == (PF_W | PF_X))
		damaged(L"segment is writable and executable", at);
}

UINTN kernel_segments(struct segment *segment)
{
	const Elf64_Ehdr *eh = check_header();
	UINTN nr = 0;

	for (UINTN i = 0; i < eh->e_phnum; i++) {
		UINT64 at = eh->e_phoff + i * sizeof(Elf64_Phdr);
		const Elf64_Phdr *ph = (const Elf64_Phdr *)(kernel_image + at);

		if (ph->p_type != PT_LOAD || !ph->p_memsz)
			continue;
		if (nr == MAX_SEGMENTS)
			damaged(L"too many segments", at);
		check_segment(ph, at);
		segment[nr++] = (struct segment){
			.vaddr = ph->p_vaddr,
			.offset = ph->p_offset,
			.filesz = ph->p_filesz,
			.memsz = ph->p_memsz,
			.flags = (ph->p_flags & PF_X ? SEGMENT_X : 0) |
				 (ph->p_flags & PF_W ? SEGMENT_W : 0),
		};
	}
	if (!nr)
		damaged(L"no segment to load", eh->e_phoff);
	return nr;
}

static int entry_in_code(UINT64 entry, const struct segment *s, UINTN nr)
{
	for (UINTN i = 0; i < nr; i++)
		if (s[i].flags & SEGMENT_X && entry >= s[i].vaddr &&
		    entry - s[i].vaddr < s[i].filesz)
			return 1;
	return 0;
}

/* The symbols stay of use: the whole file is kept as well. */
static void keep_file(struct kernel *kernel)
{
	kernel->file_size = image_size();
	kernel->file = alloc_pages(PAGES(image_size()), 0, L"kernel's symbols");
	CopyMem((void *)kernel->file, (void *)kernel_image, image_size());
}

void kernel_load(struct kernel *kernel)
{
	struct segment s[MAX_SEGMENTS];
	UINTN nr = kernel_segments(s);
	UINT64 end = KERNEL_BASE;

	kernel->entry = check_header()->e_entry;
	if (!entry_in_code(kernel->entry, s, nr))
		damaged(L"entry point is not in code", 24);
	for (UINTN i = 0; i < nr; i++)
		if (s[i].vaddr + s[i].memsz > end)
			end = s[i].vaddr + s[i].memsz;
	kernel->size = PAGES(end - KERNEL_BASE) * PAGE_SIZE;
	kernel->base = alloc_pages(PAGES(kernel->size), 0, L"kernel");
	for (UINTN i = 0; i < nr; i++)
		CopyMem((void *)(kernel->base + s[i].vaddr - KERNEL_BASE),
			(void *)(kernel_image + s[i].offset), s[i].filesz);
	keep_file(kernel);
}
