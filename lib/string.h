/* SPDX-License-Identifier: MIT */
/*
 * Memory and strings: the C library's functions under the C library's names.
 *
 * The kernel links lib/string.c; host builds link the C library's own, and
 * test lib/string.c under other names.
 */
#ifndef LIB_STRING_H
#define LIB_STRING_H

#include "lib/compiler.h"

void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *s, int c, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strstr(const char *s, const char *needle);

/* Linux's: copies, always terminates. Return: bytes copied or -E2BIG. */
long strscpy(char *dst, const char *src, size_t size);

/* Linux's: base 0 as in C. Return: 0, -EINVAL (not a number), -ERANGE. */
int __must_check kstrtou64(const char *s, unsigned int base, u64 *val);

/* A size with an optional K, M or G. Return: as kstrtou64(). */
int __must_check parse_size(const char *s, u64 *val);

#endif /* LIB_STRING_H */
