/* SPDX-License-Identifier: MIT */
/*
 * Regions: the table, the conversions, and where the page arrays lie.
 *
 * The table and all arrays are carved from the starts of regions; a region
 * that gives room to others stays a region, only its first pages are META.
 */
#include "mm/region.h"

#include "lib/err.h"
#include "lib/printk.h"
#include "lib/string.h"
#include "mm/node.h"
#include "mm/zone.h"

#define LOW_END		(0x100000ULL >> PAGE_SHIFT)
#define DMA32_END	(0x100000000ULL >> PAGE_SHIFT)
#define NO_HOST		(~0u)

/* Owner: regions_init(); constant afterwards. */
static struct region *table;
static unsigned int nr_table;

unsigned int nr_regions(void)
{
	return nr_table;
}

struct region *region_at(unsigned int i)
{
	return &table[i];
}

/* ---- finding ---- */

struct region *region_of_pfn(u64 pfn)
{
	unsigned int low = 0, high = nr_table;
	struct region *r;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (table[mid].first_pfn <= pfn)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	r = &table[low - 1];
	return pfn - r->first_pfn < r->nr_pages ? r : NULL;
}

struct region *region_of_page(const struct page *page)
{
	phys_addr_t pa = virt_to_phys(page);
	struct region *host, *r;

	if ((uintptr_t)page % _Alignof(struct page))
		return NULL;
	host = region_of_pfn(pa >> PAGE_SHIFT);
	if (!host || pa + sizeof(*page) - (host->first_pfn << PAGE_SHIFT) >
	    host->meta_bytes)
		return NULL;
	/* Readable memory of ours, though not yet known to be an element. */
	if (page->region >= nr_table)
		return NULL;
	r = &table[page->region];
	return region_has(r, page) ? r : NULL;
}

struct page *phys_to_page(phys_addr_t pa)
{
	struct region *r = region_of_pfn(pa >> PAGE_SHIFT);

	if (!r || !r->pages)
		return NULL;
	return &r->pages[(pa >> PAGE_SHIFT) - r->first_pfn];
}

struct page *virt_to_page(const void *ptr)
{
	return phys_to_page(virt_to_phys(ptr));
}

phys_addr_t page_to_phys(const struct page *page)
{
	const struct region *r = region_of_page(page);

	return r ? page_pfn(r, page) << PAGE_SHIFT : 0;
}

void *page_address(const struct page *page)
{
	const struct region *r = region_of_page(page);

	return r ? phys_to_virt(page_pfn(r, page) << PAGE_SHIFT) : NULL;
}

/* ---- cutting ranges into regions ---- */

struct piece {
	u64 first_pfn;
	u64 nr_pages;
	int node;
	enum zone_type type;
};

struct cutter {
	const struct mem_range *ranges;
	unsigned int nr;
	unsigned int i;
	u64 pfn;		/* where the next piece may start */
};

static bool next_piece(struct cutter *c, struct piece *piece)
{
	for (; c->i < c->nr; c->i++) {
		const struct mem_range *r = &c->ranges[c->i];
		u64 end = (r->base + r->size) >> PAGE_SHIFT;
		u64 pfn = max(r->base >> PAGE_SHIFT, c->pfn);

		if (pfn >= end)
			continue;
		piece->type = pfn < LOW_END ? ZONE_LOW :
			      pfn < DMA32_END ? ZONE_DMA32 : ZONE_NORMAL;
		if (piece->type == ZONE_LOW)
			end = min(end, (u64)LOW_END);
		else if (piece->type == ZONE_DMA32)
			end = min(end, (u64)DMA32_END);
		piece->first_pfn = pfn;
		piece->nr_pages = end - pfn;
		piece->node = node_known(r->node) ? r->node : 0;
		c->pfn = end;
		return true;
	}
	return false;
}

/* The better place for bookkeeping: not below 1 MiB, then the larger. */
static bool better_host(bool low, u64 room, bool best_low, u64 best_room)
{
	return low != best_low ? best_low : room > best_room;
}

/* Puts the table where it fits best. Return: its place's first page frame. */
static int place_table(struct cutter c, u64 *first_pfn)
{
	struct piece piece, best = { .type = ZONE_LOW };
	unsigned int nr = 0;

	for (; next_piece(&c, &piece); nr++)
		if (better_host(piece.type == ZONE_LOW, piece.nr_pages,
				best.type == ZONE_LOW, best.nr_pages))
			best = piece;
	if (!nr || nr * sizeof(struct region) > best.nr_pages << PAGE_SHIFT)
		return -ENOMEM;
	table = phys_to_virt(best.first_pfn << PAGE_SHIFT);
	*first_pfn = best.first_pfn;
	nr_table = nr;
	memset(table, 0, nr * sizeof(struct region));
	return 0;
}

static void fill_table(struct cutter c, u64 table_pfn)
{
	struct piece piece;

	for (unsigned int i = 0; next_piece(&c, &piece); i++) {
		struct region *r = &table[i];

		r->first_pfn = piece.first_pfn;
		r->nr_pages = piece.nr_pages;
		r->zone = zone_of((unsigned int)piece.node, piece.type);
		if (piece.first_pfn == table_pfn)
			r->meta_bytes = nr_table * sizeof(struct region);
	}
}

/* ---- the page arrays ---- */

static u64 room_of(const struct region *r)
{
	return (r->nr_pages << PAGE_SHIFT) - r->meta_bytes;
}

/* Where @bytes of bookkeeping go; @node: NUMA_NO_NODE for any. */
static unsigned int find_host(int node, u64 bytes)
{
	unsigned int best = NO_HOST;

	for (unsigned int i = 0; i < nr_table; i++) {
		const struct region *r = &table[i];

		if (node != NUMA_NO_NODE && r->zone->node != node)
			continue;
		if (room_of(r) < bytes)
			continue;
		if (best == NO_HOST ||
		    better_host(r->zone->type == ZONE_LOW, room_of(r),
				table[best].zone->type == ZONE_LOW,
				room_of(&table[best])))
			best = i;
	}
	return best;
}

/* hosts[node] stays the place for the arrays while there is room in it. */
static bool array_alloc(struct region *r, unsigned int hosts[MAX_NUMNODES])
{
	unsigned int *host = &hosts[r->zone->node];
	u64 bytes = r->nr_pages * sizeof(struct page);
	struct region *in;

	if (*host == NO_HOST || room_of(&table[*host]) < bytes)
		*host = find_host(r->zone->node, bytes);
	if (*host == NO_HOST)
		*host = find_host(NUMA_NO_NODE, bytes);
	if (*host == NO_HOST) {
		printk("mm: no room for the page array of [%llx + %llx]: left out\n",
		       (unsigned long long)r->first_pfn << PAGE_SHIFT,
		       (unsigned long long)r->nr_pages << PAGE_SHIFT);
		return false;
	}
	in = &table[*host];
	r->pages = phys_to_virt((in->first_pfn << PAGE_SHIFT) +
				in->meta_bytes);
	r->bytes = (size_t)bytes;
	in->meta_bytes += bytes;
	return true;
}

static void array_init(struct region *r, unsigned int index)
{
	memset(r->pages, 0, r->bytes);
	for (u64 i = 0; i < r->nr_pages; i++) {
		r->pages[i].node = r->zone->node;
		r->pages[i].region = index;
	}
}

static void mark_meta(struct region *r)
{
	u64 nr = (r->meta_bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;

	for (u64 i = 0; i < nr; i++)
		r->pages[i].state = PAGE_META;
}

int regions_init(const struct mem_range *ranges, unsigned int nr)
{
	/* Page 0 stays out. */
	struct cutter cutter = { .ranges = ranges, .nr = nr, .pfn = 1 };
	unsigned int hosts[MAX_NUMNODES];
	u64 table_pfn;
	int err = place_table(cutter, &table_pfn);

	if (err)
		return err;
	fill_table(cutter, table_pfn);
	for (unsigned int i = 0; i < MAX_NUMNODES; i++)
		hosts[i] = NO_HOST;
	for (unsigned int i = 0; i < nr_table; i++)
		if (table[i].meta_bytes)	/* the table: go on there */
			hosts[table[i].zone->node] = i;
	for (unsigned int i = 0; i < nr_table; i++)
		if (array_alloc(&table[i], hosts))
			array_init(&table[i], i);
	for (unsigned int i = 0; i < nr_table; i++)
		if (table[i].pages)
			mark_meta(&table[i]);
	return 0;
}
