/* SPDX-License-Identifier: MIT */
/*
 * In-place heap sort.
 */
#include "lib/sort.h"

struct array {
	unsigned char *base;
	size_t size;
	int (*cmp)(const void *a, const void *b, const void *priv);
	const void *priv;
};

static bool before(const struct array *a, size_t i, size_t j)
{
	return a->cmp(a->base + i * a->size, a->base + j * a->size,
		      a->priv) < 0;
}

static void swap(const struct array *a, size_t i, size_t j)
{
	unsigned char *p = a->base + i * a->size;
	unsigned char *q = a->base + j * a->size;

	for (size_t k = 0; k < a->size; k++) {
		unsigned char byte = p[k];

		p[k] = q[k];
		q[k] = byte;
	}
}

/* Lets element @root sink in the heap of the first @n elements. */
static void sift_down(const struct array *a, size_t root, size_t n)
{
	size_t child;

	while ((child = 2 * root + 1) < n) {
		if (child + 1 < n && before(a, child, child + 1))
			child++;
		if (!before(a, root, child))
			return;
		swap(a, root, child);
		root = child;
	}
}

void sort(void *base, size_t n, size_t size,
	  int (*cmp)(const void *a, const void *b, const void *priv),
	  const void *priv)
{
	struct array a = { base, size, cmp, priv };

	for (size_t i = n / 2; i-- > 0;)
		sift_down(&a, i, n);
	while (n > 1) {
		swap(&a, 0, --n);
		sift_down(&a, 0, n);
	}
}
