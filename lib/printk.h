/* SPDX-License-Identifier: MIT */
/*
 * Formatted text: to a buffer, to a sink, to the console.
 *
 * Formats: %d %i %u %x %X %o %c %s %p %%, flags '-', '0', '#', '+', ' ', width and
 * precision (also '*'), lengths hh h l ll z t j; %pS prints an address as
 * symbol+0xoff (lib/symtab.h), %pB does so with a return address. No floating
 * point.
 */
#ifndef LIB_PRINTK_H
#define LIB_PRINTK_H

#include <stdarg.h>
#include "lib/compiler.h"

/* Where text goes; what console-tree files print through. */
struct printer {
	void (*write)(struct printer *p, const char *s, size_t n);
};

/* Bytes written without the NUL, never more than @size - 1 (0 if size is 0). */
int vscnprintf(char *buf, size_t size, const char *fmt, va_list ap)
	__printf(3, 0);
int scnprintf(char *buf, size_t size, const char *fmt, ...) __printf(3, 4);

/* No line length limit: long strings are passed on in pieces. */
void pr_to(struct printer *p, const char *fmt, ...) __printf(2, 3);
void vpr_to(struct printer *p, const char *fmt, va_list ap) __printf(2, 0);

/**
 * printk() - print a line or part of it on the consoles
 *
 * One call is not torn by other CPUs' calls when it is below 256 bytes.
 *
 * Context: any but NMI (the sink takes a lock); before printk_set_sink() the
 * text is dropped and counted.
 */
void printk(const char *fmt, ...) __printf(1, 2);

/* The sink is called with whole pieces of text; it does its own locking. */
void printk_set_sink(void (*write)(const char *s, size_t n));

/* Bytes printed before there was a sink. */
unsigned long printk_dropped(void);

/* A printer that goes where printk() goes. */
extern struct printer console_printer;

#endif /* LIB_PRINTK_H */
