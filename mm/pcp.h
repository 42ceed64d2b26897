/* SPDX-License-Identifier: MIT */
/*
 * Per-CPU lists of single pages: the fast path of order 0.
 *
 * Inside of mm/ only. A list is touched by its own CPU alone, with interrupts
 * off, so it needs no lock; page_drain_all() is the exception and says so. It
 * holds pages of one zone: the main zone of the CPU's node.
 */
#ifndef MM_PCP_H
#define MM_PCP_H

#include <asm/irqflags.h>
#include <asm/percpu.h>
#include "mm/region.h"
#include "mm/zone.h"

struct pcp {
	struct list_head *list;		/* lru of the first, chained by next */
	u32 count;
	u32 high;			/* more are given back; 0: all, soon */
	const struct region *hint;	/* one of the zone's, never NULL */
	struct zone *zone;		/* where the pages are from; or NULL */
	int nid;			/* the CPU's node when zone was chosen */
	u64 nr_alloc;			/* pages handed out by this CPU */
} __aligned(64);
static_assert(sizeof(struct pcp) <= 256, "what a CPU may cost");

/* Owner: each CPU its own, with interrupts off. */
extern struct pcp pcps[NR_CPUS];

/* Empties all lists without looking at them. Context: page_init(). */
void pcp_init(u64 nr_pages);

/* The paths that are not fast. Context: interrupts off. */
struct page *pcp_refill(struct pcp *pcp);	/* fills, then takes one */
void pcp_trim(struct pcp *pcp);			/* gives some back */

/* Gives this CPU's pages back and asks the others to do so when they free. */
void pcp_reclaim(void);

/* Pages on all lists, and allocations by their CPUs; no lock. */
u64 pcp_nr_pages(void);
u64 pcp_nr_alloc(void);

/* Relaxed: other CPUs read these for statistics and write only high. */
#define pcp_read(field)		__atomic_load_n(&(field), __ATOMIC_RELAXED)
#define pcp_write(field, v)	__atomic_store_n(&(field), (v), \
						 __ATOMIC_RELAXED)

/*
 * The first page, made USED. Interrupts are off.
 * Return: NULL when there is none, or when it is not what the list may hold:
 * then nothing is changed.
 */
static ALWAYS_INLINE struct page *pcp_take(struct pcp *pcp)
{
	struct page *page = list_entry(pcp->list, struct page, lru);

	if (unlikely(!pcp->list ||
		     page_kind(page) != PAGE_KIND(PAGE_PCP, 0)))
		return NULL;
	pcp->list = page->lru.next;
	pcp_write(pcp->count, pcp->count - 1);
	pcp_write(pcp->nr_alloc, pcp->nr_alloc + 1);
	page->private = 0;
	page_set_kind(page, PAGE_USED, 0);
	return page;
}

/* A page in state PCP. Interrupts are off. */
static ALWAYS_INLINE void pcp_put(struct pcp *pcp, struct page *page)
{
	page->lru.next = pcp->list;
	pcp->list = &page->lru;
	pcp_write(pcp->count, pcp->count + 1);
	if (unlikely(pcp->count > pcp_read(pcp->high)))
		pcp_trim(pcp);
}

/* Return: NULL when the slow path has to look for one. */
static ALWAYS_INLINE struct page *pcp_alloc(int nid)
{
	unsigned long flags = local_irq_save();
	struct pcp *pcp = &pcps[cpu_id()];
	struct page *page = NULL;

	if (nid == NUMA_NO_NODE || nid == pcp->nid)
		page = pcp_take(pcp);
	local_irq_restore(flags);
	return page;
}

/*
 * Return: false when nothing was done: the page is not of the region that was
 * last dealt with, or no page that may be freed at all.
 */
static ALWAYS_INLINE bool pcp_free(struct page *page)
{
	unsigned long flags = local_irq_save();
	struct pcp *pcp = &pcps[cpu_id()];
	bool done = region_has(pcp->hint, page) &&
		    page_claim(page, 0, PAGE_PCP);

	if (likely(done))
		pcp_put(pcp, page);
	local_irq_restore(flags);
	return done;
}

#endif /* MM_PCP_H */
