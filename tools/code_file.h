/* SPDX-License-Identifier: MIT */
/*
 * A code image read from a file: the bytes of what was traced.
 *
 * Format: records of u64 linear address, u32 length, bytes; little endian,
 * sorted by address, not overlapping.
 */
#ifndef TOOLS_CODE_FILE_H
#define TOOLS_CODE_FILE_H

#include "lib/types.h"

struct code_record {
	u64 ip;
	size_t len;
	const u8 *bytes;
};

struct code_file {
	u8 *data;
	struct code_record *record;
	size_t nr;
};

/* All of a file. Return: 0, or -1 after a message on stderr. */
int file_read(const char *path, u8 **data, size_t *size);

/**
 * code_file_load() - read and check a code image
 *
 * Return: 0, or -1 after a message on stderr that names the byte where the file
 * is damaged.
 */
int code_file_load(struct code_file *code, const char *path);
void code_file_free(struct code_file *code);

/* pt_flow's read_code; @ctx is the struct code_file. */
size_t code_file_read(void *ctx, u64 cr3, u64 ip, u8 *buf, size_t n);

#endif /* TOOLS_CODE_FILE_H */
