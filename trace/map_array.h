/* SPDX-License-Identifier: MIT */
/*
 * The memory of a tracing_map: blocks of pages addressed by index.
 */
#ifndef TRACE_MAP_ARRAY_H
#define TRACE_MAP_ARRAY_H

#include "trace/tracing_map.h"

/**
 * map_array_alloc() - cleared memory for @nr objects
 * @stride:	bytes of one: a power of two times 8, at most a page
 *
 * Return: 0 or -ENOMEM, nothing taken then.
 */
int __must_check map_array_alloc(struct tracing_map_array *array, u64 nr,
				 size_t stride);
void map_array_free(struct tracing_map_array *array);
void map_array_clear(struct tracing_map_array *array);
void *map_array_at(const struct tracing_map_array *array, u64 index);

#endif /* TRACE_MAP_ARRAY_H */
