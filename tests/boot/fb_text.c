/* SPDX-License-Identifier: MIT */
/*
 * Reads the text of a screenshot with the font that drew it.
 *
 * usage: fb_text FILE.ppm [SCALE [ROT]]
 *
 * A binary PPM of QEMU's screendump; SCALE pixels for one of the font's (1),
 * turned ROT degrees clockwise (0). Prints the lines without blanks at their
 * ends and without empty ones at the end.
 * Status: 0; 1 when a place shows no character, which is printed as a box; 2
 * when the file is none that can be read.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/font.h"

#define BRIGHT	96	/* at least this much of 255 in any colour is ink */

struct shot {
	unsigned int width, height;	/* pixels of the file */
	unsigned int scale, rot;
	unsigned int cols, rows;
	size_t line;			/* bytes of a line in the file */
	unsigned char *rgb;
};

/* QEMU pads the lines to 4 bytes, which is no PPM: either is taken. */
static int read_ppm(struct shot *s, const char *path)
{
	FILE *f = fopen(path, "rb");
	unsigned int max;
	size_t padded, size;

	if (!f)
		return -1;
	if (fscanf(f, "P6 %u %u %u", &s->width, &s->height, &max) != 3 ||
	    max != 255 || !isspace(fgetc(f)) || s->width > 16384 ||
	    s->height > 16384)
		goto bad;
	padded = ((size_t)s->width * 3 + 3) / 4 * 4;
	s->rgb = malloc(padded * s->height + 1);
	if (!s->rgb)
		goto bad;
	size = fread(s->rgb, 1, padded * s->height + 1, f);
	s->line = size == padded * s->height ? padded : (size_t)s->width * 3;
	if (size != s->line * s->height)
		goto bad;
	fclose(f);
	return 0;
bad:
	fclose(f);
	return -1;
}

/* Pixel (x, y) of the text as it is read. */
static int is_ink(const struct shot *s, unsigned int x, unsigned int y)
{
	unsigned int width = s->cols * FONT_WIDTH * s->scale;
	unsigned int height = s->rows * FONT_HEIGHT * s->scale;
	unsigned int fx = x, fy = y;
	const unsigned char *p;

	if (s->rot == 90) {
		fx = height - 1 - y;
		fy = x;
	} else if (s->rot == 180) {
		fx = width - 1 - x;
		fy = height - 1 - y;
	} else if (s->rot == 270) {
		fx = y;
		fy = width - 1 - x;
	}
	p = s->rgb + fy * s->line + (size_t)fx * 3;
	return p[0] >= BRIGHT || p[1] >= BRIGHT || p[2] >= BRIGHT;
}

/* Return: the character; 0 when the pixels are those of none. */
static int read_cell(const struct shot *s, unsigned int row, unsigned int col)
{
	unsigned char rows[FONT_HEIGHT] = { 0 };

	for (unsigned int y = 0; y < FONT_HEIGHT * s->scale; y++) {
		unsigned char bits = 0;

		for (unsigned int x = 0; x < FONT_WIDTH * s->scale; x++) {
			int ink = is_ink(s, col * FONT_WIDTH * s->scale + x,
					 row * FONT_HEIGHT * s->scale + y);

			if (x % s->scale == 0)
				bits = (unsigned char)(bits << 1 | ink);
			else if (ink != (bits & 1))
				return 0;
		}
		if (y % s->scale == 0)
			rows[y / s->scale] = bits;
		else if (rows[y / s->scale] != bits)
			return 0;
	}
	for (int i = 0; i < FONT_GLYPHS; i++)
		if (!memcmp(font[i], rows, FONT_HEIGHT))
			return FONT_FIRST + i;
	return 0;
}

static int print_text(const struct shot *s)
{
	unsigned int empty = 0;
	int status = 0;

	for (unsigned int row = 0; row < s->rows; row++) {
		unsigned int blanks = 0;

		for (unsigned int col = 0; col < s->cols; col++) {
			int c = read_cell(s, row, col);

			if (!c) {
				c = FONT_FIRST + FONT_BOX;
				status = 1;
			}
			if (c == ' ') {
				blanks++;
				continue;
			}
			for (; empty; empty--)
				putchar('\n');
			printf("%*s%c", (int)blanks, "", c);
			blanks = 0;
		}
		empty++;
	}
	if (empty)
		putchar('\n');
	return status;
}

int main(int argc, char **argv)
{
	struct shot s = { .scale = 1 };
	int turned;

	if (argc > 2)
		s.scale = (unsigned int)atoi(argv[2]);
	if (argc > 3)
		s.rot = (unsigned int)atoi(argv[3]);
	if (argc < 2 || s.scale < 1 || s.scale > 3 || s.rot % 90 ||
	    s.rot > 270) {
		fprintf(stderr, "usage: fb_text FILE.ppm [SCALE [ROT]]\n");
		return 2;
	}
	if (read_ppm(&s, argv[1])) {
		fprintf(stderr, "fb_text: %s is no whole PPM\n", argv[1]);
		return 2;
	}
	turned = s.rot == 90 || s.rot == 270;
	s.cols = (turned ? s.height : s.width) / (FONT_WIDTH * s.scale);
	s.rows = (turned ? s.width : s.height) / (FONT_HEIGHT * s.scale);
	return print_text(&s);
}
