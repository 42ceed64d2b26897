/* SPDX-License-Identifier: MIT */
/*
 * For host tests: a printer that keeps what was printed and how it came, and
 * random numbers that are the same in each run.
 */
#ifndef TESTS_UNIT_COLLECT_H
#define TESTS_UNIT_COLLECT_H

#include <string.h>
#include "lib/printk.h"

struct collector {
	struct printer printer;
	char text[16384];
	size_t len;
	size_t longest;		/* piece */
	unsigned int nr_calls;
};

/* What does not fit is not kept; text stays NUL terminated. */
static inline void collect_write(struct printer *p, const char *s, size_t n)
{
	struct collector *c = container_of(p, struct collector, printer);
	size_t kept = min(n, sizeof(c->text) - 1 - c->len);

	memcpy(c->text + c->len, s, kept);
	c->len += kept;
	c->text[c->len] = '\0';
	c->longest = max(c->longest, n);
	c->nr_calls++;
}

static inline void collect_reset(struct collector *c)
{
	c->printer.write = collect_write;
	c->text[0] = '\0';
	c->len = 0;
	c->longest = 0;
	c->nr_calls = 0;
}

/* How often @text was printed. */
static inline unsigned int collect_count(const struct collector *c,
					 const char *text)
{
	unsigned int nr = 0;

	for (const char *p = c->text; (p = strstr(p, text)); p++)
		nr++;
	return nr;
}

/* xorshift64*; @state starts as any number but 0. */
static inline u64 random_u64(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ULL;
}

#endif /* TESTS_UNIT_COLLECT_H */
