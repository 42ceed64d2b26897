/* SPDX-License-Identifier: MIT */
/*
 * In-place heap sort: O(n log n) always, no recursion, no allocation.
 */
#ifndef LIB_SORT_H
#define LIB_SORT_H

#include "lib/types.h"

/**
 * sort() - order an array
 * @base:	first element
 * @n:		number of elements
 * @size:	bytes of one
 * @cmp:	<0, 0, >0 as a is before, equal to, after b
 * @priv:	handed to @cmp
 *
 * Not stable: a caller that wants a fixed order breaks ties in @cmp.
 * Context: any.
 */
void sort(void *base, size_t n, size_t size,
	  int (*cmp)(const void *a, const void *b, const void *priv),
	  const void *priv);

#endif /* LIB_SORT_H */
