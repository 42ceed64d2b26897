/* SPDX-License-Identifier: MIT */
/*
 * Writer of the truth file; see truth_log.h and TRUTH.md.
 */
#include "truth_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(PTM_WAS == TRUTH_WAS && PTM_IS == TRUTH_IS &&
	       PTM_LOST == TRUTH_LOST, "the engine's answer is the file's flags");

/* A truth that cannot be written is no truth: give up loudly. */
static void give_up(const struct truth_log *log)
{
	fprintf(stderr, "ptmodel: %s: %s\n", log->path, strerror(errno));
	_exit(1);
}

static void *must(void *mem)
{
	if (!mem)
		abort();
	return mem;
}

/* ---- numbers ---- */

static void put(struct truth_log *log, uint8_t byte)
{
	log->block[log->used++] = byte;
}

static void put_varint(struct truth_log *log, uint64_t val)
{
	for (; val > 0x7f; val >>= 7)
		put(log, (val & 0x7f) | 0x80);
	put(log, val);
}

static void put_signed(struct truth_log *log, uint64_t val)
{
	put_varint(log, truth_zigzag(val));
}

static uint8_t *put32(uint8_t *at, uint32_t val)
{
	int i;

	for (i = 0; i < 4; i++)
		*at++ = val >> 8 * i;
	return at;
}

/* ---- blocks ---- */

static void write_bytes(struct truth_log *log, const uint8_t *bytes, size_t len)
{
	if (fwrite(bytes, 1, len, log->file) != len)
		give_up(log);
}

static void write_block(struct truth_log *log)
{
	uint8_t head[TRUTH_BLOCK_HEAD];

	if (!log->used)
		return;
	put32(put32(head, log->used), truth_crc(log->block, log->used));
	write_bytes(log, head, sizeof(head));
	write_bytes(log, log->block, log->used);
	log->used = 0;
}

/* Records never cross the end of a block. */
static void begin_record(struct truth_log *log)
{
	if (log->used + TRUTH_RECORD_BYTES > TRUTH_BLOCK_BYTES)
		write_block(log);
}

/* ---- the branches that were foreseen ---- */

static void end_run(struct truth_log *log)
{
	uint64_t run = log->run;

	if (!run)
		return;
	begin_record(log);
	if (run < TRUTH_LONG_RUN) {
		put(log, TRUTH_TAG_RUN + (run - 1));
	} else {
		put(log, TRUTH_TAG_LONG_RUN);
		put_varint(log, run - TRUTH_LONG_RUN);
	}
	log->nr_branches += run;
	log->run = 0;
}

static void write_config(struct truth_log *log)
{
	const struct truth_config *config = &log->config;
	unsigned int i;

	log->config_due = false;
	begin_record(log);
	put(log, TRUTH_TAG_CONFIG);
	put_varint(log, config->ctl);
	put_varint(log, config->cr3_match);
	put(log, config->nr_ranges);
	for (i = 0; i < config->nr_ranges; i++) {
		put_varint(log, config->range[i][0]);
		put_varint(log, config->range[i][1]);
	}
}

/* In front of every record: what has to come before it. */
static void prepare(struct truth_log *log)
{
	end_run(log);
	if (log->config_due)
		write_config(log);
	begin_record(log);
}

static void write_branch(struct truth_log *log,
			 const struct truth_guess *branch, uint64_t ticks)
{
	unsigned int flags = branch->how >> 40;
	uint8_t what = branch->how >> 32;

	if (flags == TRUTH_TRACED && ticks == 1) {
		put(log, TRUTH_TAG_PLAIN | what);
	} else {
		put(log, TRUTH_TAG_BRANCH | what);
		put(log, flags);
		put_signed(log, ticks);
	}
	put_signed(log, branch->from - log->model.to);
	put_signed(log, branch->to - branch->from);
}

void truth_log_surprise(struct truth_log *log, const struct truth_guess *branch,
			uint64_t ticks)
{
	struct truth_model *model = &log->model;
	struct truth_guess learn = *branch;

	prepare(log);
	if (ticks >> 32)
		learn.how = 0;
	if (learn.how &&
	    truth_guess_right(truth_model_guesses(model) + 1, branch))
		put(log, TRUTH_TAG_SECOND);
	else
		write_branch(log, branch, ticks);
	log->nr_branches++;
	truth_model_learn(model, &learn);
}

/* ---- other records ---- */

void truth_log_config(struct truth_log *log, const struct ptm_cpu *cpu)
{
	struct truth_config *config = &log->config;
	unsigned int i;

	config->ctl = cpu->ctl;
	config->cr3_match = cpu->cr3_match;
	config->nr_ranges = cpu->profile->leaf14_1[0] & 7;
	if (config->nr_ranges > TRUTH_NR_RANGES)
		config->nr_ranges = TRUTH_NR_RANGES;
	for (i = 0; i < config->nr_ranges; i++) {
		config->range[i][0] = cpu->addr[i][0];
		config->range[i][1] = cpu->addr[i][1];
	}
	log->config_due = true;
}

void truth_log_code(struct truth_log *log, uint64_t vaddr, const uint8_t *bytes,
		    size_t len)
{
	size_t part;

	if (!log->open)
		return;
	for (; len; len -= part, vaddr += part, bytes += part) {
		part = len < TRUTH_CODE_BYTES ? len : TRUTH_CODE_BYTES;
		prepare(log);
		put(log, TRUTH_TAG_CODE);
		put_varint(log, part);
		put_signed(log, vaddr - log->model.to);
		memcpy(log->block + log->used, bytes, part);
		log->used += part;
	}
}

void truth_log_state(struct truth_log *log, const struct ptm_state *now)
{
	struct truth_state *state = &log->state;

	if (!log->open || (log->state_known && state->cr3 == now->cr3 &&
			   state->cpl == now->cpl &&
			   state->cs_l == now->cs_l && state->cs_d == now->cs_d))
		return;
	log->state_known = true;
	state->cr3 = now->cr3;
	state->cpl = now->cpl;
	state->cs_l = now->cs_l;
	state->cs_d = now->cs_d;
	prepare(log);
	put(log, TRUTH_TAG_STATE);
	put(log, state->cpl | state->cs_l << 2 | state->cs_d << 3);
	put_varint(log, state->cr3);
}

static enum truth_note_kind note_kind(enum ptm_note_kind kind)
{
	switch (kind) {
	case PTM_NOTE_ENABLED:		return TRUTH_ENABLED;
	case PTM_NOTE_DISABLED:		return TRUTH_DISABLED;
	case PTM_NOTE_OVF_BEGIN:	return TRUTH_OVF_BEGIN;
	case PTM_NOTE_OVF_END:		return TRUTH_OVF_END;
	case PTM_NOTE_TRACESTOP:	return TRUTH_TRACESTOP;
	case PTM_NOTE_STOPPED:		return TRUTH_STOPPED;
	case PTM_NOTE_ERROR:		return TRUTH_ERROR;
	case PTM_NOTE_PSB:		return TRUTH_PSB;
	case PTM_NOTE_PIP:		return TRUTH_PIP;
	case PTM_NOTE_MODE_EXEC:	return TRUTH_MODE_EXEC;
	case PTM_NOTE_TSX:		return TRUTH_TSX;
	case PTM_NOTE_PTW:		return TRUTH_PTW;
	case PTM_NOTE_CBR:		return TRUTH_CBR;
	case PTM_NOTE_MNT:		return TRUTH_MNT;
	case PTM_NOTE_MWAIT:		return TRUTH_MWAIT;
	case PTM_NOTE_PWRE:		return TRUTH_PWRE;
	case PTM_NOTE_EXSTOP:		return TRUTH_EXSTOP;
	case PTM_NOTE_PWRX:		return TRUTH_PWRX;
	case PTM_NOTE_CFE:		return TRUTH_CFE;
	case PTM_NOTE_EVD:		return TRUTH_EVD;
	}
	abort();
}

void truth_log_note(struct truth_log *log, const struct ptm_note *note,
		    const struct ptm_state *now, uint64_t tsc)
{
	if (!log->open)
		return;
	truth_log_state(log, now);
	prepare(log);
	put(log, TRUTH_TAG_NOTE);
	put(log, note_kind(note->kind) | note->has_ip << 7);
	if (note->has_ip)
		put_signed(log, note->ip - log->model.to);
	put_varint(log, note->payload);
	put_signed(log, tsc - log->model.tsc);
}

/* ---- life ---- */

static void write_header(struct truth_log *log,
			 const struct truth_log_head *head)
{
	const struct ptm_profile *profile = head->profile;
	uint8_t bytes[TRUTH_HEADER_BYTES] = TRUTH_MAGIC;
	uint8_t *at = bytes + 8;

	at = put32(at, TRUTH_VERSION);
	at = put32(at, head->cpu);
	at = put32(at, head->capture);
	at = put32(at, profile->signature);
	at = put32(at, profile->leaf15[0]);
	at = put32(at, profile->leaf15[1]);
	snprintf((char *)at, TRUTH_PROFILE_BYTES, "%s", profile->name);
	at += TRUTH_PROFILE_BYTES;
	put32(at, truth_crc(bytes, at - bytes));
	write_bytes(log, bytes, sizeof(bytes));
}

void truth_log_open(struct truth_log *log, const char *path,
		    const struct truth_log_head *head)
{
	log->path = must(strdup(path));
	log->file = fopen(path, "wb");
	if (!log->file)
		give_up(log);
	log->block = must(malloc(TRUTH_BLOCK_BYTES));
	log->used = 0;
	log->model = (struct truth_model){
		.guesses = must(calloc(TRUTH_GUESSES,
				       sizeof(struct truth_guess))),
	};
	log->run = log->nr_branches = 0;
	log->state_known = false;
	log->open = true;
	write_header(log, head);
}

void truth_log_close(struct truth_log *log, bool keep)
{
	if (!log->open)
		return;
	log->open = false;
	/* A CONFIG that is due belongs to the capture that follows. */
	end_run(log);
	begin_record(log);
	put(log, TRUTH_TAG_END);
	put_varint(log, log->nr_branches);
	write_block(log);
	if (fclose(log->file))
		give_up(log);
	if (!keep)
		unlink(log->path);
	free(log->path);
	free(log->block);
	free(log->model.guesses);
}
