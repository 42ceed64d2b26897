/* SPDX-License-Identifier: MIT */
/*
 * What page_init() makes of odd machines, and where allocations come from:
 * zones, nodes, distances.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <asm/percpu.h>
#include "lib/err.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/mm_state.h"

#define KIB		1024ULL
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)
#define ARENA		(8 * GIB)	/* none of it is used by itself */
#define NODES		4

static int init(const struct mem_range *ranges, unsigned int nr)
{
	assert_int_equal(page_set_distances(NULL, 0), 0);
	return page_init(ranges, nr);
}

static int node_of_block(int nid, gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages_node(nid, NOWARN | gfp, order);

	return page ? page->node : -1;
}

/* Takes single pages until there are none. Return: how many. */
static u64 take_all(int nid, gfp_t gfp)
{
	u64 nr = 0;

	while (alloc_pages_node(nid, NOWARN | gfp, 0))
		nr++;
	return nr;
}

/* ---- ranges ---- */

static void each_page_of_3000_ranges_is_found_and_handed_out_once(void **state)
{
	enum { NR = 3000 };
	static struct mem_range ranges[NR];
	struct page *page;
	u64 nr = 0;

	(void)state;
	for (unsigned int i = 0; i < NR; i++)
		ranges[i] = (struct mem_range){
			.base = 16 * MIB + i * 64 * KIB,
			.size = i == 100 ? 64 * KIB : i % 3 * 8 * KIB + 4 * KIB,
			.node = (int)(i % 5),
		};
	ranges[NR - 1].size = 8 * MIB;
	assert_int_equal(init(ranges, NR), 0);
	for (unsigned int i = 0; i < NR; i++) {
		phys_addr_t end = ranges[i].base + ranges[i].size;

		for (phys_addr_t pa = ranges[i].base; pa < end;
		     pa += PAGE_SIZE) {
			page = phys_to_page(pa + 123);
			assert_non_null(page);
			assert_int_equal(page_to_phys(page), pa);
			assert_int_equal(page->node, ranges[i].node);
		}
		assert_int_equal(!phys_to_page(end),
				 i + 1 == NR || end < ranges[i + 1].base);
	}
	nr = mm_stats().nr_free;
	assert_int_equal(take_all(0, 0), nr);
	/* Bookkeeping: 32 bytes a page, the table, what is left of a page. */
	assert_true(mm_stats().nr_total - nr < 200);
}

static void bookkeeping_comes_from_its_own_node(void **state)
{
	static const struct mem_range ranges[] = {
		{ 16 * MIB, 64 * MIB, 0 },
		{ 128 * MIB, 32 * MIB, 1 },
		{ 256 * MIB, 4 * KIB, 2 },	/* fills itself */
		{ 256 * MIB + 8 * KIB, 4 * KIB, 1 },
		{ 512 * MIB, 8 * KIB, 3 },
	};

	(void)state;
	assert_int_equal(init(ranges, ARRAY_SIZE(ranges)), 0);
	assert_int_equal(virt_to_page(phys_to_page(128 * MIB))->node, 1);
	assert_int_equal(virt_to_page(phys_to_page(256 * MIB))->node, 2);
	assert_int_equal(virt_to_page(phys_to_page(256 * MIB + 8 * KIB))
			 ->node, 1);
	assert_int_equal(virt_to_page(phys_to_page(512 * MIB))->node, 3);
	assert_int_equal(take_all(2, __GFP_THISNODE), 0);
	assert_int_equal(take_all(3, __GFP_THISNODE), 1);
}

static void ranges_are_cut_at_1_mib_and_4_gib(void **state)
{
	static const struct mem_range ranges[] = {
		{ 512 * KIB, 1 * MIB, 0 },
		{ 4 * GIB - 1 * MIB, 2 * MIB, 0 },
	};
	static struct mm_state before;

	(void)state;
	assert_int_equal(init(ranges, 2), 0);
	mm_state_read(&before);
	assert_int_equal(zone_of(0, ZONE_LOW)->nr_pages, 128);
	assert_int_equal(zone_of(0, ZONE_DMA32)->nr_pages, 128 + 256);
	assert_int_equal(zone_of(0, ZONE_NORMAL)->nr_pages, 256);
	assert_int_equal(before.nr_blocks[0][ZONE_LOW][7], 1);
	assert_int_equal(before.nr_blocks[0][ZONE_NORMAL][8], 1);
	assert_null(alloc_pages(NOWARN, 9));
}

static void a_machine_of_64_mib_works(void **state)
{
	static const struct mem_range ranges[] = {
		{ 0, 640 * KIB, 0 }, { 1 * MIB, 63 * MIB, 0 },
	};
	u64 nr;

	(void)state;
	assert_int_equal(init(ranges, 2), 0);
	nr = mm_stats().nr_free;
	assert_true(nr > 16000);
	assert_non_null(alloc_pages(NOWARN, 13));
	assert_int_equal(take_all(0, 0), nr - 8192);
	assert_int_equal(mm_stats().nr_free, 0);
}

static void a_node_number_that_cannot_be_is_taken_as_0(void **state)
{
	static const struct mem_range ranges[] = {
		{ 1 * MIB, 1 * MIB, MAX_NUMNODES },
		{ 4 * MIB, 1 * MIB, -1 },
		{ 8 * MIB, 1 * MIB, MAX_NUMNODES - 1 },
	};

	(void)state;
	assert_int_equal(init(ranges, 3), 0);
	assert_int_equal(phys_to_page(1 * MIB)->node, 0);
	assert_int_equal(phys_to_page(4 * MIB)->node, 0);
	assert_int_equal(phys_to_page(8 * MIB)->node, MAX_NUMNODES - 1);
}

static void memory_below_1_mib_alone_is_enough(void **state)
{
	static const struct mem_range ranges[] = { { 0, 640 * KIB, 0 } };

	(void)state;
	assert_int_equal(init(ranges, 1), 0);
	assert_true(take_all(0, 0) > 150);
}

/* ---- zones ---- */

static const struct mem_range three_zones[] = {
	{ 256 * KIB, 256 * KIB, 0 },
	{ 16 * MIB, 1 * MIB, 0 },
	{ 5 * GIB, 1 * MIB, 0 },
};

static enum zone_type zone_taken(gfp_t gfp)
{
	struct page *page = alloc_pages(NOWARN | gfp, 2);
	phys_addr_t pa;

	assert_non_null(page);
	pa = page_to_phys(page);
	__free_pages(page, 2);
	return pa < MIB ? ZONE_LOW : pa < 4 * GIB ? ZONE_DMA32 : ZONE_NORMAL;
}

static void high_memory_goes_first_and_low_memory_last(void **state)
{
	u64 normal, dma32, low;

	(void)state;
	assert_int_equal(init(three_zones, 3), 0);
	normal = zone_of(0, ZONE_NORMAL)->nr_free;
	dma32 = zone_of(0, ZONE_DMA32)->nr_free;
	low = zone_of(0, ZONE_LOW)->nr_free;
	assert_int_equal(low, 64);
	assert_int_equal(zone_taken(0), ZONE_NORMAL);
	assert_int_equal(zone_taken(__GFP_DMA32), ZONE_DMA32);
	assert_int_equal(zone_taken(__GFP_LOW), ZONE_LOW);
	assert_int_equal(zone_taken(__GFP_LOW | __GFP_DMA32), ZONE_LOW);
	for (u64 i = 0; i < normal + dma32; i++)
		assert_true(page_to_phys(alloc_pages(NOWARN, 0)) >=
			    (i < normal ? 4 * GIB : MIB));
	assert_null(alloc_pages(NOWARN | __GFP_NORETRY, 0));
	assert_true(page_to_phys(alloc_pages(NOWARN | __GFP_DMA32, 0)) < MIB);
	assert_true(page_to_phys(alloc_pages(NOWARN, 0)) < MIB);
	assert_non_null(alloc_pages(NOWARN | __GFP_NORETRY | __GFP_LOW, 0));
	assert_int_equal(take_all(0, 0), low - 3);
}

static void low_memory_is_freed_to_its_zone_at_once(void **state)
{
	struct page *page;

	(void)state;
	assert_int_equal(init(three_zones, 3), 0);
	page = alloc_pages(NOWARN | __GFP_LOW, 0);
	__free_pages(page, 0);
	assert_int_equal(mm_stats().nr_pcp, 0);
	assert_int_equal(zone_of(0, ZONE_LOW)->nr_free, 64);
}

/* What CPUs hold is given back for a block, unless NORETRY says not to. */
static void a_block_is_merged_from_the_cpus_list_when_needed(void **state)
{
	static const struct mem_range ranges[] = {
		{ 16 * MIB, 64 * KIB, 0 }, { 32 * MIB, 512 * KIB, 0 },
	};
	struct page *page[128];

	(void)state;
	assert_int_equal(init(ranges, 2), 0);
	assert_int_equal(zone_of(0, ZONE_DMA32)->nr_blocks[6], 1);
	for (unsigned int i = 0; i < 128; i++)
		page[i] = alloc_pages(NOWARN, 0);
	for (unsigned int i = 0; i < 128; i++)
		if (page[i])
			__free_pages(page[i], 0);
	assert_true(mm_stats().nr_pcp > 0);
	/* One page of it is on the list. */
	page[0] = alloc_pages(NOWARN, 0);
	__free_pages(page[0], 0);
	if (!alloc_pages(NOWARN | __GFP_NORETRY, 6))
		assert_true(mm_stats().nr_pcp > 0);
	assert_non_null(alloc_pages(NOWARN, 6));
}

/* ---- nodes ---- */

static struct mem_range on_nodes[NODES];

static void init_nodes(void)
{
	for (int n = 0; n < NODES; n++)
		on_nodes[n] = (struct mem_range){
			.base = 16 * MIB + (u64)n * MIB,
			.size = MIB,
			.node = n,
		};
	assert_int_equal(init(on_nodes, NODES), 0);
}

/* Empties node after node. order[]: the nodes in the order they gave. */
static void fallback_order(int nid, int order[NODES])
{
	int seen = 0, node;

	while ((node = node_of_block(nid, 0, 4)) >= 0)
		if (!seen || order[seen - 1] != node)
			order[seen++] = node;
	assert_int_equal(seen, NODES);
}

static void without_distances_nodes_follow_by_number(void **state)
{
	static const int expected[NODES] = { 2, 0, 1, 3 };
	int order[NODES];

	(void)state;
	init_nodes();
	fallback_order(2, order);
	assert_memory_equal(order, expected, sizeof(order));
}

static const u8 slit[] = {
	10, 40, 20, 30,
	40, 10, 30, 255,
	20, 30, 10, 10,		/* a firmware that says 3 is as near as 2 */
	30, 21, 20, 10,
};

static void nodes_follow_by_distance(void **state)
{
	static const int expected[NODES][NODES] = {
		{ 0, 2, 3, 1 }, { 1, 2, 0, 3 }, { 2, 3, 0, 1 }, { 3, 2, 1, 0 },
	};

	(void)state;
	for (int before = 0; before < 2; before++) {
		for (int nid = 0; nid < NODES; nid++) {
			int order[NODES];

			init_nodes();
			assert_int_equal(page_set_distances(slit, NODES), 0);
			if (before)	/* the matrix survives it */
				assert_int_equal(page_init(on_nodes, NODES),
						 0);
			fallback_order(nid, order);
			assert_memory_equal(order, expected[nid],
					    sizeof(order));
		}
	}
}

static void distances_of_too_many_nodes_are_refused(void **state)
{
	static const int expected[NODES] = { 1, 0, 2, 3 };
	static const u8 two[] = { 10, 20, 20, 10 };
	int order[NODES];

	(void)state;
	init_nodes();
	assert_int_equal(page_set_distances(slit, MAX_NUMNODES + 1), -EINVAL);
	assert_int_equal(page_set_distances(NULL, 2), -EINVAL);
	/* Nodes without a row come last. */
	assert_int_equal(page_set_distances(two, 2), 0);
	fallback_order(1, order);
	assert_memory_equal(order, expected, sizeof(order));
}

static void thisnode_fails_rather_than_take_from_another(void **state)
{
	(void)state;
	init_nodes();
	while (node_of_block(3, __GFP_THISNODE, 0) == 3)
		;
	assert_int_equal(node_of_block(3, __GFP_THISNODE, 0), -1);
	assert_int_equal(node_of_block(3, 0, 0), 0);
	assert_int_equal(node_of_block(40, __GFP_THISNODE, 0), -1);
	assert_int_equal(node_of_block(40, 0, 0), 0);
	assert_int_equal(node_of_block(1000, 0, 0), 0);
}

static void a_cpu_gets_memory_of_its_node(void **state)
{
	struct page *page;

	(void)state;
	init_nodes();
	host_cpu = 7;
	for (int nid = NODES - 1; nid >= 0; nid--) {
		host_cpu_node[7] = nid;		/* learned late */
		page_drain_all();
		for (int i = 0; i < 20; i++) {
			page = alloc_pages(NOWARN, 0);
			assert_int_equal(page->node, nid);
			__free_pages(page, 0);
			page = alloc_pages_node((nid + 1) % NODES, NOWARN, 0);
			assert_int_equal(page->node, (nid + 1) % NODES);
			__free_pages(page, 0);
		}
	}
	/* A node without memory: the nearest has to do. */
	assert_int_equal(page_set_distances(slit, NODES), 0);
	assert_int_equal(page_init(on_nodes + 1, NODES - 1), 0);
	host_cpu_node[7] = 0;
	page = alloc_pages(NOWARN, 0);
	assert_int_equal(page->node, 2);
	__free_pages(page, 0);
	assert_int_equal(mm_stats().nr_pcp > 0, 1);
	assert_null(alloc_pages(NOWARN | __GFP_THISNODE, 0));
	host_cpu = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_page_of_3000_ranges_is_found_and_handed_out_once),
		cmocka_unit_test(bookkeeping_comes_from_its_own_node),
		cmocka_unit_test(ranges_are_cut_at_1_mib_and_4_gib),
		cmocka_unit_test(a_machine_of_64_mib_works),
		cmocka_unit_test(a_node_number_that_cannot_be_is_taken_as_0),
		cmocka_unit_test(memory_below_1_mib_alone_is_enough),
		cmocka_unit_test(high_memory_goes_first_and_low_memory_last),
		cmocka_unit_test(low_memory_is_freed_to_its_zone_at_once),
		cmocka_unit_test(
			a_block_is_merged_from_the_cpus_list_when_needed),
		cmocka_unit_test(without_distances_nodes_follow_by_number),
		cmocka_unit_test(nodes_follow_by_distance),
		cmocka_unit_test(distances_of_too_many_nodes_are_refused),
		cmocka_unit_test(thisnode_fails_rather_than_take_from_another),
		cmocka_unit_test(a_cpu_gets_memory_of_its_node),
	};

	host_memory_reserve(ARENA, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
