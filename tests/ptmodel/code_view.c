/* SPDX-License-Identifier: MIT */
/*
 * The code as one vCPU has executed it; see code_view.h.
 */
#include "code_view.h"

#include <stdlib.h>

#define PAGE_BYTES	4096ULL

struct code_view_page {
	struct code_view_page *next;
	uint64_t vaddr;
	uint8_t bytes[PAGE_BYTES];
	uint8_t known[PAGE_BYTES / 8];
};

static void *zeroed(size_t nr, size_t size)
{
	void *mem = calloc(nr, size);

	if (!mem)
		abort();
	return mem;
}

static void begin(struct code_view *view)
{
	view->seen = zeroed(CODE_VIEW_SEEN, sizeof(*view->seen));
	view->buckets = zeroed(CODE_VIEW_BUCKETS, sizeof(*view->buckets));
	view->epoch = 1;
}

void code_view_clear(struct code_view *view)
{
	struct code_view_page *page;
	size_t i;

	if (!view->epoch)
		return;
	for (i = 0; i < CODE_VIEW_BUCKETS; i++) {
		while ((page = view->buckets[i])) {
			view->buckets[i] = page->next;
			free(page);
		}
	}
	view->epoch++;
}

static struct code_view_page *page_of(struct code_view *view, uint64_t vaddr)
{
	uint64_t base = vaddr & ~(PAGE_BYTES - 1);
	struct code_view_page **bucket, *page;

	bucket = &view->buckets[base / PAGE_BYTES % CODE_VIEW_BUCKETS];
	for (page = *bucket; page; page = page->next)
		if (page->vaddr == base)
			return page;
	page = zeroed(1, sizeof(*page));
	page->vaddr = base;
	page->next = *bucket;
	*bucket = page;
	return page;
}

enum byte_news {
	BYTE_KNOWN,
	BYTE_NEW,
	BYTE_CHANGED,
};

static enum byte_news set_byte(struct code_view_page *page, size_t at,
			       uint8_t byte)
{
	bool known = page->known[at / 8] >> at % 8 & 1;

	if (known && page->bytes[at] == byte)
		return BYTE_KNOWN;
	page->bytes[at] = byte;
	page->known[at / 8] |= 1U << at % 8;
	return known ? BYTE_CHANGED : BYTE_NEW;
}

void code_view_look(struct code_view *view, struct truth_log *log,
		    const void *tb, uint64_t pc, const uint8_t *bytes,
		    size_t len)
{
	size_t i, first = len, end = 0;
	struct code_view_page *page = NULL;
	enum byte_news news;
	bool changed = false;

	if (!view->epoch)
		begin(view);
	for (i = 0; i < len; i++) {
		if (!page || !((pc + i) % PAGE_BYTES))
			page = page_of(view, pc + i);
		news = set_byte(page, (pc + i) % PAGE_BYTES, bytes[i]);
		if (news == BYTE_KNOWN)
			continue;
		if (first == len)
			first = i;
		end = i + 1;
		changed |= news == BYTE_CHANGED;
	}
	if (end)
		truth_log_code(log, pc + first, bytes + first, end - first);
	view->epoch += changed;
	*code_view_slot(view, pc) = (struct code_view_seen){
		.tb = tb, .pc = pc, .epoch = view->epoch,
	};
}
