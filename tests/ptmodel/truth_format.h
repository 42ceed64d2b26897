/* SPDX-License-Identifier: MIT */
/*
 * The truth file cpuN.K.truth: what its writer (truth_log.h) and its reader
 * (truth_read.h) must agree on. The format in words: TRUTH.md.
 *
 * The numbers here are the file's own, whatever the engine's are.
 */
#ifndef TESTS_PTMODEL_TRUTH_FORMAT_H
#define TESTS_PTMODEL_TRUTH_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRUTH_MAGIC		"PTMTRUTH"
#define TRUTH_VERSION		1
#define TRUTH_PROFILE_BYTES	32
/* magic; version, cpu, capture, signature, leaf 15H EAX and EBX; profile; CRC */
#define TRUTH_HEADER_BYTES	(8 + 6 * 4 + TRUTH_PROFILE_BYTES + 4)

/* A block: u32 length of its records, u32 CRC-32 of them, the records. */
#define TRUTH_BLOCK_HEAD	8
#define TRUTH_BLOCK_BYTES	65536U
#define TRUTH_CODE_BYTES	1024U	/* of one CODE record */
#define TRUTH_RECORD_BYTES	(TRUTH_CODE_BYTES + 64)
#define TRUTH_NR_RANGES		4

/* First byte of a record. Two more kinds of it have data in their low bits. */
enum truth_tag {
	TRUTH_TAG_STATE = 1,
	TRUTH_TAG_CODE,
	TRUTH_TAG_NOTE,
	TRUTH_TAG_CONFIG,
	TRUTH_TAG_END,
	TRUTH_TAG_SECOND,		/* a branch: the second guess was right */
	TRUTH_TAG_BRANCH = 0x40,	/* | enum truth_what: all of it told */
	TRUTH_TAG_PLAIN = 0x60,		/* | enum truth_what: flags WAS | IS, one
					 * tick after the last */
	TRUTH_TAG_RUN = 0x80,		/* | n: n + 1 that were foreseen, or: */
	TRUTH_TAG_LONG_RUN = 0xff,	/* TRUTH_LONG_RUN and more */
};

#define TRUTH_LONG_RUN		128

/* What a branch or event was. */
enum truth_what {
	TRUTH_JCC_NOT_TAKEN, TRUTH_JCC_TAKEN, TRUTH_JMP, TRUTH_CALL, TRUTH_IJMP,
	TRUTH_ICALL, TRUTH_RET, TRUTH_FAR, TRUTH_IRET, TRUTH_MOV_CR3,
	TRUTH_INTR, TRUTH_FAULT, TRUTH_SWINT, TRUTH_SMI, TRUTH_RSM, TRUTH_INIT,
	TRUTH_SIPI, TRUTH_VMENTRY, TRUTH_VMEXIT, TRUTH_VMEXIT_INTR,
	TRUTH_XABORT, TRUTH_SHUTDOWN, TRUTH_SENTER, TRUTH_VMXON, TRUTH_UINTR,
	TRUTH_UIRET,
	TRUTH_NR_WHATS,
};

/* From here on they are no branches: interrupts, exceptions and the like. */
static inline bool truth_is_event(enum truth_what what)
{
	return what >= TRUTH_INTR;
}

/* A transfer of control from a place to another. */
static inline bool truth_moves(enum truth_what what)
{
	return what != TRUTH_MOV_CR3 && what != TRUTH_INIT &&
	       what != TRUTH_SHUTDOWN;
}

#define TRUTH_WAS	1U		/* PacketEn was 1 before */
#define TRUTH_IS	2U		/* PacketEn is 1 behind it */
#define TRUTH_LOST	4U		/* its packets were lost: overflow */
#define TRUTH_TRACED	(TRUTH_WAS | TRUTH_IS)

enum truth_note_kind {
	TRUTH_ENABLED, TRUTH_DISABLED, TRUTH_OVF_BEGIN, TRUTH_OVF_END,
	TRUTH_TRACESTOP, TRUTH_STOPPED, TRUTH_ERROR, TRUTH_PSB, TRUTH_PIP,
	TRUTH_MODE_EXEC, TRUTH_TSX, TRUTH_PTW, TRUTH_CBR, TRUTH_MNT,
	TRUTH_MWAIT, TRUTH_PWRE, TRUTH_EXSTOP, TRUTH_PWRX, TRUTH_CFE, TRUTH_EVD,
	TRUTH_NR_NOTES,
};

/* The processor, as it executes what comes next. */
struct truth_state {
	uint64_t cr3;
	uint8_t cpl;
	bool cs_l, cs_d;
};

/* The PT MSRs as TriggerEn became 1. */
struct truth_config {
	uint64_t ctl, cr3_match;
	unsigned int nr_ranges;
	uint64_t range[TRUTH_NR_RANGES][2];
};

/* ---- foreseeing the next branch ---- */

#define TRUTH_HISTORIES		4096
#define TRUTH_GUESSES		(2 * TRUTH_HISTORIES)
#define TRUTH_HISTORY_SHIFT	5	/* three branches are remembered */

struct truth_guess {
	uint64_t from, to;
	uint64_t how;			/* truth_how(); 0: none */
};

/*
 * What both sides know behind a branch. For each history two guesses; the first
 * is what came last.
 */
struct truth_model {
	struct truth_guess *guesses;	/* TRUTH_GUESSES; at first all 0 */
	unsigned int history;
	uint64_t to, tsc;		/* of the last branch */
};

/* @ticks: since the last branch; 2^32 and more are never foreseen. */
static inline uint64_t truth_how(enum truth_what what, unsigned int flags,
				 uint64_t ticks)
{
	return (uint32_t)ticks | (uint64_t)what << 32 | (uint64_t)flags << 40;
}

static inline void truth_model_advance(struct truth_model *model, uint64_t from,
				       uint64_t to, uint64_t tsc)
{
	uint64_t mix = (from * 3 ^ to) * 0x9e3779b97f4a7c15ULL;

	model->history = (model->history << TRUTH_HISTORY_SHIFT ^ mix >> 52) &
			 (TRUTH_HISTORIES - 1);
	model->to = to;
	model->tsc = tsc;
}

/* The two guesses for what comes now. */
static inline struct truth_guess *
truth_model_guesses(const struct truth_model *model)
{
	return &model->guesses[2 * model->history];
}

/* Was not the first guess: becomes it. */
static inline void truth_model_learn(struct truth_model *model,
				     const struct truth_guess *guess)
{
	struct truth_guess *guesses = truth_model_guesses(model);

	guesses[1] = guesses[0];
	guesses[0] = *guess;
}

static inline bool truth_guess_right(const struct truth_guess *guess,
				     const struct truth_guess *actual)
{
	return !((guess->from ^ actual->from) | (guess->to ^ actual->to) |
		 (guess->how ^ actual->how));
}

/* ---- numbers ---- */

#define TRUTH_VARINT_BYTES	10

/* Small numbers of either sign as small numbers. */
static inline uint64_t truth_zigzag(uint64_t val)
{
	return val << 1 ^ -(val >> 63);
}

static inline uint64_t truth_unzigzag(uint64_t val)
{
	return val >> 1 ^ -(val & 1);
}

/** truth_crc() - CRC-32 as of zlib and Ethernet */
uint32_t truth_crc(const uint8_t *bytes, size_t len);

/** truth_what_name(), truth_note_name() - one word */
const char *truth_what_name(enum truth_what what);
const char *truth_note_name(enum truth_note_kind kind);

#endif /* TESTS_PTMODEL_TRUTH_FORMAT_H */
