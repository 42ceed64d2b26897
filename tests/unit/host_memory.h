/* SPDX-License-Identifier: MIT */
/*
 * The memory and CPUs that host tests play with (tests/include/asm/).
 */
#ifndef TESTS_UNIT_HOST_MEMORY_H
#define TESTS_UNIT_HOST_MEMORY_H

#include <stddef.h>
#include "lib/types.h"

/* A page-aligned arena of @size bytes that starts at physical @base. */
void host_memory_init(size_t size, phys_addr_t base);
void host_memory_fini(void);

/* The same without a page of it being used yet: for gigabytes with holes. */
void host_memory_reserve(size_t size, phys_addr_t base);

/* The arena given to the page allocator (page_init) as one range. */
void host_pages_init(size_t size, phys_addr_t base);

/*
 * Set-up and tear-down of a cmocka group: 128 MiB of pages above 4 GiB. For the
 * group, since the allocators start once.
 */
#define HOST_GROUP_MEMORY	(128u << 20)
int host_pages_group_setup(void **state);
int host_pages_group_teardown(void **state);

#endif /* TESTS_UNIT_HOST_MEMORY_H */
