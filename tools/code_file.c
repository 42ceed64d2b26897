/* SPDX-License-Identifier: MIT */
/*
 * A code image read from a file.
 */
#include "tools/code_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE	12

int file_read(const char *path, u8 **data, size_t *size)
{
	FILE *file = fopen(path, "rb");
	size_t room = 0, n = 0, got = 0;
	u8 *bytes = NULL, *more;

	if (!file)
		goto failed;
	do {
		n += got;
		if (n == room) {
			room = room ? room * 2 : 1 << 20;
			more = realloc(bytes, room);
			if (!more)
				goto failed;
			bytes = more;
		}
		got = fread(bytes + n, 1, room - n, file);
	} while (got);
	if (ferror(file))
		goto failed;
	fclose(file);
	*data = bytes;
	*size = n;
	return 0;

failed:
	perror(path);
	free(bytes);
	if (file)
		fclose(file);
	return -1;
}

static u64 get_le(const u8 *p, unsigned int n)
{
	u64 v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

/* Return: bytes of the record at @pos, 0 when it is damaged. */
static size_t add_record(struct code_file *code, size_t pos, size_t size)
{
	const u8 *p = code->data + pos;
	struct code_record *r = &code->record[code->nr];

	if (size - pos < HEADER_SIZE)
		return 0;
	r->ip = get_le(p, 8);
	r->len = get_le(p + 8, 4);
	r->bytes = p + HEADER_SIZE;
	if (!r->len || r->len > size - pos - HEADER_SIZE ||
	    r->ip + r->len - 1 < r->ip)
		return 0;
	if (code->nr && r[-1].ip + r[-1].len > r->ip)
		return 0;
	code->nr++;
	return HEADER_SIZE + r->len;
}

int code_file_load(struct code_file *code, const char *path)
{
	size_t size, pos, len;

	memset(code, 0, sizeof(*code));
	if (file_read(path, &code->data, &size))
		return -1;
	code->record = calloc(size / (HEADER_SIZE + 1) + 1,
			      sizeof(*code->record));
	if (!code->record) {
		perror(path);
		goto failed;
	}
	for (pos = 0; pos < size; pos += len) {
		len = add_record(code, pos, size);
		if (!len) {
			fprintf(stderr, "%s: byte %zu: damaged record\n", path,
				pos);
			goto failed;
		}
	}
	return 0;

failed:
	code_file_free(code);
	return -1;
}

void code_file_free(struct code_file *code)
{
	free(code->record);
	free(code->data);
	memset(code, 0, sizeof(*code));
}

/* The last record that starts at or before @ip, or NULL. */
static const struct code_record *find(const struct code_file *code, u64 ip)
{
	size_t low = 0, high = code->nr;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (code->record[mid].ip <= ip)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &code->record[low - 1] : NULL;
}

size_t code_file_read(void *ctx, u64 cr3, u64 ip, u8 *buf, size_t n)
{
	const struct code_record *r = find(ctx, ip);
	u64 at;

	(void)cr3;
	if (!r || ip - r->ip >= r->len)
		return 0;
	at = ip - r->ip;
	n = n < r->len - at ? n : r->len - at;
	memcpy(buf, r->bytes + at, n);
	return n;
}
