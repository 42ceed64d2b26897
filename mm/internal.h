/* SPDX-License-Identifier: MIT */
/*
 * What mm/page.c and mm/slab.c share: allocation for a caller further up, and
 * the counters of what was refused.
 */
#ifndef MM_INTERNAL_H
#define MM_INTERNAL_H

#include "mm/page.h"

/* alloc_pages_node(); @caller is who the leak report names. */
struct page *page_alloc(int nid, gfp_t gfp, unsigned int order,
			const void *caller);

/* Counts and prints a refused free of an address that heads nothing in use. */
void page_refuse_wild(const void *ptr, const char *what);
void page_refuse_double(const void *ptr, const char *what);

#endif /* MM_INTERNAL_H */
