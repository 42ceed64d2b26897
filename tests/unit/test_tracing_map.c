/* SPDX-License-Identifier: MIT */
/*
 * tracing_map on one CPU: set-up, insert and look-up, sums, clear.
 *
 * Several CPUs at once are in test_tracing_map_threads.c, sorting in
 * test_map_sort.c, memory that runs out in test_tracing_map_life.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <asm/percpu.h>
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/small_map.h"
#include "trace/map_array.h"

static void assert_counts(const struct tracing_map *map, u64 want_hits,
			  u64 want_drops)
{
	u64 hits, drops;

	tracing_map_counts(map, &hits, &drops);
	assert_int_equal(hits, want_hits);
	assert_int_equal(drops, want_drops);
}

/* ---- set-up ---- */

static void create_refuses_sizes_out_of_range(void **state)
{
	static const struct {
		unsigned int bits, key_size;
	} bad[] = {
		{ 0, 8 }, { TRACING_MAP_BITS_MIN - 1, 8 },
		{ TRACING_MAP_BITS_MAX + 1, 8 }, { ~0u, 8 }, { 64 + 7, 8 },
		{ 7, 0 }, { 7, TRACING_MAP_KEY_MAX + 1 }, { 7, ~0u },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(PTR_ERR(tracing_map_create(bad[i].bits,
				 bad[i].key_size, NULL, NULL)), -EINVAL);
}

static void a_map_larger_than_memory_is_refused_without_a_trace(void **state)
{
	struct tracing_map *map;
	u64 before;

	(void)state;
	/* The first one leaves the slab allocator its spare pages. */
	for (int i = 0; i < 2; i++) {
		before = pages_free();
		map = tracing_map_create(TRACING_MAP_BITS_MAX, 8, NULL, NULL);
		assert_int_equal(PTR_ERR(map), -ENOMEM);
	}
	assert_int_equal(pages_free(), before);
}

static void fields_are_numbered_in_order_and_limited_in_number(void **state)
{
	tracing_map_cmp_fn_t cmp = tracing_map_cmp_num(1, 0);
	struct tracing_map *map = tracing_map_create(SMALL_BITS, 3, NULL, NULL);

	(void)state;
	assert_false(IS_ERR(map));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(tracing_map_add_key_field(map, (unsigned int)i,
							   cmp), 2 * i);
		assert_int_equal(tracing_map_add_sum_field(map), 2 * i + 1);
	}
	assert_int_equal(tracing_map_add_key_field(map, 0, cmp), -EINVAL);
	assert_int_equal(tracing_map_add_sum_field(map), -EINVAL);
	assert_int_equal(tracing_map_init(map), 0);
	assert_int_equal(tracing_map_add_key_field(map, 0, cmp), -EBUSY);
	assert_int_equal(tracing_map_add_sum_field(map), -EBUSY);
	tracing_map_destroy(map);
}

static void neither_keys_nor_sums_go_beyond_three(void **state)
{
	tracing_map_cmp_fn_t cmp = tracing_map_cmp_num(1, 0);
	struct tracing_map *keys = tracing_map_create(SMALL_BITS, 8, NULL,
						      NULL);
	struct tracing_map *sums = tracing_map_create(SMALL_BITS, 8, NULL,
						      NULL);

	(void)state;
	assert_false(IS_ERR(keys) || IS_ERR(sums));
	for (int i = 0; i < 3; i++) {
		assert_int_equal(tracing_map_add_key_field(keys, 0, cmp), i);
		assert_int_equal(tracing_map_add_sum_field(sums), i);
	}
	assert_int_equal(tracing_map_add_key_field(keys, 0, cmp), -EINVAL);
	assert_int_equal(tracing_map_add_sum_field(sums), -EINVAL);
	assert_int_equal(tracing_map_add_sum_field(keys), 3);
	assert_int_equal(tracing_map_add_key_field(sums, 0, cmp), 3);
	assert_int_equal(tracing_map_init(keys), 0);
	assert_int_equal(tracing_map_init(sums), 0);
	tracing_map_destroy(keys);
	tracing_map_destroy(sums);
}

static void a_key_field_must_lie_in_the_key_and_have_an_order(void **state)
{
	tracing_map_cmp_fn_t cmp = tracing_map_cmp_num(1, 0);
	struct tracing_map *map = tracing_map_create(SMALL_BITS, 16, NULL,
						     NULL);

	(void)state;
	assert_false(IS_ERR(map));
	assert_int_equal(tracing_map_add_key_field(map, 16, cmp), -EINVAL);
	assert_int_equal(tracing_map_add_key_field(map, ~0u, cmp), -EINVAL);
	assert_int_equal(tracing_map_add_key_field(map, 0, NULL), -EINVAL);
	assert_int_equal(tracing_map_add_key_field(map, 15, cmp), 0);
	tracing_map_destroy(map);
}

static void init_wants_a_key_field_and_a_sum(void **state)
{
	tracing_map_cmp_fn_t cmp = tracing_map_cmp_num(8, 0);

	(void)state;
	for (unsigned int have = 0; have < 3; have++) {
		struct tracing_map *map = tracing_map_create(SMALL_BITS, 16,
							     NULL, NULL);

		assert_false(IS_ERR(map));
		/* Two of a kind: Linux takes two sums for a key and a sum. */
		for (int i = 0; i < 2; i++) {
			int field = 0;

			if (have == 1)
				field = tracing_map_add_sum_field(map);
			if (have == 2)
				field = tracing_map_add_key_field(map, 0, cmp);
			assert_true(field >= 0);
		}
		assert_int_equal(tracing_map_init(map), -EINVAL);
		tracing_map_destroy(map);
	}
}

static void a_second_init_is_refused_and_changes_nothing(void **state)
{
	struct tracing_map *map = small_map(NULL);
	struct tracing_map_elt *elt = insert(map, 1, 2);

	(void)state;
	assert_int_equal(tracing_map_init(map), -EINVAL);
	assert_ptr_equal(lookup(map, 1, 2), elt);
	assert_int_equal(tracing_map_add_sum_field(map), -EBUSY);
	tracing_map_destroy(map);
}

/* ---- insert, look-up, sums ---- */

static void the_same_key_gives_the_same_element(void **state)
{
	struct tracing_map *map = small_map(NULL);
	struct tracing_map_elt *elt[50];

	(void)state;
	for (u64 i = 0; i < 50; i++) {
		elt[i] = insert(map, i, ~i);
		assert_non_null(elt[i]);
		assert_int_equal(((struct key *)elt[i]->key)->a, i);
		assert_int_equal(((struct key *)elt[i]->key)->b, ~i);
		assert_ptr_equal(elt[i]->map, map);
		assert_null(elt[i]->private_data);
	}
	for (u64 i = 0; i < 50; i++) {
		assert_ptr_equal(insert(map, i, ~i), elt[i]);
		assert_ptr_equal(lookup(map, i, ~i), elt[i]);
		assert_null(lookup(map, ~i, i));
	}
	assert_counts(map, 100, 0);
	tracing_map_destroy(map);
}

/* All keys of @size bytes that differ from 0 in at most one bit. */
static void insert_each_bit(struct tracing_map *map, unsigned int size)
{
	static struct tracing_map_elt *elt[8 * TRACING_MAP_KEY_MAX + 1];
	unsigned int nr = 8 * size + 1;
	u8 key[TRACING_MAP_KEY_MAX];

	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < nr; i++) {
			struct tracing_map_elt *got;

			memset(key, 0, sizeof(key));
			if (i)
				key[(i - 1) / 8] = (u8)(1u << (i - 1) % 8);
			got = tracing_map_insert(map, key);
			assert_non_null(got);
			assert_memory_equal(got->key, key, size);
			if (pass)
				assert_ptr_equal(got, elt[i]);
			elt[i] = got;
		}
	}
	assert_counts(map, 2 * nr, 0);
	assert_int_equal(map->next_elt, nr);
}

static void every_bit_of_a_key_of_any_size_counts(void **state)
{
	(void)state;
	for (unsigned int size = 1; size <= TRACING_MAP_KEY_MAX; size++) {
		struct tracing_map *map = tracing_map_create(10, size, NULL,
							     NULL);

		assert_false(IS_ERR(map));
		assert_int_equal(tracing_map_add_key_field(map, 0,
				 tracing_map_cmp_none), 0);
		assert_int_equal(tracing_map_add_sum_field(map), 1);
		assert_int_equal(tracing_map_init(map), 0);
		insert_each_bit(map, size);
		tracing_map_destroy(map);
	}
}

/*
 * Keys of 8 bytes whose hashes are ff, 100ff, 300ff, 0 and 100000: one tag (0)
 * for all, and a walk that wraps from the last slot to the first.
 */
static u64 alike[] = {
	0xf4acde36bae778ecULL, 0xa417d8f243dfa484ULL, 0x877006aaf97ba8a9ULL,
	0x0000000000000008ULL, 0x5b098455d4284180ULL,
};

static void keys_with_the_same_tag_are_told_apart(void **state)
{
	struct tracing_map *map = tracing_map_create(SMALL_BITS, 8, NULL,
						     NULL);
	struct tracing_map_elt *elt[ARRAY_SIZE(alike)];

	(void)state;
	assert_false(IS_ERR(map));
	assert_int_equal(tracing_map_add_key_field(map, 0,
						   tracing_map_cmp_none), 0);
	assert_int_equal(tracing_map_add_sum_field(map), 1);
	assert_int_equal(tracing_map_init(map), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(alike); i++) {
		assert_null(tracing_map_lookup(map, &alike[i]));
		elt[i] = tracing_map_insert(map, &alike[i]);
		assert_non_null(elt[i]);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(alike); i++) {
		u64 at = (i + map->map_size - 1) % map->map_size;

		assert_ptr_equal(tracing_map_lookup(map, &alike[i]), elt[i]);
		assert_ptr_equal(tracing_map_insert(map, &alike[i]), elt[i]);
		/* Another hash function needs other keys here. */
		assert_int_equal(*(u64 *)map_array_at(&map->slots, at), i + 1);
	}
	tracing_map_destroy(map);
}

static void a_full_map_drops_new_keys_and_keeps_the_old(void **state)
{
	struct tracing_map *map = small_map(NULL);

	(void)state;
	for (u64 i = 0; i < SMALL_MAX; i++)
		assert_non_null(insert(map, i, 0));
	for (u64 i = 0; i < 5000; i++) {
		assert_null(insert(map, SMALL_MAX + i % 700, 1));
		assert_null(lookup(map, SMALL_MAX + i % 700, 1));
	}
	assert_counts(map, SMALL_MAX, 5000);
	assert_int_equal(map->next_elt, SMALL_MAX);
	for (u64 i = 0; i < SMALL_MAX; i++) {
		assert_non_null(lookup(map, i, 0));
		assert_ptr_equal(insert(map, i, 0), lookup(map, i, 0));
	}
	assert_counts(map, 2 * SMALL_MAX, 5000);
	tracing_map_destroy(map);
}

static void lookup_touches_no_counter_and_makes_nothing(void **state)
{
	struct tracing_map *map = small_map(NULL);

	(void)state;
	insert(map, 1, 1);
	for (u64 i = 0; i < 1000; i++)
		assert_int_equal(!lookup(map, i, i), i != 1);
	assert_counts(map, 1, 0);
	assert_int_equal(map->next_elt, 1);
	tracing_map_destroy(map);
}

static void counts_are_the_sum_over_all_cpus(void **state)
{
	struct tracing_map *map = small_map(NULL);

	(void)state;
	for (host_cpu = 0; host_cpu < 64; host_cpu++)
		for (u64 i = 0; i < 4; i++)
			insert(map, host_cpu, i);
	host_cpu = 0;
	assert_counts(map, SMALL_MAX, 256 - SMALL_MAX);
	tracing_map_destroy(map);
}

static void sums_start_at_0_and_wrap_modulo_2_to_the_64(void **state)
{
	struct tracing_map *map = small_map(NULL);
	struct tracing_map_elt *elt = insert(map, 1, 1);

	(void)state;
	assert_int_equal(tracing_map_read_sum(elt, FIELD_HITS), 0);
	tracing_map_update_sum(elt, FIELD_HITS, ~0ULL - 1);
	tracing_map_update_sum(elt, FIELD_BYTES, 7);
	assert_int_equal(tracing_map_read_sum(elt, FIELD_HITS), ~0ULL - 1);
	tracing_map_update_sum(elt, FIELD_HITS, 5);
	assert_int_equal(tracing_map_read_sum(elt, FIELD_HITS), 3);
	assert_int_equal(tracing_map_read_sum(elt, FIELD_BYTES), 7);
	tracing_map_destroy(map);
}

static void random_updates_give_what_an_array_gives(void **state)
{
	struct tracing_map *map = small_map(NULL);
	u64 want[SMALL_MAX] = { 0 }, seed = 1;

	(void)state;
	for (unsigned int i = 0; i < 50000; i++) {
		u64 k = random_u64(&seed) % SMALL_MAX, n = random_u64(&seed);
		struct tracing_map_elt *elt = insert(map, k << 40, k);

		tracing_map_update_sum(elt, FIELD_BYTES, n);
		want[k] += n;
	}
	for (u64 k = 0; k < SMALL_MAX; k++)
		assert_int_equal(tracing_map_read_sum(lookup(map, k << 40, k),
						      FIELD_BYTES), want[k]);
	assert_counts(map, 50000, 0);
	tracing_map_destroy(map);
}

/* ---- for_each, clear ---- */

static int visit(void *ctx, struct tracing_map_elt *elt)
{
	u64 *left = ctx;

	tracing_map_update_sum(elt, FIELD_HITS, 1);
	return --*left ? 0 : -EIO;
}

static void for_each_visits_each_element_once_until_told_to_stop(void **state)
{
	struct tracing_map *map = small_map(NULL);
	u64 left = 1000;

	(void)state;
	assert_int_equal(tracing_map_for_each(map, visit, &left), 0);
	assert_int_equal(left, 1000);
	for (u64 i = 0; i < 100; i++)
		insert(map, i, 0);
	assert_int_equal(tracing_map_for_each(map, visit, &left), 0);
	assert_int_equal(left, 900);
	for (u64 i = 0; i < 100; i++)
		assert_int_equal(tracing_map_read_sum(lookup(map, i, 0),
						      FIELD_HITS), 1);
	left = 3;
	assert_int_equal(tracing_map_for_each(map, visit, &left), -EIO);
	assert_int_equal(left, 0);
	tracing_map_destroy(map);
}

static void clear_makes_the_map_as_new(void **state)
{
	struct tracing_map *map = small_map(NULL);

	(void)state;
	for (u64 round = 0; round < 3; round++) {
		for (u64 i = 0; i < SMALL_MAX + 10; i++) {
			struct tracing_map_elt *elt = insert(map, i, round);

			assert_int_equal(!elt, i >= SMALL_MAX);
			if (!elt)
				continue;
			assert_null(elt->private_data);
			elt->private_data = map;
			assert_int_equal(tracing_map_read_sum(elt, FIELD_HITS),
					 0);
			tracing_map_update_sum(elt, FIELD_HITS, i + 1);
		}
		assert_counts(map, SMALL_MAX, 10);
		tracing_map_clear(map);
		assert_counts(map, 0, 0);
		for (u64 i = 0; i < SMALL_MAX; i++)
			assert_null(lookup(map, i, round));
	}
	tracing_map_destroy(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(create_refuses_sizes_out_of_range),
		cmocka_unit_test(a_map_larger_than_memory_is_refused_without_a_trace),
		cmocka_unit_test(fields_are_numbered_in_order_and_limited_in_number),
		cmocka_unit_test(neither_keys_nor_sums_go_beyond_three),
		cmocka_unit_test(a_key_field_must_lie_in_the_key_and_have_an_order),
		cmocka_unit_test(init_wants_a_key_field_and_a_sum),
		cmocka_unit_test(a_second_init_is_refused_and_changes_nothing),
		cmocka_unit_test(the_same_key_gives_the_same_element),
		cmocka_unit_test(every_bit_of_a_key_of_any_size_counts),
		cmocka_unit_test(keys_with_the_same_tag_are_told_apart),
		cmocka_unit_test(a_full_map_drops_new_keys_and_keeps_the_old),
		cmocka_unit_test(lookup_touches_no_counter_and_makes_nothing),
		cmocka_unit_test(counts_are_the_sum_over_all_cpus),
		cmocka_unit_test(sums_start_at_0_and_wrap_modulo_2_to_the_64),
		cmocka_unit_test(random_updates_give_what_an_array_gives),
		cmocka_unit_test(for_each_visits_each_element_once_until_told_to_stop),
		cmocka_unit_test(clear_makes_the_map_as_new),
	};

	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
