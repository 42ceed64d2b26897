/* SPDX-License-Identifier: MIT */
/*
 * Writer of cpuN.K.truth: every branch and event of a capture, in order, with
 * the code that was executed and what happened to the trace. Format: TRUTH.md.
 *
 * One struct truth_log belongs to one vCPU's thread. Fast where the same comes
 * again: a branch that was foreseen costs a comparison and no byte. A file that
 * cannot be written ends the process with an error.
 */
#ifndef TESTS_PTMODEL_TRUTH_LOG_H
#define TESTS_PTMODEL_TRUTH_LOG_H

#include "engine.h"
#include "truth_format.h"

#include <stdio.h>

struct truth_log {
	bool open;
	FILE *file;
	char *path;
	uint8_t *block;			/* records of the current block */
	size_t used;
	struct truth_model model;
	uint64_t run;			/* foreseen, not yet written down */
	uint64_t nr_branches;
	bool state_known;
	struct truth_state state;
	bool config_due;		/* the next record is CONFIG */
	struct truth_config config;
};

/* What a file's header says. */
struct truth_log_head {
	unsigned int cpu, capture;
	const struct ptm_profile *profile;
};

/** truth_log_open() - begins a file; @log is all 0, or was closed */
void truth_log_open(struct truth_log *log, const char *path,
		    const struct truth_log_head *head);

/**
 * truth_log_close() - ends the file, if there is one
 * @keep:	false: removes it
 */
void truth_log_close(struct truth_log *log, bool keep);

/** truth_log_config() - TriggerEn has become 1; may come before the file does,
 * which then begins with it */
void truth_log_config(struct truth_log *log, const struct ptm_cpu *cpu);

/** truth_log_code() - bytes are executed at @vaddr that nobody was told of, or
 * others than those known */
void truth_log_code(struct truth_log *log, uint64_t vaddr, const uint8_t *bytes,
		    size_t len);

/** truth_log_note() - what the engine has told */
void truth_log_note(struct truth_log *log, const struct ptm_note *note,
		    const struct ptm_state *now, uint64_t tsc);

/** truth_log_state() - before what may have changed it: any far transfer, event
 * or MOV CR3 */
void truth_log_state(struct truth_log *log, const struct ptm_state *now);

/* The file's names for the engine's kinds, which stand in the same order. */
_Static_assert((int)PTM_MOV_CR3 - PTM_JMP == TRUTH_MOV_CR3 - TRUTH_JMP &&
	       (int)PTM_RET - PTM_JMP == TRUTH_RET - TRUTH_JMP,
	       "each kind of branch has a number in the file");
_Static_assert((int)PTM_NR_EVENTS + TRUTH_INTR == TRUTH_NR_WHATS &&
	       (int)PTM_EVENT_XABORT + TRUTH_INTR == TRUTH_XABORT,
	       "each event has a number in the file");

static inline enum truth_what truth_what_of_branch(enum ptm_kind kind,
						   bool taken)
{
	return kind == PTM_JCC ? (taken ? TRUTH_JCC_TAKEN :
				  TRUTH_JCC_NOT_TAKEN) :
	       (enum truth_what)(kind - PTM_JMP + TRUTH_JMP);
}

static inline enum truth_what truth_what_of_event(enum ptm_event_kind kind)
{
	return (enum truth_what)(kind + TRUTH_INTR);
}

/* The slow part of truth_log_branch(): it was not foreseen. */
void truth_log_surprise(struct truth_log *log, const struct truth_guess *branch,
			uint64_t ticks);

/**
 * truth_log_branch() - a branch or event
 * @flags:	PTM_WAS, PTM_IS, PTM_LOST as the engine answered, not 0
 */
static inline void truth_log_branch(struct truth_log *log, uint64_t from,
				    uint64_t to, enum truth_what what,
				    unsigned int flags, uint64_t tsc)
{
	struct truth_model *model = &log->model;
	uint64_t ticks = tsc - model->tsc;
	const struct truth_guess branch = {
		.from = from, .to = to, .how = truth_how(what, flags, ticks),
	};

	if (!log->open)
		return;
	if (!truth_guess_right(truth_model_guesses(model), &branch) |
	    !!(ticks >> 32))
		truth_log_surprise(log, &branch, ticks);
	else
		log->run++;
	truth_model_advance(model, from, to, tsc);
}

#endif /* TESTS_PTMODEL_TRUTH_LOG_H */
