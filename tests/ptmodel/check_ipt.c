/* SPDX-License-Identifier: MIT */
/*
 * Decodes a trace of the model with libipt and holds what libipt says was
 * executed against what the model says: edges, and instructions where logged.
 *
 * usage: check_ipt DIR NAME [--edges | --insns]
 *	NAME is cpuN.K: reads DIR/NAME.pt, DIR/code.img; compares with
 *	DIR/NAME.edges and, where it exists, DIR/NAME.insns. --edges and --insns
 *	print what was decoded, in the format of those files, and compare nothing.
 * status: 0 equal, 1 different or a decode error, 2 usage or unreadable file
 *
 * Knows nothing of the model but its file formats.
 */
#include <intel-pt.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SHOWN	10
#define PATH_BYTES	4096

static void die(const char *path, const char *why)
{
	fprintf(stderr, "check_ipt: %s: %s\n", path, why);
	exit(2);
}

static void *must(void *mem)
{
	if (!mem)
		die("memory", "exhausted");
	return mem;
}

/* ---- files ---- */

struct blob {
	uint8_t *bytes;
	size_t len;
};

static bool read_blob(struct blob *blob, const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t room = 1 << 16, got;

	if (!file)
		return false;
	memset(blob, 0, sizeof(*blob));
	blob->bytes = must(malloc(room));
	while ((got = fread(blob->bytes + blob->len, 1, room - blob->len,
			    file))) {
		blob->len += got;
		if (blob->len == room)
			blob->bytes = must(realloc(blob->bytes, room *= 2));
	}
	if (ferror(file))
		die(path, "read error");
	fclose(file);
	return true;
}

/* ---- code image ---- */

struct code_run {
	uint64_t vaddr;
	uint32_t len;
	const uint8_t *bytes;
};

struct code {
	struct code_run *runs;
	size_t nr;
	const struct code_run *last;
};

static void read_code(struct code *code, const char *path)
{
	struct code_run *run;
	struct blob blob;
	size_t at = 0;

	if (!read_blob(&blob, path))
		die(path, strerror(errno));
	memset(code, 0, sizeof(*code));
	code->runs = must(calloc(blob.len / 13 + 1, sizeof(*code->runs)));
	while (blob.len - at > 12) {
		run = &code->runs[code->nr++];
		memcpy(&run->vaddr, blob.bytes + at, 8);
		memcpy(&run->len, blob.bytes + at + 8, 4);
		run->bytes = blob.bytes + at + 12;
		at += 12;
		if (run->len > blob.len - at)
			die(path, "a record is cut off");
		at += run->len;
	}
	if (at != blob.len)
		die(path, "a record is cut off");
	code->last = code->runs;
}

static const struct code_run *find_run(struct code *code, uint64_t ip)
{
	size_t low = 0, high = code->nr, mid;

	if (code->nr && ip - code->last->vaddr < code->last->len)
		return code->last;
	while (low < high) {
		mid = (low + high) / 2;
		if (ip - code->runs[mid].vaddr < code->runs[mid].len)
			return code->last = &code->runs[mid];
		if (ip < code->runs[mid].vaddr)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static int read_memory(uint8_t *buf, size_t len, const struct pt_asid *asid,
		       uint64_t ip, void *context)
{
	const struct code_run *run = find_run(context, ip);
	size_t left;

	(void)asid;
	if (!run)
		return -pte_nomap;
	left = run->vaddr + run->len - ip;
	if (len > left)
		len = left;
	memcpy(buf, run->bytes + (ip - run->vaddr), len);
	return len;
}

/* ---- edges ---- */

struct edge {
	uint64_t from, to, count;
};

struct edges {
	struct edge *slots;
	size_t nr, room;
};

static size_t edge_slot(const struct edges *edges, uint64_t from, uint64_t to)
{
	uint64_t hash = (from * 3 + to) * 0x9e3779b97f4a7c15ULL;
	size_t slot = (hash >> 20) & (edges->room - 1);

	while (edges->slots[slot].count && (edges->slots[slot].from != from ||
					    edges->slots[slot].to != to))
		slot = (slot + 1) & (edges->room - 1);
	return slot;
}

static void edges_grow(struct edges *edges)
{
	struct edges old = *edges;
	size_t i;

	edges->room = old.room ? old.room * 2 : 4096;
	edges->slots = must(calloc(edges->room, sizeof(*edges->slots)));
	for (i = 0; i < old.room; i++)
		if (old.slots[i].count)
			edges->slots[edge_slot(edges, old.slots[i].from,
					       old.slots[i].to)] = old.slots[i];
	free(old.slots);
}

static void edges_add(struct edges *edges, uint64_t from, uint64_t to,
		      uint64_t count)
{
	struct edge *edge;

	if (edges->nr * 2 >= edges->room)
		edges_grow(edges);
	edge = &edges->slots[edge_slot(edges, from, to)];
	if (!edge->count)
		edges->nr++;
	edge->from = from;
	edge->to = to;
	edge->count += count;
}

static int by_address(const void *a, const void *b)
{
	const struct edge *ea = a, *eb = b;

	if (ea->from != eb->from)
		return ea->from < eb->from ? -1 : 1;
	return ea->to < eb->to ? -1 : ea->to > eb->to;
}

/* Packs and sorts; nothing can be added any more. */
static void edges_sort(struct edges *edges)
{
	size_t i, n = 0;

	for (i = 0; i < edges->room; i++)
		if (edges->slots[i].count)
			edges->slots[n++] = edges->slots[i];
	if (n)
		qsort(edges->slots, n, sizeof(*edges->slots), by_address);
}

static bool edges_read(struct edges *edges, const char *path)
{
	struct edge edge;
	FILE *file = fopen(path, "r");
	int got;

	if (!file)
		return false;
	while ((got = fscanf(file, "%" SCNx64 " %" SCNx64 " %" SCNu64,
			     &edge.from, &edge.to, &edge.count)) == 3)
		edges_add(edges, edge.from, edge.to, edge.count);
	if (got != EOF)
		die(path, "not a list of edges");
	fclose(file);
	return true;
}

/* ---- what libipt sees ---- */

struct flow {
	struct code code;
	struct edges edges;
	uint64_t nr_insns, insns_hash;
	bool branch_open;		/* the last instruction is a branch */
	uint64_t branch_ip;
	unsigned long errors;
};

static void close_branch(struct flow *flow, uint64_t to)
{
	if (flow->branch_open)
		edges_add(&flow->edges, flow->branch_ip, to, 1);
	flow->branch_open = false;
}

static bool is_branch(enum pt_insn_class class)
{
	switch (class) {
	case ptic_call:
	case ptic_return:
	case ptic_jump:
	case ptic_cond_jump:
	case ptic_far_call:
	case ptic_far_return:
	case ptic_far_jump:
		return true;
	default:
		return false;
	}
}

static void see_insn(struct flow *flow, const struct pt_insn *insn)
{
	uint64_t pc = insn->ip;
	int i;

	close_branch(flow, insn->ip);
	flow->branch_open = is_branch(insn->iclass);
	flow->branch_ip = insn->ip;
	flow->nr_insns++;
	for (i = 0; i < 8; i++, pc >>= 8)
		flow->insns_hash = (flow->insns_hash ^ (pc & 0xff)) *
				   0x100000001b3ULL;
}

static void see_event(struct flow *flow, const struct pt_event *event)
{
	switch (event->type) {
	case ptev_async_branch:
		close_branch(flow, event->variant.async_branch.from);
		edges_add(&flow->edges, event->variant.async_branch.from,
			  event->variant.async_branch.to, 1);
		break;
	case ptev_async_disabled:
		close_branch(flow, event->variant.async_disabled.at);
		break;
	case ptev_enabled:
	case ptev_disabled:
	case ptev_overflow:
		flow->branch_open = false;
		break;
	default:
		break;
	}
}

static void report(struct flow *flow, struct pt_insn_decoder *decoder,
		   const char *what, int status, uint64_t ip)
{
	uint64_t offset = 0;

	flow->branch_open = false;
	if (flow->errors++ >= MAX_SHOWN)
		return;
	pt_insn_get_offset(decoder, &offset);
	printf("decode error (%s) at offset %#" PRIx64 ", ip %016" PRIx64
	       ": %s\n", what, offset, ip, pt_errstr(pt_errcode(status)));
}

static int drain_events(struct flow *flow, struct pt_insn_decoder *decoder,
			int status)
{
	struct pt_event event;

	while (status >= 0 && (status & pts_event_pending)) {
		status = pt_insn_event(decoder, &event, sizeof(event));
		if (status < 0)
			report(flow, decoder, "event", status, 0);
		else
			see_event(flow, &event);
	}
	return status;
}

/* From one synchronisation to the end or an error. */
static int decode_segment(struct flow *flow, struct pt_insn_decoder *decoder,
			  int status)
{
	struct pt_insn insn;

	for (;;) {
		status = drain_events(flow, decoder, status);
		if (status < 0)
			return status;
		if (status & pts_eos)
			return -pte_eos;
		memset(&insn, 0, sizeof(insn));
		insn.iclass = ptic_error;
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (insn.iclass != ptic_error)
			see_insn(flow, &insn);
		if (status == -pte_eos)
			return status;
		if (status < 0) {
			report(flow, decoder, "instruction", status, insn.ip);
			return status;
		}
	}
}

static void decode(struct flow *flow, const struct blob *trace)
{
	struct pt_insn_decoder *decoder;
	struct pt_config config;
	int status;

	pt_config_init(&config);
	config.begin = trace->bytes;
	config.end = trace->bytes + trace->len;
	decoder = must(pt_insn_alloc_decoder(&config));
	pt_image_set_callback(pt_insn_get_image(decoder), read_memory,
			      &flow->code);
	do {
		status = pt_insn_sync_forward(decoder);
		if (status < 0)
			break;
		status = decode_segment(flow, decoder, status);
	} while (status != -pte_eos);
	if (status != -pte_eos)
		report(flow, decoder, "sync", status, 0);
	pt_insn_free_decoder(decoder);
}

/* ---- comparing ---- */

static void show(const char *who, const struct edge *edge)
{
	printf("%s %016" PRIx64 " %016" PRIx64 " %" PRIu64 "\n", who,
	       edge->from, edge->to, edge->count);
}

static unsigned long compare_edges(const struct edges *ipt,
				   const struct edges *model)
{
	size_t i = 0, m = 0;
	unsigned long bad = 0;
	int order;

	while (i < ipt->nr || m < model->nr) {
		order = i == ipt->nr ? 1 : m == model->nr ? -1 :
			by_address(&ipt->slots[i], &model->slots[m]);
		if (order || ipt->slots[i].count != model->slots[m].count) {
			if (bad++ < MAX_SHOWN && order <= 0)
				show("libipt", &ipt->slots[i]);
			if (bad <= MAX_SHOWN && order >= 0)
				show("model ", &model->slots[m]);
		}
		i += order <= 0;
		m += order >= 0;
	}
	return bad;
}

static bool insns_differ(const struct flow *flow, const char *path)
{
	uint64_t nr, hash;
	FILE *file = fopen(path, "r");

	if (!file)
		return false;
	if (fscanf(file, "%" SCNu64 " %" SCNx64, &nr, &hash) != 2)
		die(path, "not a count and a hash");
	fclose(file);
	if (nr == flow->nr_insns && hash == flow->insns_hash)
		return false;
	printf("instructions: libipt %" PRIu64 " %016" PRIx64 ", model %"
	       PRIu64 " %016" PRIx64 "\n", flow->nr_insns, flow->insns_hash,
	       nr, hash);
	return true;
}

static int check(struct flow *flow, const char *edges, const char *insns)
{
	struct edges model = { 0 };
	unsigned long bad;

	if (!edges_read(&model, edges))
		die(edges, strerror(errno));
	edges_sort(&model);
	bad = compare_edges(&flow->edges, &model);
	bad += insns_differ(flow, insns);
	printf("%zu edges, %" PRIu64 " instructions, %lu differences, %lu "
	       "decode errors\n", flow->edges.nr, flow->nr_insns, bad,
	       flow->errors);
	return bad || flow->errors;
}

int main(int argc, char **argv)
{
	char path[4][PATH_BYTES];
	static const char *const kinds[] = { "pt", "edges", "insns" };
	struct flow flow = { .insns_hash = 0xcbf29ce484222325ULL };
	struct blob trace;
	size_t i;

	if (argc != 3 && (argc != 4 || (strcmp(argv[3], "--edges") &&
					strcmp(argv[3], "--insns")))) {
		fprintf(stderr, "usage: check_ipt DIR NAME [--edges | "
			"--insns]\n");
		return 2;
	}
	for (i = 0; i < 3; i++)
		snprintf(path[i], PATH_BYTES, "%s/%s.%s", argv[1], argv[2],
			 kinds[i]);
	snprintf(path[3], PATH_BYTES, "%s/code.img", argv[1]);
	if (!read_blob(&trace, path[0]))
		die(path[0], strerror(errno));
	read_code(&flow.code, path[3]);
	decode(&flow, &trace);
	edges_sort(&flow.edges);
	if (argc == 3)
		return check(&flow, path[1], path[2]);
	if (!strcmp(argv[3], "--insns"))
		printf("%" PRIu64 " %016" PRIx64 "\n", flow.nr_insns,
		       flow.insns_hash);
	for (i = 0; !strcmp(argv[3], "--edges") && i < flow.edges.nr; i++)
		printf("%016" PRIx64 " %016" PRIx64 " %" PRIu64 "\n",
		       flow.edges.slots[i].from, flow.edges.slots[i].to,
		       flow.edges.slots[i].count);
	return flow.errors ? 1 : 0;
}
