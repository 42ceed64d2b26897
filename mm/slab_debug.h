/* SPDX-License-Identifier: MIT */
/*
 * What the debug build adds to objects: a tail behind each with a red zone, the
 * size that was asked for and by whom; poison in free ones.
 *
 *	| object, size bytes | red zone .. | red[16] | caller | size | mark |
 *	|<------------------ slot of the cache's size -------------------->|
 *
 * Inside of mm/ only. In the release build all of it is nothing.
 */
#ifndef MM_SLAB_DEBUG_H
#define MM_SLAB_DEBUG_H

#include "mm/debug.h"

#define POISON_FREE	0x6b	/* a free object; Linux's names and values */
#define RED_ZONE	0xbb

typedef void (*slab_object_fn)(void *arg, const void *caller, u32 size,
			       u32 mark);

#if TOPAZ_DEBUG
struct slab_tail {
	u8 red[16];
	const void *caller;
	u32 size;		/* SIZE_FREED: poisoned; 0: never used */
	u32 mark;
};

#define SLAB_TAIL	sizeof(struct slab_tail)

void slab_debug_alloc(void *obj, size_t slot, size_t size, const void *caller);
void slab_debug_free(void *obj, size_t slot);
/* The same for an object that is a block of pages. */
void block_debug_alloc(struct page *page, size_t size);
void block_debug_free(const struct page *page);

/*
 * Calls @fn for each object in use of a slab's page.
 * Return: false when the page is not that of a slab.
 */
bool slab_for_each_object(const struct page *page, slab_object_fn fn,
			  void *arg);
/* For it: what stands behind one object in use. */
void slab_debug_visit(const void *obj, size_t slot, slab_object_fn fn,
		      void *arg);
#else
#define SLAB_TAIL	0

static inline void slab_debug_alloc(void *obj, size_t slot, size_t size,
				    const void *caller)
{
	(void)obj;
	(void)slot;
	(void)size;
	(void)caller;
}

static inline void slab_debug_free(void *obj, size_t slot)
{
	(void)obj;
	(void)slot;
}

static inline void block_debug_alloc(struct page *page, size_t size)
{
	(void)page;
	(void)size;
}

static inline void block_debug_free(const struct page *page)
{
	(void)page;
}
#endif

#endif /* MM_SLAB_DEBUG_H */
