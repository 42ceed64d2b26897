/* SPDX-License-Identifier: MIT */
/*
 * What the debug build (TOPAZ_DEBUG) adds to blocks of pages: poison in free
 * ones, who asked for those in use, and the report of what is still in use.
 *
 * Objects have the same in mm/slab_debug.h. In the release build all of it is
 * nothing.
 */
#ifndef MM_DEBUG_H
#define MM_DEBUG_H

#include "lib/printk.h"
#include "mm/page.h"

#define POISON_PAGE	0xaa	/* a free page; Linux's PAGE_POISON */

/* Who called the function that this stands in. */
#if TOPAZ_DEBUG
#define mm_caller()	__builtin_return_address(0)
#else
#define mm_caller()	NULL
#endif

/**
 * page_leak_mark() - from here on allocations must be given back
 *
 * What is in use now is not reported. Context: thread; the end of start-up.
 */
void page_leak_mark(void);

/**
 * page_leak_report() - what was taken since the mark and is still in use
 *
 * One line for each caller with its blocks, objects and bytes; after 64
 * callers the rest in one line. The release build says that it cannot know.
 *
 * Context: quiet time. Return: how many blocks and objects.
 */
u64 page_leak_report(struct printer *out);

/* Counts poison or a red zone that was overwritten. */
void page_count_corrupt(void);

/* Offset of the first byte of @mem that is not @byte; @n when all are. */
size_t first_other_byte(const void *mem, u8 byte, size_t n);

#if TOPAZ_DEBUG
void page_debug_alloc(struct page *page, unsigned int order,
		      const void *caller);
void page_debug_free(struct page *page, unsigned int order);
u32 page_debug_mark(void);
#else
static inline void page_debug_alloc(struct page *page, unsigned int order,
				    const void *caller)
{
	(void)page;
	(void)order;
	(void)caller;
}

static inline void page_debug_free(struct page *page, unsigned int order)
{
	(void)page;
	(void)order;
}
#endif

#endif /* MM_DEBUG_H */
