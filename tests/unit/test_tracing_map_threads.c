/* SPDX-License-Identifier: MIT */
/*
 * tracing_map on several CPUs at once, under ThreadSanitizer.
 *
 * cmocka's checks belong to the main thread: the others write down what they
 * saw.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <string.h>

#include <asm/percpu.h>
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/small_map.h"

#define NR_THREADS	4
#define NR_UPDATES	60000u
#define MAX_KEYS	1024u

struct producer {
	struct tracing_map *map;
	unsigned int cpu;
	unsigned int nr_keys;
	u64 seed;
	u64 nr_found;		/* inserts that gave an element */
	u64 nr_dropped;
	u64 nr_wrong;		/* elements of another key */
	struct tracing_map_elt *handle[MAX_KEYS];	/* first one of a key */
};

static struct producer producer[NR_THREADS];
static pthread_barrier_t start_line;
static bool producers_done;

static u64 key_part(u64 k)
{
	return 0xffffffff80000000ULL + 16 * k;
}

/* One event of key number @k. */
static void produce(struct producer *p, u64 k, u64 bytes)
{
	struct tracing_map_elt *elt = insert(p->map, key_part(k), k);

	if (!elt) {
		p->nr_dropped++;
		return;
	}
	p->nr_found++;
	if (((struct key *)elt->key)->b != k ||
	    (p->handle[k] && p->handle[k] != elt))
		p->nr_wrong++;
	p->handle[k] = elt;
	tracing_map_update_sum(elt, FIELD_HITS, 1);
	tracing_map_update_sum(elt, FIELD_BYTES, bytes);
}

static void *produce_random_keys(void *arg)
{
	struct producer *p = arg;

	host_cpu = p->cpu;
	pthread_barrier_wait(&start_line);
	for (unsigned int i = 0; i < NR_UPDATES; i++) {
		u64 k = random_u64(&p->seed) % p->nr_keys;

		produce(p, k, k + 1);
	}
	return NULL;
}

/* All CPUs want the same new key at the same time, again and again. */
static void *produce_keys_in_order(void *arg)
{
	struct producer *p = arg;

	host_cpu = p->cpu;
	for (u64 k = 0; k < p->nr_keys; k++) {
		if (k % 16 == 0)
			pthread_barrier_wait(&start_line);
		produce(p, k, k + 1);
	}
	return NULL;
}

static struct tracing_map *new_map(unsigned int bits)
{
	struct tracing_map *map = map_without_elements(bits, NULL);

	assert_false(IS_ERR(map));
	assert_int_equal(tracing_map_init(map), 0);
	return map;
}

static void run_producers(struct tracing_map *map, unsigned int nr_keys,
			  u64 seed, void *(*fn)(void *arg))
{
	pthread_t thread[NR_THREADS];

	host_nr_cpus = NR_THREADS;
	pthread_barrier_init(&start_line, NULL, NR_THREADS);
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		memset(&producer[i], 0, sizeof(producer[i]));
		producer[i].map = map;
		producer[i].cpu = i;
		producer[i].nr_keys = nr_keys;
		producer[i].seed = seed * NR_THREADS + i + 1;
		assert_int_equal(pthread_create(&thread[i], NULL, fn,
						&producer[i]), 0);
	}
	for (unsigned int i = 0; i < NR_THREADS; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&start_line);
}

/* What the elements of a map add up to. */
struct total {
	u64 nr_elements;
	u64 hits;
	u64 nr_wrong;		/* bytes that do not fit hits, or a key twice */
	unsigned int seen[MAX_KEYS];
};

static int add_up(void *ctx, struct tracing_map_elt *elt)
{
	struct total *total = ctx;
	u64 k = ((struct key *)elt->key)->b;
	u64 hits = tracing_map_read_sum(elt, FIELD_HITS);

	total->nr_elements++;
	total->hits += hits;
	if (tracing_map_read_sum(elt, FIELD_BYTES) != hits * (k + 1) ||
	    ((struct key *)elt->key)->a != key_part(k) || total->seen[k]++)
		total->nr_wrong++;
	return 0;
}

/* Every call is counted once, every update is in one element. */
static u64 check_books(struct tracing_map *map, u64 nr_calls)
{
	static struct total total;
	u64 hits, drops, found = 0, dropped = 0;

	memset(&total, 0, sizeof(total));
	tracing_map_for_each(map, add_up, &total);
	for (unsigned int i = 0; i < NR_THREADS; i++) {
		assert_int_equal(producer[i].nr_wrong, 0);
		found += producer[i].nr_found;
		dropped += producer[i].nr_dropped;
	}
	assert_int_equal(total.nr_wrong, 0);
	assert_int_equal(total.hits, found);
	tracing_map_counts(map, &hits, &drops);
	assert_int_equal(hits, found);
	assert_int_equal(drops, dropped);
	assert_int_equal(hits + drops, nr_calls);
	return total.nr_elements;
}

static void every_cpu_got_the_same_element_for_a_key(unsigned int nr_keys)
{
	for (unsigned int k = 0; k < nr_keys; k++) {
		struct tracing_map_elt *elt = NULL;

		for (unsigned int i = 0; i < NR_THREADS; i++) {
			struct tracing_map_elt *h = producer[i].handle[k];

			if (elt && h)
				assert_ptr_equal(elt, h);
			elt = h ? h : elt;
		}
	}
}

static void overlapping_keys_lose_no_update_on_any_cpu(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 3; seed++) {
		struct tracing_map *map = new_map(10);

		run_producers(map, 700, seed, produce_random_keys);
		assert_int_equal(check_books(map, NR_THREADS * NR_UPDATES),
				 700);
		every_cpu_got_the_same_element_for_a_key(700);
		for (unsigned int i = 0; i < NR_THREADS; i++)
			assert_int_equal(producer[i].nr_dropped, 0);
		tracing_map_destroy(map);
	}
}

/* Lost races gave their elements back: all of them are in use at the end. */
static void expect_no_element_lost(struct tracing_map *map)
{
	static struct total total;

	for (u64 k = 0; k < MAX_KEYS; k++)
		insert(map, key_part(k), k);
	memset(&total, 0, sizeof(total));
	tracing_map_for_each(map, add_up, &total);
	assert_int_equal(total.nr_elements, map->max_elts);
	assert_int_equal(total.nr_wrong, 0);
}

static void a_map_too_small_counts_what_it_drops(void **state)
{
	(void)state;
	for (u64 seed = 1; seed <= 3; seed++) {
		struct tracing_map *map = new_map(SMALL_BITS);
		u64 nr = 0;

		run_producers(map, MAX_KEYS, seed, produce_random_keys);
		check_books(map, NR_THREADS * NR_UPDATES);
		every_cpu_got_the_same_element_for_a_key(MAX_KEYS);
		for (unsigned int i = 0; i < NR_THREADS; i++)
			nr += producer[i].nr_dropped;
		assert_true(nr > 0);
		expect_no_element_lost(map);
		tracing_map_destroy(map);
	}
}

static void races_for_a_new_key_have_one_winner(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 200; round++) {
		struct tracing_map *map = new_map(9);

		run_producers(map, 500, 1, produce_keys_in_order);
		assert_true(check_books(map, NR_THREADS * 500) <= 500);
		every_cpu_got_the_same_element_for_a_key(500);
		expect_no_element_lost(map);
		tracing_map_destroy(map);
	}
}

/* ---- a reader meanwhile ---- */

struct reader {
	struct tracing_map *map;
	unsigned int cpu;
	u64 nr_sorts;
	u64 nr_wrong;
	int err;
};

static void check_sorted(struct reader *r,
			 struct tracing_map_sort_entry **entry, int n)
{
	unsigned int seen[MAX_KEYS] = { 0 };

	for (int i = 0; i < n; i++) {
		const struct key *key = entry[i]->key;

		if (key->a != key_part(key->b) || key->b >= MAX_KEYS ||
		    seen[key->b]++)
			r->nr_wrong++;
		if (i && entry[i - 1]->sums[0] < entry[i]->sums[0])
			r->nr_wrong++;
		if (!tracing_map_lookup(r->map, entry[i]->key))
			r->nr_wrong++;
	}
}

static void *sort_again_and_again(void *arg)
{
	struct tracing_map_sort_key by_hits = { FIELD_HITS, true };
	struct reader *r = arg;
	int last = 0;

	host_cpu = r->cpu;
	while (!__atomic_load_n(&producers_done, __ATOMIC_ACQUIRE)) {
		struct tracing_map_sort_entry **entry;
		int n = tracing_map_sort_entries(r->map, &by_hits, 1, &entry);

		if (n < last) {
			r->err = n < 0 ? n : -EIO;
			return NULL;
		}
		last = n;
		if (!n)
			continue;
		check_sorted(r, entry, n);
		tracing_map_destroy_sort_entries(entry, (unsigned int)n);
		r->nr_sorts++;
	}
	return NULL;
}

static void readers_sort_a_map_that_fills_up(void **state)
{
	struct tracing_map *map = new_map(10);
	struct reader reader[2] = {
		{ .map = map, .cpu = NR_THREADS },
		{ .map = map, .cpu = NR_THREADS + 1 },
	};
	pthread_t thread[2];

	(void)state;
	producers_done = false;
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL,
						sort_again_and_again,
						&reader[i]), 0);
	run_producers(map, MAX_KEYS, 5, produce_random_keys);
	__atomic_store_n(&producers_done, true, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < 2; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(reader[i].err, 0);
		assert_int_equal(reader[i].nr_wrong, 0);
		assert_true(reader[i].nr_sorts > 0);
	}
	check_books(map, NR_THREADS * NR_UPDATES);
	tracing_map_destroy(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overlapping_keys_lose_no_update_on_any_cpu),
		cmocka_unit_test(a_map_too_small_counts_what_it_drops),
		cmocka_unit_test(races_for_a_new_key_have_one_winner),
		cmocka_unit_test(readers_sort_a_map_that_fills_up),
	};

	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
