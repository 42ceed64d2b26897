/* SPDX-License-Identifier: MIT */
/*
 * The account of a capture: every byte that the hardware wrote, every loss.
 */
#ifndef TRACE_ACCOUNT_H
#define TRACE_ACCOUNT_H

#include "lib/compiler.h"
#include "lib/printk.h"
#include "pt/decode/flow.h"
#include "pt/event.h"

struct capture_account {
	u64 captured;		/* bytes that the hardware wrote and we took */
	u64 decoded;
	u64 dropped;		/* captured, but not decoded */
	u64 regions;
	u64 pmis;
	u64 overflows;		/* OVF packets */
	u64 errors;		/* decoder errors and STATUS.Error */
	u64 lost;		/* times that tracing was off unasked */
	u64 room_waits;
	u64 edges;		/* edge executions counted */
	u64 edges_dropped;	/* that found no room in cache or map */
	u64 insns;
};

/* Fills an account from the driver's and the decoder's counters. */
void capture_account_set(struct capture_account *account,
			 const struct pt_event_stats *event,
			 const struct pt_flow_stats *flow);

/* Adds @b to @a. */
void capture_account_add(struct capture_account *a,
			 const struct capture_account *b);

/**
 * capture_account_complete() - whether nothing is missing
 *
 * Return: true when captured == decoded + dropped, something was captured, and
 * no counter of a loss is set.
 */
bool capture_account_complete(const struct capture_account *account);

/**
 * capture_account_print() - one line "account: NAME cpu N captured C ..."
 * @cpu:	-1 for the sum over all CPUs
 *
 * The line's words are a format that scripts read: trace/README.md.
 */
void capture_account_print(const struct capture_account *account,
			   struct printer *out, const char *name, int cpu);

#endif /* TRACE_ACCOUNT_H */
