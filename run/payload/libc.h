/* SPDX-License-Identifier: MIT */
/*
 * The few functions of a C library that Debian's libz.a asks for besides those
 * of lib/string.c.
 *
 * Memory comes from one array and is never given back: a payload runs once.
 */
#ifndef RUN_PAYLOAD_LIBC_H
#define RUN_PAYLOAD_LIBC_H

#include <stddef.h>

/* Return: 16-byte aligned memory, or NULL when the array is used up. */
void *malloc(size_t n);
void free(void *ptr);
/* What the stack protector calls; ends the program with status 134. */
void __attribute__((noreturn)) __stack_chk_fail(void);

#endif /* RUN_PAYLOAD_LIBC_H */
