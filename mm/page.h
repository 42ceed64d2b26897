/* SPDX-License-Identifier: MIT */
/*
 * The page allocator: power-of-two blocks of physical memory by the buddy
 * method, in zones of nodes, with lists of single pages for each CPU.
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

/* The debug build is `make DEBUG=1`: see mm/README.md. */
#ifndef TOPAZ_DEBUG
#define TOPAZ_DEBUG	0
#endif

#define MAX_ORDER	15	/* largest block: 4096 << 15 = 128 MiB */
#define MAX_NUMNODES	64
#define NUMA_NO_NODE	(-1)

typedef unsigned int gfp_t;

#define GFP_KERNEL	0x00u	/* thread context */
#define GFP_ATOMIC	0x01u	/* interrupt context; never NMI */
#define __GFP_ZERO	0x02u	/* clear the block */
#define __GFP_NOWARN	0x04u	/* a failure is expected: no message */
/*
 * One look at the free lists of the wanted zones: memory below 1 MiB is not
 * touched unless asked for, and no CPU's list of pages is given back for it.
 * For who has a second choice, such as a smaller order.
 */
#define __GFP_NORETRY	0x08u
#define __GFP_THISNODE	0x10u	/* fail rather than take another node's */
#define __GFP_LOW	0x20u	/* below 1 MiB only */
#define __GFP_DMA32	0x40u	/* below 4 GiB only */

/* A run of usable RAM: page aligned, sorted by base, not overlapping. */
struct mem_range {
	phys_addr_t base;
	u64 size;		/* bytes */
	int node;		/* 0..MAX_NUMNODES - 1 */
};

/* One per page frame of RAM that page_init() took in. */
struct page {
	struct list_head lru;	/* the owner's, while the page is in use */
	unsigned long private;	/* owner's word; 0 when handed out */
	union {
		struct {
			u8 order;	/* of the block that this page heads */
			u8 state;	/* enum page_state: mm/zone.h */
		};
		u16 kind;	/* both at once; atomic accesses */
	};
	u8 node;
	u8 flags;		/* debug build: mm/debug.h */
	u32 region;		/* index: mm/region.h */
#if TOPAZ_DEBUG
	const void *caller;	/* who asked for the block */
	u32 size;		/* kmalloc() size, 0 for none */
	u32 mark;		/* page_leak_mark()s before it was taken */
#endif
};
static_assert(TOPAZ_DEBUG || sizeof(struct page) == 32, "half a cache line");

struct page_stats {
	u64 nr_total;		/* pages under management */
	u64 nr_free;		/* those on the lists of CPUs are among them */
	u64 nr_pcp;		/* on the lists of CPUs */
	u64 nr_alloc;		/* calls that succeeded */
	u64 nr_failed;		/* calls that did not */
	u64 nr_injected;	/* of these: by fault injection */
	u64 nr_double_free;	/* refused: free already */
	u64 nr_wild_free;	/* refused: not the head of an allocated block */
	u64 nr_corrupt;		/* poison or red zone overwritten: debug build */
};

/**
 * page_init() - take over the free memory
 * @ranges:	usable ranges, sorted; page 0 is left out if it is in one
 * @nr:		how many; there is no limit
 *
 * The arrays of struct page are carved out of the ranges themselves, those of
 * a node out of its own where it has room. A node number that cannot be is
 * printed and taken as 0. A range whose array finds no room is left out with a
 * line.
 *
 * Context: boot, once, one CPU.
 * Return: 0; -EINVAL for unsorted, overlapping or unaligned ranges (nothing was
 * taken); -ENOMEM when the bookkeeping leaves no page.
 */
int __must_check page_init(const struct mem_range *ranges, unsigned int nr);

/**
 * page_set_distances() - how far the nodes are from each other
 * @slit:	@nr_nodes rows of @nr_nodes bytes, as in the ACPI SLIT; copied
 * @nr_nodes:	1..MAX_NUMNODES; 0 forgets the distances
 *
 * A node's memory comes first for its own CPUs whatever the matrix says, then
 * that of the others by distance, equals by number. Nodes without a row come
 * last. The same order holds for all when this is never called.
 *
 * Context: boot, one CPU; before or after page_init().
 * Return: 0; -EINVAL for more nodes than MAX_NUMNODES (nothing is changed).
 */
int __must_check page_set_distances(const u8 *slit, unsigned int nr_nodes);

/**
 * alloc_pages_node() - a block of 2^order pages, aligned to its size
 * @nid:	preferred node; NUMA_NO_NODE for that of the calling CPU
 * @gfp:	GFP_KERNEL or GFP_ATOMIC, | any of the __GFP_ flags
 * @order:	0..MAX_ORDER
 *
 * Memory above 4 GiB is preferred, then that below; what is below 1 MiB goes
 * last, after all nodes.
 *
 * Context: thread or interrupt; takes a zone's lock with interrupts off; never
 * in an NMI.
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

void page_stats_read(struct page_stats *stats);

/**
 * page_drain_all() - give the pages on all CPUs' lists back to their zones
 *
 * Afterwards all that is free is merged as far as it goes.
 *
 * Context: quiet time only: no other CPU may allocate or free meanwhile, since
 * the lists of the others are touched without a lock.
 */
void page_drain_all(void);

/**
 * page_fail_nth() - fault injection: let the @n-th next allocation fail
 * @n:		1 for the very next; 0 switches it off
 *
 * More of it is in mm/fault.h. Context: any but NMI.
 */
void page_fail_nth(unsigned long n);

#endif /* MM_PAGE_H */
