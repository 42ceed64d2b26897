/* SPDX-License-Identifier: MIT */
/*
 * A zone: the free blocks of one node in one span of addresses, by the buddy
 * method.
 *
 * Inside of mm/ only. A zone is a list of blocks from any number of regions; a
 * block never crosses its region.
 */
#ifndef MM_ZONE_H
#define MM_ZONE_H

#include "lib/spinlock.h"
#include "mm/page.h"

struct region;

enum zone_type {
	ZONE_LOW,		/* below 1 MiB: start-up code of CPUs */
	ZONE_DMA32,		/* below 4 GiB */
	ZONE_NORMAL,
	NR_ZONES,
};

enum page_state {
	PAGE_TAIL,		/* inside a block, not its head */
	PAGE_FREE,		/* head of a free block of the zone */
	PAGE_USED,		/* head of an allocated block */
	PAGE_META,		/* holds page arrays */
	PAGE_PCP,		/* free, on the list of a CPU */
};

/*
 * Only the zone's lock lets a page become FREE or cease to be it; USED to TAIL
 * is an atomic step of who frees the block (page_claim()), which is what makes
 * one of two frees of a block lose, on whichever CPUs they are.
 */
struct zone {
	struct spinlock lock;
	u8 node;
	u8 type;		/* enum zone_type */
	u64 nr_pages;
	u64 nr_free;		/* pages */
	u64 nr_blocks[MAX_ORDER + 1];
	struct list_head free[MAX_ORDER + 1];
} __aligned(64);

#define PAGE_KIND(state, order)	((u16)((state) << 8 | (order)))

static inline u16 page_kind(const struct page *page)
{
	return __atomic_load_n(&page->kind, __ATOMIC_RELAXED);
}

static inline void page_set_kind(struct page *page, enum page_state state,
				 unsigned int order)
{
	__atomic_store_n(&page->kind, PAGE_KIND(state, order),
			 __ATOMIC_RELAXED);
}

/* Takes an allocated block out of its owner's hands; false: it is none. */
static inline bool page_claim(struct page *page, unsigned int order,
			      enum page_state state)
{
	return __sync_bool_compare_and_swap(&page->kind,
					    PAGE_KIND(PAGE_USED, order),
					    PAGE_KIND(state, 0));
}

void zone_init(struct zone *zone, unsigned int node, enum zone_type type);

/* Adds a region's pages to its zone, but for those of page arrays. */
void zone_add(struct region *r);

/* A block, in state USED, or NULL. Context: as alloc_pages_node(). */
struct page *zone_alloc(struct zone *zone, unsigned int order);

/* Takes a block back that was claimed as TAIL. Context: as __free_pages(). */
void zone_free(struct page *page, unsigned int order);

/**
 * zone_alloc_list() - single pages in state PCP, chained by lru.next
 * @zone:	where from
 * @nr:		how many at most
 * @list:	set to the first; the last one's lru.next is @list's old value
 *
 * Context: interrupts off. Return: how many.
 */
unsigned int zone_alloc_list(struct zone *zone, unsigned int nr,
			     struct list_head **list);

/*
 * Gives the first @nr pages of such a chain back, which has no fewer; *list is
 * what is left. Context: interrupts off.
 */
void zone_free_list(struct zone *zone, unsigned int nr,
		    struct list_head **list);

/* Whether the page is free or part of a free block: for messages, no lock. */
bool page_is_free(const struct region *r, const struct page *page);

#endif /* MM_ZONE_H */
