/* SPDX-License-Identifier: MIT */
/*
 * ToPA tables: where the CPU writes trace bytes.
 *
 * Builds and links tables; never touches RTIT MSRs (pt/rtit.c), never moves
 * data and never sets INT or STOP markers of a running buffer (pt/markers.c).
 */
#ifndef PT_TOPA_H
#define PT_TOPA_H

#include <asm/page.h>
#include "lib/bitfield.h"
#include "lib/list.h"
#include "lib/printk.h"
#include "mm/page.h"

struct pt_buffer;

/* SDM "ToPA Table Entry Fields". */
#define TOPA_ENTRY_END		BIT_ULL(0)
#define TOPA_ENTRY_INT		BIT_ULL(2)
#define TOPA_ENTRY_STOP		BIT_ULL(4)
#define TOPA_ENTRY_SIZE		GENMASK_ULL(9, 6)
#define TOPA_ENTRY_BASE		GENMASK_ULL(51, 12)

#define TOPA_SHIFT		12
#define TENTS_PER_PAGE		507	/* what is left beside struct topa */

/* Read by hardware: written whole, with WRITE_ONCE(), while TraceEn = 0. */
struct topa_entry {
	u64 raw;
};
static_assert(sizeof(struct topa_entry) == 8, "ToPA entry is one quadword");

/* One table, as software sees it. Constant once the buffer is built. */
struct topa {
	struct list_head list;	/* in pt_buffer.tables, in buffer order */
	u64 offset;		/* of the first region in the whole buffer */
	u64 size;		/* sum of the regions, in bytes */
	s16 last;		/* next free slot; of a closed table the link */
	u16 max;		/* data entries that the CPU lets it have */
	u32 z_count;		/* entries after entry 0 of the same size, in
				   an unbroken run */
};
static_assert(sizeof(struct topa) == 40, "fits behind 507 entries");

/*
 * A table is a page of its own: hardware reads it from the start and never
 * passes the END entry, which is slot 506 at the latest.
 */
struct topa_page {
	struct topa_entry table[TENTS_PER_PAGE];
	struct topa topa;
};
static_assert(sizeof(struct topa_page) == PAGE_SIZE, "one page");

static inline struct topa_page *topa_to_page(struct topa *topa)
{
	return container_of(topa, struct topa_page, topa);
}

/* The table that an entry belongs to. */
static inline struct topa *topa_of_entry(struct topa_entry *te)
{
	return &((struct topa_page *)((unsigned long)te & PAGE_MASK))->topa;
}

/* Slot @idx; -1 is the slot `last`. */
static inline struct topa_entry *topa_slot(struct topa *topa, int idx)
{
	return &topa_to_page(topa)->table[idx == -1 ? topa->last : idx];
}

static inline phys_addr_t topa_pa(struct topa *topa)
{
	return virt_to_phys(topa_to_page(topa));
}

static inline u64 topa_entry_size(const struct topa_entry *te)
{
	return 1ULL << (FIELD_GET(TOPA_ENTRY_SIZE, READ_ONCE(te->raw)) +
			TOPA_SHIFT);
}

static inline phys_addr_t topa_entry_pa(const struct topa_entry *te)
{
	return READ_ONCE(te->raw) & TOPA_ENTRY_BASE;
}

/**
 * topa_alloc() - an empty table
 * @cpu:	whose node the page comes from and whose CPUID says how many
 *		entries a table may have
 * @gfp:	allocation flags
 *
 * On a CPU with single-entry ToPA slot 1 links back to the table at once.
 *
 * Context: as @gfp.
 * Return: the table, or NULL when out of memory.
 */
struct topa *topa_alloc(int cpu, gfp_t gfp);

/**
 * topa_free() - give a table back
 *
 * It is not taken out of any list. Context: thread or interrupt; no CPU may
 * have TraceEn set with the table reachable from its OUTPUT_BASE.
 */
void topa_free(struct topa *topa);

/**
 * topa_insert_table() - append a table to a buffer
 *
 * The table before must be full; where tables are linked by hardware its slot
 * 506 becomes the link to @topa.
 *
 * Context: any; tracing is off.
 */
void topa_insert_table(struct pt_buffer *buf, struct topa *topa);

/* Claim: no data entry more goes in. */
bool topa_table_full(const struct topa *topa);

/**
 * topa_insert_pages() - append the next output region to a buffer
 * @buf:	buffer under construction; tracing is off
 * @cpu:	as for topa_alloc(), if a further table is needed
 * @gfp:	as for topa_alloc()
 *
 * The region is the chunk that starts at data page @buf->nr_pages.
 *
 * Context: thread; allocates as @gfp allows.
 * Return: 0 or -ENOMEM; @buf is unchanged on error.
 */
int __must_check topa_insert_pages(struct pt_buffer *buf, int cpu, gfp_t gfp);

/**
 * pt_buffer_init_topa() - tables for all chunks of a buffer
 * @buf:	its chunks are set, it has no tables
 * @cpu:	as for topa_alloc()
 * @nr_pages:	data pages in all, at least 1
 * @gfp:	as for topa_alloc()
 *
 * Context: thread; allocates as @gfp allows.
 * Return: 0 or -ENOMEM; then @buf has no tables again.
 */
int __must_check pt_buffer_init_topa(struct pt_buffer *buf, int cpu,
				     unsigned long nr_pages, gfp_t gfp);

/* Frees all tables. Context: as topa_free(). */
void pt_buffer_fini_topa(struct pt_buffer *buf);

/**
 * pt_topa_entry_for_page() - the entry whose region holds a data page
 * @pg:		page number in the buffer
 * @start:	if not NULL: offset in the buffer where that region starts
 *
 * Context: any, NMI included; reads only what is constant.
 * Return: the entry, or NULL when @pg is beyond the buffer.
 */
struct topa_entry *pt_topa_entry_for_page(struct pt_buffer *buf,
					  unsigned long pg, u64 *start);

/* The entry before @te in buffer order; before the first comes the last. */
struct topa_entry *pt_topa_prev_entry(struct pt_buffer *buf,
				      struct topa_entry *te);

/* The table after @topa in buffer order; after the last comes the first. */
struct topa *pt_topa_next_table(struct pt_buffer *buf, struct topa *topa);

/* Prints the tables; runs of equal entries by their first. Context: thread. */
void pt_topa_print(struct pt_buffer *buf, struct printer *out);
/* The same on the console. */
void pt_topa_dump(struct pt_buffer *buf);

#endif /* PT_TOPA_H */
