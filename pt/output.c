/* SPDX-License-Identifier: MIT */
/*
 * Handing bytes over: between the CPU's write position and the consumer's tail.
 */
#include "pt/event_state.h"

#include "lib/err.h"
#include "pt/rtit.h"

/* A PMI is wanted after so many regions, or a quarter of the buffer. */
#define WAKEUP_REGIONS	4
/*
 * Regions between the last PMI and STOP. STOP cuts packets and loses what comes
 * after it, so it is only the net below: tracing ends in the PMI handler, whole,
 * and the PMI comes late (skid) by less than a region.
 */
#define SKID_REGIONS	2
/* Kept for code that runs with interrupts off, where nobody can wait. */
#define RESERVE_REGIONS	4

void pt_output_end(struct pt_event *event)
{
	struct pt_buffer *buf = event->buf;
	unsigned int seen;

	if (pt_read_offset(buf)) {
		/* The MSRs name no place of ours: what came in is lost. */
		event->stats.errors++;
		return;
	}
	seen = pt_handle_status(buf);
	if (seen & PT_SEEN_ERROR)
		event->stats.errors++;
	if (seen & PT_SEEN_STOPPED)
		event->stats.stopped++;
	pt_update_head(buf);
	/* The fence of rtit_disable() came before: the bytes are in memory. */
	smp_store_release(&event->head, event->head + buf->data_size);
	buf->data_size = 0;
}

static u64 largest_region(const struct pt_event *event)
{
	return PAGE_SIZE << event->buf->chunk[0].order;
}

/* Pairs with the release in pt_event_consumed(): the bytes were read. */
static u64 room_of(const struct pt_event *event)
{
	return pt_buffer_size(event->buf) -
	       (event->head - smp_load_acquire(&event->tail));
}

/* With less there is no telling that the PMI comes before STOP. */
static u64 least_room(const struct pt_event *event)
{
	return (SKID_REGIONS + 1) * largest_region(event);
}

/* Bytes until the next PMI, of @room. 0: the room is too small to go on. */
static u64 watermark(const struct pt_event *event, u64 room)
{
	u64 region = largest_region(event);
	u64 wanted = min(WAKEUP_REGIONS * region,
			 pt_buffer_size(event->buf) / 4);

	if (room < least_room(event))
		return 0;
	return min(wanted, room - SKID_REGIONS * region);
}

bool pt_output_room_low(const struct pt_event *event)
{
	u64 reserve = min(RESERVE_REGIONS * largest_region(event),
			  pt_buffer_size(event->buf) / 4);

	return room_of(event) < least_room(event) + reserve;
}

int pt_output_begin(struct pt_event *event)
{
	struct pt_buffer *buf = event->buf;
	u64 room = room_of(event);
	u64 wakeup = watermark(event, room);
	struct pt_handle handle = {
		.head = event->head,
		.size = room - 1,
		.wakeup = event->head + wakeup,
	};
	struct rtit_output out;

	if (!wakeup)
		return -ENOSPC;
	pt_buffer_reset_offsets(buf, event->head);
	if (pt_buffer_reset_markers(buf, &handle))
		return -ENOSPC;
	out.base = topa_pa(buf->cur);
	out.index = buf->cur_idx;
	out.offset = (u32)buf->output_off;
	rtit_write_output(&out);
	rtit_enable(event->ctl);
	return 0;
}
