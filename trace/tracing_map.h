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
struct tracing_map_elt;

typedef int (*tracing_map_cmp_fn_t)(const void *a, const void *b);

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

#endif /* TRACE_TRACING_MAP_H */
