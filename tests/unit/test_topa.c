/* SPDX-License-Identifier: MIT */
/*
 * ToPA tables as the hardware will read them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/err.h"
#include "pt/buffer.h"
#include "pt/caps.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/host_pt.h"

static void set_up(const char *profile)
{
	host_pt_init(profile);
	assert_int_equal(pt_caps_read_all(), 0);
}

/*
 * Follows the tables from the first as the CPU would. Every region must lie at
 * a multiple of its size. Return: bytes until the ring closes.
 */
static u64 follow_ring(struct pt_buffer *buf, unsigned int *nr_regions)
{
	phys_addr_t first = topa_pa(buf->first), table = first;
	unsigned int index = 0;
	u64 sum = 0;

	*nr_regions = 0;
	for (;;) {
		struct topa_entry *te = (struct topa_entry *)
			phys_to_virt(table) + index;
		u64 size = topa_entry_size(te);

		assert_true(index < TENTS_PER_PAGE);
		if (te->raw & TOPA_ENTRY_END) {
			assert_true(index > 0);
			table = topa_entry_pa(te);
			index = 0;
			if (table == first)
				return sum;
			continue;
		}
		assert_int_equal(topa_entry_pa(te) & (size - 1), 0);
		sum += size;
		index++;
		++*nr_regions;
	}
}

static void the_tables_form_a_ring_over_all_pages(void **state)
{
	static const struct {
		unsigned long pages;
		unsigned int order;
	} shape[] = {
		{ 4, 0 }, { 512, 0 }, { 2048, 0 }, { 2048, 3 }, { 4096, 12 },
	};
	struct pt_buffer *buf;
	unsigned int nr;

	(void)state;
	set_up("skylake");
	for (size_t i = 0; i < ARRAY_SIZE(shape); i++) {
		buf = pt_buffer_alloc(0, shape[i].pages, shape[i].order,
				      GFP_KERNEL);
		assert_non_null(buf);
		assert_int_equal(follow_ring(buf, &nr),
				 shape[i].pages << PAGE_SHIFT);
		assert_int_equal(nr, shape[i].pages >> shape[i].order);
		pt_buffer_free(buf);
	}
	host_pt_fini();
}

static unsigned int nr_tables(struct pt_buffer *buf)
{
	struct topa *topa = buf->first;
	unsigned int n = 0;

	do {
		n++;
		topa = pt_topa_next_table(buf, topa);
	} while (topa != buf->first);
	return n;
}

static void a_full_table_chains_to_the_next_in_its_last_slot(void **state)
{
	struct topa_entry *link;
	struct pt_buffer *buf;

	(void)state;
	set_up("skylake");
	buf = pt_buffer_alloc(0, 512, 0, GFP_KERNEL);
	assert_non_null(buf);
	assert_int_equal(nr_tables(buf), 2);
	assert_true(topa_table_full(buf->first));
	link = topa_slot(buf->first, TENTS_PER_PAGE - 1);
	assert_int_equal(link->raw, topa_pa(buf->last) | TOPA_ENTRY_END);
	pt_buffer_free(buf);
	host_pt_fini();
}

static void a_single_entry_cpu_gets_a_table_for_each_region(void **state)
{
	struct pt_buffer *buf;
	struct topa *topa;

	(void)state;
	set_up("broadwell");
	buf = pt_buffer_alloc(0, 16, 1, GFP_KERNEL);
	assert_non_null(buf);
	assert_int_equal(nr_tables(buf), 8);
	topa = buf->first;
	for (int i = 0; i < 8; i++) {
		u64 link = topa_slot(topa, 1)->raw;

		assert_int_equal(topa_entry_size(topa_slot(topa, 0)), 8192);
		assert_true(topa_slot(topa, 0)->raw & TOPA_ENTRY_INT);
		assert_int_equal(link, topa_pa(topa) | TOPA_ENTRY_END);
		topa = pt_topa_next_table(buf, topa);
	}
	pt_buffer_free(buf);
	host_pt_fini();
}

static void every_page_is_found_in_its_entry(void **state)
{
	struct pt_buffer *buf;
	u64 start, want = 0;

	(void)state;
	set_up("skylake");
	buf = pt_buffer_alloc(0, 2048, 1, GFP_KERNEL);
	assert_non_null(buf);
	for (unsigned long pg = 0; pg < 2048; pg++) {
		struct topa_entry *te =
			pt_topa_entry_for_page(buf, pg, &start);
		const u8 *data;
		size_t n = pt_buffer_contiguous(buf, pg << PAGE_SHIFT, &data);

		assert_non_null(te);
		want = (pg & ~1UL) << PAGE_SHIFT;
		assert_int_equal(start, want);
		assert_int_equal(n, pg & 1 ? 4096 : 8192);
		assert_ptr_equal(data, (u8 *)phys_to_virt(topa_entry_pa(te)) +
				 (pg & 1) * 4096);
	}
	assert_null(pt_topa_entry_for_page(buf, 2048, NULL));
	pt_buffer_free(buf);
	host_pt_fini();
}

static void the_entry_before_is_the_one_whose_successor_it_is(void **state)
{
	struct pt_buffer *buf;

	(void)state;
	set_up("skylake");
	buf = pt_buffer_alloc(0, 2048, 0, GFP_KERNEL);
	assert_non_null(buf);
	for (unsigned long pg = 0; pg < 2048; pg++) {
		struct topa_entry *te = pt_topa_entry_for_page(buf, pg, NULL);
		unsigned long before = (pg + 2047) % 2048;

		assert_ptr_equal(pt_topa_prev_entry(buf, te),
				 pt_topa_entry_for_page(buf, before, NULL));
	}
	pt_buffer_free(buf);
	host_pt_fini();
}

/* STOP and INT at the region's end, whatever the write position. */
static void markers_never_stand_behind_the_write_position(void **state)
{
	struct pt_buffer *buf;
	u64 size = 16 << PAGE_SHIFT;

	(void)state;
	set_up("skylake");
	buf = pt_buffer_alloc(0, 16, 0, GFP_KERNEL);
	assert_non_null(buf);
	for (u64 head = 0; head < 3 * size; head += 777) {
		for (u64 room = 2 * PAGE_SIZE; room <= size; room += 1000) {
			struct pt_handle handle = {
				.head = head, .size = room - 1,
				.wakeup = head + room / 2,
			};
			u64 pos, end;

			pt_buffer_reset_offsets(buf, head);
			if (pt_buffer_reset_markers(buf, &handle))
				continue;
			/* From the head on, STOP comes before the room ends. */
			pos = head & ~(u64)(PAGE_SIZE - 1);
			for (end = pos + PAGE_SIZE; ; end += PAGE_SIZE) {
				unsigned long pg = (end - 1) >> PAGE_SHIFT;

				assert_true(end <= pos + size);
				if (pt_topa_entry_for_page(buf, pg % 16, NULL)
				    ->raw & TOPA_ENTRY_STOP)
					break;
			}
			assert_true(end <= head + room);
			assert_true(end + PAGE_SIZE > head + room);
		}
	}
	pt_buffer_free(buf);
	host_pt_fini();
}

static void memory_that_runs_out_leaves_nothing_behind(void **state)
{
	struct page_stats before, after;
	struct pt_buffer *buf;

	(void)state;
	set_up("skylake");
	pt_buffer_free(pt_buffer_alloc(0, 2048, 0, GFP_KERNEL));
	page_stats_read(&before);
	for (unsigned long n = 1; n < 2100; n += n < 30 ? 1 : 97) {
		page_fail_nth(n);
		buf = pt_buffer_alloc(0, 2048, 0, GFP_KERNEL | __GFP_NOWARN);
		page_fail_nth(0);
		pt_buffer_free(buf);
		page_stats_read(&after);
		assert_int_equal(after.nr_free, before.nr_free);
	}
	host_pt_fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_tables_form_a_ring_over_all_pages),
		cmocka_unit_test(
			a_full_table_chains_to_the_next_in_its_last_slot),
		cmocka_unit_test(
			a_single_entry_cpu_gets_a_table_for_each_region),
		cmocka_unit_test(every_page_is_found_in_its_entry),
		cmocka_unit_test(
			the_entry_before_is_the_one_whose_successor_it_is),
		cmocka_unit_test(markers_never_stand_behind_the_write_position),
		cmocka_unit_test(memory_that_runs_out_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
