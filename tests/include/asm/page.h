/* SPDX-License-Identifier: MIT */
/*
 * Host stand-in for asm/page.h: "physical" memory is one arena of the test.
 *
 * Address 0 of the arena has the physical address host_phys_base, so tests can
 * place memory above 4 GiB without owning any.
 */
#ifndef ASM_PAGE_H
#define ASM_PAGE_H

#include "lib/types.h"

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))

/* Owner: tests/unit/host_memory.c. */
extern unsigned char *host_memory;
extern phys_addr_t host_phys_base;

static inline void *phys_to_virt(phys_addr_t pa)
{
	return host_memory + (pa - host_phys_base);
}

static inline phys_addr_t virt_to_phys(const void *ptr)
{
	return (phys_addr_t)((const unsigned char *)ptr - host_memory) +
	       host_phys_base;
}

#endif /* ASM_PAGE_H */
