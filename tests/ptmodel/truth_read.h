/* SPDX-License-Identifier: MIT */
/*
 * Reader of cpuN.K.truth: one complete record at a time. Format: TRUTH.md.
 *
 * The file is hostile input: whatever is wrong with it is an error that names
 * the offset, never more than that.
 */
#ifndef TESTS_PTMODEL_TRUTH_READ_H
#define TESTS_PTMODEL_TRUTH_READ_H

#include "truth_format.h"

#include <stdio.h>

enum truth_type {
	TRUTH_REC_BRANCH,	/* also events: from, to, what, flags */
	TRUTH_REC_NOTE,		/* note, has_ip, ip, payload */
	TRUTH_REC_CODE,		/* ip, len, bytes */
	TRUTH_REC_STATE,	/* state */
	TRUTH_REC_CONFIG,	/* config */
};

/**
 * struct truth_record - what one record means
 * @number:	of the record, from 0; each branch of a run has its own
 * @offset:	in the file, where its bytes begin
 * @state:	of the processor: of what comes next, in any record
 * @tsc:	of a branch or note
 * @bytes:	of CODE; until the next call
 */
struct truth_record {
	enum truth_type type;
	uint64_t number, offset;
	struct truth_state state;
	uint64_t from, to, tsc;
	enum truth_what what;
	unsigned int flags;		/* TRUTH_WAS, TRUTH_IS, TRUTH_LOST */
	enum truth_note_kind note;
	bool has_ip;
	uint64_t ip, payload;
	size_t len;
	const uint8_t *bytes;
	struct truth_config config;
};

struct truth_reader {
	/* Of the header. */
	unsigned int cpu, capture;
	uint32_t signature, leaf15[2];
	char profile[TRUTH_PROFILE_BYTES];

	/* The reader's own. */
	FILE *file;
	uint8_t *block;
	size_t len, at;
	uint64_t block_offset;		/* of block[0] in the file */
	struct truth_model model;
	struct truth_state state;
	uint64_t run, number, nr_branches;
	bool ended;
	char error[160];		/* with the offset */
};

/**
 * truth_read_open() - opens @path and reads its header
 * Return: 0, or -1 with @reader->error; close it in any case.
 */
int truth_read_open(struct truth_reader *reader, const char *path);

/**
 * truth_read_next() - the next record
 * Return: 1, 0 at the end of a whole file, -1 with @reader->error.
 */
int truth_read_next(struct truth_reader *reader, struct truth_record *record);

void truth_read_close(struct truth_reader *reader);

/** truth_is_edge() - is it one that cpuN.K.edges counts? */
static inline bool truth_is_edge(const struct truth_record *record)
{
	return record->type == TRUTH_REC_BRANCH &&
	       record->flags == TRUTH_TRACED && truth_moves(record->what);
}

#endif /* TESTS_PTMODEL_TRUTH_READ_H */
