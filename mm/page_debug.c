/* SPDX-License-Identifier: MIT */
/*
 * Poison in free pages, and the callers of those in use.
 *
 * Memory is poisoned when it is freed, not when it is taken over: start-up
 * would write all of it. A flag of each page says that it is.
 */
#include "mm/debug.h"

#include "lib/string.h"
#include "mm/region.h"
#include "mm/slab_debug.h"
#include "mm/zone.h"

#define POISONED	0x01	/* struct page.flags */

size_t first_other_byte(const void *mem, u8 byte, size_t n)
{
	const u8 *p = mem;
	u64 word = byte * 0x0101010101010101ULL;
	size_t i = 0;

	while (i < n && (uintptr_t)(p + i) % 8)
		if (p[i++] != byte)
			return i - 1;
	while (i + 8 <= n && *(const u64 *)(p + i) == word)
		i += 8;
	while (i < n && p[i] == byte)
		i++;
	return i;
}

#if TOPAZ_DEBUG

/* Owner: page_leak_mark(). */
static u32 nr_marks;

u32 page_debug_mark(void)
{
	return __atomic_load_n(&nr_marks, __ATOMIC_RELAXED);
}

void page_leak_mark(void)
{
	__atomic_fetch_add(&nr_marks, 1, __ATOMIC_RELAXED);
}

static void check_poison(struct page *page, const u8 *mem)
{
	size_t bad;

	if (!(page->flags & POISONED))
		return;
	page->flags &= (u8)~POISONED;
	bad = first_other_byte(mem, POISON_PAGE, PAGE_SIZE);
	if (bad == PAGE_SIZE)
		return;
	page_count_corrupt();
	printk("mm: free page %llx was written to: byte %zu is %02x; last freed block was of %pB\n",
	       (unsigned long long)virt_to_phys(mem), bad, mem[bad],
	       page->caller);
}

void page_debug_alloc(struct page *page, unsigned int order,
		      const void *caller)
{
	u8 *mem = page_address(page);

	for (u64 i = 0; i < 1ULL << order; i++)
		check_poison(&page[i], mem + i * PAGE_SIZE);
	page->caller = caller;
	page->size = 0;
	page->mark = page_debug_mark();
}

void page_debug_free(struct page *page, unsigned int order)
{
	memset(page_address(page), POISON_PAGE, PAGE_SIZE << order);
	for (u64 i = 0; i < 1ULL << order; i++) {
		page[i].flags |= POISONED;
		page[i].caller = page->caller;
	}
}

/* ---- the leak report ---- */

#define MAX_CALLERS	64

struct leak {
	const void *caller;
	u64 nr_blocks;
	u64 nr_objects;
	u64 bytes;
};

struct leaks {
	struct leak by_caller[MAX_CALLERS + 1];	/* the last: all others */
	unsigned int nr;
	u64 sum;
};

static struct leak *leak_of(struct leaks *leaks, const void *caller)
{
	unsigned int i = 0;

	leaks->sum++;
	while (i < leaks->nr && leaks->by_caller[i].caller != caller)
		i++;
	if (i == leaks->nr && i < MAX_CALLERS) {
		leaks->by_caller[i].caller = caller;
		leaks->nr++;
	}
	return &leaks->by_caller[i];
}

static void add_object(void *arg, const void *caller, u32 size, u32 mark)
{
	struct leak *leak;

	if (mark != page_debug_mark())
		return;
	leak = leak_of(arg, caller);
	leak->nr_objects++;
	leak->bytes += size;
}

static void add_block(struct leaks *leaks, const struct page *page)
{
	struct leak *leak;

	if (page->mark != page_debug_mark())
		return;
	leak = leak_of(leaks, page->caller);
	leak->nr_blocks++;
	leak->bytes += PAGE_SIZE << page->order;
}

static void add_region(struct leaks *leaks, const struct region *r)
{
	for (u64 i = 0; r->pages && i < r->nr_pages; i++) {
		struct page *page = &r->pages[i];

		if (page_kind(page) >> 8 != PAGE_USED)
			continue;
		if (!slab_for_each_object(page, add_object, leaks))
			add_block(leaks, page);
	}
}

static void print_leak(struct printer *out, const struct leak *leak)
{
	pr_to(out, "%llu blocks, %llu objects, %llu bytes of ",
	      (unsigned long long)leak->nr_blocks,
	      (unsigned long long)leak->nr_objects,
	      (unsigned long long)leak->bytes);
	if (leak->caller)
		pr_to(out, "%pB\n", leak->caller);
	else
		pr_to(out, "other callers\n");
}

u64 page_leak_report(struct printer *out)
{
	/* Owner: this function, at quiet time; too large for a stack. */
	static struct leaks leaks;

	memset(&leaks, 0, sizeof(leaks));
	for (unsigned int i = 0; i < nr_regions(); i++)
		add_region(&leaks, region_at(i));
	pr_to(out, "mm: in use since the mark: %llu blocks and objects\n",
	      (unsigned long long)leaks.sum);
	for (unsigned int i = 0; i < leaks.nr; i++)
		print_leak(out, &leaks.by_caller[i]);
	if (leaks.by_caller[MAX_CALLERS].bytes)
		print_leak(out, &leaks.by_caller[MAX_CALLERS]);
	return leaks.sum;
}

#else

void page_leak_mark(void)
{
}

u64 page_leak_report(struct printer *out)
{
	pr_to(out, "mm: not a debug build (make DEBUG=1)\n");
	return 0;
}

#endif
