/* SPDX-License-Identifier: MIT */
/*
 * The small parts of lib/: sort, CRC-32, lists, names of errors, bit fields.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define crc32	our_crc32	/* zlib's has the same name */
#include "lib/crc32.c"
#undef crc32
#include <zlib.h>

#include "lib/bitfield.h"
#include "lib/err.h"
#include "lib/list.h"
#include "lib/sort.h"
#include "tests/unit/collect.h"

static u64 seed;

static int set_seed(void **state)
{
	(void)state;
	seed = 20;
	return 0;
}

/* ---- sort ---- */

static size_t elt_size;

/* As a whole: ties are equal in every byte, so the order is unique. */
static int cmp_bytes(const void *a, const void *b)
{
	return memcmp(a, b, elt_size);
}

static int cmp_priv(const void *a, const void *b, const void *priv)
{
	assert_ptr_equal(priv, &elt_size);
	return memcmp(a, b, elt_size);
}

static void sort_like_libc(size_t n, size_t size, unsigned int letters)
{
	unsigned char *ours = malloc(n * size + !n);
	unsigned char *libc = malloc(n * size + !n);

	elt_size = size;
	for (size_t i = 0; i < n * size; i++)
		ours[i] = (unsigned char)(random_u64(&seed) % letters);
	memcpy(libc, ours, n * size);
	sort(ours, n, size, cmp_priv, &elt_size);
	qsort(libc, n, size, cmp_bytes);
	assert_int_equal(memcmp(ours, libc, n * size), 0);
	free(ours);
	free(libc);
}

static void arrays_of_any_size_are_ordered(void **state)
{
	static const size_t sizes[] = { 1, 3, 4, 8, 24, 100 };
	static const size_t counts[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 64,
					 100, 1000 };

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
		for (size_t n = 0; n < ARRAY_SIZE(counts); n++) {
			sort_like_libc(counts[n], sizes[s], 256);
			sort_like_libc(counts[n], sizes[s], 2);
			sort_like_libc(counts[n], sizes[s], 1);
		}
}

static unsigned long nr_compares;

static int cmp_counted(const void *a, const void *b, const void *priv)
{
	const u32 *p = a, *q = b;

	(void)priv;
	nr_compares++;
	return *p < *q ? -1 : *p > *q;
}

/* Orders that a bad pivot makes quadratic. */
static void no_order_of_the_input_makes_sort_slow(void **state)
{
	enum { NR = 4096 };
	static u32 array[NR];

	(void)state;
	for (int order = 0; order < 3; order++) {
		for (u32 i = 0; i < NR; i++)
			array[i] = order == 0 ? i : order == 1 ? NR - i :
				   min(i, NR - i);
		nr_compares = 0;
		sort(array, NR, sizeof(array[0]), cmp_counted, NULL);
		for (u32 i = 1; i < NR; i++)
			assert_true(array[i - 1] <= array[i]);
		assert_true(nr_compares < 3 * NR * 12);
	}
}

/* ---- crc32 ---- */

static void crc32_is_that_of_zlib(void **state)
{
	unsigned char data[1000];

	(void)state;
	assert_int_equal(our_crc32(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(our_crc32(0, data, 0), 0);
	for (int i = 0; i < 1000; i++) {
		size_t n = random_u64(&seed) % sizeof(data);
		size_t cut = random_u64(&seed) % (n + 1);
		u32 want;

		for (size_t k = 0; k < n; k++)
			data[k] = (unsigned char)random_u64(&seed);
		want = (u32)crc32(0, data, (uInt)n);
		assert_int_equal(our_crc32(0, data, n), want);
		assert_int_equal(our_crc32(our_crc32(0, data, cut), data + cut,
					   n - cut), want);
	}
}

/* ---- list.h ---- */

struct item {
	int n;
	struct list_head list;
};

static void assert_items(struct list_head *head, const char *want)
{
	struct item *pos;
	const char *w = want;

	list_for_each_entry(pos, head, list) {
		assert_int_equal(pos->n, *w - '0');
		assert_ptr_equal(pos->list.next->prev, &pos->list);
		w++;
	}
	assert_int_equal(*w, '\0');
}

static void lists_keep_their_order(void **state)
{
	LIST_HEAD(head);
	struct item i[4];

	(void)state;
	for (int n = 0; n < 4; n++)
		i[n].n = n;
	assert_true(list_empty(&head));
	assert_items(&head, "");
	list_add(&i[1].list, &head);
	list_add(&i[0].list, &head);
	list_add_tail(&i[2].list, &head);
	list_add_tail(&i[3].list, &head);
	assert_items(&head, "0123");
	assert_false(list_empty(&head));
	assert_ptr_equal(list_first_entry(&head, struct item, list), &i[0]);
	assert_ptr_equal(list_last_entry(&head, struct item, list), &i[3]);
	assert_ptr_equal(list_next_entry(&i[0], list), &i[1]);
	assert_ptr_equal(list_prev_entry(&i[1], list), &i[0]);
	assert_true(list_is_last(&i[3].list, &head));
	assert_false(list_is_last(&i[2].list, &head));
}

static void an_entry_may_leave_while_its_list_is_walked(void **state)
{
	LIST_HEAD(head);
	struct item i[4], *pos, *next;

	(void)state;
	for (int n = 0; n < 4; n++) {
		i[n].n = n;
		list_add_tail(&i[n].list, &head);
	}
	list_for_each_entry_safe(pos, next, &head, list)
		if (pos->n % 2)
			list_del_init(&pos->list);
	assert_items(&head, "02");
	assert_true(list_empty(&i[1].list));
	list_del_init(&i[1].list);	/* again: no harm */
	list_add(&i[1].list, &head);
	assert_items(&head, "102");
	list_for_each_entry_safe(pos, next, &head, list)
		list_del_init(&pos->list);
	assert_true(list_empty(&head));
}

/* ---- err.h, bitfield.h ---- */

static void errors_have_their_names(void **state)
{
	(void)state;
	assert_string_equal(err_name(-ENOMEM), "ENOMEM");
	assert_string_equal(err_name(ENOMEM), "ENOMEM");
	assert_string_equal(err_name(EPERM), "EPERM");
	assert_string_equal(err_name(-ETIMEDOUT), "ETIMEDOUT");
	assert_string_equal(err_name(0), "E?");
	assert_string_equal(err_name(-4000), "E?");
}

static void error_pointers_are_no_pointers(void **state)
{
	int object;

	(void)state;
	assert_true(IS_ERR(ERR_PTR(-ENOMEM)));
	assert_true(IS_ERR(ERR_PTR(-1)));
	assert_true(IS_ERR(ERR_PTR(-MAX_ERRNO)));
	assert_false(IS_ERR(ERR_PTR(-MAX_ERRNO - 1)));
	assert_int_equal(PTR_ERR(ERR_PTR(-EINVAL)), -EINVAL);
	assert_false(IS_ERR(&object));
	assert_false(IS_ERR(NULL));
}

static void a_mask_is_its_field(void **state)
{
	(void)state;
	assert_int_equal(GENMASK_ULL(63, 0), ~0ULL);
	assert_int_equal(GENMASK_ULL(9, 6), 0x3c0);
	assert_int_equal(GENMASK_ULL(63, 63), BIT_ULL(63));
	assert_int_equal(FIELD_PREP(GENMASK_ULL(9, 6), 15), 0x3c0);
	assert_int_equal(FIELD_PREP(GENMASK_ULL(9, 6), 16), 0);
	assert_int_equal(FIELD_GET(GENMASK_ULL(9, 6), 0xffff), 15);
	for (unsigned int l = 0; l < 64; l++)
		for (unsigned int h = l; h < 64; h++) {
			u64 mask = GENMASK_ULL(h, l);
			u64 v = random_u64(&seed) >> (63 - (h - l));

			assert_int_equal(__builtin_popcountll(mask),
					 h - l + 1);
			assert_int_equal(FIELD_GET(mask, FIELD_PREP(mask, v)),
					 v);
			assert_int_equal(FIELD_PREP(mask, v) & ~mask, 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(arrays_of_any_size_are_ordered,
				       set_seed),
		cmocka_unit_test(no_order_of_the_input_makes_sort_slow),
		cmocka_unit_test_setup(crc32_is_that_of_zlib, set_seed),
		cmocka_unit_test(lists_keep_their_order),
		cmocka_unit_test(an_entry_may_leave_while_its_list_is_walked),
		cmocka_unit_test(errors_have_their_names),
		cmocka_unit_test(error_pointers_are_no_pointers),
		cmocka_unit_test_setup(a_mask_is_its_field, set_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
