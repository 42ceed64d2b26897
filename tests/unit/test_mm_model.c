/* SPDX-License-Identifier: MIT */
/*
 * The page allocator beside a simple model: an array that says of each page
 * frame whether it is absent, free or in use.
 *
 * 10^6 random operations (10^5 in the debug build, which poisons) by several
 * CPUs on several nodes, with all flags and with frees that are wrong; at the
 * end all memory merges back to the blocks of the start.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <asm/percpu.h>
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/mm_state.h"

#define KIB		1024ULL
#define MIB		(1024 * KIB)
#define GIB		(1024 * MIB)
#define END		(4 * GIB + 256 * MIB)
#define NR_OPS		(TOPAZ_DEBUG ? 100000 : 1000000)
#define MAX_LIVE	3000
#define CPUS		4

static const struct mem_range ranges[] = {
	{ 0, 640 * KIB, 0 },				/* page 0 is out */
	{ 768 * KIB, 16 * MIB, 0 },			/* over 1 MiB */
	{ 32 * MIB, 4 * KIB, 1 },			/* a single page */
	{ 32 * MIB + 8 * KIB, 12 * KIB, 0 },
	{ 2 * GIB + 4 * KIB, 24 * MIB, 1 },
	{ 4 * GIB - 8 * MIB, 24 * MIB, 1 },		/* over 4 GiB */
	{ 4 * GIB + 17 * MIB, 31 * MIB, 0 },
	{ 4 * GIB + 64 * MIB, 8 * MIB, 5 },
	{ 4 * GIB + 128 * MIB, 128 * MIB, 63 },
};

enum { ABSENT, FREE, USED };
static u8 model[END / PAGE_SIZE];
static u64 model_free;

static struct {
	struct page *page;
	unsigned int order;
} live[MAX_LIVE];

static int node_of_pa(phys_addr_t pa)
{
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (pa - ranges[i].base < ranges[i].size)
			return ranges[i].node;
	return -1;
}

/* Also writes to the memory: what is not ours would be missed by its owner. */
static void mark(struct page *page, unsigned int order, u8 from, u8 to)
{
	phys_addr_t pa = page_to_phys(page);
	u64 pfn = pa >> PAGE_SHIFT;

	assert_int_equal(pfn & ((1ULL << order) - 1), 0);
	for (u64 i = 0; i < 1ULL << order; i++) {
		u64 *mem = phys_to_virt(pa + (i << PAGE_SHIFT));

		if (from == FREE)
			*mem = pfn;
		else
			assert_int_equal(*mem, pfn);
		assert_int_equal(model[pfn + i], from);
		model[pfn + i] = to;
	}
	model_free += to == FREE ? 1ULL << order : -(1ULL << order);
}

static void check_place(const struct page *page, int nid, gfp_t gfp,
			unsigned int order)
{
	phys_addr_t end = page_to_phys(page) + (PAGE_SIZE << order);

	assert_int_equal(page->node, node_of_pa(page_to_phys(page)));
	assert_int_equal(node_of_pa(end - 1), page->node);
	assert_int_equal(page->private, 0);
	if (gfp & __GFP_LOW)
		assert_true(end <= MIB);
	if (gfp & __GFP_DMA32)
		assert_true(end <= 4 * GIB);
	if (gfp & __GFP_THISNODE)
		assert_int_equal(page->node, nid == NUMA_NO_NODE ?
				 host_cpu_node[host_cpu] : nid);
	if (gfp & __GFP_NORETRY && !(gfp & __GFP_LOW))
		assert_true(end > MIB);
}

static gfp_t random_gfp(u64 *seed)
{
	static const gfp_t some[] = {
		0, 0, 0, 0, __GFP_LOW, __GFP_DMA32, __GFP_THISNODE,
		__GFP_NORETRY, __GFP_DMA32 | __GFP_THISNODE,
		__GFP_NORETRY | __GFP_THISNODE, __GFP_LOW | __GFP_NORETRY,
	};

	return NOWARN | some[random_u64(seed) % ARRAY_SIZE(some)];
}

static void take(unsigned int i, u64 *seed)
{
	static const int nids[] = { 0, 1, 5, 63, 17, NUMA_NO_NODE };
	int nid = nids[random_u64(seed) % ARRAY_SIZE(nids)];
	gfp_t gfp = random_gfp(seed);
	unsigned int order = random_u64(seed) % 4 ?
			     0 : (unsigned int)(random_u64(seed) % 13);
	struct page *page = random_u64(seed) % 2 ?
			    alloc_pages_node(nid, gfp, order) :
			    alloc_pages_node(nid = NUMA_NO_NODE, gfp, order);

	live[i].page = page;
	live[i].order = order;
	if (page) {
		check_place(page, nid, gfp, order);
		mark(page, order, FREE, USED);
	} else if (!order && gfp == NOWARN) {
		/* All that is left is on the lists of the other CPUs. */
		assert_int_equal(model_free, mm_stats().nr_pcp);
	}
}

static void give(unsigned int i, u64 *seed)
{
	struct page *page = live[i].page;
	unsigned int order = live[i].order;
	u64 refused = mm_nr_refused();

	if (random_u64(seed) % 64 == 0) {	/* wrong ones first */
		__free_pages(page, order + 1);
		if (order)
			__free_pages(page + 1, 0);
		assert_int_equal(mm_nr_refused(), refused + 1 + !!order);
	}
	mark(page, order, USED, FREE);
	__free_pages(page, order);
	live[i].page = NULL;
	if (random_u64(seed) % 64 == 0) {
		refused = mm_stats().nr_double_free;
		__free_pages(page, order);
		assert_int_equal(mm_stats().nr_double_free, refused + 1);
	}
}

static void fill_model(void)
{
	for (u64 pfn = 0; pfn < ARRAY_SIZE(model); pfn++) {
		const struct page *page = phys_to_page(pfn << PAGE_SHIFT);

		assert_int_equal(!page, !pfn ||
				 node_of_pa(pfn << PAGE_SHIFT) < 0);
		if (page && page->state != PAGE_META) {
			model[pfn] = FREE;
			model_free++;
		}
	}
}

static void random_use_agrees_with_the_model_and_merges_back(void **state)
{
	static struct mm_state start, end;
	u64 seed = 2026;

	(void)state;
	mm_state_read(&start);
	fill_model();
	assert_int_equal(model_free, start.nr_free);
	for (unsigned int op = 0; op < NR_OPS; op++) {
		unsigned int i = (unsigned int)(random_u64(&seed) % MAX_LIVE);

		host_cpu = (unsigned int)(random_u64(&seed) % CPUS);
		if (live[i].page)
			give(i, &seed);
		else
			take(i, &seed);
		if (op % 1000 == 0)
			assert_int_equal(mm_stats().nr_free, model_free);
	}
	for (unsigned int i = 0; i < MAX_LIVE; i++)
		if (live[i].page)
			give(i, &seed);
	mm_state_read(&end);
	assert_memory_equal(&start, &end, sizeof(start));
	assert_true(mm_stats().nr_failed > NR_OPS / 1000);	/* it was full at times */
	assert_true(mm_stats().nr_alloc > NR_OPS / 4);
	assert_int_equal(mm_stats().nr_corrupt, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			random_use_agrees_with_the_model_and_merges_back),
	};
	static const u8 slit[] = { 10, 20, 20, 10 };

	host_memory_reserve(END, 0);
	host_nr_cpus = CPUS;
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		host_cpu_node[cpu] = (int[]){ 0, 1, 63, 17 }[cpu];
	if (page_init(ranges, ARRAY_SIZE(ranges)) ||
	    page_set_distances(slit, 2))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
