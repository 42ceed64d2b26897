/* SPDX-License-Identifier: MIT */
/*
 * lib/string.c under other names, held against the C library's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/host_string.c"
#include "tests/unit/collect.h"

#define BYTES	96
#define ROUNDS	20000

static u64 seed;

static int set_seed(void **state)
{
	(void)state;
	seed = 20;
	return 0;
}

static size_t below(size_t n)
{
	return (size_t)(random_u64(&seed) % n);
}

static void fill(unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)random_u64(&seed);
}

/* A string over few letters, so that matches are common. */
static char *word(size_t max)
{
	size_t n = below(max);
	char *s = malloc(n + 1);

	for (size_t i = 0; i < n; i++)
		s[i] = "ab\xe4"[below(3)];
	s[n] = '\0';
	return s;
}

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void overlapping_moves_keep_the_bytes(void **state)
{
	unsigned char ours[BYTES], libc[BYTES];

	(void)state;
	for (size_t from = 0; from < 24; from++)
		for (size_t to = 0; to < 24; to++)
			for (size_t n = 0; n < 24; n++) {
				fill(ours, sizeof(ours));
				memcpy(libc, ours, sizeof(libc));
				memmove(libc + to, libc + from, n);
				assert_ptr_equal(our_memmove(ours + to,
							     ours + from, n),
						 ours + to);
				assert_memory_equal(ours, libc, BYTES);
			}
}

static void copies_and_fills_touch_nothing_else(void **state)
{
	unsigned char ours[BYTES], libc[BYTES], from[BYTES];

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		size_t to = below(BYTES), n = below(BYTES - to + 1);
		size_t start = below(BYTES - n + 1);
		int c = (int)below(512) - 256;

		fill(ours, BYTES);
		fill(from, BYTES);
		memcpy(libc, ours, BYTES);
		memcpy(libc + to, from + start, n);
		assert_ptr_equal(our_memcpy(ours + to, from + start, n),
				 ours + to);
		assert_memory_equal(ours, libc, BYTES);
		memset(libc + to, c, n / 2);
		assert_ptr_equal(our_memset(ours + to, c, n / 2), ours + to);
		assert_memory_equal(ours, libc, BYTES);
	}
}

static void bytes_compare_and_are_found_as_in_libc(void **state)
{
	unsigned char a[BYTES], b[BYTES];

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		size_t n = below(BYTES + 1);
		int c = (int)below(512) - 256;

		fill(a, BYTES);
		memcpy(b, a, BYTES);
		b[below(BYTES)] ^= (unsigned char)below(256);
		assert_int_equal(sign(our_memcmp(a, b, n)),
				 sign(memcmp(a, b, n)));
		assert_ptr_equal(our_memchr(a, c, n), memchr(a, c, n));
	}
}

static void strings_compare_and_are_found_as_in_libc(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		char *a = word(20), *b = word(i & 1 ? 20 : 4);
		size_t n = below(24);
		int c = "ab\xe4x"[below(5)];

		assert_int_equal(our_strlen(a), strlen(a));
		assert_int_equal(our_strnlen(a, n), strnlen(a, n));
		assert_int_equal(sign(our_strcmp(a, b)), sign(strcmp(a, b)));
		assert_int_equal(sign(our_strncmp(a, b, n)),
				 sign(strncmp(a, b, n)));
		assert_ptr_equal(our_strchr(a, c), strchr(a, c));
		assert_ptr_equal(our_strrchr(a, c), strrchr(a, c));
		assert_ptr_equal(our_strstr(a, b), strstr(a, b));
		free(a);
		free(b);
	}
}

/* The memory ends with the bound: reading on is an ASan error. */
static void bounded_functions_do_not_read_on(void **state)
{
	char *bytes = malloc(4);
	char to[4];

	(void)state;
	memcpy(bytes, "abcd", 4);
	assert_int_equal(our_strnlen(bytes, 4), 4);
	assert_int_equal(our_strncmp(bytes, "abcd", 4), 0);
	assert_null(our_memchr(bytes, 'x', 4));
	assert_int_equal(strscpy(to, bytes, 4), -E2BIG);
	assert_string_equal(to, "abc");
	free(bytes);
}

static void strscpy_always_terminates(void **state)
{
	char to[8];

	(void)state;
	for (size_t size = 0; size <= sizeof(to); size++) {
		memset(to, '#', sizeof(to));
		assert_int_equal(strscpy(to, "four", size),
				 size > 4 ? 4 : -E2BIG);
		if (size)
			assert_int_equal(strlen(to), min(size - 1, (size_t)4));
		for (size_t i = min(size, (size_t)5); i < sizeof(to); i++)
			assert_int_equal(to[i], '#');
	}
	assert_int_equal(strscpy(to, "", 1), 0);
	assert_string_equal(to, "");
}

static void numbers_are_read_in_their_base(void **state)
{
	static const struct {
		const char *text;
		unsigned int base;
		int err;
		u64 val;
	} cases[] = {
		{ "0", 0, 0, 0 }, { "42", 0, 0, 42 }, { "+42", 10, 0, 42 },
		{ "42\n", 0, 0, 42 }, { "0x2a", 0, 0, 42 },
		{ "0X2A", 0, 0, 42 }, { "0x2a", 16, 0, 42 },
		{ "2a", 16, 0, 42 }, { "052", 0, 0, 42 },
		{ "052", 10, 0, 52 }, { "101010", 2, 0, 42 },
		{ "18446744073709551615", 0, 0, ~0ULL },
		{ "0xffffffffffffffff", 0, 0, ~0ULL },
		{ "000000000000000000000000000001", 10, 0, 1 },
		{ "18446744073709551616", 0, -ERANGE, 0 },
		{ "99999999999999999999999", 0, -ERANGE, 0 },
		{ "0x10000000000000000", 0, -ERANGE, 0 },
		{ "2000000000000000000000", 8, -ERANGE, 0 },
		{ "", 0, -EINVAL, 0 }, { "\n", 0, -EINVAL, 0 },
		{ "+", 0, -EINVAL, 0 }, { "-1", 0, -EINVAL, 0 },
		{ "+-1", 0, -EINVAL, 0 }, { "++1", 0, -EINVAL, 0 },
		{ " 1", 0, -EINVAL, 0 }, { "1 ", 0, -EINVAL, 0 },
		{ "1\n\n", 0, -EINVAL, 0 }, { "12x", 0, -EINVAL, 0 },
		{ "08", 0, -EINVAL, 0 }, { "0x", 0, -EINVAL, 0 },
		{ "0x", 16, -EINVAL, 0 }, { "0xg", 0, -EINVAL, 0 },
		{ "0x2a", 10, -EINVAL, 0 }, { "2", 2, -EINVAL, 0 },
		{ "abc", 10, -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 val = 7;
		int err = kstrtou64(cases[i].text, cases[i].base, &val);

		if (err != cases[i].err || val != (err ? 7 : cases[i].val))
			fail_msg("\"%s\" in base %u: %d, %llu", cases[i].text,
				 cases[i].base, err, (unsigned long long)val);
	}
}

static void printed_numbers_read_back(void **state)
{
	char text[32];

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		unsigned long long v = random_u64(&seed) >> below(64);
		u64 back;

		snprintf(text, sizeof(text), "%llu", v);
		assert_int_equal(kstrtou64(text, 10, &back), 0);
		assert_int_equal(back, v);
		snprintf(text, sizeof(text), i & 1 ? "%#llx" : "%#llo", v);
		assert_int_equal(kstrtou64(text, 0, &back), 0);
		assert_int_equal(back, v);
	}
}

static void sizes_take_one_unit(void **state)
{
	static const struct {
		const char *text;
		int err;
		u64 val;
	} cases[] = {
		{ "0", 0, 0 }, { "4096", 0, 4096 }, { "64K", 0, 65536 },
		{ "64k", 0, 65536 }, { "1M", 0, 1 << 20 },
		{ "2m", 0, 2 << 20 }, { "3G", 0, 3ULL << 30 },
		{ "1g", 0, 1 << 30 }, { "0x10K", 0, 16384 },
		{ "17179869183G", 0, 17179869183ULL << 30 },
		{ "17179869184G", -ERANGE, 0 },
		{ "18446744073709551615K", -ERANGE, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "", -EINVAL, 0 }, { "K", -EINVAL, 0 },
		{ "1KK", -EINVAL, 0 }, { "1KB", -EINVAL, 0 },
		{ "1T", -EINVAL, 0 }, { "1 K", -EINVAL, 0 },
		{ "-1K", -EINVAL, 0 }, { "1.5M", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 val = 7;
		int err = parse_size(cases[i].text, &val);

		if (err != cases[i].err || val != (err ? 7 : cases[i].val))
			fail_msg("\"%s\": %d, %llu", cases[i].text, err,
				 (unsigned long long)val);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(overlapping_moves_keep_the_bytes,
				       set_seed),
		cmocka_unit_test_setup(copies_and_fills_touch_nothing_else,
				       set_seed),
		cmocka_unit_test_setup(bytes_compare_and_are_found_as_in_libc,
				       set_seed),
		cmocka_unit_test_setup(
			strings_compare_and_are_found_as_in_libc, set_seed),
		cmocka_unit_test(bounded_functions_do_not_read_on),
		cmocka_unit_test(strscpy_always_terminates),
		cmocka_unit_test(numbers_are_read_in_their_base),
		cmocka_unit_test_setup(printed_numbers_read_back, set_seed),
		cmocka_unit_test(sizes_take_one_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
