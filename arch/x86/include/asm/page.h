/* SPDX-License-Identifier: MIT */
/*
 * Page size and the two fixed windows of the kernel's address space.
 */
#ifndef ASM_PAGE_H
#define ASM_PAGE_H

#include "boot/boot_info.h"
#include "lib/types.h"

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))

/* The direct map holds RAM only; MMIO is mapped apart (asm/paging.h). */
static inline void *phys_to_virt(phys_addr_t pa)
{
	return (void *)(pa + HHDM_BASE);
}

/* @ptr must lie in the direct map. */
static inline phys_addr_t virt_to_phys(const void *ptr)
{
	return (phys_addr_t)ptr - HHDM_BASE;
}

#endif /* ASM_PAGE_H */
