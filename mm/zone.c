/* SPDX-License-Identifier: MIT */
/*
 * The buddy method: halving blocks, and merging them when both halves are free.
 */
#include "mm/zone.h"

#include <asm/irqflags.h>
#include "mm/region.h"

void zone_init(struct zone *z, unsigned int node, enum zone_type type)
{
	z->lock = (struct spinlock)SPINLOCK_INIT;
	z->node = (u8)node;
	z->type = (u8)type;
	z->nr_pages = 0;
	z->nr_free = 0;
	for (unsigned int i = 0; i <= MAX_ORDER; i++) {
		INIT_LIST_HEAD(&z->free[i]);
		z->nr_blocks[i] = 0;
	}
}

/* ---- all under the zone's lock ---- */

/* Read without the lock by who only wants to know. */
static void set_count(u64 *count, u64 val)
{
	__atomic_store_n(count, val, __ATOMIC_RELAXED);
}

static void block_insert(struct zone *z, struct page *page, unsigned int order)
{
	page_set_kind(page, PAGE_FREE, order);
	list_add(&page->lru, &z->free[order]);
	set_count(&z->nr_blocks[order], z->nr_blocks[order] + 1);
}

static void block_remove(struct zone *z, struct page *page, unsigned int order)
{
	list_del_init(&page->lru);
	page_set_kind(page, PAGE_TAIL, 0);
	set_count(&z->nr_blocks[order], z->nr_blocks[order] - 1);
}

/* The other half of a block, if it is a free block of the same order. */
static struct page *free_buddy(const struct region *r, u64 pfn,
			       unsigned int order)
{
	u64 buddy = pfn ^ (1ULL << order);
	struct page *page;

	if (buddy < r->first_pfn ||
	    buddy + (1ULL << order) > r->first_pfn + r->nr_pages)
		return NULL;
	page = &r->pages[buddy - r->first_pfn];
	return page_kind(page) == PAGE_KIND(PAGE_FREE, order) ? page : NULL;
}

static void block_free(struct zone *z, struct page *page, unsigned int order)
{
	const struct region *r = region_at(page->region);
	u64 pfn = page_pfn(r, page);

	set_count(&z->nr_free, z->nr_free + (1ULL << order));
	page_set_kind(page, PAGE_TAIL, 0);
	for (; order < MAX_ORDER; order++) {
		struct page *buddy = free_buddy(r, pfn, order);

		if (!buddy)
			break;
		block_remove(z, buddy, order);
		pfn &= ~(1ULL << order);
	}
	block_insert(z, &r->pages[pfn - r->first_pfn], order);
}

static struct page *block_alloc(struct zone *z, unsigned int order,
				enum page_state state)
{
	struct page *page;
	unsigned int from = order;

	while (from <= MAX_ORDER && list_empty(&z->free[from]))
		from++;
	if (from > MAX_ORDER)
		return NULL;
	page = list_first_entry(&z->free[from], struct page, lru);
	block_remove(z, page, from);
	while (from > order) {
		from--;
		block_insert(z, page + (1UL << from), from);
	}
	page_set_kind(page, state, order);
	page->private = 0;
	set_count(&z->nr_free, z->nr_free - (1ULL << order));
	return page;
}

/* ---- the lock around it ---- */

struct page *zone_alloc(struct zone *z, unsigned int order)
{
	struct page *page;
	unsigned long flags;

	if (__atomic_load_n(&z->nr_free, __ATOMIC_RELAXED) < 1ULL << order)
		return NULL;
	flags = local_irq_save();
	spin_lock(&z->lock);
	page = block_alloc(z, order, PAGE_USED);
	spin_unlock(&z->lock);
	local_irq_restore(flags);
	return page;
}

void zone_free(struct page *page, unsigned int order)
{
	struct zone *z = region_at(page->region)->zone;
	unsigned long flags = local_irq_save();

	spin_lock(&z->lock);
	block_free(z, page, order);
	spin_unlock(&z->lock);
	local_irq_restore(flags);
}

unsigned int zone_alloc_list(struct zone *z, unsigned int nr,
			     struct list_head **list)
{
	unsigned int i;

	spin_lock(&z->lock);
	for (i = 0; i < nr; i++) {
		struct page *page = block_alloc(z, 0, PAGE_PCP);

		if (!page)
			break;
		page->lru.next = *list;
		*list = &page->lru;
	}
	spin_unlock(&z->lock);
	return i;
}

void zone_free_list(struct zone *z, unsigned int nr, struct list_head **list)
{
	spin_lock(&z->lock);
	while (nr--) {
		struct page *page = list_entry(*list, struct page, lru);

		*list = page->lru.next;
		block_free(z, page, 0);
	}
	spin_unlock(&z->lock);
}

/* ---- start ---- */

/* Free blocks as large as alignment and the region's end allow. */
void zone_add(struct region *r)
{
	u64 pfn = r->first_pfn + ((r->meta_bytes + PAGE_SIZE - 1) >>
				  PAGE_SHIFT);
	u64 end = r->first_pfn + r->nr_pages;
	struct zone *z = r->zone;

	z->nr_pages += r->nr_pages;
	while (pfn < end) {
		unsigned int order = (unsigned int)__builtin_ctzll(pfn);

		order = min(order, (unsigned int)MAX_ORDER);
		while (pfn + (1ULL << order) > end)
			order--;
		z->nr_free += 1ULL << order;
		block_insert(z, &r->pages[pfn - r->first_pfn], order);
		pfn += 1ULL << order;
	}
}

bool page_is_free(const struct region *r, const struct page *page)
{
	u64 pfn = page_pfn(r, page);
	u16 kind = page_kind(page);

	if (kind >> 8 == PAGE_PCP)
		return true;
	for (unsigned int order = 0; order <= MAX_ORDER; order++) {
		u64 head = pfn & ~((1ULL << order) - 1);

		if (head < r->first_pfn)
			break;
		kind = page_kind(&r->pages[head - r->first_pfn]);
		if (kind >> 8 == PAGE_FREE && (kind & 0xff) >= order)
			return true;
	}
	return false;
}
