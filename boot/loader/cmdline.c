/* SPDX-License-Identifier: MIT */
/*
 * Boot options as printable ASCII.
 *
 * Load options are bytes without a type. Seen in the field: UCS-2 with and
 * without an end, with a byte order mark, ASCII from old tools, and binary data
 * of the boot manager. A guess is taken only when all of it is printable.
 */
#include "boot/loader/cmdline.h"

struct text {
	const unsigned char *data;
	size_t nr;		/* characters */
	size_t width;		/* bytes of one: 1, or 2 (little endian) */
};

static unsigned int text_char(const struct text *t, size_t i)
{
	const unsigned char *p = t->data + i * t->width;

	return t->width == 2 ? p[0] | (unsigned int)p[1] << 8 : p[0];
}

static int is_space(unsigned int c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_printable(unsigned int c)
{
	return (c > ' ' && c < 0x7f) || is_space(c);
}

/* Cuts the text at its NUL. Return: 0 when a character is not printable. */
static int text_check(struct text *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		unsigned int c = text_char(t, i);

		if (!c) {
			t->nr = i;
			return 1;
		}
		if (!is_printable(c))
			return 0;
	}
	return 1;
}

static int starts_with(const unsigned char *data, size_t size,
		       const char *mark, size_t len)
{
	if (size < len)
		return 0;
	for (size_t i = 0; i < len; i++)
		if (data[i] != (unsigned char)mark[i])
			return 0;
	return 1;
}

/* Return: 0 when the bytes are no text. */
static int text_guess(struct text *t, const unsigned char *data, size_t size)
{
	if (starts_with(data, size, "\xff\xfe", 2)) {
		*t = (struct text){ data + 2, (size - 2) / 2, 2 };
		return text_check(t);
	}
	if (starts_with(data, size, "\xef\xbb\xbf", 3)) {
		*t = (struct text){ data + 3, size - 3, 1 };
		return text_check(t);
	}
	*t = (struct text){ data, size / 2, 2 };
	if (t->nr && text_check(t))
		return 1;
	*t = (struct text){ data, size, 1 };
	return text_check(t);
}

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

/* Return: 0 when the word does not fit. */
static int add_word(char *cmdline, size_t room, const struct text *t,
		    size_t first, size_t end)
{
	size_t at = length(cmdline);
	size_t gap = at ? 1 : 0;

	if (end - first >= room || at + gap > room - (end - first) - 1)
		return 0;
	if (gap)
		cmdline[at++] = ' ';
	while (first < end)
		cmdline[at++] = (char)text_char(t, first++);
	cmdline[at] = '\0';
	return 1;
}

enum cmdline_result cmdline_add(char *cmdline, size_t room, const void *data,
				size_t size)
{
	struct text t;
	size_t i = 0;

	if (!data || !size)
		return CMDLINE_OK;
	if (!text_guess(&t, data, size))
		return CMDLINE_NOT_TEXT;
	while (i < t.nr) {
		size_t first = i;

		while (i < t.nr && !is_space(text_char(&t, i)))
			i++;
		if (i > first && !add_word(cmdline, room, &t, first, i))
			return CMDLINE_CUT;
		i++;
	}
	return CMDLINE_OK;
}

void cmdline_drop_program(char *cmdline)
{
	size_t end = 0, from;

	while (cmdline[end] && cmdline[end] != ' ')
		end++;
	if (end < 4 || cmdline[end - 4] != '.' ||
	    (cmdline[end - 3] | 0x20) != 'e' ||
	    (cmdline[end - 2] | 0x20) != 'f' ||
	    (cmdline[end - 1] | 0x20) != 'i')
		return;
	from = cmdline[end] ? end + 1 : end;
	for (size_t i = 0; ; i++) {
		cmdline[i] = cmdline[from + i];
		if (!cmdline[i])
			return;
	}
}
