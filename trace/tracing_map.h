/* SPDX-License-Identifier: MIT */
/*
 * tracing_map: counters keyed by what was seen, for any context at once.
 *
 * Names, signatures and return values are those of Linux's
 * kernel/trace/tracing_map.h; where Linux's behaviour has the errors that
 * trace/README.md lists, this one does better.
 */
#ifndef TRACE_TRACING_MAP_H
#define TRACE_TRACING_MAP_H

#include "lib/compiler.h"

#define TRACING_MAP_BITS_DEFAULT	11
#define TRACING_MAP_BITS_MIN		7
#define TRACING_MAP_BITS_MAX		24
#define TRACING_MAP_KEY_MAX		64	/* bytes */
#define TRACING_MAP_KEYS_MAX		3
#define TRACING_MAP_VALS_MAX		3
#define TRACING_MAP_FIELDS_MAX		(TRACING_MAP_KEYS_MAX + \
					 TRACING_MAP_VALS_MAX)

struct tracing_map;
struct page;

typedef int (*tracing_map_cmp_fn_t)(const void *a, const void *b);

/*
 * An element: one key and what is counted for it. Key and sums share a cache
 * line while the key has at most 16 bytes. It never moves and keeps its key
 * until clear or destroy, so that its address is a handle.
 */
struct tracing_map_elt {
	struct tracing_map *map;
	void *private_data;		/* of ops, or of the map's user */
	u64 sums[TRACING_MAP_VALS_MAX];
	u64 next_free;			/* free list: index + 1 */
	u8 key[];			/* map->key_size bytes */
};

/* Each may be NULL; ops itself too. Contexts as in trace/README.md. */
struct tracing_map_ops {
	int (*elt_alloc)(struct tracing_map_elt *elt);
	void (*elt_free)(struct tracing_map_elt *elt);
	void (*elt_clear)(struct tracing_map_elt *elt);
	void (*elt_init)(struct tracing_map_elt *elt);
};

struct tracing_map_sort_key {
	unsigned int field_idx;
	bool descending;
};

/* A copy taken before sorting: it does not move while producers go on. */
struct tracing_map_sort_entry {
	void *key;			/* key_size bytes */
	struct tracing_map_elt *elt;
	u64 sums[TRACING_MAP_VALS_MAX];
};

struct tracing_map_field {
	tracing_map_cmp_fn_t cmp_fn;
	bool is_key;
	unsigned int offset;		/* key: in the compound key */
	unsigned int sum;		/* else: index in elt->sums */
};

/* Memory in blocks of pages: objects of one size, addressed by index. */
struct tracing_map_array {
	struct page **block;
	unsigned int nr_blocks;
	unsigned int order;		/* pages of a block */
	unsigned int shift;		/* objects of a block, power of two */
	size_t stride;
};

struct tracing_map_count {
	u64 hits;
	u64 drops;
} __aligned(64);

struct tracing_map {
	unsigned int key_size;
	unsigned int map_bits;
	u64 max_elts;
	u64 map_size;			/* slots: 2 * max_elts */
	const struct tracing_map_ops *ops;
	void *private_data;
	struct tracing_map_field fields[TRACING_MAP_FIELDS_MAX];
	unsigned int n_fields;
	unsigned int n_keys;
	unsigned int n_sums;
	bool ready;			/* init succeeded */
	u64 nr_alloced;			/* elements whose elt_alloc succeeded */
	struct tracing_map_array slots;	/* u64: tag << 32 | index + 1 */
	struct tracing_map_array elts;
	u64 next_elt __aligned(64);	/* elements never handed out yet */
	u64 free_elts;			/* ABA tag << 32 | index + 1 */
	struct tracing_map_count *count;	/* one for each CPU */
};

/**
 * tracing_map_create() - a map without fields or elements
 * @map_bits:	2^map_bits elements, TRACING_MAP_BITS_MIN..MAX
 * @key_size:	bytes of the compound key, 1..TRACING_MAP_KEY_MAX
 * @ops:	may be NULL
 * @private_data: for the user
 *
 * Context: thread; allocates.
 * Return: the map; ERR_PTR(-EINVAL) out of range, ERR_PTR(-ENOMEM).
 */
struct tracing_map *tracing_map_create(unsigned int map_bits,
				       unsigned int key_size,
				       const struct tracing_map_ops *ops,
				       void *private_data);

/**
 * tracing_map_add_sum_field() - one more u64 sum; before init only
 *
 * Return: its field index; -EINVAL when there is no room; -EBUSY after init.
 */
int __must_check tracing_map_add_sum_field(struct tracing_map *map);

/**
 * tracing_map_add_key_field() - one more key field; before init only
 * @offset:	in the compound key
 * @cmp_fn:	order of this field when sorting
 *
 * Return: its field index; -EINVAL: too many fields, offset outside of the key,
 * no @cmp_fn; -EBUSY after init.
 */
int __must_check tracing_map_add_key_field(struct tracing_map *map,
					   unsigned int offset,
					   tracing_map_cmp_fn_t cmp_fn);

/**
 * tracing_map_init() - allocate the elements; the map can be used then
 *
 * Context: thread; allocates.
 * Return: 0; -EINVAL without a key field or a sum field, or when called twice;
 * -ENOMEM (what was wanted is printed); what ops->elt_alloc returned. After an
 * error only tracing_map_destroy() is allowed.
 */
int __must_check tracing_map_init(struct tracing_map *map);

/**
 * tracing_map_insert() - find the element of a key, or make it
 * @key:	key_size bytes
 *
 * Context: any, NMI included, nested in itself, on all CPUs at once. Bounded.
 * Return: the element, or NULL when the map is full: counted as a drop.
 */
struct tracing_map_elt *tracing_map_insert(struct tracing_map *map, void *key);

/**
 * tracing_map_lookup() - find the element of a key
 *
 * Touches no counter. Context: any. Return: the element or NULL.
 */
struct tracing_map_elt *tracing_map_lookup(struct tracing_map *map, void *key);

/* @i: field index of a sum; adds modulo 2^64. Context: any. */
void tracing_map_update_sum(struct tracing_map_elt *elt, unsigned int i, u64 n);
u64 tracing_map_read_sum(struct tracing_map_elt *elt, unsigned int i);

/* Forgets all keys. No producer and no reader may be at work. */
void tracing_map_clear(struct tracing_map *map);

/* NULL is ignored; also after a failed init. */
void tracing_map_destroy(struct tracing_map *map);

/**
 * tracing_map_sort_entries() - a sorted copy of all elements
 * @sort_keys:	up to two fields; ties are broken by the key's bytes
 * @n_sort_keys: 0..2
 * @sort_entries: set when the result is positive; give it back with
 *		tracing_map_destroy_sort_entries()
 *
 * Context: thread; allocates; producers may go on.
 * Return: number of entries, 0 when empty, -ENOMEM, -EINVAL (field index).
 */
int tracing_map_sort_entries(struct tracing_map *map,
			     struct tracing_map_sort_key *sort_keys,
			     unsigned int n_sort_keys,
			     struct tracing_map_sort_entry ***sort_entries);
void
tracing_map_destroy_sort_entries(struct tracing_map_sort_entry **entries,
				 unsigned int n_entries);

/* Calls that found or made an element; calls that found the map full. */
void tracing_map_counts(const struct tracing_map *map, u64 *hits, u64 *drops);

/**
 * tracing_map_for_each() - every element, in no order
 *
 * Stops when @fn returns nonzero, and returns that.
 */
int tracing_map_for_each(struct tracing_map *map,
			 int (*fn)(void *ctx, struct tracing_map_elt *elt),
			 void *ctx);

/* Order of numbers of 1, 2, 4 or 8 bytes; cmp_none for other sizes. */
tracing_map_cmp_fn_t tracing_map_cmp_num(int field_size, int is_signed);
int tracing_map_cmp_string(const void *a, const void *b);
int tracing_map_cmp_none(const void *a, const void *b);

#endif /* TRACE_TRACING_MAP_H */
