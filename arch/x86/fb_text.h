/* SPDX-License-Identifier: MIT */
/*
 * The text of a screen, in RAM: where each character is, and scrolling.
 *
 * Nothing is drawn here (arch/x86/fb_draw.h).
 */
#ifndef X86_FB_TEXT_H
#define X86_FB_TEXT_H

#include "lib/types.h"

struct fb_text {
	u32 cols, rows;		/* not 0 */
	u32 top;		/* the row of @cell that is the first one shown */
	u32 row, col;		/* of the next character; rows, cols: wraps then */
	u8 *cell;		/* rows * cols characters */
};

/**
 * fb_text_init() - an empty screen
 * @cell:	@rows * @cols bytes that stay in use
 */
void fb_text_init(struct fb_text *text, u32 cols, u32 rows, u8 *cell);

/**
 * fb_text_write() - put text after what is there
 *
 * "\n" starts a line, "\r" goes back to the start of this one, "\b" one to the
 * left, "\t" to the next multiple of 8, at most to the end of the line. Longer
 * lines wrap. A full screen moves up by an eighth at once: then most lines cost
 * no drawing but their own.
 *
 * Context: any; two at once may mix up the text, no more.
 */
void fb_text_write(struct fb_text *text, const char *s, size_t n);

/* @row and @col as shown. */
static inline u8 fb_text_at(const struct fb_text *text, u32 row, u32 col)
{
	return text->cell[(size_t)((text->top + row) % text->rows) *
			  text->cols + col];
}

#endif /* X86_FB_TEXT_H */
