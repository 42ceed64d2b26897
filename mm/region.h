/* SPDX-License-Identifier: MIT */
/*
 * Regions: runs of pages without a hole, of one zone, with their array of
 * struct page. What belongs to an address is found through them.
 *
 * Inside of mm/ only.
 */
#ifndef MM_REGION_H
#define MM_REGION_H

#include "mm/page.h"

struct zone;

struct region {
	u64 first_pfn;
	u64 nr_pages;
	struct page *pages;	/* nr_pages of them; NULL: left out */
	size_t bytes;		/* of pages; 0: left out */
	u64 meta_bytes;		/* at its start: page arrays of any region */
	struct zone *zone;
};

/**
 * regions_init() - make the table of regions and the page arrays
 * @ranges:	checked by the caller
 * @nr:		how many
 *
 * Ranges are cut at 1 MiB and 4 GiB. All pages are in state TAIL afterwards,
 * those that hold the arrays in state META. Adds nothing to a zone's free
 * lists.
 *
 * Return: 0, or -ENOMEM when no range can hold the table.
 */
int __must_check regions_init(const struct mem_range *ranges, unsigned int nr);

unsigned int nr_regions(void);
struct region *region_at(unsigned int i);

/* Region that has this page frame, also when it was left out; else NULL. */
struct region *region_of_pfn(u64 pfn);

/*
 * Region whose array @page is an element of; NULL when it is none. Reads
 * nothing through @page before it is known to lie in an array.
 */
struct region *region_of_page(const struct page *page);

/* Whether @page is an element of the region's array. */
static inline bool region_has(const struct region *r, const struct page *page)
{
	size_t off = (size_t)((uintptr_t)page - (uintptr_t)r->pages);

	return off < r->bytes && off % sizeof(struct page) == 0;
}

/* For a page of ours. */
static inline u64 page_pfn(const struct region *r, const struct page *page)
{
	return r->first_pfn + (u64)(page - r->pages);
}

#endif /* MM_REGION_H */
