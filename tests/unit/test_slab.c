/* SPDX-License-Identifier: MIT */
/*
 * Small objects: what kmalloc() hands out, kfree() takes back and refuses.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "mm/slab.h"
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"

#define ARENA		(128 * 1024 * 1024UL)
#define MANAGED		(16 * 1024 * 1024UL)	/* the rest of it is not */
#define BASE		0x100000000
#define NR_CACHES	8	/* 16..2048 bytes; each keeps one empty page */
#define NOWARN		(GFP_KERNEL | __GFP_NOWARN)

/*
 * One arena for all tests, since the caches keep pages of it; each test gives
 * back what it took.
 */
static int group_setup(void **state)
{
	static const struct mem_range range = { BASE, MANAGED, 0 };

	(void)state;
	host_memory_init(ARENA, BASE);
	return page_init(&range, 1);
}

static int group_teardown(void **state)
{
	(void)state;
	host_memory_fini();
	return 0;
}

static u64 nr_free(void)
{
	struct page_stats stats;

	page_stats_read(&stats);
	return stats.nr_free;
}

static u64 nr_refused(void)
{
	struct page_stats stats;

	page_stats_read(&stats);
	return stats.nr_double_free + stats.nr_wild_free;
}

static void assert_all(const void *mem, int byte, size_t n)
{
	const u8 *p = mem;

	assert_int_equal(p[0], byte);
	assert_int_equal(memcmp(p, p + 1, n - 1), 0);
}

static void objects_of_any_size_are_aligned_and_apart(void **state)
{
	(void)state;
	for (size_t size = 1; size <= 2 * PAGE_SIZE; size++) {
		void *a = kmalloc(size, GFP_KERNEL);
		void *b = kmalloc(size, GFP_KERNEL);
		size_t align = size >= PAGE_SIZE ? PAGE_SIZE : 16;

		assert_non_null(a);
		assert_non_null(b);
		assert_int_equal((uintptr_t)a % align, 0);
		assert_int_equal((uintptr_t)b % align, 0);
		memset(a, 1, size);
		memset(b, 2, size);
		assert_all(a, 1, size);
		assert_all(b, 2, size);
		kfree(a);
		assert_all(b, 2, size);
		kfree(b);
	}
	assert_int_equal(nr_refused(), 0);
}

static void many_objects_of_one_size_do_not_overlap(void **state)
{
	enum { NR = 600 };
	static u16 *object[NR];

	(void)state;
	for (size_t size = 16; size <= 4096; size *= 2) {
		for (u16 i = 0; i < NR; i++) {
			object[i] = kmalloc(size, GFP_KERNEL);
			assert_non_null(object[i]);
			for (size_t k = 0; k < size / 2; k++)
				object[i][k] = i;
		}
		for (u16 i = 0; i < NR; i++) {
			assert_int_equal(object[i][0], i);
			assert_int_equal(memcmp(object[i], object[i] + 1,
						size - 2), 0);
			kfree(object[i]);
		}
	}
}

static void cleared_objects_are_zero_when_used_again(void **state)
{
	(void)state;
	for (size_t size = 1; size <= 2 * PAGE_SIZE; size += 13) {
		void *dirty = kmalloc(size, GFP_KERNEL);
		void *clean;

		memset(dirty, 0xff, size);
		kfree(dirty);
		clean = kzalloc(size, GFP_KERNEL);
		assert_ptr_equal(clean, dirty);
		assert_all(clean, 0, size);
		memset(clean, 0xff, size);
		kfree(clean);
		clean = kcalloc(1, size, GFP_KERNEL);
		assert_all(clean, 0, size);
		kfree(clean);
	}
}

static void sizes_that_cannot_be_give_null(void **state)
{
	(void)state;
	assert_null(kmalloc(0, NOWARN));
	assert_null(kmalloc((PAGE_SIZE << MAX_ORDER) + 1, NOWARN));
	assert_null(kmalloc(SIZE_MAX, NOWARN));
	assert_null(kcalloc(SIZE_MAX / 2 + 1, 2, NOWARN));
	assert_null(kcalloc(SIZE_MAX / 16 + 2, 16, NOWARN));	/* 16 */
	assert_null(kcalloc(0, 8, NOWARN));
	kfree(NULL);
	assert_int_equal(nr_refused(), 0);
}

static void a_double_free_is_refused_and_counted(void **state)
{
	static const size_t sizes[] = { 1, 100, 2048, 4096, 10000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		void *a = kmalloc(sizes[i], GFP_KERNEL);
		u64 before = nr_refused(), pages;
		void *b, *c;

		kfree(a);
		pages = nr_free();
		kfree(a);
		assert_int_equal(nr_refused(), before + 1);
		assert_int_equal(nr_free(), pages);
		b = kmalloc(sizes[i], GFP_KERNEL);
		c = kmalloc(sizes[i], GFP_KERNEL);
		assert_ptr_not_equal(b, c);
		kfree(b);
		kfree(c);
		assert_int_equal(nr_refused(), before + 1);
	}
}

static void a_double_free_is_counted_as_such(void **state)
{
	void *alone, *a = kmalloc(64, GFP_KERNEL);
	struct page_stats before, after;
	u8 *slab[80];

	(void)state;
	kfree(a);
	page_stats_read(&before);
	kfree(a);
	page_stats_read(&after);
	assert_int_equal(after.nr_double_free, before.nr_double_free + 1);
	assert_int_equal(after.nr_wild_free, before.nr_wild_free);
	/* Also when the slab's page has been given back since. */
	for (size_t i = 0; i < ARRAY_SIZE(slab); i++)
		slab[i] = kmalloc(64, GFP_KERNEL);
	alone = slab[ARRAY_SIZE(slab) - 1];
	for (size_t i = 0; i < ARRAY_SIZE(slab); i++)
		kfree(slab[i]);
	slab_shrink();
	kfree(alone);
	page_stats_read(&after);
	assert_int_equal(after.nr_double_free, before.nr_double_free + 2);
	assert_int_equal(after.nr_wild_free, before.nr_wild_free);
}

static void a_pointer_that_heads_no_object_is_refused(void **state)
{
	u8 *object = kmalloc(64, GFP_KERNEL);
	u8 *unused = object + 64;	/* of the same page, never handed out */
	u8 *block = kmalloc(4 * PAGE_SIZE, GFP_KERNEL);
	u8 *wild[] = {
		object + 1, object + 32, unused,
		(u8 *)((uintptr_t)object & PAGE_MASK),	/* the header */
		(u8 *)((uintptr_t)object & PAGE_MASK) + 8,
		block + 16, block + PAGE_SIZE, (u8 *)&wild, host_memory - 1,
		host_memory + MANAGED, host_memory,
	};
	u64 pages = nr_free();

	(void)state;
	memset(object, 7, 64);
	memset(block, 7, 4 * PAGE_SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(wild); i++) {
		u64 before = nr_refused();

		kfree(wild[i]);
		assert_int_equal(nr_refused(), before + 1);
		assert_int_equal(nr_free(), pages);
	}
	assert_all(object, 7, 64);
	assert_all(block, 7, 4 * PAGE_SIZE);
	kfree(object);
	kfree(block);
}

static void without_pages_there_are_no_objects(void **state)
{
	u64 pages = nr_free();
	void *first = NULL, *object;
	unsigned int nr = 0;

	(void)state;
	page_fail_nth(1);
	assert_null(kmalloc(5000, NOWARN));
	/* A list through the objects, as long as there are pages. */
	while ((object = kmalloc(2048, NOWARN))) {
		*(void **)object = first;
		first = object;
		nr++;
	}
	assert_true(nr >= pages);
	assert_int_equal(nr_free(), 0);
	assert_null(kmalloc(4096, NOWARN));
	while ((object = first)) {
		first = *(void **)object;
		kfree(object);
	}
	assert_true(nr_free() + 1 >= pages);
	object = kmalloc(4096, NOWARN);
	assert_non_null(object);
	kfree(object);
}

/* ---- random use ---- */

#define MAX_LIVE	1000

static struct {
	u8 *mem;
	size_t size;
	u8 byte;
} live[MAX_LIVE];

static void release(unsigned int i)
{
	assert_all(live[i].mem, live[i].byte, live[i].size);
	kfree(live[i].mem);
	live[i].mem = NULL;
}

static void change_one(u64 *seed)
{
	unsigned int i = (unsigned int)(random_u64(seed) % MAX_LIVE);

	if (live[i].mem) {
		release(i);
		return;
	}
	live[i].size = random_u64(seed) %
		       (random_u64(seed) % 8 ? 300 : 10000) + 1;
	live[i].byte = (u8)random_u64(seed);
	live[i].mem = kmalloc(live[i].size, GFP_KERNEL);
	assert_non_null(live[i].mem);
	memset(live[i].mem, live[i].byte, live[i].size);
}

static void random_use_gives_all_pages_back(void **state)
{
	u64 refused = nr_refused(), seed = 20, after_first = 0;
	u64 total = nr_free();

	(void)state;
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 20000; i++)
			change_one(&seed);
		for (unsigned int i = 0; i < MAX_LIVE; i++)
			if (live[i].mem)
				release(i);
		assert_true(nr_free() + NR_CACHES >= total);
		if (round)
			assert_int_equal(nr_free(), after_first);
		after_first = nr_free();
	}
	assert_int_equal(nr_refused(), refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_of_any_size_are_aligned_and_apart),
		cmocka_unit_test(many_objects_of_one_size_do_not_overlap),
		cmocka_unit_test(cleared_objects_are_zero_when_used_again),
		cmocka_unit_test(sizes_that_cannot_be_give_null),
		cmocka_unit_test(a_double_free_is_refused_and_counted),
		cmocka_unit_test(a_double_free_is_counted_as_such),
		cmocka_unit_test(a_pointer_that_heads_no_object_is_refused),
		cmocka_unit_test(without_pages_there_are_no_objects),
		cmocka_unit_test(random_use_gives_all_pages_back),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
