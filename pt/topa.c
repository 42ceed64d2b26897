/* SPDX-License-Identifier: MIT */
/*
 * ToPA tables: building, linking and searching them.
 *
 * Never touches RTIT MSRs, never sets the INT and STOP markers of a running
 * buffer.
 */
#include "pt/topa.h"

#include <asm/percpu.h>
#include <asm/traps.h>
#include "lib/err.h"
#include "pt/buffer.h"
#include "pt/caps.h"

/* The last slot of a page is kept for the link. */
#define TOPA_MAX_DATA	(TENTS_PER_PAGE - 1)

static void topa_write_link(struct topa *from, unsigned int slot,
			    struct topa *to)
{
	WRITE_ONCE(topa_to_page(from)->table[slot].raw,
		   topa_pa(to) | TOPA_ENTRY_END);
}

/* Single-entry hardware knows one region a table, linked to itself. */
static bool topa_is_single_entry(const struct topa *topa)
{
	return topa->max == 1;
}

struct topa *topa_alloc(int cpu, gfp_t gfp)
{
	struct page *page;
	struct topa *topa;

	page = alloc_pages_node(cpu_to_node(cpu), gfp | __GFP_ZERO, 0);
	if (!page)
		return NULL;
	topa = &((struct topa_page *)page_address(page))->topa;
	topa->max = TOPA_MAX_DATA;
	if (!pt_caps_of((unsigned int)cpu)->topa_multiple_entries) {
		topa->max = 1;
		topa_write_link(topa, 1, topa);
	}
	return topa;
}

void topa_free(struct topa *topa)
{
	free_pages((unsigned long)topa_to_page(topa), 0);
}

void topa_insert_table(struct pt_buffer *buf, struct topa *topa)
{
	struct topa *last = buf->last;

	list_add_tail(&topa->list, &buf->tables);
	buf->last = topa;
	if (!buf->first) {
		buf->first = topa;
		buf->cur = topa;
		return;
	}
	topa->offset = last->offset + last->size;
	BUG_ON(!topa_table_full(last));
	if (!topa_is_single_entry(last))
		topa_write_link(last, TOPA_MAX_DATA, topa);
}

bool topa_table_full(const struct topa *topa)
{
	return topa->last == topa->max;
}

/* z_count grows only while all entries so far are one run of equal sizes. */
static void topa_count_run(struct topa *topa, u64 size)
{
	if (topa->last < 1 || topa->z_count != (u32)topa->last - 1)
		return;
	if (topa_entry_size(topa_slot(topa, topa->last - 1)) == size)
		topa->z_count++;
}

static void topa_append(struct topa *topa, const struct pt_chunk *chunk)
{
	u64 raw = chunk->pa | FIELD_PREP(TOPA_ENTRY_SIZE, chunk->order);
	u64 size = PAGE_SIZE << chunk->order;

	/* The only region of its table: its markers never move. */
	if (topa_is_single_entry(topa))
		raw |= TOPA_ENTRY_INT | TOPA_ENTRY_STOP;
	topa_count_run(topa, size);
	WRITE_ONCE(topa_slot(topa, -1)->raw, raw);
	topa->last++;
	topa->size += size;
}

int topa_insert_pages(struct pt_buffer *buf, int cpu, gfp_t gfp)
{
	const struct pt_chunk *chunk = &buf->chunk[buf->nr_inserted];
	struct topa *topa;

	if (topa_table_full(buf->last)) {
		topa = topa_alloc(cpu, gfp);
		if (!topa)
			return -ENOMEM;
		topa_insert_table(buf, topa);
	}
	topa_append(buf->last, chunk);
	buf->nr_inserted++;
	buf->nr_pages += 1UL << chunk->order;
	return 0;
}

int pt_buffer_init_topa(struct pt_buffer *buf, int cpu, unsigned long nr_pages,
			gfp_t gfp)
{
	struct topa *topa;
	int err;

	topa = topa_alloc(cpu, gfp);
	if (!topa)
		return -ENOMEM;
	topa_insert_table(buf, topa);

	while (buf->nr_pages < nr_pages) {
		err = topa_insert_pages(buf, cpu, gfp);
		if (err)
			goto free_tables;
	}
	if (!topa_is_single_entry(buf->last))
		topa_write_link(buf->last, (unsigned int)buf->last->last,
				buf->first);
	return 0;

free_tables:
	pt_buffer_fini_topa(buf);
	return err;
}

void pt_buffer_fini_topa(struct pt_buffer *buf)
{
	struct topa *topa, *next;

	list_for_each_entry_safe(topa, next, &buf->tables, list)
		topa_free(topa);
	INIT_LIST_HEAD(&buf->tables);
	buf->first = NULL;
	buf->last = NULL;
	buf->cur = NULL;
	buf->cur_idx = 0;
	buf->nr_pages = 0;
	buf->nr_inserted = 0;
	buf->stop_te = NULL;
	buf->intr_te = NULL;
}

static struct topa *topa_for_offset(struct pt_buffer *buf, u64 offset)
{
	struct topa *topa;

	list_for_each_entry(topa, &buf->tables, list)
		if (topa->offset + topa->size > offset)
			return topa;
	return NULL;
}

struct topa_entry *pt_topa_entry_for_page(struct pt_buffer *buf,
					  unsigned long pg, u64 *start)
{
	u64 offset = (u64)pg << PAGE_SHIFT;
	struct topa *topa;
	u64 size, at;
	int idx;

	if (pg >= buf->nr_pages)
		return NULL;
	topa = topa_for_offset(buf, offset);
	if (!topa)
		return NULL;

	/* Over the run of equal regions by division, the rest by a walk. */
	size = topa_entry_size(topa_slot(topa, 0));
	idx = (int)min((offset - topa->offset) / size, (u64)topa->z_count);
	at = topa->offset + (u64)idx * size;
	while (at + topa_entry_size(topa_slot(topa, idx)) <= offset)
		at += topa_entry_size(topa_slot(topa, idx++));
	if (start)
		*start = at;
	return topa_slot(topa, idx);
}

struct topa_entry *pt_topa_prev_entry(struct pt_buffer *buf,
				      struct topa_entry *te)
{
	struct topa *topa = topa_of_entry(te);

	if (te != topa_slot(topa, 0))
		return te - 1;
	topa = topa == buf->first ? buf->last : list_prev_entry(topa, list);
	return topa_slot(topa, topa->last - 1);
}

struct topa *pt_topa_next_table(struct pt_buffer *buf, struct topa *topa)
{
	return topa == buf->last ? buf->first : list_next_entry(topa, list);
}

static void print_entry(struct topa *topa, int idx, struct printer *out)
{
	u64 raw = READ_ONCE(topa_slot(topa, idx)->raw);

	pr_to(out, "  %3d %012llx %8llu KiB %c%c%c raw %016llx\n", idx,
	      (unsigned long long)(raw & TOPA_ENTRY_BASE),
	      (unsigned long long)topa_entry_size(topa_slot(topa, idx)) >> 10,
	      raw & TOPA_ENTRY_END ? 'E' : '-',
	      raw & TOPA_ENTRY_INT ? 'I' : '-',
	      raw & TOPA_ENTRY_STOP ? 'S' : '-', (unsigned long long)raw);
}

/* Entries that carry nothing new within a run of equal ones are left out. */
static bool is_dull(struct topa *topa, int idx)
{
	u64 raw = READ_ONCE(topa_slot(topa, idx)->raw);

	return idx > 0 && idx <= (int)topa->z_count && idx != topa->last - 1 &&
	       !(raw & (TOPA_ENTRY_INT | TOPA_ENTRY_STOP));
}

void pt_topa_print(struct pt_buffer *buf, struct printer *out)
{
	struct topa *topa;
	int idx;

	list_for_each_entry(topa, &buf->tables, list) {
		pr_to(out, "ToPA table at %012llx: offset %llx size %llx,"
		      " %d regions\n", (unsigned long long)topa_pa(topa),
		      (unsigned long long)topa->offset,
		      (unsigned long long)topa->size, topa->last);
		for (idx = 0; idx <= topa->last; idx++)
			if (!is_dull(topa, idx))
				print_entry(topa, idx, out);
	}
}

void pt_topa_dump(struct pt_buffer *buf)
{
	pt_topa_print(buf, &console_printer);
}
