/* SPDX-License-Identifier: MIT */
/*
 * The code that one vCPU has executed at each address: what a reader of its
 * truth file knows so far.
 *
 * Where a TB's bytes are not what is known there (it is new, it was changed, or
 * other memory is mapped there now), the file is told. A TB that was looked at
 * is remembered by the address it ran at, until known bytes change: they may be
 * those of any other TB too.
 */
#ifndef TESTS_PTMODEL_CODE_VIEW_H
#define TESTS_PTMODEL_CODE_VIEW_H

#include "truth_log.h"

#define CODE_VIEW_SEEN		8192
#define CODE_VIEW_BUCKETS	1024

struct code_view_page;

struct code_view_seen {
	const void *tb;
	uint64_t pc, epoch;
};

/* All 0 is a view of nothing. Belongs to one vCPU's thread. */
struct code_view {
	struct code_view_seen *seen;	/* CODE_VIEW_SEEN */
	struct code_view_page **buckets;
	uint64_t epoch;			/* 0: nothing has been seen yet */
};

/** code_view_clear() - nothing is known any more: a new file */
void code_view_clear(struct code_view *view);

/** code_view_forget() - the TBs have been freed; the bytes stay known */
static inline void code_view_forget(struct code_view *view)
{
	if (view->epoch)
		view->epoch++;
}

static inline struct code_view_seen *code_view_slot(const struct code_view *view,
						    uint64_t pc)
{
	return &view->seen[(pc ^ pc >> 13) & (CODE_VIEW_SEEN - 1)];
}

/* The slow part of code_view_tb(). */
void code_view_look(struct code_view *view, struct truth_log *log,
		    const void *tb, uint64_t pc, const uint8_t *bytes,
		    size_t len);

/**
 * code_view_tb() - a TB begins
 * @tb:		which; names the same bytes until code_view_forget()
 * @pc:		its true linear address
 */
static inline void code_view_tb(struct code_view *view, struct truth_log *log,
				const void *tb, uint64_t pc,
				const uint8_t *bytes, size_t len)
{
	const struct code_view_seen *seen;

	if (view->epoch) {
		seen = code_view_slot(view, pc);
		if (seen->tb == tb && seen->pc == pc &&
		    seen->epoch == view->epoch)
			return;
	}
	code_view_look(view, log, tb, pc, bytes, len);
}

#endif /* TESTS_PTMODEL_CODE_VIEW_H */
