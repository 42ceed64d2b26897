/* SPDX-License-Identifier: MIT */
/*
 * The page allocator: buddy blocks in zones.
 *
 * A zone is one usable range of RAM with its own array of struct page, free
 * lists and lock. Blocks never cross zones, so holes in the map need no care.
 */
#include "mm/page.h"

#include <asm/irqflags.h>
#include <asm/percpu.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/spinlock.h"
#include "lib/string.h"

#define MAX_ZONES	256

enum page_state {
	PAGE_TAIL,		/* inside a block, not its head */
	PAGE_FREE,		/* head of a free block */
	PAGE_USED,		/* head of an allocated block */
	PAGE_META,		/* holds the zone's own struct pages */
};

struct zone {
	struct spinlock lock;
	int node;
	u64 first_pfn;
	u64 nr_pages;
	u64 nr_free;
	struct page *pages;	/* nr_pages of them */
	struct list_head free[MAX_ORDER + 1];
};

/* Owner: page_init(); afterwards each zone is under its own lock. */
static struct zone zones[MAX_ZONES];
static unsigned int nr_zones;
/* Counters of all zones; atomic adds. */
static struct page_stats counters;
static unsigned long fail_in;

static void count(u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/* ---- finding pages ---- */

static struct zone *zone_of_pfn(u64 pfn)
{
	for (unsigned int i = 0; i < nr_zones; i++)
		if (pfn - zones[i].first_pfn < zones[i].nr_pages)
			return &zones[i];
	return NULL;
}

static struct zone *zone_of_page(const struct page *page)
{
	for (unsigned int i = 0; i < nr_zones; i++)
		if (page >= zones[i].pages &&
		    page < zones[i].pages + zones[i].nr_pages)
			return &zones[i];
	return NULL;
}

static u64 pfn_in_zone(const struct zone *z, const struct page *page)
{
	return z->first_pfn + (u64)(page - z->pages);
}

struct page *phys_to_page(phys_addr_t pa)
{
	struct zone *z = zone_of_pfn(pa >> PAGE_SHIFT);

	return z ? &z->pages[(pa >> PAGE_SHIFT) - z->first_pfn] : NULL;
}

struct page *virt_to_page(const void *ptr)
{
	return phys_to_page(virt_to_phys(ptr));
}

phys_addr_t page_to_phys(const struct page *page)
{
	const struct zone *z = zone_of_page(page);

	return z ? pfn_in_zone(z, page) << PAGE_SHIFT : 0;
}

void *page_address(const struct page *page)
{
	const struct zone *z = zone_of_page(page);

	return z ? phys_to_virt(pfn_in_zone(z, page) << PAGE_SHIFT) : NULL;
}

unsigned int get_order(size_t size)
{
	u64 pages = (size + PAGE_SIZE - 1) >> PAGE_SHIFT;

	return pages <= 1 ? 0 : ilog2(pages - 1) + 1;
}

/* ---- free lists; all under the zone's lock ---- */

static void block_insert(struct zone *z, struct page *page, unsigned int order)
{
	page->state = PAGE_FREE;
	page->order = (u8)order;
	list_add(&page->lru, &z->free[order]);
}

static void block_remove(struct page *page)
{
	list_del_init(&page->lru);
	page->state = PAGE_TAIL;
}

/* The other half of a block, if it is a free block of the same order. */
static struct page *free_buddy(struct zone *z, u64 pfn, unsigned int order)
{
	u64 buddy = pfn ^ (1ULL << order);
	struct page *page;

	if (buddy < z->first_pfn ||
	    buddy + (1ULL << order) > z->first_pfn + z->nr_pages)
		return NULL;
	page = &z->pages[buddy - z->first_pfn];
	return page->state == PAGE_FREE && page->order == order ? page : NULL;
}

static void zone_free(struct zone *z, struct page *page, unsigned int order)
{
	u64 pfn = pfn_in_zone(z, page);

	z->nr_free += 1ULL << order;
	page->state = PAGE_TAIL;
	for (; order < MAX_ORDER; order++) {
		struct page *buddy = free_buddy(z, pfn, order);

		if (!buddy)
			break;
		block_remove(buddy);
		pfn &= ~(1ULL << order);
	}
	block_insert(z, &z->pages[pfn - z->first_pfn], order);
}

static struct page *zone_alloc(struct zone *z, unsigned int order)
{
	struct page *page;
	unsigned int from = order;

	while (from <= MAX_ORDER && list_empty(&z->free[from]))
		from++;
	if (from > MAX_ORDER)
		return NULL;
	page = list_first_entry(&z->free[from], struct page, lru);
	block_remove(page);
	while (from > order) {
		from--;
		block_insert(z, page + (1UL << from), from);
	}
	page->state = PAGE_USED;
	page->order = (u8)order;
	page->private = 0;
	z->nr_free -= 1ULL << order;
	return page;
}

/* ---- allocation ---- */

void page_fail_nth(unsigned long n)
{
	__atomic_store_n(&fail_in, n, __ATOMIC_RELAXED);
}

static bool fault_injected(void)
{
	unsigned long n = __atomic_load_n(&fail_in, __ATOMIC_RELAXED);

	if (!n)
		return false;
	__atomic_store_n(&fail_in, n - 1, __ATOMIC_RELAXED);
	return n == 1;
}

static struct page *zone_try(struct zone *z, unsigned int order)
{
	unsigned long flags = local_irq_save();
	struct page *page;

	spin_lock(&z->lock);
	page = zone_alloc(z, order);
	spin_unlock(&z->lock);
	local_irq_restore(flags);
	return page;
}

/*
 * Zones of the wanted node first, then the others; from the top of memory
 * down, which keeps the low addresses for those who need them.
 */
static struct page *find_block(int nid, unsigned int order)
{
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int i = nr_zones; i-- > 0;) {
			bool near = nid == NUMA_NO_NODE || zones[i].node == nid;
			struct page *page;

			if (near != (pass == 0))
				continue;
			page = zone_try(&zones[i], order);
			if (page)
				return page;
		}
	}
	return NULL;
}

struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order)
{
	struct page *page = NULL;

	if (order <= MAX_ORDER && !fault_injected())
		page = find_block(nid, order);
	if (!page) {
		count(&counters.nr_failed);
		if (!(gfp & __GFP_NOWARN))
			printk("mm: no block of order %u (%llu KiB)\n", order,
			       order <= MAX_ORDER ? 4ULL << order : 0ULL);
		return NULL;
	}
	count(&counters.nr_alloc);
	if (gfp & __GFP_ZERO)
		memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

struct page *alloc_pages(gfp_t gfp, unsigned int order)
{
	return alloc_pages_node(cpu_to_node((int)cpu_id()), gfp, order);
}

unsigned long get_zeroed_page(gfp_t gfp)
{
	struct page *page = alloc_pages(gfp | __GFP_ZERO, 0);

	return page ? (unsigned long)page_address(page) : 0;
}

/* ---- freeing ---- */

static bool refuse(u64 *counter, const char *what, const struct page *page,
		   unsigned int order)
{
	count(counter);
	printk("mm: %s of page %llx, order %u: refused\n", what,
	       (unsigned long long)page_to_phys(page), order);
	return true;
}

/* Under the lock: whether this is not what was handed out. */
static const char *free_fault(const struct page *page, unsigned int order,
			      u64 **counter)
{
	*counter = &counters.nr_wild_free;
	if (page->state == PAGE_FREE) {
		*counter = &counters.nr_double_free;
		return "double free";
	}
	if (page->state == PAGE_META)
		return "free of the allocator's own memory";
	if (page->state == PAGE_TAIL) {
		*counter = &counters.nr_double_free;
		return "double free, or free inside of a block,";
	}
	return page->order != order ? "free with another order" : NULL;
}

void __free_pages(struct page *page, unsigned int order)
{
	struct zone *z = page ? zone_of_page(page) : NULL;
	unsigned long flags;
	const char *fault;
	u64 *counter;

	if (!page)
		return;
	if (!z) {
		refuse(&counters.nr_wild_free, "free of no page", page, order);
		return;
	}
	flags = local_irq_save();
	spin_lock(&z->lock);
	fault = free_fault(page, order, &counter);
	if (!fault)
		zone_free(z, page, order);
	spin_unlock(&z->lock);
	local_irq_restore(flags);
	if (fault)
		refuse(counter, fault, page, order);
}

void free_pages(unsigned long addr, unsigned int order)
{
	struct page *page;

	if (!addr)
		return;
	page = virt_to_page((void *)addr);
	if (page && !(addr & ~PAGE_MASK)) {
		__free_pages(page, order);
		return;
	}
	count(&counters.nr_wild_free);
	printk("mm: free of %lx, which is no page: refused\n", addr);
}

void page_count_bad_free(const void *ptr, const char *what)
{
	count(&counters.nr_wild_free);
	printk("mm: %s at %p: refused\n", what, ptr);
}

/* ---- start ---- */

static int check_ranges(const struct mem_range *ranges, unsigned int nr)
{
	u64 end = 0;

	if (!nr)
		return -EINVAL;
	for (unsigned int i = 0; i < nr; i++) {
		const struct mem_range *r = &ranges[i];

		if (r->base % PAGE_SIZE || r->size % PAGE_SIZE || !r->size ||
		    r->base < end || r->base + r->size < r->base)
			return -EINVAL;
		end = r->base + r->size;
	}
	return 0;
}

/* The zone's struct pages stand at its start. Return: pages they take. */
static u64 meta_pages(u64 nr_pages)
{
	return (nr_pages * sizeof(struct page) + PAGE_SIZE - 1) >> PAGE_SHIFT;
}

/* Free blocks as large as alignment and the zone's end allow. */
static void zone_fill(struct zone *z, u64 pfn)
{
	u64 end = z->first_pfn + z->nr_pages;

	while (pfn < end) {
		unsigned int order = pfn ? (unsigned int)__builtin_ctzll(pfn) :
				     MAX_ORDER;

		order = min(order, (unsigned int)MAX_ORDER);
		while (pfn + (1ULL << order) > end)
			order--;
		z->nr_free += 1ULL << order;
		block_insert(z, &z->pages[pfn - z->first_pfn], order);
		pfn += 1ULL << order;
	}
}

static bool zone_init(struct zone *z, u64 base, u64 size, int node)
{
	u64 meta = meta_pages(size >> PAGE_SHIFT);

	if (meta + 1 > size >> PAGE_SHIFT)
		return false;
	memset(z, 0, sizeof(*z));
	z->node = node;
	z->first_pfn = base >> PAGE_SHIFT;
	z->nr_pages = size >> PAGE_SHIFT;
	z->pages = phys_to_virt(base);
	memset(z->pages, 0, z->nr_pages * sizeof(struct page));
	for (unsigned int i = 0; i <= MAX_ORDER; i++)
		INIT_LIST_HEAD(&z->free[i]);
	for (u64 i = 0; i < meta; i++)
		z->pages[i].state = PAGE_META;
	for (u64 i = 0; i < z->nr_pages; i++)
		z->pages[i].node = (u8)node;
	zone_fill(z, z->first_pfn + meta);
	return true;
}

int page_init(const struct mem_range *ranges, unsigned int nr)
{
	int err = check_ranges(ranges, nr);

	if (err)
		return err;
	nr_zones = 0;
	memset(&counters, 0, sizeof(counters));
	for (unsigned int i = 0; i < nr && nr_zones < MAX_ZONES; i++) {
		u64 base = max(ranges[i].base, (u64)PAGE_SIZE);
		u64 end = ranges[i].base + ranges[i].size;

		if (base < end && zone_init(&zones[nr_zones], base, end - base,
					    ranges[i].node))
			nr_zones++;
	}
	return nr_zones ? 0 : -ENOMEM;
}

void page_stats_read(struct page_stats *stats)
{
	*stats = counters;
	stats->nr_total = 0;
	stats->nr_free = 0;
	for (unsigned int i = 0; i < nr_zones; i++) {
		stats->nr_total += zones[i].nr_pages;
		stats->nr_free += READ_ONCE(zones[i].nr_free);
	}
}
