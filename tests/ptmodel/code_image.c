/* SPDX-License-Identifier: MIT */
/*
 * Code image: pages with a bit for each byte that is known; see code_image.h.
 */
#include "code_image.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE_BYTES	4096ULL
#define NR_BUCKETS	4096

struct code_page {
	struct code_page *next;
	uint64_t vaddr;
	uint8_t bytes[PAGE_BYTES];
	uint8_t known[PAGE_BYTES / 8];
};

/* Owner: this file; under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct code_page *buckets[NR_BUCKETS];
static size_t nr_pages;
static unsigned long nr_changed;

static struct code_page *page_of(uint64_t vaddr)
{
	uint64_t base = vaddr & ~(PAGE_BYTES - 1);
	struct code_page **bucket = &buckets[base / PAGE_BYTES % NR_BUCKETS];
	struct code_page *page;

	for (page = *bucket; page; page = page->next)
		if (page->vaddr == base)
			return page;
	page = calloc(1, sizeof(*page));
	if (!page)
		abort();
	page->vaddr = base;
	page->next = *bucket;
	*bucket = page;
	nr_pages++;
	return page;
}

static bool is_known(const struct code_page *page, size_t at)
{
	return page->known[at / 8] >> at % 8 & 1;
}

void code_image_add(uint64_t vaddr, const uint8_t *bytes, size_t len)
{
	struct code_page *page;
	size_t at;

	pthread_mutex_lock(&lock);
	for (; len; len--, vaddr++, bytes++) {
		page = page_of(vaddr);
		at = vaddr % PAGE_BYTES;
		if (is_known(page, at) && page->bytes[at] != *bytes)
			nr_changed++;
		page->bytes[at] = *bytes;
		page->known[at / 8] |= 1U << at % 8;
	}
	pthread_mutex_unlock(&lock);
}

unsigned long code_image_changed(void)
{
	return nr_changed;
}

/* ---- writing ---- */

struct run {
	uint64_t vaddr;
	uint32_t len;
	uint8_t *bytes;
	size_t room;
};

static int by_vaddr(const void *a, const void *b)
{
	const struct code_page *const *pa = a, *const *pb = b;

	return (*pa)->vaddr < (*pb)->vaddr ? -1 :
	       (*pa)->vaddr > (*pb)->vaddr;
}

static void run_write(struct run *run, FILE *out)
{
	if (!run->len)
		return;
	fwrite(&run->vaddr, sizeof(run->vaddr), 1, out);
	fwrite(&run->len, sizeof(run->len), 1, out);
	fwrite(run->bytes, 1, run->len, out);
	run->len = 0;
}

static void run_append(struct run *run, FILE *out, uint64_t vaddr, uint8_t byte)
{
	if (run->len && run->vaddr + run->len != vaddr)
		run_write(run, out);
	if (run->len == run->room) {
		run->room = run->room ? run->room * 2 : PAGE_BYTES;
		run->bytes = realloc(run->bytes, run->room);
		if (!run->bytes)
			abort();
	}
	if (!run->len)
		run->vaddr = vaddr;
	run->bytes[run->len++] = byte;
}

static struct code_page **sorted_pages(void)
{
	struct code_page **pages = calloc(nr_pages + 1, sizeof(*pages));
	struct code_page *page;
	size_t i, n = 0;

	if (!pages)
		abort();
	for (i = 0; i < NR_BUCKETS; i++)
		for (page = buckets[i]; page; page = page->next)
			pages[n++] = page;
	qsort(pages, n, sizeof(*pages), by_vaddr);
	return pages;
}

int code_image_write(const char *path)
{
	struct code_page **pages;
	struct run run = { 0 };
	size_t i, at;
	FILE *out;
	int bad;

	out = fopen(path, "wb");
	if (!out)
		return -1;
	pthread_mutex_lock(&lock);
	pages = sorted_pages();
	for (i = 0; i < nr_pages; i++)
		for (at = 0; at < PAGE_BYTES; at++)
			if (is_known(pages[i], at))
				run_append(&run, out, pages[i]->vaddr + at,
					   pages[i]->bytes[at]);
	pthread_mutex_unlock(&lock);
	run_write(&run, out);
	bad = ferror(out);
	free(run.bytes);
	free(pages);
	return fclose(out) || bad ? -1 : 0;
}
