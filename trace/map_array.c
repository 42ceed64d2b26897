/* SPDX-License-Identifier: MIT */
/*
 * The memory of a tracing_map: blocks of pages addressed by index.
 *
 * A large map needs more than the largest block, and a fragmented machine may
 * not have one: so blocks are 1 MiB at most.
 */
#include "trace/map_array.h"

#include "lib/err.h"
#include "lib/string.h"
#include "mm/slab.h"

#define BLOCK_ORDER_MAX	8

void *map_array_at(const struct tracing_map_array *array, u64 index)
{
	u8 *block = page_address(array->block[index >> array->shift]);

	return block + (index & ((1ULL << array->shift) - 1)) * array->stride;
}

void map_array_free(struct tracing_map_array *array)
{
	for (unsigned int i = 0; i < array->nr_blocks; i++)
		__free_pages(array->block[i], array->order);
	kfree(array->block);
	memset(array, 0, sizeof(*array));
}

int map_array_alloc(struct tracing_map_array *array, u64 nr, size_t stride)
{
	u64 nr_blocks;

	array->order = min(get_order(nr * stride),
			   (unsigned int)BLOCK_ORDER_MAX);
	array->shift = ilog2((PAGE_SIZE << array->order) / stride);
	array->stride = stride;
	nr_blocks = (nr + (1ULL << array->shift) - 1) >> array->shift;
	array->block = kcalloc(nr_blocks, sizeof(struct page *), GFP_KERNEL);
	if (!array->block)
		return -ENOMEM;
	for (; array->nr_blocks < nr_blocks; array->nr_blocks++) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO |
						__GFP_NOWARN, array->order);

		if (!page) {
			map_array_free(array);
			return -ENOMEM;
		}
		array->block[array->nr_blocks] = page;
	}
	return 0;
}

void map_array_clear(struct tracing_map_array *array)
{
	for (unsigned int i = 0; i < array->nr_blocks; i++)
		memset(page_address(array->block[i]), 0,
		       PAGE_SIZE << array->order);
}
