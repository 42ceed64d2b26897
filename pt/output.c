/* SPDX-License-Identifier: MIT */
/*
 * Handing bytes over: between the CPU's write position and the consumer's tail.
 */
#include "pt/event_state.h"

#include "lib/err.h"
#include "pt/rtit.h"

/* A PMI is wanted after so many regions, or a quarter of the buffer. */
#define WAKEUP_REGIONS	4

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

static u64 watermark(const struct pt_event *event)
{
	u64 regions = (u64)WAKEUP_REGIONS << event->buf->chunk[0].order;

	return min(regions << PAGE_SHIFT, pt_buffer_size(event->buf) / 4);
}

int pt_output_begin(struct pt_event *event)
{
	struct pt_buffer *buf = event->buf;
	u64 used = event->head - smp_load_acquire(&event->tail);
	struct pt_handle handle = {
		.head = event->head,
		.wakeup = event->head + watermark(event),
	};
	struct rtit_output out;

	if (used >= pt_buffer_size(buf))
		return -ENOSPC;
	handle.size = pt_buffer_size(buf) - used - 1;
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
