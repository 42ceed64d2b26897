/* SPDX-License-Identifier: MIT */
/*
 * The AUX buffer of one CPU: data pages in chunks, and where the CPU writes.
 *
 * A chunk is one ToPA output region. Positions within the buffer are bytes
 * from its start; pt_update_head() turns the hardware's pointer into the bytes
 * that came in. Who consumes them is not known here (pt/output.c).
 */
#ifndef PT_BUFFER_H
#define PT_BUFFER_H

#include "lib/list.h"
#include "pt/topa.h"

/*
 * Single-entry ToPA raises its PMI before the region is full: what is left
 * then is at most this.
 */
#define TOPA_PMI_MARGIN		512

/* Contiguous data pages, aligned to their size: one output region. */
struct pt_chunk {
	phys_addr_t pa;
	u32 order;
};

struct pt_buffer {
	struct list_head tables;	/* in buffer order */
	struct topa *first, *last;
	struct pt_chunk *chunk;
	unsigned int nr_chunks;		/* allocated */
	unsigned int nr_inserted;	/* chunks that have an entry */
	unsigned long nr_pages;		/* of the inserted ones: a power of 2 */
	bool multi;			/* CPU takes many entries per table */

	/* Where the CPU writes; of the traced CPU alone, NMI included. */
	struct topa *cur;
	unsigned int cur_idx;
	u64 output_off;			/* bytes into the region */
	u64 head;			/* position of the last hand-over */
	u64 data_size;			/* bytes that came in since */
	bool advanced;			/* software moved past a filled region */

	/* Markers: page numbers (-1: none yet) and marked entries. */
	s64 stop_pos, intr_pos;
	struct topa_entry *stop_te, *intr_te;
};

/* The room that the consumer leaves: what Linux's perf_output_handle says. */
struct pt_handle {
	u64 head;	/* position to write at, counted from the first start */
	u64 size;	/* bytes that may be written, less one */
	u64 wakeup;	/* position at which a PMI is wanted, at the latest */
};

/* What pt_handle_status() found. */
#define PT_SEEN_ERROR		0x1u	/* STATUS.Error */
#define PT_SEEN_STOPPED		0x2u	/* STATUS.Stopped */
#define PT_SEEN_TRUNCATED	0x4u	/* stopped at a region's end: bytes
					   after it are lost */

static inline u64 pt_buffer_size(const struct pt_buffer *buf)
{
	return (u64)buf->nr_pages << PAGE_SHIFT;
}

/**
 * pt_buffer_alloc() - data pages and tables
 * @cpu:	whose node and whose kind of ToPA
 * @nr_pages:	a power of two
 * @max_order:	largest chunk; smaller ones are taken when memory is in pieces
 * @gfp:	allocation flags
 *
 * Chunk orders never grow along the buffer, so a region starts at a multiple
 * of its own size.
 *
 * Context: thread.
 * Return: the buffer or NULL when out of memory.
 */
struct pt_buffer *pt_buffer_alloc(int cpu, unsigned long nr_pages,
				  unsigned int max_order, gfp_t gfp);

/* NULL is ignored. Context: thread; no CPU traces into it. */
void pt_buffer_free(struct pt_buffer *buf);

/* The region at (cur, cur_idx): address and bytes. Context: any. */
void *pt_buffer_region(struct pt_buffer *buf);
u64 pt_buffer_region_size(struct pt_buffer *buf);

/* Bytes of the region that follows the one at (cur, cur_idx). */
u64 pt_buffer_next_region_size(struct pt_buffer *buf);

/**
 * pt_buffer_contiguous() - where a byte of the buffer is
 * @pos:	position, any lap
 * @ptr:	its address
 *
 * Context: any CPU, also while the buffer is written to.
 * Return: bytes from there to the end of its region.
 */
size_t pt_buffer_contiguous(struct pt_buffer *buf, u64 pos, const u8 **ptr);

/* Go to the start of the next region: the one at (cur, cur_idx) is full. */
void pt_buffer_advance(struct pt_buffer *buf);

/**
 * pt_read_offset() - take the write position from the MSRs
 *
 * Context: on the traced CPU, TraceEn = 0; NMI allowed.
 * Return: 0; -EIO when the MSRs name no table of this buffer, no data entry or
 * an offset beyond the region: the position is then as it was.
 */
int __must_check pt_read_offset(struct pt_buffer *buf);

/**
 * pt_handle_status() - look at STATUS and clear Error and Stopped
 *
 * Moves past a region that was filled to its end. PacketByteCnt is kept.
 *
 * Context: on the traced CPU, TraceEn = 0, after pt_read_offset(); NMI allowed.
 * Return: PT_SEEN_* bits.
 */
unsigned int pt_handle_status(struct pt_buffer *buf);

/**
 * pt_update_head() - how much came in since the last hand-over
 *
 * Adds to data_size; at most one lap, which the STOP marker sees to.
 *
 * Context: as pt_handle_status(), and after it.
 */
void pt_update_head(struct pt_buffer *buf);

/**
 * pt_buffer_reset_offsets() - set the write position
 * @head:	position, any lap
 *
 * Context: on the traced CPU, TraceEn = 0; NMI allowed.
 */
void pt_buffer_reset_offsets(struct pt_buffer *buf, u64 head);

/**
 * pt_buffer_reset_markers() - move INT and STOP to where the consumer allows
 * @buf:	after pt_buffer_reset_offsets(@handle->head)
 * @handle:	the room
 *
 * STOP goes to the last region that ends at or before the room's end, INT to
 * that one too and to the region before the wake-up position.
 *
 * Context: on the traced CPU, TraceEn = 0; NMI allowed.
 * Return: 0; -EINVAL when the room ends within the current region: the CPU
 * could not be stopped in time.
 */
int __must_check pt_buffer_reset_markers(struct pt_buffer *buf,
					 const struct pt_handle *handle);

#endif /* PT_BUFFER_H */
