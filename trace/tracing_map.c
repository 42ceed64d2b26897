/* SPDX-License-Identifier: MIT */
/*
 * tracing_map: set-up, insert and look-up, sums, clear, destroy.
 *
 * Sorting is in trace/map_sort.c. The essay on the data structure is in
 * trace/README.md. The rule that everything here keeps: a slot goes from 0 to
 * "tag, element" in one atomic step, with the element complete, and stays so
 * until clear. There is no state in between that an interrupt could meet.
 */
#include "trace/tracing_map.h"

#include <asm/percpu.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/string.h"
#include "mm/slab.h"
#include "trace/map_array.h"

#define INDEX_MASK	0xffffffffULL
#define TAG_ONE		(1ULL << 32)

/* ---- set-up ---- */

struct tracing_map *tracing_map_create(unsigned int map_bits,
				       unsigned int key_size,
				       const struct tracing_map_ops *ops,
				       void *private_data)
{
	struct tracing_map *map;

	if (map_bits < TRACING_MAP_BITS_MIN || map_bits > TRACING_MAP_BITS_MAX)
		return ERR_PTR(-EINVAL);
	if (!key_size || key_size > TRACING_MAP_KEY_MAX)
		return ERR_PTR(-EINVAL);
	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map)
		return ERR_PTR(-ENOMEM);
	map->count = kcalloc(NR_CPUS, sizeof(*map->count), GFP_KERNEL);
	map->map_bits = map_bits;
	map->key_size = key_size;
	map->max_elts = 1ULL << map_bits;
	map->map_size = 2 * map->max_elts;
	map->ops = ops;
	map->private_data = private_data;
	if (!map->count || map_array_alloc(&map->slots, map->map_size,
					   sizeof(u64))) {
		tracing_map_destroy(map);
		return ERR_PTR(-ENOMEM);
	}
	return map;
}

static int cmp_sum(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static int add_field(struct tracing_map *map,
		     const struct tracing_map_field *field)
{
	if (map->ready || map->nr_alloced)
		return -EBUSY;
	if (map->n_fields == TRACING_MAP_FIELDS_MAX)
		return -EINVAL;
	map->fields[map->n_fields] = *field;
	return (int)map->n_fields++;
}

int tracing_map_add_sum_field(struct tracing_map *map)
{
	struct tracing_map_field field = {
		.cmp_fn = cmp_sum,
		.sum = map->n_sums,
	};
	int idx;

	if (map->n_sums == TRACING_MAP_VALS_MAX && !map->ready)
		return -EINVAL;
	idx = add_field(map, &field);
	if (idx >= 0)
		map->n_sums++;
	return idx;
}

int tracing_map_add_key_field(struct tracing_map *map, unsigned int offset,
			      tracing_map_cmp_fn_t cmp_fn)
{
	struct tracing_map_field field = {
		.cmp_fn = cmp_fn,
		.is_key = true,
		.offset = offset,
	};
	int idx;

	if (map->n_keys == TRACING_MAP_KEYS_MAX && !map->ready)
		return -EINVAL;
	if (offset >= map->key_size || !cmp_fn)
		return -EINVAL;
	idx = add_field(map, &field);
	if (idx >= 0)
		map->n_keys++;
	return idx;
}

static struct tracing_map_elt *elt_at(const struct tracing_map *map, u64 index)
{
	return map_array_at(&map->elts, index);
}

/* A cache line, or the next power of two that holds the key. */
static size_t elt_stride(unsigned int key_size)
{
	size_t size = sizeof(struct tracing_map_elt) + key_size;

	return size <= 64 ? 64 : 1ULL << (ilog2(size - 1) + 1);
}

static int alloc_elements(struct tracing_map *map)
{
	size_t stride = elt_stride(map->key_size);

	if (map_array_alloc(&map->elts, map->max_elts, stride)) {
		printk("tracing_map: no memory for %llu elements of %zu bytes\n",
		       (unsigned long long)map->max_elts, stride);
		return -ENOMEM;
	}
	for (u64 i = 0; i < map->max_elts; i++) {
		struct tracing_map_elt *elt = elt_at(map, i);
		int err = 0;

		elt->map = map;
		if (map->ops && map->ops->elt_alloc)
			err = map->ops->elt_alloc(elt);
		if (err)
			return err;
		map->nr_alloced++;
	}
	return 0;
}

int tracing_map_init(struct tracing_map *map)
{
	int err;

	if (map->ready || map->nr_alloced || !map->n_keys || !map->n_sums)
		return -EINVAL;
	err = alloc_elements(map);
	if (err)
		return err;
	tracing_map_clear(map);
	map->ready = true;
	return 0;
}

void tracing_map_destroy(struct tracing_map *map)
{
	if (!map)
		return;
	for (u64 i = 0; i < map->nr_alloced; i++)
		if (map->ops && map->ops->elt_free)
			map->ops->elt_free(elt_at(map, i));
	map_array_free(&map->elts);
	map_array_free(&map->slots);
	kfree(map->count);
	kfree(map);
}

void tracing_map_clear(struct tracing_map *map)
{
	map_array_clear(&map->slots);
	map->next_elt = 0;
	map->free_elts = 0;
	memset(map->count, 0, NR_CPUS * sizeof(*map->count));
	for (u64 i = 0; i < map->nr_alloced; i++) {
		struct tracing_map_elt *elt = elt_at(map, i);

		memset(elt->sums, 0, sizeof(elt->sums));
		if (map->ops && map->ops->elt_clear)
			map->ops->elt_clear(elt);
		else if (!map->ops)
			elt->private_data = NULL;
	}
}

/* ---- elements that are not in the table ---- */

/* Gives an element that lost its race back. Lock-free; see elt_take(). */
static void elt_give_back(struct tracing_map *map, u64 index)
{
	u64 head = __atomic_load_n(&map->free_elts, __ATOMIC_RELAXED);
	u64 want;

	do {
		__atomic_store_n(&elt_at(map, index)->next_free,
				 head & INDEX_MASK, __ATOMIC_RELAXED);
		want = ((head & ~INDEX_MASK) + TAG_ONE) | (index + 1);
	} while (!__atomic_compare_exchange_n(&map->free_elts, &head, want,
					      false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

/*
 * Takes a given-back element, else one that was never used. The tag of the
 * list head changes at each step, so a head seen before others popped and
 * pushed does not compare equal (ABA): what next_free gave meanwhile, when its
 * element was no longer in the list, is thrown away. Each retry means that
 * another context got on.
 * Return: index + 1; 0 when none is left.
 */
static u64 elt_take(struct tracing_map *map)
{
	u64 head = __atomic_load_n(&map->free_elts, __ATOMIC_ACQUIRE);
	u64 next;

	while (head & INDEX_MASK) {
		next = __atomic_load_n(&elt_at(map, (head & INDEX_MASK) - 1)
				       ->next_free, __ATOMIC_RELAXED);
		next |= (head & ~INDEX_MASK) + TAG_ONE;
		if (__atomic_compare_exchange_n(&map->free_elts, &head, next,
						false, __ATOMIC_ACQUIRE,
						__ATOMIC_ACQUIRE))
			return head & INDEX_MASK;
	}
	/* Tested first: a full map must not push the cursor on for ever. */
	if (__atomic_load_n(&map->next_elt, __ATOMIC_RELAXED) >= map->max_elts)
		return 0;
	next = __atomic_fetch_add(&map->next_elt, 1, __ATOMIC_RELAXED);
	return next < map->max_elts ? next + 1 : 0;
}

static u64 elt_prepare(struct tracing_map *map, const void *key)
{
	u64 taken = elt_take(map);
	struct tracing_map_elt *elt;

	if (!taken)
		return 0;
	elt = elt_at(map, taken - 1);
	if (map->ops && map->ops->elt_init)
		map->ops->elt_init(elt);
	memcpy(elt->key, key, map->key_size);
	return taken;
}

/* ---- insert and look-up ---- */

/* A full-width mix (Moremur's constants' shape): every key bit reaches all. */
static u64 mix(u64 x)
{
	x ^= x >> 27;
	x *= 0x3c79ac492ba7b653ULL;
	x ^= x >> 33;
	x *= 0x1c69b3f74ac4ae35ULL;
	return x ^ x >> 27;
}

static u64 hash_key(const struct tracing_map *map, const u8 *key)
{
	u64 hash = map->key_size;
	unsigned int n = map->key_size;
	u64 word;

	for (; n >= sizeof(word); n -= sizeof(word), key += sizeof(word)) {
		__builtin_memcpy(&word, key, sizeof(word));
		hash = mix(hash ^ word);
	}
	for (word = 0; n; n--)
		word = word << 8 | key[n - 1];
	return mix(hash ^ word);
}

static bool slot_matches(const struct tracing_map *map, u64 word, u64 hash,
			 const void *key)
{
	if ((word ^ hash) & ~INDEX_MASK)
		return false;
	return !memcmp(elt_at(map, (word & INDEX_MASK) - 1)->key, key,
		       map->key_size);
}

static void count_hit(struct tracing_map *map)
{
	__atomic_fetch_add(&map->count[cpu_id()].hits, 1, __ATOMIC_RELAXED);
}

static struct tracing_map_elt *found(struct tracing_map *map, u64 word,
				     u64 prepared)
{
	if (prepared)
		elt_give_back(map, prepared - 1);
	count_hit(map);
	return elt_at(map, (word & INDEX_MASK) - 1);
}

struct tracing_map_elt *tracing_map_insert(struct tracing_map *map, void *key)
{
	u64 hash = hash_key(map, key);
	u64 mask = map->map_size - 1;
	u64 prepared = 0;

	/* At most half of the slots are ever taken: a free one ends the walk. */
	for (u64 i = hash & mask;; i = (i + 1) & mask) {
		u64 *slot = map_array_at(&map->slots, i);
		u64 word = __atomic_load_n(slot, __ATOMIC_ACQUIRE);

		if (!word) {
			if (!prepared)
				prepared = elt_prepare(map, key);
			if (!prepared)
				break;
			/* Publishes key and element: pairs with the acquire. */
			if (__atomic_compare_exchange_n(
				    slot, &word,
				    (hash & ~INDEX_MASK) | prepared, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
				count_hit(map);
				return elt_at(map, prepared - 1);
			}
		}
		if (slot_matches(map, word, hash, key))
			return found(map, word, prepared);
	}
	__atomic_fetch_add(&map->count[cpu_id()].drops, 1, __ATOMIC_RELAXED);
	return NULL;
}

struct tracing_map_elt *tracing_map_lookup(struct tracing_map *map, void *key)
{
	u64 hash = hash_key(map, key);
	u64 mask = map->map_size - 1;
	u64 word;

	for (u64 i = hash & mask;; i = (i + 1) & mask) {
		word = __atomic_load_n((u64 *)map_array_at(&map->slots, i),
				       __ATOMIC_ACQUIRE);
		if (!word)
			return NULL;
		if (slot_matches(map, word, hash, key))
			return elt_at(map, (word & INDEX_MASK) - 1);
	}
}

int tracing_map_for_each(struct tracing_map *map,
			 int (*fn)(void *ctx, struct tracing_map_elt *elt),
			 void *ctx)
{
	int stop = 0;

	for (u64 i = 0; i < map->map_size && !stop; i++) {
		u64 word = __atomic_load_n((u64 *)map_array_at(&map->slots, i),
					   __ATOMIC_ACQUIRE);

		if (word)
			stop = fn(ctx, elt_at(map, (word & INDEX_MASK) - 1));
	}
	return stop;
}

/* ---- sums ---- */

void tracing_map_update_sum(struct tracing_map_elt *elt, unsigned int i, u64 n)
{
	__atomic_fetch_add(&elt->sums[elt->map->fields[i].sum], n,
			   __ATOMIC_RELAXED);
}

u64 tracing_map_read_sum(struct tracing_map_elt *elt, unsigned int i)
{
	return __atomic_load_n(&elt->sums[elt->map->fields[i].sum],
			       __ATOMIC_RELAXED);
}

void tracing_map_counts(const struct tracing_map *map, u64 *hits, u64 *drops)
{
	*hits = 0;
	*drops = 0;
	for (unsigned int i = 0; i < NR_CPUS; i++) {
		*hits += __atomic_load_n(&map->count[i].hits,
					 __ATOMIC_RELAXED);
		*drops += __atomic_load_n(&map->count[i].drops,
					  __ATOMIC_RELAXED);
	}
}
