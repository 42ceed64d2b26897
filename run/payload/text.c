/* SPDX-License-Identifier: MIT */
/*
 * Lines of text for the console: words, numbers, base64.
 */
#include "run/payload/text.h"

#include "run/topaz.h"

#define BYTES_PER_LINE	48u

static void add_char(struct text *text, char c)
{
	if (text->n < sizeof(text->s))
		text->s[text->n++] = c;
}

void text_add(struct text *text, const char *s)
{
	while (*s)
		add_char(text, *s++);
}

void text_add_decimal(struct text *text, uint64_t value)
{
	char digits[20];
	unsigned int n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (n)
		add_char(text, digits[--n]);
}

void text_add_hex32(struct text *text, uint32_t value)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		add_char(text, "0123456789abcdef"[value >> shift & 15]);
}

void text_print(struct text *text)
{
	tz_print(text->s, text->n);
	text->n = 0;
}

/* Up to 3 bytes as 4 characters. */
static void add_base64(struct text *text, const unsigned char *data, size_t n)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = (uint32_t)data[0] << 16;

	if (n > 1)
		bits |= (uint32_t)data[1] << 8;
	if (n > 2)
		bits |= data[2];
	add_char(text, alphabet[bits >> 18]);
	add_char(text, alphabet[bits >> 12 & 63]);
	add_char(text, n > 1 ? alphabet[bits >> 6 & 63] : '=');
	add_char(text, n > 2 ? alphabet[bits & 63] : '=');
}

void text_print_base64(const unsigned char *data, size_t n)
{
	struct text text;

	text.n = 0;
	for (size_t pos = 0; pos < n; pos += 3) {
		add_base64(&text, data + pos, n - pos);
		if (pos % BYTES_PER_LINE == BYTES_PER_LINE - 3 || pos + 3 >= n) {
			add_char(&text, '\n');
			text_print(&text);
		}
	}
}
