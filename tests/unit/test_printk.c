/* SPDX-License-Identifier: MIT */
/*
 * Formatted text, held against the C library's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/printk.h"
#include "lib/symtab.h"
#include "tests/unit/collect.h"

static struct collector seen;

static const char *const widths[] = { "", "1", "5", "12", "70" };
static const char *const precisions[] = { "", ".", ".0", ".3", ".11", ".40" };

/* "%", the flags whose bits are set in @set, and the rest. */
static void make_format(char *fmt, size_t size, unsigned int set,
			const char *width, const char *precision,
			const char *end)
{
	static const char all[] = "-0#+ ";
	char flags[sizeof(all)];
	size_t n = 0;

	for (unsigned int i = 0; all[i]; i++)
		if (set & 1u << i)
			flags[n++] = all[i];
	flags[n] = '\0';
	snprintf(fmt, size, "[%%%s%s%s%s]", flags, width, precision, end);
}

static void same_as_libc(const char *fmt, bool wide, u64 v)
{
	char ours[256], libc[256];
	int n, m;

	if (wide) {
		n = scnprintf(ours, sizeof(ours), fmt, v);
		m = snprintf(libc, sizeof(libc), fmt, v);
	} else {
		n = scnprintf(ours, sizeof(ours), fmt, (unsigned int)v);
		m = snprintf(libc, sizeof(libc), fmt, (unsigned int)v);
	}
	if (n != m || strcmp(ours, libc))
		fail_msg("%s of %llx: \"%s\", libc: \"%s\"", fmt,
			 (unsigned long long)v, ours, libc);
}

static void each_number(const char *length, bool wide, char conversion)
{
	static const u64 values[] = {
		0, 1, 7, 8, 42, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff,
		0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
		0x0123456789abcdef, 0x7fffffffffffffff, 0x8000000000000000,
		~0ULL, ~0ULL - 41,
	};
	char end[8], fmt[64];

	snprintf(end, sizeof(end), "%s%c", length, conversion);
	for (unsigned int set = 0; set < 32; set++)
		for (size_t w = 0; w < ARRAY_SIZE(widths); w++)
			for (size_t p = 0; p < ARRAY_SIZE(precisions); p++) {
				make_format(fmt, sizeof(fmt), set, widths[w],
					    precisions[p], end);
				for (size_t v = 0; v < ARRAY_SIZE(values); v++)
					same_as_libc(fmt, wide, values[v]);
			}
}

static void numbers_print_as_the_c_library_prints_them(void **state)
{
	static const struct {
		const char *name;
		bool wide;
	} lengths[] = {
		{ "hh", false }, { "h", false }, { "", false }, { "l", true },
		{ "ll", true }, { "z", true }, { "t", true }, { "j", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		for (const char *c = "diuxXo"; *c; c++)
			each_number(lengths[i].name, lengths[i].wide, *c);
}

static void strings_and_characters_print_as_the_c_library_does(void **state)
{
	static const char *const strings[] = { "", "a", "abcd",
					       "0123456789ab" };
	const char *volatile none = NULL;	/* GCC must not know it */
	char fmt[64], ours[256], libc[256];

	(void)state;
	for (size_t w = 0; w < ARRAY_SIZE(widths); w++)
		for (size_t p = 0; p < ARRAY_SIZE(precisions); p++)
			for (size_t s = 0; s < 2 * ARRAY_SIZE(strings); s++) {
				const char *text = strings[s / 2];

				make_format(fmt, sizeof(fmt), s & 1, widths[w],
					    precisions[p], "s");
				scnprintf(ours, sizeof(ours), fmt, text);
				snprintf(libc, sizeof(libc), fmt, text);
				assert_string_equal(ours, libc);
				make_format(fmt, sizeof(fmt), s & 1, widths[w],
					    precisions[p], "c");
				same_as_libc(fmt, false, 'x');
			}
	scnprintf(ours, sizeof(ours), "100%% %s|%c", "of", '\0');
	assert_memory_equal(ours, "100% of|\0", 10);
	scnprintf(ours, sizeof(ours), "%s", none);
	assert_string_equal(ours, "(null)");
}

static void width_and_precision_come_from_arguments(void **state)
{
	char ours[64], libc[64];

	(void)state;
	for (int width = -20; width <= 20; width++)
		for (int precision = -2; precision <= 12; precision++) {
			scnprintf(ours, sizeof(ours), "%*.*d|%*s", width,
				  precision, -42, width, "ab");
			snprintf(libc, sizeof(libc), "%*.*d|%*s", width,
				 precision, -42, width, "ab");
			assert_string_equal(ours, libc);
		}
}

/* The string's end is the end of its memory: reading on is an ASan error. */
static void a_precision_bounds_what_is_read_of_a_string(void **state)
{
	char *bytes = malloc(3);
	char ours[8];

	(void)state;
	memcpy(bytes, "abc", 3);
	scnprintf(ours, sizeof(ours), "%.3s", bytes);
	assert_string_equal(ours, "abc");
	free(bytes);
}

static void an_unfinished_conversion_ends_the_text(void **state)
{
	static const char *const cut[] = { "ab%", "ab%-", "ab%08", "ab%.",
					   "ab%l", "ab%-5.3hh" };
	char ours[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cut); i++) {
		char *fmt = strdup(cut[i]);

		assert_int_equal(scnprintf(ours, sizeof(ours), fmt, 1), 2);
		assert_string_equal(ours, "ab");
		free(fmt);
	}
}

static void text_is_cut_to_the_room_and_the_count_says_so(void **state)
{
	static const char want[] = "value    42, 0x2a and some";
	char buf[40];

	(void)state;
	for (size_t size = 0; size < sizeof(want) + 4; size++) {
		size_t kept = size ? min(size - 1, strlen(want)) : 0;
		int n;

		memset(buf, '#', sizeof(buf));
		n = scnprintf(buf, size, "value %5d, %#x and %s", 42, 42,
			      "some");
		assert_int_equal(n, kept);
		assert_memory_equal(buf, want, kept);
		if (size)
			assert_int_equal(buf[kept], '\0');
		for (size_t i = size ? kept + 1 : 0; i < sizeof(buf); i++)
			assert_int_equal(buf[i], '#');
	}
}

static void addresses_print_as_symbol_and_offset(void **state)
{
	struct symbol sym[] = {
		{ 0x1000, 0x100, "alpha" }, { 0x1100, 0x80, "beta" },
	};
	struct symtab tab = { .sym = sym, .nr = 2, .max = 2 };
	char buf[128];

	(void)state;
	symtab_register(&tab);
	scnprintf(buf, sizeof(buf), "%pS %pS %pS %pS.", (void *)0x1000,
		  (void *)0x10ff, (void *)0x1100, (void *)0x1180);
	assert_string_equal(buf, "alpha+0x0 alpha+0xff beta+0x0 0x1180.");
	/* A return address is that of the call before it. */
	scnprintf(buf, sizeof(buf), "%pB %pB %pB %pB %p", (void *)0x1001,
		  (void *)0x1100, (void *)0x1180, (void *)0x1000,
		  (void *)0x1000);
	assert_string_equal(buf,
			    "alpha+0x1 alpha+0x100 beta+0x80 0x1000 0x1000");
	symtab_unregister(&tab);
	scnprintf(buf, sizeof(buf), "%pS", (void *)0x1000);
	assert_string_equal(buf, "0x1000");
}

static void long_text_reaches_a_printer_whole_and_in_pieces(void **state)
{
	char text[3001];

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = (char)('a' + i % 26);
	text[sizeof(text) - 1] = '\0';
	collect_reset(&seen);
	pr_to(&seen.printer, "<%s>", text);
	assert_int_equal(seen.len, 3002);
	assert_memory_equal(seen.text + 1, text, 3000);
	assert_int_equal(seen.text[3001], '>');
	assert_true(seen.longest <= 256);
}

static void text_below_256_bytes_is_one_piece(void **state)
{
	(void)state;
	collect_reset(&seen);
	pr_to(&seen.printer, "%255s", "x");
	assert_int_equal(seen.nr_calls, 1);
	assert_int_equal(seen.longest, 255);
	collect_reset(&seen);
	pr_to(&seen.printer, "%s", "");
	assert_int_equal(seen.nr_calls, 0);
}

static void sink(const char *s, size_t n)
{
	collect_write(&seen.printer, s, n);
}

static void text_before_there_is_a_sink_is_counted(void **state)
{
	(void)state;
	assert_int_equal(printk_dropped(), 0);
	printk("%300s\n", "early");
	assert_int_equal(printk_dropped(), 301);
	collect_reset(&seen);
	printk_set_sink(sink);
	printk("late %d", 1);
	pr_to(&console_printer, "%c", '!');
	printk_set_sink(NULL);
	assert_string_equal(seen.text, "late 1!");
	assert_int_equal(printk_dropped(), 301);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_print_as_the_c_library_prints_them),
		cmocka_unit_test(
			strings_and_characters_print_as_the_c_library_does),
		cmocka_unit_test(width_and_precision_come_from_arguments),
		cmocka_unit_test(a_precision_bounds_what_is_read_of_a_string),
		cmocka_unit_test(an_unfinished_conversion_ends_the_text),
		cmocka_unit_test(text_is_cut_to_the_room_and_the_count_says_so),
		cmocka_unit_test(addresses_print_as_symbol_and_offset),
		cmocka_unit_test(
			long_text_reaches_a_printer_whole_and_in_pieces),
		cmocka_unit_test(text_below_256_bytes_is_one_piece),
		cmocka_unit_test(text_before_there_is_a_sink_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
