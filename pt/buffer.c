/* SPDX-License-Identifier: MIT */
/*
 * The AUX buffer of one CPU: data pages, and the write position.
 *
 * The markers are in pt/markers.c, programming the MSRs in pt/rtit.c.
 */
#include "pt/buffer.h"

#include <asm/percpu.h>
#include "lib/err.h"
#include "lib/string.h"
#include "mm/slab.h"
#include "pt/caps.h"
#include "pt/rtit.h"

static void free_chunks(struct pt_buffer *buf)
{
	while (buf->nr_chunks) {
		struct pt_chunk *chunk = &buf->chunk[--buf->nr_chunks];

		__free_pages(phys_to_page(chunk->pa), chunk->order);
	}
}

/*
 * Takes the largest order that there is and never a larger one after it: then
 * each region starts at a multiple of its size, and the sum is exact.
 */
static int alloc_chunks(struct pt_buffer *buf, int cpu, unsigned long nr_pages,
			unsigned int order, gfp_t gfp)
{
	struct page *page;

	order = min(order, ilog2(nr_pages));
	while (nr_pages) {
		page = alloc_pages_node(cpu_to_node(cpu), gfp | __GFP_NOWARN,
					order);
		if (!page && !order)
			return -ENOMEM;
		if (!page) {
			order--;
			continue;
		}
		buf->chunk[buf->nr_chunks].pa = page_to_phys(page);
		buf->chunk[buf->nr_chunks++].order = order;
		nr_pages -= 1UL << order;
	}
	return 0;
}

struct pt_buffer *pt_buffer_alloc(int cpu, unsigned long nr_pages,
				  unsigned int max_order, gfp_t gfp)
{
	struct pt_buffer *buf = kzalloc(sizeof(*buf), gfp);

	if (!buf)
		return NULL;
	INIT_LIST_HEAD(&buf->tables);
	buf->multi = pt_caps_of((unsigned int)cpu)->topa_multiple_entries;
	buf->stop_pos = -1;
	buf->intr_pos = -1;
	/* As many as there can be, when only single pages are left. */
	buf->chunk = kcalloc(nr_pages, sizeof(*buf->chunk), gfp);
	if (!buf->chunk)
		goto free_buf;
	if (alloc_chunks(buf, cpu, nr_pages, max_order, gfp))
		goto free_chunks;
	if (pt_buffer_init_topa(buf, cpu, nr_pages, gfp))
		goto free_chunks;
	return buf;

free_chunks:
	free_chunks(buf);
	kfree(buf->chunk);
free_buf:
	kfree(buf);
	return NULL;
}

void pt_buffer_free(struct pt_buffer *buf)
{
	if (!buf)
		return;
	pt_buffer_fini_topa(buf);
	free_chunks(buf);
	kfree(buf->chunk);
	kfree(buf);
}

static struct topa_entry *cur_entry(struct pt_buffer *buf)
{
	return topa_slot(buf->cur, (int)buf->cur_idx);
}

void *pt_buffer_region(struct pt_buffer *buf)
{
	return phys_to_virt(topa_entry_pa(cur_entry(buf)));
}

u64 pt_buffer_region_size(struct pt_buffer *buf)
{
	return topa_entry_size(cur_entry(buf));
}

/* The step of pt_buffer_advance(), without taking it. */
static struct topa_entry *next_entry(struct pt_buffer *buf)
{
	if ((int)buf->cur_idx + 1 < buf->cur->last)
		return cur_entry(buf) + 1;
	return topa_slot(pt_topa_next_table(buf, buf->cur), 0);
}

u64 pt_buffer_next_region_size(struct pt_buffer *buf)
{
	return topa_entry_size(next_entry(buf));
}

size_t pt_buffer_contiguous(struct pt_buffer *buf, u64 pos, const u8 **ptr)
{
	struct topa_entry *te;
	u64 start;

	pos &= pt_buffer_size(buf) - 1;
	te = pt_topa_entry_for_page(buf, pos >> PAGE_SHIFT, &start);
	*ptr = (const u8 *)phys_to_virt(topa_entry_pa(te)) + (pos - start);
	return topa_entry_size(te) - (pos - start);
}

void pt_buffer_advance(struct pt_buffer *buf)
{
	struct topa_entry *te = next_entry(buf);

	buf->cur = topa_of_entry(te);
	buf->cur_idx = (unsigned int)(te - topa_slot(buf->cur, 0));
	buf->output_off = 0;
	buf->advanced = true;
}

/* The hardware is trusted no further than its MSRs name one of our tables. */
static struct topa *find_table(struct pt_buffer *buf, phys_addr_t pa)
{
	struct topa *topa = buf->cur;

	do {
		if (topa_pa(topa) == pa)
			return topa;
		topa = pt_topa_next_table(buf, topa);
	} while (topa != buf->cur);
	return NULL;
}

int pt_read_offset(struct pt_buffer *buf)
{
	struct rtit_output out;
	struct topa *topa;

	rtit_read_output(&out);
	topa = find_table(buf, out.base);
	if (!topa)
		return -EIO;
	/* It may rest on the link, before it goes on to the next table. */
	if (buf->multi && (int)out.index == topa->last && !out.offset) {
		topa = pt_topa_next_table(buf, topa);
		out.index = 0;
	}
	if (out.index >= (unsigned int)topa->last ||
	    out.offset > topa_entry_size(topa_slot(topa, (int)out.index)))
		return -EIO;
	buf->cur = topa;
	buf->cur_idx = out.index;
	buf->output_off = out.offset;
	return 0;
}

static bool at_region_end(struct pt_buffer *buf)
{
	u64 left = pt_buffer_region_size(buf) - buf->output_off;

	return buf->multi ? !left : left <= TOPA_PMI_MARGIN;
}

/* What was not written since the buffer was new must read as PAD. */
static void zero_rest(struct pt_buffer *buf)
{
	memset((u8 *)pt_buffer_region(buf) + buf->output_off, 0,
	       pt_buffer_region_size(buf) - buf->output_off);
}

unsigned int pt_handle_status(struct pt_buffer *buf)
{
	u64 status = rtit_read_status();
	unsigned int seen = 0;

	if (status & RTIT_STATUS_ERROR)
		seen |= PT_SEEN_ERROR;
	if (status & RTIT_STATUS_STOPPED)
		seen |= PT_SEEN_STOPPED;

	/*
	 * Stopped elsewhere is the work of an address filter: nothing was cut.
	 * The single-entry CPU has no next region to go to and is moved on here
	 * each time, whether it stopped already or not.
	 */
	if (at_region_end(buf) && ((seen & PT_SEEN_STOPPED) || !buf->multi)) {
		if (seen & PT_SEEN_STOPPED)
			seen |= PT_SEEN_TRUNCATED;
		zero_rest(buf);
		pt_buffer_advance(buf);
	}
	if (seen)
		rtit_write_status(status & ~(RTIT_STATUS_ERROR |
					     RTIT_STATUS_STOPPED));
	return seen;
}

static u64 cur_position(struct pt_buffer *buf)
{
	u64 base = buf->cur->offset + buf->output_off;
	unsigned int i;

	for (i = 0; i < buf->cur_idx; i++)
		base += topa_entry_size(topa_slot(buf->cur, (int)i));
	return base;
}

void pt_update_head(struct pt_buffer *buf)
{
	u64 old = buf->head & (pt_buffer_size(buf) - 1);
	u64 base = cur_position(buf);

	/*
	 * Same place: nothing came, or exactly one lap. A lap can only end at
	 * the STOP marker, and from there software moved the pointer. (Linux
	 * looks at the step over the buffer's end instead, and takes a lap that
	 * ends elsewhere for nothing.)
	 */
	if (base < old || (base == old && buf->advanced))
		base += pt_buffer_size(buf);
	buf->data_size += base - old;
	buf->head = base;
	buf->advanced = false;
}

void pt_buffer_reset_offsets(struct pt_buffer *buf, u64 head)
{
	u64 pos = head & (pt_buffer_size(buf) - 1);
	struct topa_entry *te;
	u64 start;

	te = pt_topa_entry_for_page(buf, pos >> PAGE_SHIFT, &start);
	buf->cur = topa_of_entry(te);
	buf->cur_idx = (unsigned int)(te - topa_slot(buf->cur, 0));
	/* Not head modulo region size: right for any order of chunk sizes. */
	buf->output_off = pos - start;
	buf->head = head;
	buf->data_size = 0;
	buf->advanced = false;
}
