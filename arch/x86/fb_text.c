/* SPDX-License-Identifier: MIT */
/*
 * The text of a screen, in RAM: where each character is, and scrolling.
 */
#include "arch/x86/fb_text.h"

#include "lib/compiler.h"
#include "lib/string.h"

#define TAB	8u

void fb_text_init(struct fb_text *text, u32 cols, u32 rows, u8 *cell)
{
	*text = (struct fb_text){ .cols = cols, .rows = rows, .cell = cell };
	memset(cell, ' ', (size_t)rows * cols);
}

static u8 *line_at(const struct fb_text *text, u32 row)
{
	return text->cell +
	       (size_t)((text->top + row) % text->rows) * text->cols;
}

/* Return: the first row that became free. */
static u32 scroll(struct fb_text *text)
{
	u32 jump = max(text->rows / 8, 1u);

	text->top = (text->top + jump) % text->rows;
	for (u32 row = text->rows - jump; row < text->rows; row++)
		memset(line_at(text, row), ' ', text->cols);
	return text->rows - jump;
}

static u32 after_tab(const struct fb_text *text, u32 col)
{
	return min((col / TAB + 1) * TAB, text->cols);
}

/*
 * The place is kept in locals: whatever another CPU does in a panic, it stays
 * within the screen.
 */
void fb_text_write(struct fb_text *text, const char *s, size_t n)
{
	u32 row = min(READ_ONCE(text->row), text->rows);
	u32 col = min(READ_ONCE(text->col), text->cols);

	for (; n; n--, s++) {
		switch (*s) {
		case '\n':
			if (row == text->rows)
				row = scroll(text);
			row++;
			col = 0;
			break;
		case '\r':
			col = 0;
			break;
		case '\b':
			col -= col > 0;
			break;
		case '\t':
			col = after_tab(text, col);
			break;
		default:
			if (col == text->cols) {
				if (row == text->rows)
					row = scroll(text);
				row++;
				col = 0;
			}
			if (row == text->rows)
				row = scroll(text);
			line_at(text, row)[col++] = (u8)*s;
		}
	}
	text->row = row;
	text->col = col;
}
