/* SPDX-License-Identifier: MIT */
/*
 * Boot options: words and values found, and errors with a position.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cmdline.h"
#include "lib/err.h"
#include "lib/printk.h"
#include "tests/unit/collect.h"

static char buf[16];
static struct collector console;

static void sink(const char *s, size_t n)
{
	collect_write(&console.printer, s, n);
}

static void use(const char *text)
{
	cmdline_init(text, strlen(text) + 1);
}

static void there_are_none_before_they_are_said(void **state)
{
	(void)state;
	assert_int_equal(cmdline_get("a", buf, sizeof(buf)), -ENOENT);
	assert_false(cmdline_has("a"));
	cmdline_init(NULL, 100);
	assert_int_equal(cmdline_get("a", buf, sizeof(buf)), -ENOENT);
	assert_string_equal(buf, "");
}

static void a_value_is_found_with_its_offset(void **state)
{
	(void)state;
	use("serial=io:3f8,9600 dump=com2 quick x=");
	assert_int_equal(cmdline_get("dump", buf, sizeof(buf)), 24);
	assert_string_equal(buf, "com2");
	assert_int_equal(cmdline_get("serial", buf, sizeof(buf)), 7);
	assert_string_equal(buf, "io:3f8,9600");
	assert_int_equal(cmdline_get("x", buf, sizeof(buf)), 37);
	assert_string_equal(buf, "");
}

static void only_whole_words_count(void **state)
{
	(void)state;
	use("  xdump=1  dumpx=2 dump quick=3 quic");
	assert_int_equal(cmdline_get("dump", buf, sizeof(buf)), -ENOENT);
	assert_true(cmdline_has("dump"));
	assert_false(cmdline_has("quick"));
	assert_false(cmdline_has("dum"));
	assert_false(cmdline_has(""));
	assert_int_equal(cmdline_get("quick", buf, sizeof(buf)), 30);
}

static void the_first_of_two_counts(void **state)
{
	(void)state;
	use("a=1 a=2");
	assert_int_equal(cmdline_get("a", buf, sizeof(buf)), 2);
	assert_string_equal(buf, "1");
}

static void a_long_value_is_cut_and_said_to_be(void **state)
{
	(void)state;
	use("a=0123456789abcdef");
	assert_int_equal(cmdline_get("a", buf, sizeof(buf)), -E2BIG);
	assert_string_equal(buf, "0123456789abcde");
}

static void text_without_an_end_is_cut(void **state)
{
	char raw[8] = { 'a', '=', '1', ' ', 'b', '=', '2', '3' };

	(void)state;
	cmdline_init(raw, sizeof(raw));
	assert_int_equal(cmdline_get("b", buf, sizeof(buf)), 6);
	assert_string_equal(buf, "23");
	cmdline_init(raw, 5);
	assert_int_equal(cmdline_get("b", buf, sizeof(buf)), -ENOENT);
}

static void an_error_points_at_the_character(void **state)
{
	(void)state;
	collect_reset(&console);
	printk_set_sink(sink);
	cmdline_bad("serial", "io:3g8", 4, "no hexadecimal digit");
	assert_string_equal(console.text,
			    "option serial: no hexadecimal digit, position 5\n"
			    "  serial=io:3g8\n"
			    "             ^\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_are_none_before_they_are_said),
		cmocka_unit_test(a_value_is_found_with_its_offset),
		cmocka_unit_test(only_whole_words_count),
		cmocka_unit_test(the_first_of_two_counts),
		cmocka_unit_test(a_long_value_is_cut_and_said_to_be),
		cmocka_unit_test(text_without_an_end_is_cut),
		cmocka_unit_test(an_error_points_at_the_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
