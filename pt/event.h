/* SPDX-License-Identifier: MIT */
/*
 * A traced CPU: what to trace, its buffer, and the bytes for a consumer.
 *
 * The producer is the CPU's hardware; the PMI handler (an NMI) moves the head.
 * One consumer on any CPU takes bytes in order from the tail. When the consumer
 * lags, the PMI handler leaves tracing off before the buffer is full and the
 * traced CPU waits for room (a self-IPI takes it out of the traced code), so
 * that nothing is lost. A ToPA STOP entry keeps the CPU from overwriting when a
 * PMI comes too late; what is lost then is counted.
 */
#ifndef PT_EVENT_H
#define PT_EVENT_H

#include "lib/compiler.h"
#include "mm/page.h"

struct pt_event;

struct pt_event_config {
	u64 buffer_size;	/* bytes: a power of two, >= 4 regions */
	unsigned int region_order;	/* largest output region, 0..MAX_ORDER */
	bool os;		/* trace CPL 0 */
	bool user;		/* trace CPL > 0 */
	bool disretc;		/* no return compression */
	bool tsc;		/* TSC packets */
	u8 psb_freq;		/* encoding of CTL.PSBFreq, 0..15 */
};

struct pt_event_stats {
	u64 captured;		/* bytes handed to the consumer */
	u64 consumed;		/* bytes that it took */
	u64 lost_stops;		/* times that tracing stayed off unasked: no way
				   to wait (interrupts off for too long), or
				   the waiter gave up */
	u64 regions;		/* output regions filled */
	u64 pmis;		/* PMIs served */
	u64 spurious;		/* NMIs with bit 55 but nothing to do */
	u64 stopped;		/* STATUS.Stopped seen */
	u64 errors;		/* STATUS.Error seen */
	u64 room_waits;		/* waits for the consumer */
};

/**
 * pt_init() - capabilities of every CPU, the PMI handler, files in pt/
 *
 * Context: boot, after smp_start().
 * Return: 0; -ENODEV when a CPU has no Intel PT (CPUID 7 EBX[25]) or no ToPA;
 * -EBUSY when firmware left TraceEn set on one, the reason is printed;
 * -ETIMEDOUT when a CPU does not run a function; tree_add()'s errors.
 */
int __must_check pt_init(void);

/* What pt_init() returned: 0 where this machine can trace. */
int pt_usable(void);

/**
 * pt_event_create() - buffer and ToPA tables for one CPU
 * @cpu:	the CPU to be traced
 *
 * Context: thread, any CPU.
 * Return: the event; ERR_PTR of -EINVAL (config; what was wrong is printed),
 * -EOPNOTSUPP (this CPU's CPUID does not offer it), -ENOMEM (buffer larger than
 * the free memory: size and free bytes are printed), -EBUSY (the CPU has one).
 */
struct pt_event *pt_event_create(unsigned int cpu,
				 const struct pt_event_config *config);

/* Must be stopped. NULL is ignored. */
void pt_event_destroy(struct pt_event *event);

/**
 * pt_event_start() - begin a new capture: PSB+ comes first
 *
 * Context: thread, on the event's CPU, interrupts on. The buffer must be empty.
 * Return: 0; -EINVAL on another CPU or when it runs; -EBUSY when bytes of the
 * last capture wait or somebody else has set TraceEn; -EIO when STATUS shows Error right after enabling.
 */
int __must_check pt_event_start(struct pt_event *event);

/**
 * pt_event_stop() - end the capture; all bytes are with the consumer then
 *
 * Context: thread, on the event's CPU.
 */
void pt_event_stop(struct pt_event *event);

/**
 * pt_event_peek() - bytes that wait for the consumer
 * @data:	where they are; they stay until pt_event_consumed()
 *
 * Context: thread, any one CPU at a time.
 * Return: number of contiguous bytes, 0 when none wait.
 */
size_t pt_event_peek(struct pt_event *event, const u8 **data);
void pt_event_consumed(struct pt_event *event, size_t n);

/* True from pt_event_start() until pt_event_stop() has handed all over. */
bool pt_event_running(const struct pt_event *event);

/**
 * pt_event_set_room_waiter() - how the traced CPU gets room in a full buffer
 * @fn:		called on the traced CPU in interrupt context, tracing off; it
 *		returns when bytes were consumed: it waits for the consumer, or
 *		is the consumer itself
 *
 * Return of @fn: true to go on tracing, false to give up (counted as lost).
 */
void pt_event_set_room_waiter(struct pt_event *event,
			      bool (*fn)(struct pt_event *event, void *ctx),
			      void *ctx);

void pt_event_stats(const struct pt_event *event, struct pt_event_stats *stats);

#endif /* PT_EVENT_H */
