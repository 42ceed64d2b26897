/* SPDX-License-Identifier: MIT */
/*
 * Lines of text for the console: words, numbers, base64.
 */
#ifndef RUN_PAYLOAD_TEXT_H
#define RUN_PAYLOAD_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A line that grows; what does not fit is left out. */
struct text {
	size_t n;
	char s[256];
};

void text_add(struct text *text, const char *s);
void text_add_decimal(struct text *text, uint64_t value);
/* Eight hex digits. */
void text_add_hex32(struct text *text, uint32_t value);
void text_print(struct text *text);

/* Prints @n bytes as base64 (RFC 4648), 48 of them in each line. */
void text_print_base64(const unsigned char *data, size_t n);

#endif /* RUN_PAYLOAD_TEXT_H */
