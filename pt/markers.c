/* SPDX-License-Identifier: MIT */
/*
 * The INT and STOP markers of a running buffer, which follow its consumer.
 *
 * The CPU may cache entries while TraceEn = 1 (SDM "Table of Physical
 * Addresses"), so they are moved only while it is 0.
 */
#include "pt/buffer.h"

#include "lib/err.h"

static void set_bits(struct topa_entry *te, u64 bits)
{
	WRITE_ONCE(te->raw, te->raw | bits);
}

static void clear_bits(struct topa_entry *te, u64 bits)
{
	if (te)
		WRITE_ONCE(te->raw, te->raw & ~bits);
}

/* The entry before the one that holds page @pg. */
static struct topa_entry *entry_before(struct pt_buffer *buf, unsigned long pg)
{
	return pt_topa_prev_entry(buf, pt_topa_entry_for_page(buf, pg, NULL));
}

static void place_stop(struct pt_buffer *buf, u64 page)
{
	s64 pos = (s64)(page & (buf->nr_pages - 1));

	if (pos == buf->stop_pos)
		return;
	buf->stop_pos = pos;
	buf->stop_te = entry_before(buf, (unsigned long)pos);
}

static void place_intr(struct pt_buffer *buf, u64 page)
{
	s64 pos = (s64)(page & (buf->nr_pages - 1));

	if (pos == buf->intr_pos)
		return;
	buf->intr_pos = pos;
	buf->intr_te = entry_before(buf, (unsigned long)pos);
}

int pt_buffer_reset_markers(struct pt_buffer *buf,
			    const struct pt_handle *handle)
{
	u64 stop_page;

	if (buf->output_off + handle->size + 1 < pt_buffer_region_size(buf))
		return -EINVAL;
	if (!buf->multi)
		return 0;

	clear_bits(buf->stop_te, TOPA_ENTRY_STOP | TOPA_ENTRY_INT);
	clear_bits(buf->intr_te, TOPA_ENTRY_INT);

	/*
	 * The page of the first byte that is not ours. Linux adds up whole
	 * pages of head and size instead; when neither ends at a page that is
	 * one page short, and STOP can land behind the write position.
	 */
	stop_page = (handle->head + handle->size + 1) >> PAGE_SHIFT;
	place_stop(buf, stop_page);
	place_intr(buf, min(stop_page - 1, handle->wakeup >> PAGE_SHIFT));

	/*
	 * INT with STOP: else a CPU that stops before its consumer moved would
	 * never be heard of again.
	 */
	set_bits(buf->stop_te, TOPA_ENTRY_STOP | TOPA_ENTRY_INT);
	set_bits(buf->intr_te, TOPA_ENTRY_INT);
	return 0;
}
