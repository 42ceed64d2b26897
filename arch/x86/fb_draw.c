/* SPDX-License-Identifier: MIT */
/*
 * Drawing a screen's text on a frame buffer, which is written and never read.
 *
 * A run of characters is composed in RAM one scan line at a time, then stored
 * in ascending order: that is what write combining is good at. A read would
 * cost about as much as a thousand stores on some machines.
 */
#include "arch/x86/fb_draw.h"

#include "lib/compiler.h"
#include "lib/string.h"

/* The only place that touches the frame buffer. */
static void store_line(struct fb_screen *screen, u64 offset, const u8 *from,
		       size_t n)
{
	u8 *to = screen->base + offset;

	screen->nr_bytes += n;
	for (; n && (uintptr_t)to % sizeof(u64); n--)
		WRITE_ONCE(*to++, *from++);
	for (; n >= sizeof(u64); n -= sizeof(u64)) {
		u64 v;

		__builtin_memcpy(&v, from, sizeof(v));
		WRITE_ONCE(*(u64 *)to, v);
		to += sizeof(v);
		from += sizeof(v);
	}
	for (; n; n--)
		WRITE_ONCE(*to++, *from++);
}

static u8 *put_pixel(u8 *to, u32 value, u32 bytes)
{
	for (u32 i = 0; i < bytes; i++)
		to[i] = (u8)(value >> (8 * i));
	return to + bytes;
}

/* One row of a glyph, every pixel of it scale times. */
static u8 *put_bits(const struct fb_screen *screen, u8 *to, u32 bits)
{
	const struct fb_mode *mode = &screen->mode;

	for (u32 bit = 1u << (screen->cell_width - 1); bit; bit >>= 1) {
		u32 value = bits & bit ? mode->ink : mode->paper;

		for (u32 i = 0; i < mode->scale; i++)
			to = put_pixel(to, value, mode->pixel);
	}
	return to;
}

/* Draws @n characters of the row as @drawn has them. */
static void draw_run(struct fb_screen *screen, u32 row, u32 col, u32 n)
{
	const struct fb_mode *mode = &screen->mode;
	const u8 *chars = screen->drawn + (size_t)row * screen->cols + col;
	u32 lines = screen->cell_height * mode->scale;
	u64 offset = (u64)row * lines * mode->pitch +
		     (u64)col * screen->cell_width * mode->scale * mode->pixel;

	for (u32 y = 0; y < screen->cell_height; y++) {
		u8 *to = screen->line;

		for (u32 i = 0; i < n; i++)
			to = put_bits(screen, to,
				      screen->glyph[font_index(chars[i])][y]);
		for (u32 i = 0; i < mode->scale; i++) {
			store_line(screen, offset, screen->line,
				   (size_t)(to - screen->line));
			offset += mode->pitch;
		}
	}
}

/* The character that belongs where (row, col) is on the frame buffer. */
static u8 char_at(const struct fb_screen *screen, const struct fb_text *text,
		  u32 row, u32 col)
{
	switch (screen->mode.rot) {
	case FB_ROT_90:
		return fb_text_at(text, screen->cols - 1 - col, row);
	case FB_ROT_180:
		return fb_text_at(text, screen->rows - 1 - row,
				  screen->cols - 1 - col);
	case FB_ROT_270:
		return fb_text_at(text, col, screen->rows - 1 - row);
	default:
		return fb_text_at(text, row, col);
	}
}

static void draw_row(struct fb_screen *screen, const struct fb_text *text,
		     u32 row)
{
	u8 *drawn = screen->drawn + (size_t)row * screen->cols;
	u32 start = 0;

	for (u32 col = 0; col < screen->cols; col++) {
		u8 c = char_at(screen, text, row, col);

		if (c != drawn[col]) {
			drawn[col] = c;
			continue;
		}
		if (start < col)
			draw_run(screen, row, start, col - start);
		start = col + 1;
	}
	if (start < screen->cols)
		draw_run(screen, row, start, screen->cols - start);
}

void fb_screen_draw(struct fb_screen *screen, const struct fb_text *text)
{
	for (u32 row = 0; row < screen->rows; row++)
		draw_row(screen, text, row);
	store_fence();	/* nothing waits in the write combining buffers */
}

/* Pixel (x, y) of a turned glyph. */
static bool glyph_pixel(const u8 *rows, enum fb_rot rot, u32 x, u32 y)
{
	switch (rot) {
	case FB_ROT_90:
		return rows[FONT_HEIGHT - 1 - x] >> (FONT_WIDTH - 1 - y) & 1;
	case FB_ROT_180:
		return rows[FONT_HEIGHT - 1 - y] >> x & 1;
	case FB_ROT_270:
		return rows[x] >> y & 1;
	default:
		return rows[y] >> (FONT_WIDTH - 1 - x) & 1;
	}
}

static void turn_font(struct fb_screen *screen)
{
	for (u32 g = 0; g < FONT_GLYPHS; g++) {
		for (u32 y = 0; y < screen->cell_height; y++) {
			u16 bits = 0;

			for (u32 x = 0; x < screen->cell_width; x++)
				bits = (u16)(bits << 1 |
					     glyph_pixel(font[g],
							 screen->mode.rot,
							 x, y));
			screen->glyph[g][y] = bits;
		}
	}
}

static size_t line_room(const struct fb_mode *mode)
{
	return round_up_u64((u64)mode->width * mode->pixel, sizeof(u64));
}

size_t fb_screen_room(const struct fb_mode *mode)
{
	return line_room(mode) + (size_t)mode->cols * mode->rows;
}

static void clear(struct fb_screen *screen)
{
	const struct fb_mode *mode = &screen->mode;
	u8 *to = screen->line;

	for (u32 x = 0; x < mode->width; x++)
		to = put_pixel(to, mode->paper, mode->pixel);
	for (u32 y = 0; y < mode->height; y++)
		store_line(screen, y * mode->pitch, screen->line,
			   (size_t)(to - screen->line));
	memset(screen->drawn, ' ', (size_t)screen->rows * screen->cols);
}

void fb_screen_init(struct fb_screen *screen, const struct fb_mode *mode,
		    void *base, u8 *room)
{
	bool upright = mode->rot == FB_ROT_0 || mode->rot == FB_ROT_180;

	screen->mode = *mode;
	screen->base = base;
	screen->cols = upright ? mode->cols : mode->rows;
	screen->rows = upright ? mode->rows : mode->cols;
	screen->cell_width = upright ? FONT_WIDTH : FONT_HEIGHT;
	screen->cell_height = upright ? FONT_HEIGHT : FONT_WIDTH;
	screen->line = room;
	screen->drawn = room + line_room(mode);
	screen->nr_bytes = 0;
	turn_font(screen);
	clear(screen);
}
