/* SPDX-License-Identifier: MIT */
/*
 * Small objects on top of the page allocator.
 *
 * A slab is one page: a header with a bitmap of its objects, then the objects.
 * The slabs of a cache that have room are on its list. What an object belongs
 * to is found from its address, so nothing stands before an object. Requests
 * over 2 KiB are whole page blocks.
 */
#include "mm/slab.h"

#include <asm/irqflags.h>
#include "lib/spinlock.h"
#include "lib/string.h"
#include "mm/fault.h"
#include "mm/internal.h"
#include "mm/region.h"
#include "mm/slab_debug.h"
#include "mm/zone.h"

#define MIN_SHIFT	4
#define MAX_SHIFT	11
#define NR_CACHES	(MAX_SHIFT - MIN_SHIFT + 1)
#define SLAB_MAGIC	0x42414c53u	/* "SLAB" */

struct slab {
	u32 magic;
	u16 shift;		/* object size as a power of two */
	u16 nr_used;
	u16 nr_objects;
	u16 first;		/* offset of the first object */
	struct list_head list;	/* in the cache, while it has room */
	u64 used[4];		/* a bit for each object */
};
static_assert((PAGE_SIZE >> MIN_SHIFT) <= 256, "bitmap holds every object");

struct cache {
	struct spinlock lock;
	struct list_head partial;
};

/* Owner: this file; each cache under its own lock. */
static struct cache caches[NR_CACHES];
static bool ready;
static struct spinlock init_lock = SPINLOCK_INIT;

static void caches_init(void)
{
	spin_lock(&init_lock);
	for (unsigned int i = 0; !ready && i < NR_CACHES; i++)
		INIT_LIST_HEAD(&caches[i].partial);
	smp_store_release(&ready, true);
	spin_unlock(&init_lock);
}

/* Under the cache's lock from here on. */
static struct slab *slab_create(struct cache *cache, unsigned int shift,
				gfp_t gfp)
{
	struct page *page = alloc_pages(gfp & ~__GFP_ZERO, 0);
	/* Tails must not look like those of freed objects. */
	size_t clear = TOPAZ_DEBUG ? PAGE_SIZE : sizeof(struct slab);
	struct slab *slab;
	size_t size = (size_t)1 << shift;

	if (!page)
		return NULL;
	slab = page_address(page);
	memset(slab, 0, clear);
	slab->magic = SLAB_MAGIC;
	slab->shift = (u16)shift;
	slab->first = (u16)round_up_u64(sizeof(*slab), size);
	slab->nr_objects = (u16)((PAGE_SIZE - slab->first) >> shift);
	page->private = SLAB_MAGIC;
	list_add(&slab->list, &cache->partial);
	return slab;
}

static void *slab_take(struct slab *slab)
{
	unsigned int i = 0;

	while (slab->used[i / 64] & (1ULL << i % 64))
		i++;
	slab->used[i / 64] |= 1ULL << i % 64;
	if (++slab->nr_used == slab->nr_objects)
		list_del_init(&slab->list);
	return (u8 *)slab + slab->first + ((size_t)i << slab->shift);
}

static void *cache_alloc(size_t size, gfp_t gfp, const void *caller)
{
	size_t slot = max(size + SLAB_TAIL, (size_t)1 << MIN_SHIFT);
	unsigned int shift = ilog2(slot - 1) + 1;
	struct cache *cache = &caches[shift - MIN_SHIFT];
	unsigned long flags = local_irq_save();
	struct slab *slab;
	void *obj = NULL;

	spin_lock(&cache->lock);
	if (list_empty(&cache->partial))
		slab = slab_create(cache, shift, gfp);
	else
		slab = list_first_entry(&cache->partial, struct slab, list);
	if (slab)
		obj = slab_take(slab);
	spin_unlock(&cache->lock);
	local_irq_restore(flags);
	if (obj)
		slab_debug_alloc(obj, (size_t)1 << shift, size, caller);
	if (obj && gfp & __GFP_ZERO)
		memset(obj, 0, size);
	return obj;
}

static void *block_alloc(size_t size, gfp_t gfp, const void *caller)
{
	struct page *page = page_alloc(NUMA_NO_NODE, gfp, get_order(size),
				       caller);

	if (!page)
		return NULL;
	block_debug_alloc(page, size);
	return page_address(page);
}

static void *object_alloc(size_t size, gfp_t gfp, const void *caller)
{
	if (!smp_load_acquire(&ready))
		caches_init();
	if (!size || size > PAGE_SIZE << MAX_ORDER || should_fail(&failslab))
		return NULL;
	if (size + SLAB_TAIL > (size_t)1 << MAX_SHIFT)
		return block_alloc(size, gfp, caller);
	return cache_alloc(size, gfp, caller);
}

void *kmalloc(size_t size, gfp_t gfp)
{
	return object_alloc(size, gfp, mm_caller());
}

void *kcalloc(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return object_alloc(bytes, gfp | __GFP_ZERO, mm_caller());
}

static struct slab *slab_of(const void *ptr)
{
	struct slab *slab = (struct slab *)((uintptr_t)ptr & PAGE_MASK);
	struct page *page = virt_to_page(slab);

	if (!page || page->private != SLAB_MAGIC || slab->magic != SLAB_MAGIC)
		return NULL;
	return slab;
}

/* Whether @ptr heads an object of the slab; *i is its index then. */
static bool object_index(const struct slab *slab, const void *ptr,
			 unsigned int *i)
{
	size_t off = (size_t)((const u8 *)ptr - (const u8 *)slab);

	if (off < slab->first || (off - slab->first) % (1u << slab->shift))
		return false;
	*i = (unsigned int)((off - slab->first) >> slab->shift);
	return *i < slab->nr_objects;
}

static bool object_used(const struct slab *slab, unsigned int i)
{
	return slab->used[i / 64] >> i % 64 & 1;
}

static void slab_put(struct cache *cache, struct slab *slab, unsigned int i)
{
	slab->used[i / 64] &= ~(1ULL << i % 64);
	if (slab->nr_used-- == slab->nr_objects)
		list_add(&slab->list, &cache->partial);
}

static void slab_retire(struct slab *slab)
{
	list_del_init(&slab->list);
	slab->magic = 0;
	virt_to_page(slab)->private = 0;
}

/* An empty slab's page goes back, unless it is the cache's last with room. */
static bool slab_spare(const struct cache *cache, const struct slab *slab)
{
	return !slab->nr_used && cache->partial.next->next != &cache->partial;
}

static void slab_free(struct slab *slab, void *ptr)
{
	struct cache *cache = &caches[slab->shift - MIN_SHIFT];
	bool object, used = false, spare = false;
	unsigned long flags;
	unsigned int i;

	flags = local_irq_save();
	spin_lock(&cache->lock);
	object = object_index(slab, ptr, &i);
	if (object)
		used = object_used(slab, i);
	if (used) {
		slab_debug_free(ptr, (size_t)1 << slab->shift);
		slab_put(cache, slab, i);
		spare = slab_spare(cache, slab);
	}
	if (spare)
		slab_retire(slab);
	spin_unlock(&cache->lock);
	local_irq_restore(flags);
	if (spare)
		free_pages((unsigned long)slab, 0);
	if (!object)
		page_refuse_wild(ptr, "kfree of no object");
	else if (!used)
		page_refuse_double(ptr, "kfree of a free object");
}

/* Not on a slab: a block, or the page of a slab that was given back. */
static void block_free(struct page *page, const void *ptr)
{
	if (page_is_free(region_at(page->region), page)) {
		page_refuse_double(ptr, "kfree of free memory");
		return;
	}
	if ((uintptr_t)ptr & ~PAGE_MASK || page->state != PAGE_USED) {
		page_refuse_wild(ptr, "kfree of no object");
		return;
	}
	block_debug_free(page);
	__free_pages(page, page->order);
}

void kfree(const void *ptr)
{
	struct slab *slab;
	struct page *page;

	if (!ptr)
		return;
	page = virt_to_page(ptr);
	slab = page ? slab_of(ptr) : NULL;
	if (slab)
		slab_free(slab, (void *)ptr);
	else if (page)
		block_free(page, ptr);
	else
		page_refuse_wild(ptr, "kfree of no object");
}

static struct slab *take_empty_slab(struct cache *cache)
{
	unsigned long flags = local_irq_save();
	struct slab *slab, *found = NULL;

	spin_lock(&cache->lock);
	list_for_each_entry(slab, &cache->partial, list) {
		if (slab->nr_used)
			continue;
		found = slab;
		slab_retire(slab);
		break;
	}
	spin_unlock(&cache->lock);
	local_irq_restore(flags);
	return found;
}

void slab_shrink(void)
{
	struct slab *slab;

	if (!smp_load_acquire(&ready))
		return;
	for (unsigned int i = 0; i < NR_CACHES; i++)
		while ((slab = take_empty_slab(&caches[i])))
			free_pages((unsigned long)slab, 0);
}

#if TOPAZ_DEBUG
bool slab_for_each_object(const struct page *page, slab_object_fn fn,
			  void *arg)
{
	const struct slab *slab = page_address(page);

	if (page->private != SLAB_MAGIC || slab->magic != SLAB_MAGIC)
		return false;
	for (unsigned int i = 0; i < slab->nr_objects; i++)
		if (object_used(slab, i))
			slab_debug_visit((const u8 *)slab + slab->first +
						 ((size_t)i << slab->shift),
					 (size_t)1 << slab->shift, fn, arg);
	return true;
}
#endif
