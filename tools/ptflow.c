/* SPDX-License-Identifier: MIT */
/*
 * Topaz's decoder on the host: a trace file and the code it ran.
 *
 * usage: ptflow TRACE.pt CODE.img [--edges | --insns]
 *
 * --edges prints "from to count" of each edge, sorted; --insns the number of
 * instructions and the FNV-1a hash of their addresses; neither: what the
 * decoder counted. Errors go to stderr with their offset. Status: 0 no decode
 * error, 1 some, 2 usage or unreadable files.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/err.h"
#include "pt/decode/flow.h"
#include "tools/code_file.h"

#define FLOW_MEM	(256u << 20)
#define MAX_MESSAGES	20
#define FNV_OFFSET	0xcbf29ce484222325ULL
#define FNV_PRIME	0x100000001b3ULL

struct context {
	struct code_file code;
	u64 nr_insns, hash;
	u64 nr_errors;
	struct pt_edge *edge;
	size_t nr_edges, room;
};

static size_t read_code(void *ctx, u64 cr3, u64 ip, u8 *buf, size_t n)
{
	return code_file_read(&((struct context *)ctx)->code, cr3, ip, buf, n);
}

static void on_insn(void *ctx, u64 ip)
{
	struct context *c = ctx;

	c->nr_insns++;
	for (int i = 0; i < 8; i++, ip >>= 8)
		c->hash = (c->hash ^ (ip & 0xff)) * FNV_PRIME;
}

static void on_error(void *ctx, int err, u64 offset, u64 ip)
{
	struct context *c = ctx;

	if (++c->nr_errors <= MAX_MESSAGES)
		fprintf(stderr, "ptflow: %s at byte %" PRIu64 ", ip %016"
			PRIx64 "\n", err_name(err), offset, ip);
}

static int keep_edge(void *ctx, const struct pt_edge *edge)
{
	struct context *c = ctx;

	if (c->nr_edges == c->room) {
		c->room = c->room ? c->room * 2 : 1024;
		c->edge = realloc(c->edge, c->room * sizeof(*c->edge));
		if (!c->edge) {
			perror("ptflow");
			exit(2);
		}
	}
	c->edge[c->nr_edges++] = *edge;
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct pt_edge *ea = a, *eb = b;

	if (ea->from != eb->from)
		return ea->from < eb->from ? -1 : 1;
	return ea->to < eb->to ? -1 : ea->to > eb->to;
}

/* One line for each (from, to), whatever pieces it came in. */
static void print_edges(struct context *c, struct pt_flow *flow)
{
	size_t i, j;

	pt_flow_for_each_edge(flow, keep_edge, c);
	if (c->nr_edges)
		qsort(c->edge, c->nr_edges, sizeof(*c->edge), by_address);
	for (i = 0; i < c->nr_edges; i = j) {
		u64 count = 0;

		for (j = i; j < c->nr_edges &&
			    !by_address(&c->edge[i], &c->edge[j]); j++)
			count += c->edge[j].count;
		printf("%016" PRIx64 " %016" PRIx64 " %" PRIu64 "\n",
		       c->edge[i].from, c->edge[i].to, count);
	}
}

static void print_stats(const struct pt_flow_stats *s)
{
	printf("bytes %" PRIu64 " decoded %" PRIu64 " skipped %" PRIu64 "\n"
	       "packets %" PRIu64 " psbs %" PRIu64 " overflows %" PRIu64 "\n"
	       "errors %" PRIu64 " packet %" PRIu64 " code %" PRIu64
	       " flow %" PRIu64 " memory %" PRIu64 "\n"
	       "insns %" PRIu64 " edges %" PRIu64 " blocks %" PRIu64 "\n",
	       s->bytes, s->bytes_decoded, s->bytes_skipped, s->packets,
	       s->psbs, s->overflows, s->errors, s->err_packet, s->err_code,
	       s->err_flow, s->err_memory, s->insns, s->edges, s->blocks);
}

static int decode(struct context *c, const char *path, const char *what)
{
	struct pt_flow_config config = {
		.read_code = read_code,
		.on_error = on_error,
		.on_insn = !strcmp(what, "--insns") ? on_insn : NULL,
		.ctx = c,
		.mem_size = FLOW_MEM,
	};
	struct pt_flow_stats stats;
	struct pt_flow *flow;
	size_t size;
	u8 *trace;

	config.mem = malloc(FLOW_MEM);
	if (!config.mem || file_read(path, &trace, &size)) {
		free(config.mem);
		return 2;
	}
	flow = pt_flow_create(&config);
	pt_flow_feed(flow, trace, size);
	pt_flow_finish(flow);
	pt_flow_stats(flow, &stats);
	if (!strcmp(what, "--edges"))
		print_edges(c, flow);
	else if (!strcmp(what, "--insns"))
		printf("%" PRIu64 " %016" PRIx64 "\n", c->nr_insns, c->hash);
	else
		print_stats(&stats);
	free(trace);
	free(config.mem);
	return stats.errors || stats.err_memory ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[3] : "";
	struct context c = { .hash = FNV_OFFSET };
	int status;

	if (argc < 3 || argc > 4 ||
	    (argc == 4 && strcmp(what, "--edges") && strcmp(what, "--insns"))) {
		fprintf(stderr, "usage: ptflow TRACE.pt CODE.img [--edges | --insns]\n");
		return 2;
	}
	if (code_file_load(&c.code, argv[2]))
		return 2;
	status = decode(&c, argv[1], what);
	free(c.edge);
	code_file_free(&c.code);
	return status;
}
