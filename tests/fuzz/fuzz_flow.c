/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on the flow decoder: any code, any trace, in pieces of any size.
 *
 * Input: one byte of options, one for the size of the pieces, one for that of
 * the code; the code; the trace. A PSB+ at the code's start is put before the
 * trace and, when the options say so, now and then into it: no fuzzer finds
 * its 16 bytes by chance.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "pt/decode/flow.h"

#define BASE		0x1000		/* two bytes of a TIP lead anywhere */
#define MAX_STREAM	16384
#define NR_HEADER	3

enum {
	OPT_PSB_EVERY = 7,	/* a PSB+ each 8 * n bytes of trace */
	OPT_LOST = 8,		/* pt_flow_lost() after some pieces */
	OPT_MODE_32 = 16,
	OPT_TELL_INSNS = 32,
};

struct code {
	const u8 *bytes;
	size_t n;
	u64 nr_insns, nr_errors;
};

int LLVMFuzzerTestOneInput(const u8 *data, size_t n);

static void check(bool claim)
{
	if (!claim)
		abort();
}

static size_t read_code(void *ctx, u64 cr3, u64 ip, u8 *buf, size_t n)
{
	const struct code *code = ctx;

	(void)cr3;
	if (ip < BASE || ip - BASE >= code->n)
		return 0;
	n = min(n, (size_t)(code->n - (ip - BASE)));
	memcpy(buf, code->bytes + (ip - BASE), n);
	return n;
}

static void on_insn(void *ctx, u64 ip)
{
	(void)ip;
	((struct code *)ctx)->nr_insns++;
}

static void on_error(void *ctx, int err, u64 offset, u64 ip)
{
	(void)ip;
	check(err == -EFAULT || err == -EBADMSG);
	check(offset < MAX_STREAM);
	((struct code *)ctx)->nr_errors++;
}

static int add_edge(void *ctx, const struct pt_edge *edge)
{
	check(edge->count && edge->class < NR_BRANCH_CLASSES);
	*(u64 *)ctx += edge->count;
	return 0;
}

static size_t put_psb_plus(u8 *to, u8 options)
{
	static const u8 psb_plus[] = {
		2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
		2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
		0x99, 1, 0x3d, BASE & 0xff, BASE >> 8, 2, 0x23,
	};

	memcpy(to, psb_plus, sizeof(psb_plus));
	if (options & OPT_MODE_32)
		to[17] = 2;
	return sizeof(psb_plus);
}

/* Return: bytes of the stream; @n is bounded so that it fits. */
static size_t make_stream(u8 *to, const u8 *trace, size_t n, u8 options)
{
	size_t every = 8 * (size_t)(options & OPT_PSB_EVERY);
	size_t len = put_psb_plus(to, options);

	n = min(n, (size_t)MAX_STREAM / 4 - 32);
	for (size_t i = 0; i < n; i++) {
		if (every && i && i % every == 0)
			len += put_psb_plus(to + len, options);
		to[len++] = trace[i];
	}
	return len;
}

/* Decodes in pieces of @piece bytes and checks what holds of every stream. */
static void run(struct code *code, const u8 *stream, size_t n, size_t piece,
		u8 options, struct pt_flow_stats *stats)
{
	static u8 mem[PT_FLOW_MIN_MEM];
	struct pt_flow_config config = {
		.read_code = read_code, .on_error = on_error, .ctx = code,
		.on_insn = options & OPT_TELL_INSNS ? on_insn : NULL,
		.mem = mem, .mem_size = sizeof(mem),
	};
	struct pt_flow *flow = pt_flow_create(&config);
	u64 edges = 0;

	code->nr_insns = 0;
	code->nr_errors = 0;
	for (size_t at = 0, i = 0; at < n; at += piece, i++) {
		pt_flow_feed(flow, stream + at, min(piece, n - at));
		if (options & OPT_LOST && i % 4 == 3)
			pt_flow_lost(flow);
	}
	pt_flow_finish(flow);
	pt_flow_stats(flow, stats);
	pt_flow_for_each_edge(flow, add_edge, &edges);
	check(stats->bytes == n);
	check(stats->bytes == stats->bytes_decoded + stats->bytes_skipped);
	check(stats->errors == code->nr_errors);
	check(stats->errors ==
	      stats->err_packet + stats->err_code + stats->err_flow);
	check(stats->edges == edges);
	if (options & OPT_TELL_INSNS)
		check(stats->insns == code->nr_insns);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t n)
{
	static u8 stream[MAX_STREAM];
	struct pt_flow_stats whole, pieces;
	struct code code;
	size_t len;

	if (n < NR_HEADER)
		return 0;
	code.bytes = data + NR_HEADER;
	code.n = min((size_t)data[2], n - NR_HEADER);
	len = make_stream(stream, code.bytes + code.n, n - NR_HEADER - code.n,
			  data[0]);
	run(&code, stream, len, 1 + data[1], data[0], &pieces);
	if (data[0] & OPT_LOST)
		return 0;
	/* How the stream was cut does not show. */
	run(&code, stream, len, len, data[0], &whole);
	check(!memcmp(&whole, &pieces, sizeof(whole)));
	return 0;
}
