/* SPDX-License-Identifier: MIT */
/*
 * Example payload: Debian's own libz.a deflates a text of the boot volume.
 *
 *	run payload.elf [LEVEL [dump]]
 *
 * Prints one line of sizes and checksums; with dump the deflated bytes too, so
 * that a host can hold them against its own zlib (tests/boot/check_deflate.c).
 */
#include <zlib.h>

#include "run/payload/libc.h"
#include "run/payload/text.h"
#include "run/site.h"
#include "run/topaz.h"

#define PIECE		16384u		/* input bytes for one deflate() */
#define OUTPUT_SIZE	(1280u << 10)
#define INPUT_MAX	(1u << 20)

TZ_START;

static unsigned char output[OUTPUT_SIZE];

/* The program's own counts, for selftest. */
static struct {
	uint64_t feeds;			/* calls of feed() */
	uint64_t allocs;		/* calls of alloc() */
	uint64_t deflates;		/* calls of deflate() */
	struct site_count more_input;
} counts;

DECLARE_SITE(zpayload_more_input);

struct input {
	const unsigned char *data;
	uint64_t size;
	uint64_t pos;
};

static void __attribute__((noreturn)) fail(const char *why)
{
	struct text text;

	text.n = 0;
	text_add(&text, "deflate: ");
	text_add(&text, why);
	text_add(&text, "\n");
	text_print(&text);
	tz_exit(1);
}

/* zlib calls it by pointer. */
static __counted voidpf alloc(voidpf opaque, uInt items, uInt size)
{
	(void)opaque;
	counts.allocs++;
	return malloc((size_t)items * size);
}

static void no_free(voidpf opaque, voidpf ptr)
{
	(void)opaque;
	(void)ptr;
}

/* The next piece of the input. Return: 0 when it was the last. */
static __counted int feed(z_stream *strm, struct input *input)
{
	uint64_t n = input->size - input->pos;

	counts.feeds++;
	n = n < PIECE ? n : PIECE;
	strm->next_in = (unsigned char *)(uintptr_t)input->data + input->pos;
	strm->avail_in = (uInt)n;
	input->pos += n;
	if (site_below(zpayload_more_input, input->pos, input->size)) {
		counts.more_input.next++;
		return 1;
	}
	counts.more_input.taken++;
	return 0;
}

static void deflate_all(z_stream *strm, struct input *input, int level)
{
	int more, ret;

	strm->zalloc = alloc;
	strm->zfree = no_free;
	if (deflateInit(strm, level) != Z_OK)
		fail("deflateInit failed");
	strm->next_out = output;
	strm->avail_out = sizeof(output);
	do {
		more = feed(strm, input);
		counts.deflates++;
		ret = deflate(strm, more ? Z_NO_FLUSH : Z_FINISH);
	} while (more && ret == Z_OK);
	if (more || ret != Z_STREAM_END)
		fail("deflate failed");
}

static void print_result(const z_stream *strm, const struct input *input,
			 int level)
{
	struct text text;
	uint32_t crc_in = (uint32_t)crc32(0, input->data, (uInt)input->size);
	uint32_t crc_out = (uint32_t)crc32(0, output, (uInt)strm->total_out);

	text.n = 0;
	text_add(&text, "deflate: level ");
	text_add_decimal(&text, (uint64_t)level);
	text_add(&text, " in ");
	text_add_decimal(&text, strm->total_in);
	text_add(&text, " out ");
	text_add_decimal(&text, strm->total_out);
	text_add(&text, " crc32(in) ");
	text_add_hex32(&text, crc_in);
	text_add(&text, " crc32(out) ");
	text_add_hex32(&text, crc_out);
	text_add(&text, " adler32(in) ");
	text_add_hex32(&text, (uint32_t)strm->adler);
	text_add(&text, "\n");
	text_print(&text);
}

static void dump(size_t n)
{
	static const char begin[] = "-----BEGIN DEFLATE-----\n";
	static const char end[] = "-----END DEFLATE-----\n";

	tz_print(begin, sizeof(begin) - 1);
	text_print_base64(output, n);
	tz_print(end, sizeof(end) - 1);
}

static void report(enum tz_count_kind kind, const char *name, uint64_t from,
		   uint64_t to, uint64_t n)
{
	struct tz_count count;
	unsigned int i;

	for (i = 0; name[i] && i < sizeof(count.name) - 1; i++)
		count.name[i] = name[i];
	count.name[i] = '\0';
	count.kind = kind;
	count.from = from;
	count.to = to;
	count.count = n;
	if (tz_count(&count))
		fail("the counts were refused");
}

static void report_counts(void)
{
	const struct site *site = &zpayload_more_input;

	report(TZ_COUNT_CALLS, "calls of feed", 0, (uint64_t)feed,
	       counts.feeds);
	report(TZ_COUNT_CALLS, "calls of alloc", 0, (uint64_t)alloc,
	       counts.allocs);
	report(TZ_COUNT_CALLS, "calls of deflate", 0, (uint64_t)deflate,
	       counts.deflates);
	report(TZ_COUNT_EDGE, "more input: taken", site->branch, site->taken,
	       counts.more_input.taken);
	report(TZ_COUNT_EDGE, "more input: not taken", site->branch,
	       site->next, counts.more_input.next);
}

/* One digit, 6 where there is no argument. */
static int level_of(int argc, char **argv)
{
	if (argc < 2)
		return 6;
	if (argv[1][0] < '0' || argv[1][0] > '9' || argv[1][1])
		fail("the level is one digit");
	return argv[1][0] - '0';
}

void tz_main(int argc, char **argv)
{
	const struct tz_info *info = tz_info();
	static z_stream strm;
	struct input input;
	int level = level_of(argc, argv);

	if (!info || info->abi != TZ_ABI)
		tz_exit(2);
	input.data = (const unsigned char *)info->input;
	input.size = info->input_size;
	input.pos = 0;
	if (!input.size || input.size > INPUT_MAX)
		fail("input.txt must be on the boot volume, up to 1 MiB");
	deflate_all(&strm, &input, level);
	print_result(&strm, &input, level);
	if (argc > 2 && argv[2][0] == 'd')
		dump(strm.total_out);
	report_counts();
	tz_exit(strm.total_in != input.size ||
		strm.adler != adler32(1, input.data, (uInt)input.size));
}
