/* SPDX-License-Identifier: MIT */
/*
 * Truth files of one vCPU; see truth.h.
 */
#include "truth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_SLOTS	1024
#define FNV_OFFSET	0xcbf29ce484222325ULL
#define PATH_BYTES	4096

static void file_name(const struct truth *truth, const char *dir,
		      const char *kind, char *path)
{
	snprintf(path, PATH_BYTES, "%s/cpu%u.%u.%s", dir, truth->cpu,
		 truth->capture, kind);
}

/* A truth that cannot be written is no truth: give up loudly. */
static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "wb");

	if (!file) {
		fprintf(stderr, "ptmodel: %s: %s\n", path, strerror(errno));
		_exit(1);
	}
	return file;
}

static void close_file(FILE *file, const char *path)
{
	bool bad = ferror(file);

	if (!fclose(file) && !bad)
		return;
	fprintf(stderr, "ptmodel: %s could not be written\n", path);
	_exit(1);
}

/* ---- edges ---- */

static struct truth_edge *new_slots(size_t nr)
{
	struct truth_edge *edges = calloc(nr, sizeof(*edges));

	if (!edges)
		abort();
	return edges;
}

static struct truth_edge *find(const struct truth *truth, uint64_t from,
			       uint64_t to)
{
	size_t slot = truth_slot(truth, from, to);
	struct truth_edge *edge;

	for (;; slot = (slot + 1) & (truth->nr_slots - 1)) {
		edge = &truth->edges[slot];
		if (!edge->count || (edge->from == from && edge->to == to))
			return edge;
	}
}

static void grow(struct truth *truth)
{
	struct truth_edge *old = truth->edges;
	size_t i, nr = truth->nr_slots;

	truth->nr_slots = nr * 2;
	truth->edges = new_slots(truth->nr_slots);
	for (i = 0; i < nr; i++)
		if (old[i].count)
			*find(truth, old[i].from, old[i].to) = old[i];
	free(old);
}

void truth_edge_new(struct truth *truth, uint64_t from, uint64_t to)
{
	struct truth_edge *edge = find(truth, from, to);

	if (edge->count++)
		return;
	edge->from = from;
	edge->to = to;
	if (++truth->nr_edges > truth->nr_slots / 2)
		grow(truth);
}

static int by_address(const void *a, const void *b)
{
	const struct truth_edge *ea = a, *eb = b;

	if (ea->from != eb->from)
		return ea->from < eb->from ? -1 : 1;
	return ea->to < eb->to ? -1 : ea->to > eb->to;
}

static void write_edges(struct truth *truth)
{
	char path[PATH_BYTES];
	size_t i, n = 0;
	FILE *file;

	file_name(truth, truth->edges_dir, "edges", path);
	file = open_file(path);
	for (i = 0; i < truth->nr_slots; i++)
		if (truth->edges[i].count)
			truth->edges[n++] = truth->edges[i];
	qsort(truth->edges, n, sizeof(*truth->edges), by_address);
	for (i = 0; i < n; i++)
		fprintf(file, "%016llx %016llx %llu\n",
			(unsigned long long)truth->edges[i].from,
			(unsigned long long)truth->edges[i].to,
			(unsigned long long)truth->edges[i].count);
	close_file(file, path);
}

static void write_insns(const struct truth *truth)
{
	char path[PATH_BYTES];
	FILE *file;

	file_name(truth, truth->edges_dir, "insns", path);
	file = open_file(path);
	fprintf(file, "%llu %016llx\n", (unsigned long long)truth->nr_insns,
		(unsigned long long)truth->insns_hash);
	close_file(file, path);
}

/* ---- trace bytes ---- */

void truth_bytes(struct truth *truth, const void *buf, size_t len)
{
	char path[PATH_BYTES];

	if (!truth->trace_dir)
		return;
	if (!truth->trace) {
		file_name(truth, truth->trace_dir, "pt", path);
		truth->trace = open_file(path);
	}
	fwrite(buf, 1, len, truth->trace);
}

static void end_trace(struct truth *truth, bool keep)
{
	char path[PATH_BYTES];

	if (!truth->trace)
		return;
	file_name(truth, truth->trace_dir, "pt", path);
	close_file(truth->trace, path);
	truth->trace = NULL;
	if (!keep)
		unlink(path);
}

/* ---- captures ---- */

static void clear(struct truth *truth)
{
	free(truth->edges);
	truth->nr_slots = FIRST_SLOTS;
	truth->edges = new_slots(truth->nr_slots);
	truth->nr_edges = 0;
	truth->nr_insns = 0;
	truth->insns_hash = FNV_OFFSET;
}

void truth_init(struct truth *truth, unsigned int cpu,
		const struct ptm_profile *profile, const char *edges_dir,
		const char *trace_dir, bool insns)
{
	memset(truth, 0, sizeof(*truth));
	truth->cpu = cpu;
	truth->profile = profile;
	truth->edges_dir = edges_dir;
	truth->trace_dir = trace_dir;
	truth->insns_wanted = insns;
	clear(truth);
}

void truth_begin(struct truth *truth)
{
	const struct truth_log_head head = {
		.cpu = truth->cpu, .capture = truth->capture,
		.profile = truth->profile,
	};
	char path[PATH_BYTES];

	truth->open = true;
	if (!truth->edges_dir)
		return;
	file_name(truth, truth->edges_dir, "truth", path);
	truth_log_open(&truth->log, path, &head);
	code_view_clear(&truth->code);
}

void truth_end(struct truth *truth, bool traced)
{
	if (!truth->open)
		return;
	truth->open = false;
	end_trace(truth, traced);
	truth_log_close(&truth->log, traced);
	if (traced && truth->edges_dir) {
		write_edges(truth);
		if (truth->insns_wanted)
			write_insns(truth);
	}
	clear(truth);
	if (traced)
		truth->capture++;
}
