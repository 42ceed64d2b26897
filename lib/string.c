/* SPDX-License-Identifier: MIT */
/*
 * Memory and strings: the C library's functions for the kernel.
 *
 * Copies are string instructions: short in code, fast with ERMS, and one
 * instruction in a trace. They also keep the compiler from turning a loop in
 * memcpy() into a call of memcpy().
 */
#include "lib/string.h"

#include "lib/err.h"

void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
	void *to = dst;

	__asm__ volatile("rep movsb" : "+D"(to), "+S"(src), "+c"(n)
			 : : "memory");
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	unsigned char *to = dst;
	const unsigned char *from = src;

	if ((uintptr_t)dst - (uintptr_t)src >= n)
		return memcpy(dst, src, n);
	to += n - 1;
	from += n - 1;
	__asm__ volatile("std; rep movsb; cld" : "+D"(to), "+S"(from), "+c"(n)
			 : : "memory");
	return dst;
}

void *memset(void *dst, int c, size_t n)
{
	void *to = dst;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(c) : "memory");
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}

void *memchr(const void *s, int c, size_t n)
{
	const unsigned char *p = s;

	for (; n; n--, p++)
		if (*p == (unsigned char)c)
			return (void *)(uintptr_t)p;
	return NULL;
}

size_t strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && READ_ONCE(s[n]))
		n++;
	return n;
}

size_t strlen(const char *s)
{
	return strnlen(s, SIZE_MAX);
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++) {
		if (*a != *b)
			return (unsigned char)*a - (unsigned char)*b;
		if (!*a)
			break;
	}
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *s, int c)
{
	for (;; s++) {
		if (*s == (char)c)
			return (char *)(uintptr_t)s;
		if (!*s)
			return NULL;
	}
}

char *strrchr(const char *s, int c)
{
	const char *found = NULL;

	for (;; s++) {
		if (*s == (char)c)
			found = s;
		if (!*s)
			return (char *)(uintptr_t)found;
	}
}

char *strstr(const char *s, const char *needle)
{
	size_t n = strlen(needle);

	for (;; s++) {
		if (!strncmp(s, needle, n))
			return (char *)(uintptr_t)s;
		if (!*s)
			return NULL;
	}
}

long strscpy(char *dst, const char *src, size_t size)
{
	size_t n = strnlen(src, size);

	if (!size)
		return -E2BIG;
	if (n == size) {
		memcpy(dst, src, size - 1);
		dst[size - 1] = '\0';
		return -E2BIG;
	}
	memcpy(dst, src, n + 1);
	return (long)n;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 10;
	return 99;
}

/* "0x" is hexadecimal, a leading 0 octal, as in C. */
static unsigned int number_base(const char **s, unsigned int base)
{
	const char *p = *s;
	bool hex = p[0] == '0' && (p[1] | 0x20) == 'x' && digit_value(p[2]) < 16;

	if (hex && (base == 0 || base == 16)) {
		*s = p + 2;
		return 16;
	}
	if (base)
		return base;
	return p[0] == '0' ? 8 : 10;
}

/* Digits at *s; *s is left behind them. */
static int parse_digits(const char **s, unsigned int base, u64 *val)
{
	u64 n = 0;
	const char *p;

	base = number_base(s, base);
	for (p = *s; digit_value(*p) < (int)base; p++)
		if (__builtin_mul_overflow(n, (u64)base, &n) ||
		    __builtin_add_overflow(n, (u64)digit_value(*p), &n))
			return -ERANGE;
	if (p == *s)
		return -EINVAL;
	*s = p;
	*val = n;
	return 0;
}

int kstrtou64(const char *s, unsigned int base, u64 *val)
{
	u64 n;
	int err;

	if (*s == '+')
		s++;
	err = parse_digits(&s, base, &n);
	if (err)
		return err;
	if (*s == '\n')
		s++;
	if (*s)
		return -EINVAL;
	*val = n;
	return 0;
}

int parse_size(const char *s, u64 *val)
{
	unsigned int shift = 0;
	u64 n;
	int err = parse_digits(&s, 0, &n);

	if (err)
		return err;
	switch (*s | 0x20) {
	case 'k':
		shift = 10;
		break;
	case 'm':
		shift = 20;
		break;
	case 'g':
		shift = 30;
		break;
	}
	if (shift)
		s++;
	if (*s)
		return -EINVAL;
	if (shift && n >> (64 - shift))
		return -ERANGE;
	*val = n << shift;
	return 0;
}
