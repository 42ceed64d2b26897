/* SPDX-License-Identifier: MIT */
/*
 * The consoles' font: drawn in font.txt, made a table by tools/font.awk.
 */
#ifndef X86_FONT_H
#define X86_FONT_H

#include "lib/types.h"

#define FONT_WIDTH	8
#define FONT_HEIGHT	16
#define FONT_FIRST	0x20
#define FONT_GLYPHS	96
#define FONT_BOX	(FONT_GLYPHS - 1)	/* for what is not printable */

/* Rows from top to bottom; the leftmost pixel is bit 7. */
extern const u8 font[FONT_GLYPHS][FONT_HEIGHT];

static inline unsigned int font_index(u8 c)
{
	return c >= FONT_FIRST && c < FONT_FIRST + FONT_BOX ?
	       c - FONT_FIRST : FONT_BOX;
}

#endif /* X86_FONT_H */
