/* SPDX-License-Identifier: MIT */
/*
 * Sorted copies of a tracing_map.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/small_map.h"

static struct tracing_map_sort_entry **entry;
static unsigned int nr_entries;

static void sort_by(struct tracing_map *map, struct tracing_map_sort_key *keys,
		    unsigned int nr_keys, unsigned int want)
{
	int n = tracing_map_sort_entries(map, keys, nr_keys, &entry);

	assert_int_equal(n, want);
	nr_entries = want;
}

static void sort_by_one(struct tracing_map *map, unsigned int field,
			bool descending, unsigned int want)
{
	struct tracing_map_sort_key key = { field, descending };

	sort_by(map, &key, 1, want);
}

static void forget_entries(void)
{
	tracing_map_destroy_sort_entries(entry, nr_entries);
}

static const struct key *key_of(unsigned int i)
{
	return entry[i]->key;
}

static void add(struct tracing_map *map, u64 a, u64 b, u64 hits, u64 bytes)
{
	struct tracing_map_elt *elt = insert(map, a, b);

	assert_non_null(elt);
	tracing_map_update_sum(elt, FIELD_HITS, hits);
	tracing_map_update_sum(elt, FIELD_BYTES, bytes);
}

static void an_empty_map_gives_0_and_nothing_to_free(void **state)
{
	struct tracing_map *map = small_map(NULL);
	struct tracing_map_sort_entry **untouched = (void *)0x1234;
	struct tracing_map_sort_key key = { FIELD_A, false };

	(void)state;
	assert_int_equal(tracing_map_sort_entries(map, &key, 1, &untouched),
			 0);
	assert_ptr_equal(untouched, (void *)0x1234);
	tracing_map_destroy(map);
}

static void keys_that_no_field_has_and_a_third_key_are_refused(void **state)
{
	struct tracing_map *map = small_map(NULL);
	struct tracing_map_sort_key key[3] = { { 0, 0 }, { 1, 0 }, { 2, 0 } };

	(void)state;
	add(map, 1, 1, 1, 1);
	assert_int_equal(tracing_map_sort_entries(map, key, 3, &entry),
			 -EINVAL);
	key[1].field_idx = FIELD_BYTES + 1;
	assert_int_equal(tracing_map_sort_entries(map, key, 2, &entry),
			 -EINVAL);
	key[0].field_idx = ~0u;
	assert_int_equal(tracing_map_sort_entries(map, key, 1, &entry),
			 -EINVAL);
	tracing_map_destroy(map);
}

static void one_entry_has_its_key_its_sums_and_its_element(void **state)
{
	struct tracing_map *map = small_map(NULL);

	(void)state;
	add(map, 5, 6, 7, 8);
	sort_by_one(map, FIELD_HITS, false, 1);
	assert_int_equal(key_of(0)->a, 5);
	assert_int_equal(key_of(0)->b, 6);
	assert_int_equal(entry[0]->sums[0], 7);
	assert_int_equal(entry[0]->sums[1], 8);
	assert_ptr_equal(entry[0]->elt, lookup(map, 5, 6));
	forget_entries();
	tracing_map_destroy(map);
}

static void sums_sort_both_ways_and_as_unsigned_numbers(void **state)
{
	static const u64 hits[] = { 3, ~0ULL, 0, 1ULL << 63, 1ULL << 32, 2 };
	static const u64 up[] = { 0, 2, 3, 1ULL << 32, 1ULL << 63, ~0ULL };
	struct tracing_map *map = small_map(NULL);

	(void)state;
	for (u64 i = 0; i < 6; i++)
		add(map, i, i, hits[i], 0);
	for (int down = 0; down < 2; down++) {
		sort_by_one(map, FIELD_HITS, down, 6);
		for (unsigned int i = 0; i < 6; i++)
			assert_int_equal(entry[i]->sums[0],
					 up[down ? 5 - i : i]);
		forget_entries();
	}
	tracing_map_destroy(map);
}

/* Whether @x comes before @y by B descending, then hits ascending, then A. */
static bool in_order(const struct tracing_map_sort_entry *x,
		     const struct tracing_map_sort_entry *y)
{
	const struct key *k = x->key, *l = y->key;

	if (k->b != l->b)
		return k->b > l->b;
	if (x->sums[0] != y->sums[0])
		return x->sums[0] < y->sums[0];
	return k->a < l->a;
}

static void the_second_key_orders_what_the_first_leaves_equal(void **state)
{
	struct tracing_map_sort_key keys[] = {
		{ FIELD_B, true }, { FIELD_HITS, false },
	};
	u64 seed = 3;

	(void)state;
	for (unsigned int n = 1; n <= 100; n += 9) {
		struct tracing_map *map = small_map(NULL);

		for (u64 i = 0; i < n; i++)
			add(map, i, random_u64(&seed) % 4,
			    random_u64(&seed) % 3, 0);
		sort_by(map, keys, 2, n);
		for (unsigned int i = 1; i < n; i++)
			assert_true(in_order(entry[i - 1], entry[i]));
		forget_entries();
		tracing_map_destroy(map);
	}
}

/* Keys in an order of insertion that @seed gives; all sums are equal. */
static void expect_bytes_order(u64 seed, struct tracing_map_sort_key *keys,
			       unsigned int nr_keys)
{
	struct tracing_map *map = small_map(NULL);
	u64 first = random_u64(&seed) % 120;

	for (u64 i = 0; i < 120; i++)
		add(map, (first + i * 77) % 120 << 4, 9, 1, 1);
	sort_by(map, keys, nr_keys, 120);
	for (unsigned int i = 1; i < 120; i++)
		assert_true(memcmp(entry[i - 1]->key, entry[i]->key,
				   sizeof(struct key)) < 0);
	forget_entries();
	tracing_map_destroy(map);
}

static void ties_are_broken_by_the_bytes_of_the_key(void **state)
{
	struct tracing_map_sort_key keys[] = {
		{ FIELD_HITS, true }, { FIELD_BYTES, true },
	};

	(void)state;
	for (u64 seed = 1; seed < 6; seed++)
		for (unsigned int nr_keys = 0; nr_keys <= 2; nr_keys++)
			expect_bytes_order(seed, keys, nr_keys);
}

static void a_copy_does_not_move_when_the_map_does(void **state)
{
	struct tracing_map *map = small_map(NULL);

	(void)state;
	for (u64 i = 0; i < 10; i++)
		add(map, i, 0, i, 0);
	sort_by_one(map, FIELD_HITS, true, 10);
	add(map, 0, 0, 1000, 0);
	add(map, 77, 0, 5, 0);
	for (unsigned int i = 0; i < 10; i++) {
		assert_int_equal(key_of(i)->a, 9 - i);
		assert_int_equal(entry[i]->sums[0], 9 - i);
	}
	tracing_map_clear(map);
	assert_int_equal(key_of(0)->a, 9);
	forget_entries();
	tracing_map_destroy(map);
}

static void sorting_touches_no_counter(void **state)
{
	struct tracing_map *map = small_map(NULL);
	u64 hits, drops;

	(void)state;
	add(map, 1, 0, 0, 0);
	add(map, 2, 0, 0, 0);
	sort_by_one(map, FIELD_A, false, 2);
	forget_entries();
	tracing_map_counts(map, &hits, &drops);
	assert_int_equal(hits, 2);
	assert_int_equal(drops, 0);
	tracing_map_destroy(map);
}

/* ---- the order of key fields ---- */

/* A map whose key is one field of 8 bytes with the order @cmp. */
static struct tracing_map *map_ordered_by(tracing_map_cmp_fn_t cmp)
{
	struct tracing_map *map = tracing_map_create(SMALL_BITS, 8, NULL,
						     NULL);

	assert_false(IS_ERR(map));
	assert_int_equal(tracing_map_add_key_field(map, 0, cmp), 0);
	assert_int_equal(tracing_map_add_sum_field(map), 1);
	assert_int_equal(tracing_map_init(map), 0);
	return map;
}

static void sign_extended(s64 *value, unsigned int i, unsigned int bits)
{
	static const s64 small[] = { -100, -2, -1, 0, 1, 100 };
	s64 top = (s64)(1ULL << (bits - 1));

	/* The least, six small ones, the greatest. */
	if (i == 0)
		*value = bits == 64 ? INT64_MIN : -top;
	else if (i == 7)
		*value = bits == 64 ? INT64_MAX : top - 1;
	else
		*value = small[i - 1];
}

static void numbers_sort_by_their_size_and_sign(void **state)
{
	(void)state;
	for (unsigned int bytes = 1; bytes <= 8; bytes *= 2) {
		struct tracing_map *map =
			map_ordered_by(tracing_map_cmp_num((int)bytes, 1));
		s64 value, got;

		for (unsigned int i = 0; i < 8; i++) {
			u64 key = 0;

			sign_extended(&value, (5 * i + 3) % 8, 8 * bytes);
			memcpy(&key, &value, bytes);
			assert_non_null(tracing_map_insert(map, &key));
		}
		sort_by_one(map, 0, false, 8);
		for (unsigned int i = 0; i < 8; i++) {
			unsigned int shift = 64 - 8 * bytes;

			sign_extended(&value, i, 8 * bytes);
			memcpy(&got, entry[i]->key, 8);
			assert_int_equal((s64)((u64)got << shift) >> shift,
					 value);
		}
		forget_entries();
		tracing_map_destroy(map);
	}
}

static void unsigned_numbers_put_the_top_bit_last(void **state)
{
	(void)state;
	for (unsigned int bytes = 1; bytes <= 8; bytes *= 2) {
		u64 top = 1ULL << (8 * bytes - 1);
		u64 value[] = { 0, 1, top - 1, top, top | (top - 1) };
		struct tracing_map *map =
			map_ordered_by(tracing_map_cmp_num((int)bytes, 0));

		for (unsigned int i = 0; i < 5; i++)
			assert_non_null(tracing_map_insert(map,
							   &value[3 * i % 5]));
		sort_by_one(map, 0, true, 5);
		for (unsigned int i = 0; i < 5; i++)
			assert_memory_equal(entry[i]->key, &value[4 - i], 8);
		forget_entries();
		tracing_map_destroy(map);
	}
}

static void a_number_is_compared_without_the_bytes_around_it(void **state)
{
	u8 a[16], b[16];

	(void)state;
	for (unsigned int bytes = 1; bytes <= 8; bytes *= 2) {
		for (int is_signed = 0; is_signed < 2; is_signed++) {
			tracing_map_cmp_fn_t cmp =
				tracing_map_cmp_num((int)bytes, is_signed);

			memset(a, 0xff, sizeof(a));
			memset(b, 0, sizeof(b));
			memset(a + 1, 0x33, bytes);
			memset(b + 1, 0x33, bytes);
			assert_int_equal(cmp(a + 1, b + 1), 0);
			a[1]++;
			assert_true(cmp(a + 1, b + 1) > 0);
			assert_true(cmp(b + 1, a + 1) < 0);
		}
	}
}

static void numbers_of_other_sizes_have_no_order(void **state)
{
	static const int size[] = { -8, -1, 0, 3, 5, 6, 7, 9, 16 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(size); i++)
		assert_ptr_equal(tracing_map_cmp_num(size[i], i & 1),
				 tracing_map_cmp_none);
	assert_int_equal(tracing_map_cmp_none("a", "b"), 0);
}

static void strings_sort_as_strings(void **state)
{
	static const char word[][8] = { "", "\xff", "a", "ab", "b", "B" };
	static const char *const sorted[] = { "", "B", "a", "ab", "b", "\xff" };
	struct tracing_map *map = map_ordered_by(tracing_map_cmp_string);

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		char key[8];

		memcpy(key, word[i], sizeof(key));
		assert_non_null(tracing_map_insert(map, key));
	}
	sort_by_one(map, 0, false, 6);
	for (unsigned int i = 0; i < 6; i++)
		assert_string_equal(entry[i]->key, sorted[i]);
	forget_entries();
	tracing_map_destroy(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_gives_0_and_nothing_to_free),
		cmocka_unit_test(keys_that_no_field_has_and_a_third_key_are_refused),
		cmocka_unit_test(one_entry_has_its_key_its_sums_and_its_element),
		cmocka_unit_test(sums_sort_both_ways_and_as_unsigned_numbers),
		cmocka_unit_test(the_second_key_orders_what_the_first_leaves_equal),
		cmocka_unit_test(ties_are_broken_by_the_bytes_of_the_key),
		cmocka_unit_test(a_copy_does_not_move_when_the_map_does),
		cmocka_unit_test(sorting_touches_no_counter),
		cmocka_unit_test(numbers_sort_by_their_size_and_sign),
		cmocka_unit_test(unsigned_numbers_put_the_top_bit_last),
		cmocka_unit_test(a_number_is_compared_without_the_bytes_around_it),
		cmocka_unit_test(numbers_of_other_sizes_have_no_order),
		cmocka_unit_test(strings_sort_as_strings),
	};

	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
