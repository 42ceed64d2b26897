/* SPDX-License-Identifier: MIT */
/*
 * The page allocator: what it hands out, takes back and refuses.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/err.h"
#include "mm/page.h"
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"

#define MIB		(1024 * 1024UL)
#define ARENA		(256 * MIB)
#define SMALL		(16 * MIB)
#define SMALL_PAGES	(SMALL / PAGE_SIZE)
#define HIGH		(4096 * MIB)	/* physical address of the arena */
#define NOWARN		(GFP_KERNEL | __GFP_NOWARN)

static struct page_stats stats(void)
{
	struct page_stats now;

	page_stats_read(&now);
	return now;
}

static int group_setup(void **state)
{
	(void)state;
	host_memory_init(ARENA, HIGH);
	return 0;
}

static int group_teardown(void **state)
{
	(void)state;
	host_memory_fini();
	return 0;
}

static int init_with(phys_addr_t base, u64 size)
{
	struct mem_range range = { base, size, 0 };

	host_phys_base = base;
	return page_init(&range, 1);
}

/* Most tests need but the start of the arena, as it was at first. */
static int small(void **state)
{
	(void)state;
	page_fail_nth(0);
	memset(host_memory, 0xa5, SMALL);
	return init_with(HIGH, SMALL);
}

/* Takes all that is there, the largest first. nr[]: blocks of each order. */
static void count_blocks(unsigned int nr[MAX_ORDER + 1])
{
	LIST_HEAD(taken);
	struct page *page, *next;

	for (int order = MAX_ORDER; order >= 0; order--) {
		nr[order] = 0;
		while ((page = alloc_pages(NOWARN, (unsigned int)order))) {
			page->private = (unsigned long)order;
			list_add(&page->lru, &taken);
			nr[order]++;
		}
	}
	list_for_each_entry_safe(page, next, &taken, lru)
		__free_pages(page, (unsigned int)page->private);
}

static void blocks_of_each_order_are_aligned_to_their_size(void **state)
{
	static const phys_addr_t bases[] = { 0, HIGH };

	(void)state;
	for (size_t b = 0; b < ARRAY_SIZE(bases); b++) {
		u64 nr_free;

		assert_int_equal(init_with(bases[b], ARENA), 0);
		nr_free = stats().nr_free;
		for (unsigned int order = 0; order <= MAX_ORDER; order++) {
			struct page *page = alloc_pages(GFP_KERNEL, order);
			size_t size = PAGE_SIZE << order;
			u8 *mem = page_address(page);

			assert_non_null(page);
			assert_int_equal(page_to_phys(page) & (size - 1), 0);
			assert_ptr_equal(phys_to_page(page_to_phys(page)),
					 page);
			assert_ptr_equal(virt_to_page(mem + size - 1),
					 page + (1UL << order) - 1);
			mem[0] = mem[size - 1] = 1;
			__free_pages(page, order);
			assert_int_equal(stats().nr_free, nr_free);
		}
	}
}

/* ---- random use ---- */

#define MAX_LIVE	300

static struct {
	struct page *page;
	unsigned int order;
} live[MAX_LIVE];
static bool taken_pages[SMALL_PAGES];

/* Every page of the block changes between free and taken. */
static void mark(struct page *page, unsigned int order, bool taken)
{
	u64 first = (page_to_phys(page) - HIGH) >> PAGE_SHIFT;

	for (u64 i = first; i < first + (1UL << order); i++) {
		assert_true(i < SMALL_PAGES);
		assert_int_equal(taken_pages[i], !taken);
		taken_pages[i] = taken;
	}
}

static void change_one(u64 *seed)
{
	unsigned int i = (unsigned int)(random_u64(seed) % MAX_LIVE);

	if (live[i].page) {
		mark(live[i].page, live[i].order, false);
		if (random_u64(seed) & 1)
			__free_pages(live[i].page, live[i].order);
		else
			free_pages((unsigned long)page_address(live[i].page),
				   live[i].order);
		live[i].page = NULL;
		return;
	}
	live[i].order = (unsigned int)(random_u64(seed) % 8);
	live[i].page = alloc_pages(NOWARN, live[i].order);
	if (live[i].page)
		mark(live[i].page, live[i].order, true);
}

static void blocks_never_overlap_and_merge_when_all_are_free(void **state)
{
	unsigned int before[MAX_ORDER + 1], after[MAX_ORDER + 1];
	u64 nr_free = stats().nr_free, seed = 20;

	(void)state;
	count_blocks(before);
	for (int i = 0; i < 50000; i++)
		change_one(&seed);
	for (unsigned int i = 0; i < MAX_LIVE; i++) {
		if (!live[i].page)
			continue;
		mark(live[i].page, live[i].order, false);
		__free_pages(live[i].page, live[i].order);
	}
	count_blocks(after);
	assert_memory_equal(before, after, sizeof(before));
	assert_true(before[11] > 0);	/* 8 MiB: half of the arena */
	assert_int_equal(stats().nr_free, nr_free);
	assert_int_equal(stats().nr_double_free + stats().nr_wild_free, 0);
	assert_true(stats().nr_failed > 500);	/* it was full at times */
}

/*
 * What stands behind the struct pages of a region is none, though it may look
 * like one.
 */
static void a_block_at_the_end_has_no_buddy_behind_it(void **state)
{
	struct page *last, *fake;

	(void)state;
	assert_int_equal(init_with(HIGH, 384 * PAGE_SIZE), 0);
	last = phys_to_page(HIGH + 256 * PAGE_SIZE);
	fake = phys_to_page(HIGH) + 384;
	*fake = *last;		/* a free block of order 7 */
	INIT_LIST_HEAD(&fake->lru);
	assert_ptr_equal(alloc_pages(NOWARN, 7), last);
	__free_pages(last, 7);
	assert_int_equal(last->order, 7);
	assert_ptr_equal(alloc_pages(NOWARN, 7), last);
}

/* ---- refused frees ---- */

static void a_double_free_is_refused_and_counted(void **state)
{
	struct page *page = alloc_pages(GFP_KERNEL, 3);
	u64 nr_free = stats().nr_free;

	(void)state;
	__free_pages(page, 3);
	assert_int_equal(stats().nr_free, nr_free + 8);
	__free_pages(page, 3);
	free_pages((unsigned long)page_address(page), 3);
	assert_int_equal(stats().nr_double_free, 2);
	assert_int_equal(stats().nr_wild_free, 0);
	assert_int_equal(stats().nr_free, nr_free + 8);
}

static void a_free_with_another_order_is_refused_and_counted(void **state)
{
	struct page *page = alloc_pages(GFP_KERNEL, 3);
	u64 nr_free = stats().nr_free;

	(void)state;
	__free_pages(page, 2);
	__free_pages(page, 4);
	__free_pages(page, ~0u);
	assert_int_equal(stats().nr_wild_free, 3);
	assert_int_equal(stats().nr_free, nr_free);
	__free_pages(page, 3);
	assert_int_equal(stats().nr_free, nr_free + 8);
	assert_int_equal(stats().nr_wild_free, 3);
}

static void a_free_of_no_block_is_refused_and_counted(void **state)
{
	struct page *page = alloc_pages(GFP_KERNEL, 3);
	unsigned long mem = (unsigned long)page_address(page);
	u64 nr_free = stats().nr_free;
	struct page stray = { .order = 3 };

	(void)state;
	__free_pages(&stray, 3);
	free_pages(mem + 1, 3);				/* no page */
	free_pages((unsigned long)&stray, 0);		/* not managed */
	free_pages((unsigned long)host_memory, 0);	/* struct pages */
	assert_int_equal(stats().nr_wild_free, 4);
	__free_pages(page + 1, 0);			/* inside of a block */
	free_pages(mem + 4 * PAGE_SIZE, 2);
	assert_int_equal(stats().nr_wild_free, 6);
	assert_int_equal(stats().nr_double_free, 0);
	assert_int_equal(stats().nr_free, nr_free);
	__free_pages(NULL, 0);
	free_pages(0, 0);
	assert_int_equal(stats().nr_wild_free, 6);
	__free_pages(page, 3);
	assert_int_equal(stats().nr_free, nr_free + 8);
}

/* ---- failures ---- */

static void only_the_nth_allocation_fails(void **state)
{
	(void)state;
	page_fail_nth(3);
	assert_non_null(alloc_pages(NOWARN, 0));
	assert_non_null(alloc_pages(NOWARN, 1));
	assert_null(alloc_pages(NOWARN, 0));
	assert_non_null(alloc_pages(NOWARN, 0));
	assert_int_equal(stats().nr_failed, 1);
	page_fail_nth(1);
	assert_int_equal(get_zeroed_page(NOWARN), 0);
	page_fail_nth(1);
	page_fail_nth(0);
	assert_non_null(alloc_pages(NOWARN, 0));
	assert_int_equal(stats().nr_failed, 2);
	assert_int_equal(stats().nr_alloc, 4);
}

static void exhaustion_gives_null_and_is_counted(void **state)
{
	u64 nr_free = stats().nr_free, nr = 0;
	unsigned long dropped = printk_dropped();

	(void)state;
	assert_null(alloc_pages(NOWARN, 12));	/* 16 MiB, less struct pages */
	assert_null(alloc_pages(NOWARN, MAX_ORDER + 1));
	assert_null(alloc_pages(NOWARN, ~0u));
	assert_int_equal(stats().nr_failed, 3);
	while (alloc_pages(NOWARN, 0))
		nr++;
	assert_int_equal(nr, nr_free);
	assert_int_equal(stats().nr_free, 0);
	assert_int_equal(stats().nr_failed, 4);
	assert_int_equal(printk_dropped(), dropped);
	assert_null(alloc_pages(GFP_KERNEL, 0));
	assert_true(printk_dropped() > dropped);
}

static void zeroed_blocks_are_zero_and_others_are_left(void **state)
{
	struct page *page = alloc_pages(GFP_KERNEL, 2);
	u8 *mem = page_address(page);

	(void)state;
	memset(mem, 0x5a, 4 * PAGE_SIZE);
	__free_pages(page, 2);
	assert_ptr_equal(alloc_pages(GFP_KERNEL | __GFP_ZERO, 2), page);
	for (size_t i = 0; i < 4 * PAGE_SIZE; i++)
		assert_int_equal(mem[i], 0);
	memset(mem, 0x5a, 4 * PAGE_SIZE);
	__free_pages(page, 2);
	mem = (u8 *)get_zeroed_page(GFP_KERNEL);
	for (size_t i = 0; i < PAGE_SIZE; i++)
		assert_int_equal(mem[i], 0);
	if (!TOPAZ_DEBUG)
		assert_int_equal(mem[PAGE_SIZE], 0x5a);
}

/* ---- ranges ---- */

static void malformed_ranges_are_refused_and_nothing_is_taken(void **state)
{
	static const struct mem_range bad[][2] = {
		{ { HIGH + MIB, MIB, 0 }, { HIGH, MIB, 0 } },	/* unsorted */
		{ { HIGH, MIB, 0 }, { HIGH, MIB, 0 } },		/* twice */
		{ { HIGH, 2 * MIB, 0 }, { HIGH + MIB, MIB, 0 } },
		{ { HIGH + 1, MIB, 0 }, { HIGH + 2 * MIB, MIB, 0 } },
		{ { HIGH, MIB, 0 }, { HIGH + 2 * MIB, MIB + 8, 0 } },
		{ { HIGH, MIB, 0 }, { HIGH + 2 * MIB, 0, 0 } },
		{ { HIGH, MIB, 0 }, { HIGH + MIB, 0ULL - HIGH, 0 } },
		{ { HIGH, MIB, 0 }, { HIGH + MIB, ~0ULL & PAGE_MASK, 0 } },
	};
	struct page_stats before = stats(), after;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(page_init(bad[i], 2), -EINVAL);
	assert_int_equal(page_init(bad[0], 0), -EINVAL);
	after = stats();
	assert_memory_equal(&before, &after, sizeof(before));
	assert_non_null(alloc_pages(NOWARN, 11));
}

static void a_range_of_one_page_is_used_when_another_has_room(void **state)
{
	static const struct mem_range ranges[] = {
		{ HIGH, PAGE_SIZE, 0 }, { HIGH + MIB, MIB, 0 },
	};

	(void)state;
	assert_int_equal(page_init(ranges, 1), -ENOMEM);
	assert_int_equal(page_init(ranges, 2), 0);
	assert_int_equal(stats().nr_total, MIB / PAGE_SIZE + 1);
	assert_non_null(phys_to_page(HIGH));
	assert_int_equal(page_to_phys(phys_to_page(HIGH)), HIGH);
}

static void page_0_is_never_handed_out(void **state)
{
	struct page *page;

	(void)state;
	memset(host_memory, 0xa5, PAGE_SIZE);
	assert_int_equal(init_with(0, SMALL), 0);
	assert_int_equal(stats().nr_total, SMALL_PAGES - 1);
	assert_null(phys_to_page(0));
	while ((page = alloc_pages(NOWARN, 0)))
		assert_true(page_to_phys(page) >= PAGE_SIZE);
	for (size_t i = 0; i < PAGE_SIZE; i++)
		assert_int_equal(host_memory[i], 0xa5);
}

static const struct mem_range holed[] = {
	{ HIGH, 3 * MIB, 0 },
	{ HIGH + 4 * MIB, 3 * MIB + 5 * PAGE_SIZE, 1 },
	{ HIGH + 9 * MIB - PAGE_SIZE, 7 * MIB + PAGE_SIZE, 0 },
};

/* Index of the range that holds all of a block, -1 for none. */
static int range_of(phys_addr_t pa, size_t size)
{
	for (int i = 0; i < (int)ARRAY_SIZE(holed); i++)
		if (pa >= holed[i].base &&
		    pa + size <= holed[i].base + holed[i].size)
			return i;
	return -1;
}

static void holes_between_ranges_are_never_handed_out(void **state)
{
	static const unsigned int orders[] = { 9, 5, 2, 0 };
	u64 sum = 0, nr_free;

	(void)state;
	memset(host_memory, 0xa5, SMALL);
	assert_int_equal(page_init(holed, ARRAY_SIZE(holed)), 0);
	nr_free = stats().nr_free;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		size_t size = PAGE_SIZE << orders[i];
		struct page *page;

		while ((page = alloc_pages(NOWARN, orders[i]))) {
			assert_true(range_of(page_to_phys(page), size) >= 0);
			memset(page_address(page), 0, size);
			sum += size / PAGE_SIZE;
		}
	}
	assert_int_equal(sum, nr_free);
	for (phys_addr_t pa = HIGH; pa < HIGH + SMALL; pa += PAGE_SIZE) {
		bool hole = range_of(pa, PAGE_SIZE) < 0;

		assert_int_equal(!phys_to_page(pa), hole);
		if (hole)
			assert_int_equal(*(u8 *)phys_to_virt(pa), 0xa5);
	}
}

static void a_block_comes_from_its_node_while_that_has_one(void **state)
{
	struct page *page;

	(void)state;
	assert_int_equal(page_init(holed, ARRAY_SIZE(holed)), 0);
	for (int i = 0; i < 64; i++) {
		page = alloc_pages_node(1, NOWARN, 0);
		assert_int_equal(range_of(page_to_phys(page), PAGE_SIZE), 1);
		assert_int_equal(page->node, 1);
		page = alloc_pages_node(0, NOWARN, 0);
		assert_int_not_equal(range_of(page_to_phys(page), PAGE_SIZE),
				     1);
	}
	while ((page = alloc_pages_node(1, NOWARN, 0)))
		if (page->node == 0)
			break;
	assert_non_null(page);	/* node 1 is empty: fell back */
	assert_non_null(alloc_pages_node(7, NOWARN, 0));
	assert_non_null(alloc_pages_node(NUMA_NO_NODE, NOWARN, 0));
}

static void what_is_not_managed_converts_to_nothing(void **state)
{
	struct page stray;

	(void)state;
	assert_null(phys_to_page(HIGH - 1));
	assert_null(phys_to_page(HIGH + SMALL));
	assert_null(phys_to_page(~0ULL));
	assert_null(virt_to_page(&stray));
	assert_int_equal(page_to_phys(&stray), 0);
	assert_null(page_address(&stray));
}

static void an_order_is_the_smallest_that_holds_the_size(void **state)
{
	(void)state;
	assert_int_equal(get_order(1), 0);
	for (unsigned int order = 0; order < MAX_ORDER; order++) {
		assert_int_equal(get_order(PAGE_SIZE << order), order);
		assert_int_equal(get_order((PAGE_SIZE << order) + 1),
				 order + 1);
	}
}

#define SMALL_TEST(name)	cmocka_unit_test_setup(name, small)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			blocks_of_each_order_are_aligned_to_their_size),
		SMALL_TEST(blocks_never_overlap_and_merge_when_all_are_free),
		SMALL_TEST(a_block_at_the_end_has_no_buddy_behind_it),
		SMALL_TEST(a_double_free_is_refused_and_counted),
		SMALL_TEST(a_free_with_another_order_is_refused_and_counted),
		SMALL_TEST(a_free_of_no_block_is_refused_and_counted),
		SMALL_TEST(only_the_nth_allocation_fails),
		SMALL_TEST(exhaustion_gives_null_and_is_counted),
		SMALL_TEST(zeroed_blocks_are_zero_and_others_are_left),
		SMALL_TEST(malformed_ranges_are_refused_and_nothing_is_taken),
		SMALL_TEST(a_range_of_one_page_is_used_when_another_has_room),
		SMALL_TEST(page_0_is_never_handed_out),
		SMALL_TEST(holes_between_ranges_are_never_handed_out),
		SMALL_TEST(a_block_comes_from_its_node_while_that_has_one),
		SMALL_TEST(what_is_not_managed_converts_to_nothing),
		cmocka_unit_test(an_order_is_the_smallest_that_holds_the_size),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
