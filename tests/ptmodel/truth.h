/* SPDX-License-Identifier: MIT */
/*
 * The truth: what one vCPU really did while it was traced, and the bytes that
 * the model made of it, as files. Formats: README.md.
 *
 * Each vCPU owns its struct truth; nothing is shared, so nothing is locked.
 */
#ifndef TESTS_PTMODEL_TRUTH_H
#define TESTS_PTMODEL_TRUTH_H

#include "code_view.h"
#include "truth_log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct truth_edge {
	uint64_t from, to, count;
};

struct truth {
	const char *edges_dir;		/* NULL: no .edges, .insns, .truth */
	const char *trace_dir;		/* NULL: no .pt */
	bool insns_wanted;
	unsigned int cpu, capture;

	/* Open addressing, count 0 is free; a power of two of slots. */
	struct truth_edge *edges;
	size_t nr_edges, nr_slots;

	uint64_t nr_insns, insns_hash;
	FILE *trace;
	struct truth_log log;		/* .truth, in edges_dir */
	struct code_view code;		/* what it tells of the code */
	const struct ptm_profile *profile;
	bool open;			/* a capture has begun */
};

/** truth_init() - for vCPU @cpu, which plays @profile; the directories are kept
 * and must exist */
void truth_init(struct truth *truth, unsigned int cpu,
		const struct ptm_profile *profile, const char *edges_dir,
		const char *trace_dir, bool insns);

/** truth_begin() - a new capture; the last one has been ended */
void truth_begin(struct truth *truth);

/**
 * truth_end() - write the files of the current capture, when there is one
 * @traced:	PacketEn was 1 in it; if not, it leaves no file and no number
 */
void truth_end(struct truth *truth, bool traced);

/** truth_bytes() - packet bytes that reached memory */
void truth_bytes(struct truth *truth, const void *buf, size_t len);

/** truth_edge_new() - the slow part of truth_edge(): a new or displaced edge */
void truth_edge_new(struct truth *truth, uint64_t from, uint64_t to);

/** truth_insn() - an instruction has retired */
static inline void truth_insn(struct truth *truth, uint64_t pc)
{
	int i;

	truth->nr_insns++;
	for (i = 0; i < 8; i++, pc >>= 8)
		truth->insns_hash = (truth->insns_hash ^ (pc & 0xff)) *
				    0x100000001b3ULL;
}

static inline size_t truth_slot(const struct truth *truth, uint64_t from,
				uint64_t to)
{
	uint64_t hash = (from ^ (to << 32 | to >> 32)) * 0x9e3779b97f4a7c15ULL;

	return (hash ^ hash >> 32) & (truth->nr_slots - 1);
}

/** truth_edge() - a control transfer that is in the trace */
static inline void truth_edge(struct truth *truth, uint64_t from, uint64_t to)
{
	struct truth_edge *edge;

	if (!truth->edges_dir)
		return;
	edge = &truth->edges[truth_slot(truth, from, to)];
	if (edge->from == from && edge->to == to && edge->count)
		edge->count++;
	else
		truth_edge_new(truth, from, to);
}

/**
 * truth_branch() - a branch or event
 * @answer:	the engine's, not 0
 */
static inline void truth_branch(struct truth *truth, uint64_t from, uint64_t to,
				enum truth_what what, unsigned int answer,
				uint64_t tsc)
{
	if (answer == PTM_TRACED && truth_moves(what))
		truth_edge(truth, from, to);
	truth_log_branch(&truth->log, from, to, what, answer, tsc);
}

#endif /* TESTS_PTMODEL_TRUTH_H */
