/* SPDX-License-Identifier: MIT */
/*
 * One capture: one workload traced on one CPU, decoded by another or by itself.
 *
 *	traced CPU                          decoding CPU
 *	prepare
 *	pt_event_start
 *	  workload ──► ToPA ──► bytes ────► pt_flow_feed
 *	pt_event_stop ── stopped ─────────► rest, pt_flow_finish, maps
 *	finish: software counts
 */
#ifndef RUN_CAPTURE_H
#define RUN_CAPTURE_H

#include "lib/compiler.h"
#include "lib/list.h"
#include "pt/event.h"
#include "run/workload.h"
#include "trace/account.h"
#include "trace/branch_map.h"

struct capture {
	struct list_head list;		/* session.c: all captures, in order */
	const struct workload *workload;
	struct workload_run run;
	unsigned int decoder;		/* CPU; run.cpu itself when post */
	unsigned int index;		/* captures of run.cpu before this one */
	struct pt_event *event;
	struct pt_flow *flow;
	void *flow_mem;
	struct branch_map *map;		/* of this capture */
	struct branch_map *total;	/* of the workload on all CPUs; shared */
	struct capture_account account;
	int err;			/* of the run; 0 when its result was right */
	bool prepared;
	bool traced;			/* tracing did start */
	bool stopped;			/* no byte will follow; release/acquire */
};

struct capture_options {
	u64 buffer_size;		/* bytes */
	unsigned int region_order;
	unsigned int map_bits;
};

/**
 * capture_create() - memory, buffer and decoder for a capture
 * @workload:	what runs
 * @cpu:	CPU to be traced
 * @decoder:	CPU that decodes; @cpu for decoding after the stop
 * @options:	sizes
 *
 * Context: thread.
 * Return: the capture; ERR_PTR(-ENOMEM), or what pt_event_create() gave.
 */
struct capture *capture_create(const struct workload *workload,
			       unsigned int cpu, unsigned int decoder,
			       const struct capture_options *options);

/* Frees everything; buffer and decoder go at capture_finish() already. */
void capture_destroy(struct capture *cap);

/* The traced CPU's part; sets cap->err. Context: thread on run.cpu. */
void capture_trace(void *cap);

/* The decoding CPU's part. Context: thread on cap->decoder. */
void capture_decode(void *cap);

/* After both: counts, account; gives buffer and decoder back. */
void capture_finish(struct capture *cap);

/**
 * capture_selftest() - hold the software counts against the map
 * @out:	each difference is printed, then one line of summary
 *
 * Return: 0 when all are equal and nothing was lost; else -EIO.
 */
int capture_selftest(const struct capture *cap, struct printer *out);

#endif /* RUN_CAPTURE_H */
