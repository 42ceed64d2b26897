/* SPDX-License-Identifier: MIT */
/*
 * Address spaces: 4-level page tables.
 *
 * Kernel half (upper 256 top-level entries) is shared by all; the lower half
 * belongs to one struct vm. No mapping is both writable and executable, page
 * 0 is never mapped. The direct map is a second, writable one of all RAM.
 */
#ifndef ASM_PAGING_H
#define ASM_PAGING_H

#include <asm/page.h>
#include "lib/compiler.h"

#define PROT_READ	0x1u
#define PROT_WRITE	0x2u
#define PROT_EXEC	0x4u
#define PROT_USER	0x8u
#define PROT_UC		0x10u	/* uncached: device registers */
#define PROT_WC		0x20u	/* write combining: frame buffers; needs the PAT */

#define USER_MAX	0x0000800000000000ULL

struct boot_info;

struct vm {
	phys_addr_t cr3;
};

/*
 * Where page tables come from: zeroed pages. Set before paging_init(), by who owns memory (mm/ is above us).
 */
struct page_source {
	phys_addr_t (*alloc)(void);		/* 0: none left */
	void (*free)(phys_addr_t pa);
};

void paging_set_source(const struct page_source *src);

extern struct vm kernel_vm;

/**
 * paging_init() - replace the loader's tables by our own
 * @bi:	hand-over; its memory map says what the direct map holds
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check paging_init(const struct boot_info *bi);

/**
 * vm_map() - map physical pages
 * @vm:		kernel_vm or a user address space
 * @va:		page aligned; user half unless @vm is kernel_vm
 * @pa:		page aligned
 * @size:	bytes, rounded up to pages
 * @prot:	PROT_*; WRITE with EXEC is refused
 *
 * Return: 0; -EINVAL for bad arguments; -EEXIST when a page is mapped already
 * (pages before it stay mapped); -ENOMEM.
 */
int __must_check vm_map(struct vm *vm, u64 va, phys_addr_t pa, u64 size,
			unsigned int prot);

/* Unmaps; flushes the calling CPU's TLB only. Holes are allowed. */
void vm_unmap(struct vm *vm, u64 va, u64 size);

/* Walks the tables. Return: 0 with *pa and *prot set, or -EFAULT. */
int __must_check vm_translate(const struct vm *vm, u64 va, phys_addr_t *pa,
			      unsigned int *prot);

/* A user address space with the kernel half in it. Return: 0 or -ENOMEM. */
int __must_check vm_create(struct vm *vm);
/* Frees the tables of the user half, not the pages mapped there. */
void vm_destroy(struct vm *vm);
void vm_switch(const struct vm *vm);

/**
 * ioremap() - map device registers, uncached
 *
 * Return: kernel address of @pa, or NULL when out of memory or address space,
 * or when the processor has no such addresses.
 */
void *ioremap(phys_addr_t pa, u64 size);

/* The same, write combining where the CPU has a PAT: never to be read. */
void *ioremap_wc(phys_addr_t pa, u64 size);

#endif /* ASM_PAGING_H */
