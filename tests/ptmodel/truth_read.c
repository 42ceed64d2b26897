/* SPDX-License-Identifier: MIT */
/*
 * Reader of the truth file; see truth_read.h and TRUTH.md.
 */
#include "truth_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static uint64_t offset_of(const struct truth_reader *reader)
{
	return reader->block_offset + reader->at;
}

__attribute__((format(printf, 2, 3)))
static int bad(struct truth_reader *reader, const char *format, ...)
{
	va_list args;
	int n;

	n = snprintf(reader->error, sizeof(reader->error), "offset %#llx: ",
		     (unsigned long long)offset_of(reader));
	va_start(args, format);
	vsnprintf(reader->error + n, sizeof(reader->error) - n, format, args);
	va_end(args);
	return -1;
}

/* ---- blocks ---- */

static uint32_t get32(const uint8_t *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

/* @reader->at is 0 then, so that errors name the block. */
static int read_block(struct truth_reader *reader)
{
	uint8_t head[TRUTH_BLOCK_HEAD];
	size_t got;

	reader->block_offset += reader->len;
	reader->at = reader->len = 0;
	got = fread(head, 1, sizeof(head), reader->file);
	if (ferror(reader->file))
		return bad(reader, "%s", strerror(errno));
	if (!got)
		return bad(reader, "the file ends without an END record");
	if (got != sizeof(head))
		return bad(reader, "the file is cut off in a block's head");
	reader->len = get32(head);
	if (!reader->len || reader->len > TRUTH_BLOCK_BYTES) {
		reader->len = 0;
		return bad(reader, "a block of %u bytes", get32(head));
	}
	got = fread(reader->block, 1, reader->len, reader->file);
	if (got != reader->len)
		return bad(reader, "the file is cut off in a block");
	if (truth_crc(reader->block, reader->len) != get32(head + 4))
		return bad(reader, "the block's checksum is wrong");
	reader->block_offset += sizeof(head);
	return 0;
}

/* ---- numbers ---- */

static int get_byte(struct truth_reader *reader, uint8_t *val)
{
	*val = 0;
	if (reader->at == reader->len)
		return bad(reader, "a record crosses the end of its block");
	*val = reader->block[reader->at++];
	return 0;
}

static int get_varint(struct truth_reader *reader, uint64_t *val)
{
	unsigned int shift = 0;
	uint8_t byte;

	*val = 0;
	do {
		if (get_byte(reader, &byte))
			return -1;
		if (shift == 63 && byte > 1)
			return bad(reader, "a number has more than 64 bits");
		*val |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return 0;
}

/* A number relative to @base. */
static int get_signed(struct truth_reader *reader, uint64_t base, uint64_t *val)
{
	uint64_t coded;

	if (get_varint(reader, &coded))
		return -1;
	*val = base + truth_unzigzag(coded);
	return 0;
}

/* ---- branches ---- */

static void give_branch(struct truth_reader *reader, struct truth_record *rec)
{
	rec->type = TRUTH_REC_BRANCH;
	truth_model_advance(&reader->model, rec->from, rec->to, rec->tsc);
	reader->nr_branches++;
}

static int give_guess(struct truth_reader *reader, struct truth_record *rec,
		      const struct truth_guess *guess)
{
	if (!guess->how)
		return bad(reader, "a branch that none could foresee");
	rec->from = guess->from;
	rec->to = guess->to;
	rec->what = guess->how >> 32 & 0xff;
	rec->flags = guess->how >> 40;
	rec->tsc = reader->model.tsc + (uint32_t)guess->how;
	give_branch(reader, rec);
	return 0;
}

static int first_guess(struct truth_reader *reader, struct truth_record *rec)
{
	reader->run--;
	return give_guess(reader, rec, truth_model_guesses(&reader->model));
}

static int second_guess(struct truth_reader *reader, struct truth_record *rec)
{
	struct truth_guess guess = truth_model_guesses(&reader->model)[1];

	truth_model_learn(&reader->model, &guess);
	return give_guess(reader, rec, &guess);
}

static int begin_run(struct truth_reader *reader, uint8_t tag)
{
	uint64_t more;

	if (tag != TRUTH_TAG_LONG_RUN) {
		reader->run = tag - TRUTH_TAG_RUN + 1;
		return 0;
	}
	if (get_varint(reader, &more))
		return -1;
	if (more > UINT64_MAX - TRUTH_LONG_RUN)
		return bad(reader, "a run of more than 2^64 branches");
	reader->run = more + TRUTH_LONG_RUN;
	return 0;
}

static int read_branch(struct truth_reader *reader, struct truth_record *rec,
		       uint8_t tag)
{
	struct truth_model *model = &reader->model;
	uint8_t flags = TRUTH_TRACED;
	struct truth_guess learn;
	uint64_t ticks = 1;

	rec->what = tag & 0x1f;
	if (rec->what >= TRUTH_NR_WHATS)
		return bad(reader, "unknown kind of branch %u", rec->what);
	if (tag < TRUTH_TAG_PLAIN && (get_byte(reader, &flags) ||
				      get_signed(reader, 0, &ticks)))
		return -1;
	if (!flags || flags > (TRUTH_TRACED | TRUTH_LOST))
		return bad(reader, "flags %#x of a branch", flags);
	if (get_signed(reader, model->to, &rec->from) ||
	    get_signed(reader, rec->from, &rec->to))
		return -1;
	rec->flags = flags;
	rec->tsc = model->tsc + ticks;
	learn.from = rec->from;
	learn.to = rec->to;
	learn.how = ticks >> 32 ? 0 : truth_how(rec->what, flags, ticks);
	truth_model_learn(model, &learn);
	give_branch(reader, rec);
	return 0;
}

/* ---- other records ---- */

static int read_state(struct truth_reader *reader, struct truth_record *rec)
{
	struct truth_state *state = &reader->state;
	uint8_t bits;

	if (get_byte(reader, &bits) || get_varint(reader, &state->cr3))
		return -1;
	if (bits >> 4)
		return bad(reader, "bits %#x of a state", bits);
	state->cpl = bits & 3;
	state->cs_l = bits >> 2 & 1;
	state->cs_d = bits >> 3 & 1;
	rec->type = TRUTH_REC_STATE;
	return 0;
}

static int read_code(struct truth_reader *reader, struct truth_record *rec)
{
	uint64_t len;

	if (get_varint(reader, &len) ||
	    get_signed(reader, reader->model.to, &rec->ip))
		return -1;
	if (!len || len > TRUTH_CODE_BYTES || len > reader->len - reader->at)
		return bad(reader, "%llu bytes of code",
			   (unsigned long long)len);
	rec->type = TRUTH_REC_CODE;
	rec->len = len;
	rec->bytes = reader->block + reader->at;
	reader->at += len;
	return 0;
}

static int read_note(struct truth_reader *reader, struct truth_record *rec)
{
	uint8_t kind;

	if (get_byte(reader, &kind))
		return -1;
	rec->type = TRUTH_REC_NOTE;
	rec->note = kind & 0x7f;
	rec->has_ip = kind >> 7;
	rec->ip = 0;
	if (rec->note >= TRUTH_NR_NOTES)
		return bad(reader, "unknown note %u", rec->note);
	if (rec->has_ip && get_signed(reader, reader->model.to, &rec->ip))
		return -1;
	if (get_varint(reader, &rec->payload))
		return -1;
	return get_signed(reader, reader->model.tsc, &rec->tsc);
}

static int read_config(struct truth_reader *reader, struct truth_record *rec)
{
	struct truth_config *config = &rec->config;
	unsigned int i;
	uint8_t nr;

	rec->type = TRUTH_REC_CONFIG;
	memset(config, 0, sizeof(*config));
	if (get_varint(reader, &config->ctl) ||
	    get_varint(reader, &config->cr3_match) || get_byte(reader, &nr))
		return -1;
	if (nr > TRUTH_NR_RANGES)
		return bad(reader, "%u address ranges", nr);
	config->nr_ranges = nr;
	for (i = 0; i < nr; i++)
		if (get_varint(reader, &config->range[i][0]) ||
		    get_varint(reader, &config->range[i][1]))
			return -1;
	return 0;
}

static int read_end(struct truth_reader *reader)
{
	uint64_t nr;

	if (get_varint(reader, &nr))
		return -1;
	if (nr != reader->nr_branches)
		return bad(reader, "%llu branches, should be %llu",
			   (unsigned long long)reader->nr_branches,
			   (unsigned long long)nr);
	if (reader->at != reader->len || fgetc(reader->file) != EOF)
		return bad(reader, "something follows the END record");
	reader->ended = true;
	return 0;
}

static int read_record(struct truth_reader *reader, struct truth_record *rec,
		       uint8_t tag)
{
	switch (tag) {
	case TRUTH_TAG_STATE:
		return read_state(reader, rec);
	case TRUTH_TAG_CODE:
		return read_code(reader, rec);
	case TRUTH_TAG_NOTE:
		return read_note(reader, rec);
	case TRUTH_TAG_CONFIG:
		return read_config(reader, rec);
	case TRUTH_TAG_SECOND:
		return second_guess(reader, rec);
	}
	if (tag >= TRUTH_TAG_BRANCH)
		return read_branch(reader, rec, tag);
	reader->at--;
	return bad(reader, "unknown record %#x", tag);
}

/* The tag of the next record; a run's branches have none of their own. */
static int next_tag(struct truth_reader *reader, uint8_t *tag)
{
	if (reader->at == reader->len && read_block(reader))
		return -1;
	return get_byte(reader, tag);
}

static int next_record(struct truth_reader *reader, struct truth_record *rec)
{
	uint8_t tag;

	rec->offset = offset_of(reader);
	if (reader->run)
		return first_guess(reader, rec);
	if (next_tag(reader, &tag))
		return -1;
	rec->offset = offset_of(reader) - 1;
	if (tag == TRUTH_TAG_END)
		return read_end(reader);
	if (tag < TRUTH_TAG_RUN)
		return read_record(reader, rec, tag);
	if (begin_run(reader, tag))
		return -1;
	return first_guess(reader, rec);
}

int truth_read_next(struct truth_reader *reader, struct truth_record *rec)
{
	if (reader->error[0])
		return -1;
	if (reader->ended)
		return 0;
	if (next_record(reader, rec))
		return -1;
	if (reader->ended)
		return 0;
	rec->number = reader->number++;
	rec->state = reader->state;
	return 1;
}

/* ---- life ---- */

static int read_header(struct truth_reader *reader)
{
	uint8_t bytes[TRUTH_HEADER_BYTES];
	const uint8_t *at = bytes + 8;
	size_t got = fread(bytes, 1, sizeof(bytes), reader->file);

	if (got < 8 || memcmp(bytes, TRUTH_MAGIC, 8))
		return bad(reader, "not a truth file");
	if (got != sizeof(bytes))
		return bad(reader, "the file is cut off in its header");
	if (truth_crc(bytes, sizeof(bytes) - 4) !=
	    get32(bytes + sizeof(bytes) - 4))
		return bad(reader, "the header's checksum is wrong");
	if (get32(at) != TRUTH_VERSION)
		return bad(reader, "version %u, not %u", get32(at),
			   TRUTH_VERSION);
	reader->cpu = get32(at + 4);
	reader->capture = get32(at + 8);
	reader->signature = get32(at + 12);
	reader->leaf15[0] = get32(at + 16);
	reader->leaf15[1] = get32(at + 20);
	memcpy(reader->profile, at + 24, TRUTH_PROFILE_BYTES);
	reader->profile[TRUTH_PROFILE_BYTES - 1] = 0;
	reader->block_offset = sizeof(bytes);
	return 0;
}

int truth_read_open(struct truth_reader *reader, const char *path)
{
	memset(reader, 0, sizeof(*reader));
	reader->file = fopen(path, "rb");
	if (!reader->file) {
		snprintf(reader->error, sizeof(reader->error), "%s",
			 strerror(errno));
		return -1;
	}
	reader->block = malloc(TRUTH_BLOCK_BYTES);
	reader->model.guesses = calloc(TRUTH_GUESSES,
				       sizeof(*reader->model.guesses));
	if (!reader->block || !reader->model.guesses)
		abort();
	return read_header(reader);
}

void truth_read_close(struct truth_reader *reader)
{
	if (reader->file)
		fclose(reader->file);
	free(reader->block);
	free(reader->model.guesses);
}
