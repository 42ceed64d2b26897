/* SPDX-License-Identifier: MIT */
/*
 * Red zones and poison of objects: debug build only.
 */
#include "mm/slab_debug.h"

#if TOPAZ_DEBUG

#include "lib/string.h"

#define SIZE_FREED	(~0u)

static struct slab_tail *tail_of(const void *obj, size_t slot)
{
	return (struct slab_tail *)((uintptr_t)obj + slot - SLAB_TAIL);
}

static void corrupt(const char *what, const void *obj, size_t offset,
		    const void *caller)
{
	page_count_corrupt();
	printk("mm: %s: object %p, byte %zu is %02x; allocated by %pB\n", what,
	       obj, offset, ((const u8 *)obj)[offset], caller);
}

void slab_debug_alloc(void *obj, size_t slot, size_t size, const void *caller)
{
	struct slab_tail *tail = tail_of(obj, slot);
	size_t room = slot - SLAB_TAIL;

	if (tail->size == SIZE_FREED) {
		size_t bad = first_other_byte(obj, POISON_FREE, room);

		if (bad < room)
			corrupt("a free object was written to", obj, bad,
				tail->caller);
	}
	memset((u8 *)obj + size, RED_ZONE, room - size);
	memset(tail->red, RED_ZONE, sizeof(tail->red));
	tail->caller = caller;
	tail->size = (u32)size;
	tail->mark = page_debug_mark();
}

void slab_debug_free(void *obj, size_t slot)
{
	struct slab_tail *tail = tail_of(obj, slot);
	size_t room = slot - SLAB_TAIL;
	size_t end = room + sizeof(tail->red);
	size_t bad;

	if (tail->size > room) {
		corrupt("the tail of an object was overwritten", obj, room,
			NULL);
	} else {
		bad = tail->size + first_other_byte((u8 *)obj + tail->size,
						    RED_ZONE,
						    end - tail->size);
		if (bad < end)
			corrupt("written behind an object", obj, bad,
				tail->caller);
	}
	memset(obj, POISON_FREE, room);
	tail->size = SIZE_FREED;
}

void slab_debug_visit(const void *obj, size_t slot, slab_object_fn fn,
		      void *arg)
{
	const struct slab_tail *tail = tail_of(obj, slot);

	fn(arg, tail->caller, tail->size, tail->mark);
}

/* ---- blocks of pages ---- */

void block_debug_alloc(struct page *page, size_t size)
{
	page->size = (u32)size;
	memset((u8 *)page_address(page) + size, RED_ZONE,
	       (PAGE_SIZE << page->order) - size);
}

void block_debug_free(const struct page *page)
{
	size_t end = PAGE_SIZE << page->order;
	u8 *mem = page_address(page);
	size_t bad;

	if (!page->size)
		return;		/* not of kmalloc() */
	bad = page->size + first_other_byte(mem + page->size, RED_ZONE,
					    end - page->size);
	if (bad < end)
		corrupt("written behind an object", mem, bad, page->caller);
}

#endif
