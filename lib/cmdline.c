/* SPDX-License-Identifier: MIT */
/*
 * Boot options: words apart by blanks, "name=value" or a flag "name".
 */
#include "lib/cmdline.h"

#include "lib/err.h"
#include "lib/printk.h"
#include "lib/string.h"

/* Owner: cmdline_init(). */
static const char *options;
static size_t nr_bytes;

void cmdline_init(const char *text, size_t size)
{
	options = text;
	nr_bytes = text ? strnlen(text, size) : 0;
}

/* The next word from @pos on. Return: its length; 0: there is none. */
static size_t next_word(size_t *pos)
{
	size_t end;

	while (*pos < nr_bytes && options[*pos] == ' ')
		++*pos;
	for (end = *pos; end < nr_bytes && options[end] != ' ';)
		end++;
	return end - *pos;
}

int cmdline_get(const char *name, char *buf, size_t size)
{
	size_t len = strlen(name);
	size_t n, kept;

	buf[0] = '\0';
	for (size_t pos = 0; (n = next_word(&pos)); pos += n) {
		if (n <= len || memcmp(options + pos, name, len) ||
		    options[pos + len] != '=')
			continue;
		pos += len + 1;
		n -= len + 1;
		kept = min(n, size - 1);
		memcpy(buf, options + pos, kept);
		buf[kept] = '\0';
		return kept < n ? -E2BIG : (int)pos;
	}
	return -ENOENT;
}

bool cmdline_has(const char *name)
{
	size_t len = strlen(name);
	size_t n;

	for (size_t pos = 0; (n = next_word(&pos)); pos += n)
		if (n == len && !memcmp(options + pos, name, n))
			return true;
	return false;
}

void cmdline_bad(const char *name, const char *value, size_t pos,
		 const char *why)
{
	printk("option %s: %s, position %zu\n  %s=%s\n  %*s^\n", name, why,
	       pos + 1, name, value, (int)(strlen(name) + 1 + pos), "");
}
