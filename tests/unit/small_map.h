/* SPDX-License-Identifier: MIT */
/*
 * For host tests: a small tracing_map whose key is two numbers.
 *
 * Included after cmocka.h.
 */
#ifndef TESTS_UNIT_SMALL_MAP_H
#define TESTS_UNIT_SMALL_MAP_H

#include "lib/err.h"
#include "mm/page.h"
#include "trace/tracing_map.h"

struct key {
	u64 a;
	u64 b;
};

enum { FIELD_A, FIELD_B, FIELD_HITS, FIELD_BYTES };

#define SMALL_BITS	TRACING_MAP_BITS_MIN
#define SMALL_MAX	(1u << SMALL_BITS)

static inline u64 pages_free(void)
{
	struct page_stats stats;

	page_stats_read(&stats);
	return stats.nr_free;
}

static inline struct tracing_map *
map_without_elements(unsigned int bits, const struct tracing_map_ops *ops)
{
	tracing_map_cmp_fn_t cmp = tracing_map_cmp_num(8, 0);
	struct tracing_map *map = tracing_map_create(bits, sizeof(struct key),
						     ops, NULL);

	if (IS_ERR(map))
		return map;
	assert_int_equal(tracing_map_add_key_field(map, 0, cmp), FIELD_A);
	assert_int_equal(tracing_map_add_key_field(map, 8, cmp), FIELD_B);
	assert_int_equal(tracing_map_add_sum_field(map), FIELD_HITS);
	assert_int_equal(tracing_map_add_sum_field(map), FIELD_BYTES);
	return map;
}

static inline struct tracing_map *small_map(const struct tracing_map_ops *ops)
{
	struct tracing_map *map = map_without_elements(SMALL_BITS, ops);

	assert_false(IS_ERR(map));
	assert_int_equal(tracing_map_init(map), 0);
	return map;
}

static inline struct tracing_map_elt *insert(struct tracing_map *map, u64 a,
					     u64 b)
{
	struct key key = { a, b };

	return tracing_map_insert(map, &key);
}

static inline struct tracing_map_elt *lookup(struct tracing_map *map, u64 a,
					     u64 b)
{
	struct key key = { a, b };

	return tracing_map_lookup(map, &key);
}

#endif /* TESTS_UNIT_SMALL_MAP_H */
