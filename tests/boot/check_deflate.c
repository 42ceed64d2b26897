/* SPDX-License-Identifier: MIT */
/*
 * Holds what the example payload printed against the host's own zlib.
 *
 * usage: check_deflate INPUT SERIAL_LOG
 *
 * The line "deflate: level ..." must have the numbers that zlib gives for
 * INPUT here; the dump between the markers must be zlib's bytes and inflate to
 * INPUT. Status 0 when all of it is so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define PIECE	16384u		/* as run/payload/zpayload.c feeds it */

struct bytes {
	unsigned char *data;
	size_t n;
};

struct result {
	int level;
	unsigned long in, out, crc_in, crc_out, adler;
};

static void fail(const char *why)
{
	fprintf(stderr, "check_deflate: %s\n", why);
	exit(1);
}

static struct bytes read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct bytes bytes = { NULL, 0 };
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 ||
	    fseek(file, 0, SEEK_SET))
		fail(path);
	bytes.n = (size_t)size;
	bytes.data = malloc(bytes.n + 1);
	if (!bytes.data || fread(bytes.data, 1, bytes.n, file) != bytes.n)
		fail(path);
	bytes.data[bytes.n] = '\0';
	fclose(file);
	return bytes;
}

/* The terminal's carriage returns go, and NUL bytes, so that it is a string. */
static void clean_log(struct bytes *log)
{
	size_t kept = 0;

	for (size_t i = 0; i < log->n; i++)
		if (log->data[i] != '\r' && log->data[i])
			log->data[kept++] = log->data[i];
	log->data[kept] = '\0';
	log->n = kept;
}

static struct bytes deflate_here(const struct bytes *input, int level)
{
	struct bytes out;
	z_stream strm;
	size_t pos = 0;
	int ret;

	memset(&strm, 0, sizeof(strm));
	if (deflateInit(&strm, level) != Z_OK)
		fail("deflateInit");
	out.n = 2 * input->n + 4096;
	out.data = malloc(out.n);
	if (!out.data)
		fail("out of memory");
	strm.next_out = out.data;
	strm.avail_out = (uInt)out.n;
	do {
		size_t n = input->n - pos < PIECE ? input->n - pos : PIECE;

		strm.next_in = input->data + pos;
		strm.avail_in = (uInt)n;
		pos += n;
		ret = deflate(&strm, pos < input->n ? Z_NO_FLUSH : Z_FINISH);
	} while (pos < input->n && ret == Z_OK);
	if (ret != Z_STREAM_END)
		fail("deflate");
	out.n = strm.total_out;
	deflateEnd(&strm);
	return out;
}

static void compare(const char *what, unsigned long got, unsigned long want)
{
	if (got == want)
		return;
	fprintf(stderr, "check_deflate: %s: the payload says %lx, zlib %lx\n",
		what, got, want);
	exit(1);
}

static void check_line(const char *log, const struct bytes *input,
		       struct bytes *deflated)
{
	const char *line = strstr(log, "deflate: level ");
	struct result r;

	if (!line || sscanf(line, "deflate: level %d in %lu out %lu crc32(in) %lx crc32(out) %lx adler32(in) %lx",
			    &r.level, &r.in, &r.out, &r.crc_in, &r.crc_out,
			    &r.adler) != 6)
		fail("no whole line \"deflate: level ...\" in the log");
	*deflated = deflate_here(input, r.level);
	compare("bytes in", r.in, input->n);
	compare("bytes out", r.out, deflated->n);
	compare("crc32(in)", r.crc_in, crc32(0, input->data, (uInt)input->n));
	compare("crc32(out)", r.crc_out,
		crc32(0, deflated->data, (uInt)deflated->n));
	compare("adler32(in)", r.adler,
		adler32(1, input->data, (uInt)input->n));
}

static int base64_value(char c)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *found = c ? strchr(alphabet, c) : NULL;

	return found ? (int)(found - alphabet) : -1;
}

/* Decodes up to the end marker; anything else in between is an error. */
static struct bytes read_dump(const char *log)
{
	static const char begin[] = "-----BEGIN DEFLATE-----\n";
	const char *p = strstr(log, begin);
	const char *end = strstr(log, "-----END DEFLATE-----\n");
	struct bytes out = { NULL, 0 };
	unsigned int bits = 0, value = 0;

	if (!p || !end || end < p)
		fail("no whole dump in the log");
	p += sizeof(begin) - 1;
	out.data = malloc((size_t)(end - p) + 1);
	if (!out.data)
		fail("out of memory");
	for (; p < end; p++) {
		if (*p == '\n' || *p == '=')
			continue;
		if (base64_value(*p) < 0)
			fail("the dump has characters that are not base64");
		value = value << 6 | (unsigned int)base64_value(*p);
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		out.data[out.n++] = (unsigned char)(value >> bits);
	}
	return out;
}

static void check_dump(const char *log, const struct bytes *input,
		       const struct bytes *deflated)
{
	struct bytes dump = read_dump(log);
	unsigned char *inflated = malloc(input->n + 1);
	uLongf n = input->n + 1;

	compare("bytes in the dump", dump.n, deflated->n);
	if (memcmp(dump.data, deflated->data, dump.n))
		fail("the dump's bytes are not zlib's");
	if (!inflated ||
	    uncompress(inflated, &n, dump.data, dump.n) != Z_OK)
		fail("the dump does not inflate");
	if (n != input->n || memcmp(inflated, input->data, n))
		fail("the dump inflates to something else than the input");
	free(inflated);
	free(dump.data);
}

int main(int argc, char **argv)
{
	struct bytes input, log, deflated;

	if (argc != 3) {
		fprintf(stderr, "usage: check_deflate INPUT SERIAL_LOG\n");
		return 2;
	}
	input = read_file(argv[1]);
	log = read_file(argv[2]);
	clean_log(&log);
	check_line((const char *)log.data, &input, &deflated);
	check_dump((const char *)log.data, &input, &deflated);
	printf("deflate: %zu bytes to %zu, as zlib %s here; the dump inflates to the input\n",
	       input.n, deflated.n, zlibVersion());
	free(input.data);
	free(log.data);
	free(deflated.data);
	return 0;
}
