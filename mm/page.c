/* SPDX-License-Identifier: MIT */
/*
 * The page allocator's front: allocation, freeing and its checks, statistics.
 */
#include "mm/page.h"

#include "lib/err.h"
#include "lib/printk.h"
#include "lib/string.h"
#include "mm/debug.h"
#include "mm/fault.h"
#include "mm/internal.h"
#include "mm/node.h"
#include "mm/pcp.h"

/* Flags that the list of a CPU cannot serve, its node being what it is. */
#define GFP_RESTRICTED	(__GFP_THISNODE | __GFP_LOW | __GFP_DMA32)

/* Counters of all that is slow: atomic adds. */
static struct page_stats counters;

static void count(u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

unsigned int get_order(size_t size)
{
	u64 pages = (size + PAGE_SIZE - 1) >> PAGE_SHIFT;

	return pages <= 1 ? 0 : ilog2(pages - 1) + 1;
}

/* ---- allocation ---- */

/* From this CPU's list, which is filled first when it is empty. */
static struct page *alloc_single(int nid)
{
	unsigned long flags = local_irq_save();
	struct page *page = NULL;

	if (nid == NUMA_NO_NODE || nid == cpu_to_node((int)cpu_id()))
		page = pcp_refill(&pcps[cpu_id()]);
	local_irq_restore(flags);
	return page;
}

static struct page *alloc_block(int nid, gfp_t gfp, unsigned int order)
{
	struct page *page = NULL;

	if (!order && !(gfp & GFP_RESTRICTED)) {
		page = alloc_single(nid);
		if (page)
			return page;
	}
	if (nid == NUMA_NO_NODE)
		nid = cpu_to_node((int)cpu_id());
	page = node_alloc(nid, gfp, order);
	if (!page && !(gfp & __GFP_NORETRY)) {
		pcp_reclaim();
		page = node_alloc(nid, gfp, order);
	}
	if (page)
		count(&counters.nr_alloc);
	return page;
}

static struct page *alloc_slow(int nid, gfp_t gfp, unsigned int order)
{
	struct page *page = NULL;

	if (order <= MAX_ORDER && !should_fail(&fail_page_alloc))
		page = alloc_block(nid, gfp, order);
	if (page)
		return page;
	count(&counters.nr_failed);
	if (!(gfp & __GFP_NOWARN))
		printk("mm: no block of order %u (%llu KiB)\n", order,
		       order <= MAX_ORDER ? 4ULL << order : 0ULL);
	return NULL;
}

__noinline struct page *page_alloc(int nid, gfp_t gfp, unsigned int order,
				   const void *caller)
{
	struct page *page = alloc_slow(nid, gfp, order);

	if (!page)
		return NULL;
	page_debug_alloc(page, order, caller);
	if (gfp & __GFP_ZERO)
		memset(page_address(page), 0, PAGE_SIZE << order);
	return page;
}

/* Calls nothing but what is inline, so that no register has to be saved. */
static ALWAYS_INLINE struct page *alloc_fast(int nid, gfp_t gfp,
					     unsigned int order)
{
	if (TOPAZ_DEBUG || order | (gfp & (GFP_RESTRICTED | __GFP_ZERO)) ||
	    unlikely(fault_active(&fail_page_alloc)))
		return NULL;
	return pcp_alloc(nid);
}

struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_fast(nid, gfp, order);

	return likely(page) ? page : page_alloc(nid, gfp, order, mm_caller());
}

struct page *alloc_pages(gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_fast(NUMA_NO_NODE, gfp, order);

	return likely(page) ? page : page_alloc(NUMA_NO_NODE, gfp, order,
						mm_caller());
}

unsigned long get_zeroed_page(gfp_t gfp)
{
	struct page *page = page_alloc(NUMA_NO_NODE, gfp | __GFP_ZERO, 0,
				       mm_caller());

	return page ? (unsigned long)page_address(page) : 0;
}

/* ---- freeing ---- */

/* Why the page was not what __free_pages() wants; for the message. */
static const char *free_fault(const struct region *r, const struct page *page,
			      u64 **counter)
{
	u16 kind = page_kind(page);

	*counter = &counters.nr_wild_free;
	if (kind >> 8 == PAGE_META)
		return "free of the allocator's own memory";
	if (kind >> 8 == PAGE_USED)
		return "free with another order";
	/* No lock: what another CPU does with the page now is part of it. */
	if (!page_is_free(r, page))
		return "free inside of a block";
	*counter = &counters.nr_double_free;
	return "double free";
}

static void refuse(const struct region *r, const struct page *page,
		   unsigned int order)
{
	u64 *counter;
	const char *what = free_fault(r, page, &counter);

	count(counter);
	printk("mm: %s of page %llx, order %u: refused\n", what,
	       (unsigned long long)page_pfn(r, page) << PAGE_SHIFT, order);
}

/* A claimed page: to this CPU's list when it is of the zone. */
static bool free_single(const struct region *r, struct page *page)
{
	unsigned long flags = local_irq_save();
	struct pcp *pcp = &pcps[cpu_id()];
	bool ours = r->zone == pcp->zone;

	if (ours) {
		pcp->hint = r;
		page_set_kind(page, PAGE_PCP, 0);
		pcp_put(pcp, page);
	}
	local_irq_restore(flags);
	return ours;
}

static __noinline void free_slow(struct page *page, unsigned int order)
{
	const struct region *r = region_of_page(page);

	if (!r) {
		page_refuse_wild(page, "free of no page");
		return;
	}
	if (order > MAX_ORDER || !page_claim(page, order, PAGE_TAIL)) {
		refuse(r, page, order);
		return;
	}
	page_debug_free(page, order);
	if (order || !free_single(r, page))
		zone_free(page, order);
}

void __free_pages(struct page *page, unsigned int order)
{
	if (TOPAZ_DEBUG || unlikely(order) || unlikely(!pcp_free(page)))
		if (page)
			free_slow(page, order);
}

void free_pages(unsigned long addr, unsigned int order)
{
	struct page *page;

	if (!addr)
		return;
	page = virt_to_page((void *)addr);
	if (page && !(addr & ~PAGE_MASK))
		__free_pages(page, order);
	else
		page_refuse_wild((void *)addr, "free of no page");
}

void page_refuse_wild(const void *ptr, const char *what)
{
	count(&counters.nr_wild_free);
	printk("mm: %s at %p: refused\n", what, ptr);
}

void page_refuse_double(const void *ptr, const char *what)
{
	count(&counters.nr_double_free);
	printk("mm: %s at %p: refused\n", what, ptr);
}

void page_count_corrupt(void)
{
	count(&counters.nr_corrupt);
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

static void report_nodes(const struct mem_range *ranges, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!node_known(ranges[i].node))
			printk("mm: [%llx + %llx] is of node %d, which cannot be: taken as 0\n",
			       (unsigned long long)ranges[i].base,
			       (unsigned long long)ranges[i].size,
			       ranges[i].node);
}

int page_init(const struct mem_range *ranges, unsigned int nr)
{
	struct page_stats stats;
	int err = check_ranges(ranges, nr);

	if (err)
		return err;
	report_nodes(ranges, nr);
	memset(&counters, 0, sizeof(counters));
	fault_reset(&fail_page_alloc);
	nodes_init();
	err = regions_init(ranges, nr);
	if (err)
		return err;
	for (unsigned int i = 0; i < nr_regions(); i++)
		if (region_at(i)->pages)
			zone_add(region_at(i));
	nodes_order();
	pcp_init(0);
	page_stats_read(&stats);
	pcp_init(stats.nr_total);
	return stats.nr_free ? 0 : -ENOMEM;
}

void page_stats_read(struct page_stats *stats)
{
	const u64 *from = (const u64 *)&counters;
	u64 *to = (u64 *)stats;

	for (size_t i = 0; i < sizeof(counters) / sizeof(u64); i++)
		to[i] = pcp_read(from[i]);
	stats->nr_total = 0;
	stats->nr_pcp = pcp_nr_pages();
	stats->nr_free = stats->nr_pcp;
	stats->nr_alloc += pcp_nr_alloc();
	stats->nr_injected = fault_nr_injected(&fail_page_alloc);
	for (unsigned int n = 0; n < MAX_NUMNODES; n++) {
		for (unsigned int t = 0; t < NR_ZONES; t++) {
			struct zone *z = zone_of(n, (enum zone_type)t);

			stats->nr_total += z->nr_pages;
			stats->nr_free += pcp_read(z->nr_free);
		}
	}
}
