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
#include "lib/printk.h"
#include "lib/spinlock.h"
#include "lib/string.h"

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
	struct slab *slab;
	size_t size = (size_t)1 << shift;

	if (!page)
		return NULL;
	slab = page_address(page);
	memset(slab, 0, sizeof(*slab));
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

static void *cache_alloc(unsigned int shift, gfp_t gfp)
{
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
	return obj;
}

void *kmalloc(size_t size, gfp_t gfp)
{
	unsigned int shift;
	struct page *page;
	void *obj;

	if (!smp_load_acquire(&ready))
		caches_init();
	if (!size || size > PAGE_SIZE << MAX_ORDER)
		return NULL;
	if (size > (size_t)1 << MAX_SHIFT) {
		page = alloc_pages(gfp, get_order(size));
		return page ? page_address(page) : NULL;
	}
	shift = size <= 16 ? MIN_SHIFT : ilog2(size - 1) + 1;
	obj = cache_alloc(shift, gfp);
	if (obj && gfp & __GFP_ZERO)
		memset(obj, 0, (size_t)1 << shift);
	return obj;
}

void *kcalloc(size_t n, size_t size, gfp_t gfp)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	return kzalloc(bytes, gfp);
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

/* Return: false when the object was free already. */
static bool slab_put(struct cache *cache, struct slab *slab, unsigned int i)
{
	u64 bit = 1ULL << i % 64;

	if (!(slab->used[i / 64] & bit))
		return false;
	slab->used[i / 64] &= ~bit;
	if (slab->nr_used-- == slab->nr_objects)
		list_add(&slab->list, &cache->partial);
	return true;
}

/* An empty slab's page goes back, unless it is the cache's last with room. */
static bool slab_retire(struct cache *cache, struct slab *slab)
{
	if (slab->nr_used || cache->partial.next->next == &cache->partial)
		return false;
	list_del_init(&slab->list);
	slab->magic = 0;
	virt_to_page(slab)->private = 0;
	return true;
}

static void slab_free(struct slab *slab, const void *ptr)
{
	struct cache *cache = &caches[slab->shift - MIN_SHIFT];
	bool retired = false, freed = false;
	unsigned long flags;
	unsigned int i;

	flags = local_irq_save();
	spin_lock(&cache->lock);
	if (object_index(slab, ptr, &i))
		freed = slab_put(cache, slab, i);
	if (freed)
		retired = slab_retire(cache, slab);
	spin_unlock(&cache->lock);
	local_irq_restore(flags);
	if (retired)
		free_pages((unsigned long)slab, 0);
	if (!freed)
		page_count_bad_free(ptr, "kfree of a free object");
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
		slab_free(slab, ptr);
	else if (page && !((uintptr_t)ptr & ~PAGE_MASK))
		__free_pages(page, page->order);
	else
		page_count_bad_free(ptr, "kfree of no object");
}
