/* SPDX-License-Identifier: MIT */
/*
 * Small objects on top of the page allocator: power-of-two caches 16..2048
 * bytes; larger requests are whole page blocks.
 */
#ifndef MM_SLAB_H
#define MM_SLAB_H

#include "mm/page.h"

/**
 * kmalloc() - memory for an object
 * @size:	bytes, at least 1; the block is aligned to 16, and to a page from
 *		4096 bytes on
 * @gfp:	as for alloc_pages_node(); __GFP_ZERO clears
 *
 * Context: thread or interrupt; never in an NMI.
 * Return: the memory or NULL.
 */
void *kmalloc(size_t size, gfp_t gfp);

static inline void *kzalloc(size_t size, gfp_t gfp)
{
	return kmalloc(size, gfp | __GFP_ZERO);
}

/**
 * kcalloc() - cleared memory for @n objects of @size bytes
 *
 * Return: the memory; NULL when out of memory or when n * size overflows.
 */
void *kcalloc(size_t n, size_t size, gfp_t gfp);

/**
 * kfree() - give an object back
 * @ptr:	what kmalloc() returned; NULL is ignored
 *
 * A double free or a pointer that heads no object is reported, counted and
 * refused.
 *
 * Context: thread or interrupt; never in an NMI.
 */
void kfree(const void *ptr);

/* Gives the pages of empty slabs back, which caches keep. Context: thread. */
void slab_shrink(void);

#endif /* MM_SLAB_H */
