/* SPDX-License-Identifier: MIT */
/*
 * Drawing a screen's text on a frame buffer, which is written and never read.
 *
 * What has been drawn is kept in RAM, so that only characters that changed are
 * drawn again.
 */
#ifndef X86_FB_DRAW_H
#define X86_FB_DRAW_H

#include "arch/x86/fb_mode.h"
#include "arch/x86/fb_text.h"
#include "arch/x86/font.h"

struct fb_screen {
	struct fb_mode mode;
	u8 *base;		/* the first pixel */
	/* In characters as they lie on the frame buffer, turned or not: */
	u32 cols, rows;
	u32 cell_width, cell_height;	/* pixels of the font */
	u8 *drawn;		/* cols * rows characters */
	u8 *line;		/* room for one scan line of a row */
	u64 nr_bytes;		/* written so far */
	u16 glyph[FONT_GLYPHS][FONT_HEIGHT];	/* the font, turned */
};

/* Bytes that the caller of fb_screen_init() has to give it. */
size_t fb_screen_room(const struct fb_mode *mode);

/**
 * fb_screen_init() - an empty screen; the whole frame buffer is cleared
 * @screen:	to set up
 * @mode:	of the frame buffer
 * @base:	its first pixel, fb_mode_bytes() of it mapped
 * @room:	fb_screen_room() bytes that stay in use, aligned to 8
 */
void fb_screen_init(struct fb_screen *screen, const struct fb_mode *mode,
		    void *base, u8 *room);

/**
 * fb_screen_draw() - draw what differs from what was drawn
 * @text:	mode->cols by mode->rows characters
 *
 * Context: any; two at once may leave mixed pixels, no more.
 */
void fb_screen_draw(struct fb_screen *screen, const struct fb_text *text);

#endif /* X86_FB_DRAW_H */
