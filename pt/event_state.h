/* SPDX-License-Identifier: MIT */
/*
 * The inside of a traced CPU's event: shared by event.c, output.c and pmi.c.
 */
#ifndef PT_EVENT_STATE_H
#define PT_EVENT_STATE_H

#include "pt/buffer.h"
#include "pt/event.h"

struct pt_event {
	unsigned int cpu;
	struct pt_event_config config;
	u64 ctl;		/* CTL while tracing, TraceEn set */
	struct pt_buffer *buf;

	/*
	 * What an NMI and its CPU's own code share. handle_nmi is false
	 * whenever the code works on buf itself.
	 */
	bool handle_nmi;
	bool waiting;		/* no room: tracing is off, an IPI is on its way */
	bool low;		/* tracing into the reserve, an IPI as well */

	/* Positions, counted from the first start. */
	u64 head;		/* producer: stored with release */
	u64 tail;		/* consumer: stored with release */
	bool running;

	bool (*room_fn)(struct pt_event *event, void *ctx);
	void *room_ctx;
	struct pt_event_stats stats;	/* captured, consumed: from head, tail */
};

/* The event of the calling CPU that traces now, or NULL. Context: any. */
struct pt_event *pt_event_current(void);

/* ---- output.c: all on the traced CPU, interrupts off or NMI ---- */

/* TraceEn is 0: hands what came in to the consumer. */
void pt_output_end(struct pt_event *event);

/*
 * The consumer lags: time to wait for it, while a reserve is left for code
 * that cannot wait because it has interrupts off.
 */
bool pt_output_room_low(const struct pt_event *event);

/*
 * Sets position and markers and goes on tracing, into the reserve if need be.
 * Return: 0; -ENOSPC while the consumer has left too little room.
 */
int __must_check pt_output_begin(struct pt_event *event);

/* ---- pmi.c ---- */

/**
 * intel_pt_interrupt() - serve the PMI of the calling CPU
 *
 * Context: NMI. No locks, no allocation, no printing; bounded.
 */
void intel_pt_interrupt(void);

/* NMI handler and the handler of VECTOR_PT_ROOM. Context: boot. */
void pmi_init(void);

/* The LVT entry of the calling CPU: deliver, or be quiet. */
void pmi_enable(void);
void pmi_disable(void);

#endif /* PT_EVENT_STATE_H */
