/* SPDX-License-Identifier: MIT */
/*
 * The text of a screen: where characters go, what scrolls away.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86/fb_text.h"

#define COLS	10
#define ROWS	4

/* Owner: the test that runs. */
static u8 cell[COLS * ROWS];
static struct fb_text text;

static void write_text(const char *s)
{
	fb_text_write(&text, s, strlen(s));
}

static void assert_row(u32 row, const char *want)
{
	char got[COLS + 1] = "";

	for (u32 col = 0; col < COLS; col++)
		got[col] = (char)fb_text_at(&text, row, col);
	assert_string_equal(got, want);
}

static int start(void **state)
{
	(void)state;
	memset(cell, 'x', sizeof(cell));
	fb_text_init(&text, COLS, ROWS, cell);
	return 0;
}

static void it_starts_empty(void **state)
{
	(void)state;
	for (u32 row = 0; row < ROWS; row++)
		assert_row(row, "          ");
}

static void control_characters_move(void **state)
{
	(void)state;
	write_text("ab\ncd\r\nefgh\rE\ti\tj\b\bI");
	assert_row(0, "ab        ");
	assert_row(1, "cd        ");
	/* The second tab ends at the end of the line: j wraps. */
	assert_row(2, "Efgh    i ");
	assert_row(3, "I         ");
}

static void a_line_as_long_as_the_screen_leaves_no_empty_one(void **state)
{
	(void)state;
	write_text("0123456789\nabcdefghijk\n.");
	assert_row(0, "0123456789");
	assert_row(1, "abcdefghij");
	assert_row(2, "k         ");
	assert_row(3, ".         ");
}

static void the_screen_moves_only_when_room_is_needed(void **state)
{
	(void)state;
	write_text("1\n2\n3\n4\n");
	assert_row(0, "1         ");
	assert_row(3, "4         ");
	write_text("5");
	assert_row(0, "2         ");
	assert_row(3, "5         ");
	write_text("\n\n\n6");
	assert_row(0, "5         ");
	assert_row(1, "          ");
	assert_row(3, "6         ");
}

static void a_long_line_wraps_through_the_screen(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 57; i++)
		write_text((char[]){ (char)('a' + i % 26), 0 });
	assert_row(0, "uvwxyzabcd");
	assert_row(2, "opqrstuvwx");
	assert_row(3, "yzabcde   ");
}

static void a_high_screen_moves_by_an_eighth(void **state)
{
	u8 high[67 * 3];
	struct fb_text t;

	(void)state;
	fb_text_init(&t, 3, 67, high);
	for (unsigned int i = 0; i < 67; i++)
		fb_text_write(&t, i ? "\n12" : "12", i ? 3 : 2);
	assert_int_equal(t.row, 66);
	fb_text_write(&t, "\nab", 3);
	assert_int_equal(t.row, 67 - 8);
	assert_int_equal(fb_text_at(&t, 67 - 9, 0), '1');
	assert_int_equal(fb_text_at(&t, 67 - 8, 0), 'a');
	assert_int_equal(fb_text_at(&t, 67 - 7, 0), ' ');
}

static void one_character_is_a_screen(void **state)
{
	struct fb_text t;
	u8 one;

	(void)state;
	fb_text_init(&t, 1, 1, &one);
	fb_text_write(&t, "a\nbc\n\n\t\r\bd", 10);
	assert_int_equal(fb_text_at(&t, 0, 0), 'd');
}

/* All lines, never scrolled: the screen shows the last of them. */
struct model {
	u8 line[4096][COLS];
	u32 row, col;
};

static void model_write(struct model *m, char c)
{
	if (c == '\n') {
		m->row++;
		m->col = 0;
	} else if (c == '\r') {
		m->col = 0;
	} else if (c == '\b') {
		m->col -= m->col > 0;
	} else if (c == '\t') {
		m->col = m->col < 8 ? 8 : COLS;
	} else {
		if (m->col == COLS) {
			m->row++;
			m->col = 0;
		}
		m->line[m->row][m->col++] = (u8)c;
	}
}

static void random_text_is_where_a_model_has_it(void **state)
{
	static const char chars[] = "abcdefghijklmnop\n\n\r\t\b\xff";
	static struct model m;

	(void)state;
	memset(&m, ' ', sizeof(m));
	m.row = 0;
	m.col = 0;
	srand(1);
	while (m.row < 4000) {
		char c = chars[(size_t)rand() % (sizeof(chars) - 1)];
		u32 first;

		model_write(&m, c);
		fb_text_write(&text, &c, 1);
		/* Small screens move by one; a row of its own may be due. */
		first = m.row - text.row;
		for (u32 row = 0; row < ROWS; row++)
			for (u32 col = 0; col < COLS; col++)
				assert_int_equal(fb_text_at(&text, row, col),
						 m.line[first + row][col]);
		assert_true(text.row <= ROWS && text.col <= COLS);
		assert_int_equal(text.col, m.col);
	}
}

/* A panic may come while another CPU writes: any place is survived. */
static void a_place_beyond_the_screen_is_survived(void **state)
{
	(void)state;
	text.row = 0xffffffff;
	text.col = 0xffffffff;
	write_text("ab");
	assert_row(2, "          ");
	assert_row(3, "ab        ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_starts_empty, start),
		cmocka_unit_test_setup(control_characters_move, start),
		cmocka_unit_test_setup(
			a_line_as_long_as_the_screen_leaves_no_empty_one,
			start),
		cmocka_unit_test_setup(
			the_screen_moves_only_when_room_is_needed, start),
		cmocka_unit_test_setup(a_long_line_wraps_through_the_screen,
				       start),
		cmocka_unit_test(a_high_screen_moves_by_an_eighth),
		cmocka_unit_test(one_character_is_a_screen),
		cmocka_unit_test_setup(random_text_is_where_a_model_has_it,
				       start),
		cmocka_unit_test_setup(a_place_beyond_the_screen_is_survived,
				       start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
