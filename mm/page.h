/* SPDX-License-Identifier: MIT */
/*
 * The page allocator: power-of-two blocks of physical memory by the buddy
 * method, from the ranges that the firmware left free.
 *
 * Hands out pages of the direct map only. Knows nothing of EFI types (boot/
 * turns the map into struct mem_range) and nothing of small objects
 * (mm/slab.h).
 */
#ifndef MM_PAGE_H
#define MM_PAGE_H

#include <asm/page.h>
#include "lib/compiler.h"
#include "lib/list.h"

#define MAX_ORDER	15	/* largest block: 4096 << 15 = 128 MiB */
#define NUMA_NO_NODE	(-1)

typedef unsigned int gfp_t;

#define GFP_KERNEL	0x0u	/* thread context */
#define GFP_ATOMIC	0x1u	/* interrupt context; never NMI */
#define __GFP_ZERO	0x2u	/* clear the block */
#define __GFP_NOWARN	0x4u	/* a failure is expected: no message */

/* A run of usable RAM: page aligned, sorted by base, not overlapping. */
struct mem_range {
	phys_addr_t base;
	u64 size;		/* bytes */
	int node;
};

/* One per page frame of RAM that page_init() took in. */
struct page {
	struct list_head lru;	/* free list of its order, when a free head */
	unsigned long private;	/* owner's word: order of a ToPA chunk */
	u8 order;		/* of the block that this page heads */
	u8 state;		/* enum page_state: mm/page.c */
	u8 node;
};

struct page_stats {
	u64 nr_total;		/* pages under management */
	u64 nr_free;
	u64 nr_alloc;		/* calls that succeeded */
	u64 nr_failed;		/* calls that did not */
	u64 nr_double_free;	/* refused: free already, or inside a block */
	u64 nr_wild_free;	/* refused: not the head of an allocated block */
};

/**
 * page_init() - take over the free memory
 * @ranges:	usable ranges, sorted; page 0 is left out if it is in one
 * @nr:		how many
 *
 * The array of struct page is carved out of the ranges themselves.
 *
 * Context: boot, once, one CPU.
 * Return: 0; -EINVAL for unsorted, overlapping or unaligned ranges (nothing was
 * taken); -ENOMEM when no range can hold the page array.
 */
int __must_check page_init(const struct mem_range *ranges, unsigned int nr);

/**
 * alloc_pages_node() - a block of 2^order pages, aligned to its size
 * @nid:	preferred node; NUMA_NO_NODE for any. Falls back to others.
 * @gfp:	GFP_KERNEL or GFP_ATOMIC, | __GFP_ZERO, | __GFP_NOWARN
 * @order:	0..MAX_ORDER
 *
 * Context: thread or interrupt; takes the node's lock with interrupts off;
 * never in an NMI.
 * Return: the block's first page, or NULL when there is no such block (or
 * @order is out of range); counted, and printed unless __GFP_NOWARN.
 */
struct page *alloc_pages_node(int nid, gfp_t gfp, unsigned int order);

/* alloc_pages_node() on the node of the calling CPU. */
struct page *alloc_pages(gfp_t gfp, unsigned int order);

/**
 * __free_pages() - give a block back
 * @page:	what alloc_pages_node() returned; NULL is ignored
 * @order:	the order it was asked with
 *
 * A double free, a page that heads no block, or a wrong order is reported,
 * counted and refused.
 *
 * Context: thread or interrupt; never in an NMI.
 */
void __free_pages(struct page *page, unsigned int order);

/* The same by direct-map address; an address of no managed page is refused. */
void free_pages(unsigned long addr, unsigned int order);

/* Order-0 page, cleared. Return: direct-map address, 0 when out of memory. */
unsigned long get_zeroed_page(gfp_t gfp);

/* Conversions. NULL / 0 where the address belongs to no managed page. */
struct page *phys_to_page(phys_addr_t pa);
struct page *virt_to_page(const void *ptr);
phys_addr_t page_to_phys(const struct page *page);
void *page_address(const struct page *page);

/* Smallest order whose block holds @size bytes (size >= 1). */
unsigned int get_order(size_t size);

/* Counts and reports a refused free of an address that is no block. */
void page_count_bad_free(const void *ptr, const char *what);

void page_stats_read(struct page_stats *stats);

/**
 * page_fail_nth() - fault injection: let the @n-th next allocation fail
 * @n:		1 for the very next; 0 switches it off
 *
 * Context: tests.
 */
void page_fail_nth(unsigned long n);

#endif /* MM_PAGE_H */
