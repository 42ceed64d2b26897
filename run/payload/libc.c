/* SPDX-License-Identifier: MIT */
/*
 * The few functions of a C library that Debian's libz.a asks for besides those
 * of lib/string.c.
 */
#include "run/payload/libc.h"

#include "run/topaz.h"

#define ARENA_SIZE	(1u << 20)

static unsigned char arena[ARENA_SIZE] __attribute__((aligned(16)));
static size_t arena_used;

void *malloc(size_t n)
{
	void *ptr;

	if (n > ARENA_SIZE - arena_used)
		return NULL;
	ptr = arena + arena_used;
	arena_used += (n + 15) & ~(size_t)15;
	if (arena_used > ARENA_SIZE)
		arena_used = ARENA_SIZE;
	return ptr;
}

void free(void *ptr)
{
	(void)ptr;
}

void __stack_chk_fail(void)
{
	static const char text[] = "payload: stack smashed\n";

	tz_print(text, sizeof(text) - 1);
	tz_exit(134);
}
