/* SPDX-License-Identifier: MIT */
/*
 * Sorted copies of a tracing_map, and the order of fields.
 */
#include "trace/tracing_map.h"

#include "lib/err.h"
#include "lib/sort.h"
#include "lib/string.h"
#include "mm/slab.h"

#define SORT_KEYS_MAX	2

/* ---- order of fields ---- */

#define DEFINE_CMP(type) \
static int cmp_##type(const void *a, const void *b) \
{ \
	type x, y; \
\
	__builtin_memcpy(&x, a, sizeof(x)); \
	__builtin_memcpy(&y, b, sizeof(y)); \
	return x < y ? -1 : x > y; \
}

DEFINE_CMP(u8)
DEFINE_CMP(u16)
DEFINE_CMP(u32)
DEFINE_CMP(u64)
DEFINE_CMP(s8)
DEFINE_CMP(s16)
DEFINE_CMP(s32)
DEFINE_CMP(s64)

int tracing_map_cmp_none(const void *a, const void *b)
{
	(void)a;
	(void)b;
	return 0;
}

int tracing_map_cmp_string(const void *a, const void *b)
{
	return strcmp(a, b);
}

tracing_map_cmp_fn_t tracing_map_cmp_num(int field_size, int is_signed)
{
	switch (field_size) {
	case 1:
		return is_signed ? cmp_s8 : cmp_u8;
	case 2:
		return is_signed ? cmp_s16 : cmp_u16;
	case 4:
		return is_signed ? cmp_s32 : cmp_u32;
	case 8:
		return is_signed ? cmp_s64 : cmp_u64;
	}
	return tracing_map_cmp_none;
}

/* ---- the copy ---- */

struct entries {
	const struct tracing_map *map;
	struct tracing_map_sort_entry **entry;
	unsigned int nr;
	unsigned int max;
};

static int copy_elt(void *ctx, struct tracing_map_elt *elt)
{
	struct entries *e = ctx;
	struct tracing_map_sort_entry *entry;

	if (e->nr == e->max)
		return 0;
	entry = kmalloc(sizeof(*entry) + e->map->key_size, GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->key = entry + 1;
	entry->elt = elt;
	memcpy(entry->key, elt->key, e->map->key_size);
	for (unsigned int i = 0; i < TRACING_MAP_VALS_MAX; i++)
		entry->sums[i] = __atomic_load_n(&elt->sums[i],
						 __ATOMIC_RELAXED);
	e->entry[e->nr++] = entry;
	return 0;
}

static int count_elt(void *ctx, struct tracing_map_elt *elt)
{
	(void)elt;
	++*(unsigned int *)ctx;
	return 0;
}

void
tracing_map_destroy_sort_entries(struct tracing_map_sort_entry **entries,
				 unsigned int n_entries)
{
	for (unsigned int i = 0; i < n_entries; i++)
		kfree(entries[i]);
	kfree(entries);
}

/* ---- the order ---- */

struct order {
	const struct tracing_map *map;
	const struct tracing_map_sort_key *key;
	unsigned int nr;
};

static int cmp_by(const struct order *o, unsigned int i,
		  const struct tracing_map_sort_entry *a,
		  const struct tracing_map_sort_entry *b)
{
	const struct tracing_map_field *f = &o->map->fields[o->key[i].field_idx];
	int order;

	if (f->is_key)
		order = f->cmp_fn((u8 *)a->key + f->offset,
				  (u8 *)b->key + f->offset);
	else
		order = f->cmp_fn(&a->sums[f->sum], &b->sums[f->sum]);
	return o->key[i].descending ? -order : order;
}

static int cmp_entries(const void *pa, const void *pb, const void *priv)
{
	const struct tracing_map_sort_entry *a =
		*(struct tracing_map_sort_entry *const *)pa;
	const struct tracing_map_sort_entry *b =
		*(struct tracing_map_sort_entry *const *)pb;
	const struct order *o = priv;

	for (unsigned int i = 0; i < o->nr; i++) {
		int order = cmp_by(o, i, a, b);

		if (order)
			return order;
	}
	return memcmp(a->key, b->key, o->map->key_size);
}

static bool order_valid(const struct order *o)
{
	if (o->nr > SORT_KEYS_MAX)
		return false;
	for (unsigned int i = 0; i < o->nr; i++)
		if (o->key[i].field_idx >= o->map->n_fields)
			return false;
	return true;
}

int tracing_map_sort_entries(struct tracing_map *map,
			     struct tracing_map_sort_key *sort_keys,
			     unsigned int n_sort_keys,
			     struct tracing_map_sort_entry ***sort_entries)
{
	struct order order = { map, sort_keys, n_sort_keys };
	struct entries e = { .map = map };
	int err;

	if (!order_valid(&order))
		return -EINVAL;
	tracing_map_for_each(map, count_elt, &e.max);
	if (!e.max)
		return 0;
	e.entry = kcalloc(e.max, sizeof(*e.entry), GFP_KERNEL);
	if (!e.entry)
		return -ENOMEM;
	err = tracing_map_for_each(map, copy_elt, &e);
	if (err) {
		tracing_map_destroy_sort_entries(e.entry, e.nr);
		return err;
	}
	sort(e.entry, e.nr, sizeof(*e.entry), cmp_entries, &order);
	*sort_entries = e.entry;
	return (int)e.nr;
}
