/* SPDX-License-Identifier: MIT */
/*
 * Boot options as firmware, shells and editors hand them over.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "boot/loader/cmdline.h"

#define ROOM	64

static char line[ROOM];

/* From an exact allocation: reading past the end is caught. */
static enum cmdline_result add(const void *data, size_t size)
{
	void *copy = malloc(size ? size : 1);
	enum cmdline_result result;

	assert_non_null(copy);
	memcpy(copy, data, size);
	result = cmdline_add(line, sizeof(line), copy, size);
	free(copy);
	return result;
}

#define ADD(text)	add(text, sizeof(text) - 1)

static int setup(void **state)
{
	(void)state;
	memset(line, 'x', sizeof(line));
	line[0] = '\0';
	return 0;
}

static void no_options_leave_the_line_as_it_is(void **state)
{
	(void)state;
	assert_int_equal(cmdline_add(line, ROOM, NULL, 0), CMDLINE_OK);
	assert_int_equal(cmdline_add(line, ROOM, NULL, 10), CMDLINE_OK);
	assert_int_equal(cmdline_add(line, ROOM, "a", 0), CMDLINE_OK);
	assert_int_equal(ADD("\0\0"), CMDLINE_OK);
	assert_int_equal(ADD("  \r\n"), CMDLINE_OK);
	assert_string_equal(line, "");
}

static void ucs2_is_read_with_and_without_an_end(void **state)
{
	(void)state;
	assert_int_equal(ADD("s\0m\0p\0=\0001\0\0\0"), CMDLINE_OK);
	assert_int_equal(ADD("r\0o\0t\0"), CMDLINE_OK);
	assert_string_equal(line, "smp=1 rot");
}

static void what_follows_the_end_does_not_count(void **state)
{
	(void)state;
	assert_int_equal(ADD("a\0\0\0\x01\x02\x03\x04"), CMDLINE_OK);
	assert_int_equal(ADD("bcd\0\x01\x02"), CMDLINE_OK);
	assert_string_equal(line, "a bcd");
}

static void an_odd_last_byte_of_ucs2_is_dropped(void **state)
{
	(void)state;
	assert_int_equal(ADD("a\0b\0\x07"), CMDLINE_OK);
	assert_string_equal(line, "ab");
}

static void byte_order_marks_are_no_text(void **state)
{
	(void)state;
	assert_int_equal(ADD("\xff\xfe" "a\0=\0b\0"), CMDLINE_OK);
	assert_int_equal(ADD("\xef\xbb\xbf" "c=d\r\n"), CMDLINE_OK);
	assert_int_equal(ADD("\xff\xfe"), CMDLINE_OK);
	assert_int_equal(ADD("\xff\xfe" "e"), CMDLINE_OK);
	assert_string_equal(line, "a=b c=d");
}

static void ascii_of_old_firmware_is_read(void **state)
{
	(void)state;
	assert_int_equal(ADD("serial=3f8,115200"), CMDLINE_OK);
	assert_int_equal(ADD("x"), CMDLINE_OK);
	assert_string_equal(line, "serial=3f8,115200 x");
}

static void binary_data_of_a_boot_manager_is_no_text(void **state)
{
	(void)state;
	assert_int_equal(ADD("\x4e\xac\x08\x81\x11\x9f\x59\x4d"
			     "\x85\x0e\xe2\x1a\x52\x2c\x59\xb2"),
			 CMDLINE_NOT_TEXT);
	assert_int_equal(ADD("\x04\x04\x14\x00"), CMDLINE_NOT_TEXT);
	assert_int_equal(ADD("rot=90\x80"), CMDLINE_NOT_TEXT);
	assert_int_equal(ADD("\xff\xfe" "a\0\xe4\0"), CMDLINE_NOT_TEXT);
	assert_int_equal(ADD("\xfe\xff\0a"), CMDLINE_NOT_TEXT);
	assert_string_equal(line, "");
}

static void white_space_of_any_kind_becomes_one_space(void **state)
{
	(void)state;
	assert_int_equal(ADD("\t a \r\n\n b\v"), CMDLINE_OK);
	assert_int_equal(ADD(" c"), CMDLINE_OK);
	assert_string_equal(line, "a b c");
}

static void a_word_that_does_not_fit_is_left_out_whole(void **state)
{
	char word[ROOM];

	(void)state;
	memset(word, 'w', sizeof(word));
	assert_int_equal(add(word, ROOM), CMDLINE_CUT);
	assert_string_equal(line, "");
	assert_int_equal(add(word, ROOM - 4), CMDLINE_OK);
	assert_int_equal(ADD("abc d"), CMDLINE_CUT);
	assert_int_equal(strlen(line), ROOM - 4);
	assert_int_equal(ADD("ab"), CMDLINE_OK);
	assert_int_equal(strlen(line), ROOM - 1);
	assert_int_equal(ADD("e"), CMDLINE_CUT);
	assert_int_equal(strlen(line), ROOM - 1);
}

static void a_room_of_one_byte_takes_nothing(void **state)
{
	char one[1] = "";

	(void)state;
	assert_int_equal(cmdline_add(one, 1, "abc", 3), CMDLINE_CUT);
	assert_int_equal(one[0], 0);
}

static void the_name_of_the_program_is_dropped(void **state)
{
	(void)state;
	assert_int_equal(ADD("fs0:\\EFI\\BOOT\\BootX64.Efi rot=90 x.efi"),
			 CMDLINE_OK);
	cmdline_drop_program(line);
	assert_string_equal(line, "rot=90 x.efi");
	cmdline_drop_program(line);
	assert_string_equal(line, "rot=90 x.efi");
	strcpy(line, ".efi");
	cmdline_drop_program(line);
	assert_string_equal(line, "");
	strcpy(line, "efi a");
	cmdline_drop_program(line);
	assert_string_equal(line, "efi a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(no_options_leave_the_line_as_it_is,
				       setup),
		cmocka_unit_test_setup(ucs2_is_read_with_and_without_an_end,
				       setup),
		cmocka_unit_test_setup(what_follows_the_end_does_not_count,
				       setup),
		cmocka_unit_test_setup(an_odd_last_byte_of_ucs2_is_dropped,
				       setup),
		cmocka_unit_test_setup(byte_order_marks_are_no_text, setup),
		cmocka_unit_test_setup(ascii_of_old_firmware_is_read, setup),
		cmocka_unit_test_setup(
			binary_data_of_a_boot_manager_is_no_text, setup),
		cmocka_unit_test_setup(
			white_space_of_any_kind_becomes_one_space, setup),
		cmocka_unit_test_setup(
			a_word_that_does_not_fit_is_left_out_whole, setup),
		cmocka_unit_test_setup(a_room_of_one_byte_takes_nothing,
				       setup),
		cmocka_unit_test_setup(the_name_of_the_program_is_dropped,
				       setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
