/* SPDX-License-Identifier: MIT */
/*
 * The driver on the hardware model's engine: every byte that the hardware
 * wrote reaches the consumer once and in order, and what cannot is counted.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <asm/page.h>
#include <asm/percpu.h>
#include "lib/err.h"
#include "pt/caps.h"
#include "pt/event.h"
#include "pt/event_state.h"
#include "pt/rtit.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/host_pt.h"

#define OUTPUT_MAX	(8u << 20)

struct consumer {
	u8 *data;
	size_t n;
	size_t piece;		/* bytes taken in one go at most */
	unsigned int calls;	/* of the room waiter */
	bool gives_up;
};

static struct consumer consumer;

static void set_up(const char *profile)
{
	host_pt_init(profile);
	assert_int_equal(pt_caps_read_all(), 0);
	pmi_init();
	memset(&consumer, 0, sizeof(consumer));
	consumer.data = malloc(OUTPUT_MAX);
	assert_non_null(consumer.data);
}

static void tear_down(void)
{
	host_pt_fini();
	free(consumer.data);
}

/* Takes up to @max bytes. */
static size_t take(struct pt_event *event, size_t max)
{
	const u8 *data;
	size_t n = pt_event_peek(event, &data);

	if (n > max)
		n = max;
	if (!n)
		return 0;
	assert_true(consumer.n + n <= OUTPUT_MAX);
	memcpy(consumer.data + consumer.n, data, n);
	consumer.n += n;
	pt_event_consumed(event, n);
	return n;
}

static void take_all(struct pt_event *event)
{
	while (take(event, SIZE_MAX))
		;
}

static bool make_room(struct pt_event *event, void *ctx)
{
	struct consumer *c = ctx;

	c->calls++;
	return !c->gives_up && take(event, c->piece);
}

static struct pt_event *start(u64 size, unsigned int order)
{
	struct pt_event_config config = {
		.buffer_size = size, .region_order = order,
		.os = true, .user = true,
	};
	struct pt_event *event = pt_event_create(0, &config);

	assert_false(IS_ERR(event));
	consumer.piece = SIZE_MAX;
	pt_event_set_room_waiter(event, make_room, &consumer);
	assert_int_equal(pt_event_start(event), 0);
	return event;
}

/*
 * Where each table has one region only, its rest is given up at the PMI and
 * reads as PAD, a byte 0: both sides are compared without their zero bytes.
 */
static size_t without_pad(u8 *data, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (data[i])
			data[kept++] = data[i];
	return kept;
}

/* The consumer's bytes are what the hardware wrote, or the start of it. */
static void assert_same_bytes(bool all)
{
	assert_true(consumer.n <= host_pt.nr_written);
	if (all)
		assert_int_equal(consumer.n, host_pt.nr_written);
	assert_memory_equal(consumer.data, host_pt.written, consumer.n);
}

static void assert_nothing_lost(struct pt_event *event)
{
	struct pt_event_stats stats;

	pt_event_stats(event, &stats);
	assert_int_equal(stats.lost_stops, 0);
	assert_int_equal(stats.errors, 0);
	assert_int_equal(stats.stopped, 0);
	if (pt_caps_of(0)->topa_multiple_entries)
		assert_int_equal(stats.captured, host_pt.nr_written);
	assert_int_equal(stats.consumed, stats.captured);
	assert_true(stats.pmis >= 1);
}

static void run_one(const char *profile, u64 size, unsigned int order,
		    size_t piece)
{
	struct pt_event *event;

	set_up(profile);
	event = start(size, order);
	consumer.piece = piece;
	host_pt_run(100000);
	pt_event_stop(event);
	take_all(event);
	assert_nothing_lost(event);
	assert_true(host_pt.nr_written > 2 * size);
	if (!pt_caps_of(0)->topa_multiple_entries) {
		consumer.n = without_pad(consumer.data, consumer.n);
		host_pt.nr_written = without_pad(host_pt.written,
						 host_pt.nr_written);
	}
	assert_same_bytes(true);
	pt_event_destroy(event);
	tear_down();
}

static void every_byte_reaches_the_consumer_in_order(void **state)
{
	static const char *const profile[] = { "skylake", "broadwell" };
	static const struct {
		u64 size;
		unsigned int order;
		size_t piece;
	} buffer[] = {
		{ 16 << 10, 0, SIZE_MAX }, { 16 << 10, 0, 100 },
		{ 64 << 10, 0, 5000 }, { 64 << 10, 2, SIZE_MAX },
		{ 128 << 10, 3, 33 }, { 128 << 10, 1, 4096 },
	};

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(profile); p++)
		for (size_t b = 0; b < ARRAY_SIZE(buffer); b++)
			run_one(profile[p], buffer[b].size, buffer[b].order,
				buffer[b].piece);
}

static void a_consumer_that_keeps_up_is_never_waited_for(void **state)
{
	struct pt_event_stats stats;
	struct pt_event *event;

	(void)state;
	set_up("skylake");
	event = start(256 << 10, 2);
	for (int i = 0; i < 3000; i++) {
		host_pt_run(20);
		take_all(event);
	}
	pt_event_stop(event);
	take_all(event);
	assert_same_bytes(true);
	pt_event_stats(event, &stats);
	assert_int_equal(stats.room_waits, 0);
	assert_int_equal(consumer.calls, 0);
	pt_event_destroy(event);
	tear_down();
}

/* Branches that about fill @bytes: an indirect jump is 5 to 7 bytes here. */
static void run_bytes(size_t bytes)
{
	size_t end = host_pt.nr_written + bytes;

	for (int i = 0; i < 100000 && host_pt.nr_written < end; i++)
		host_pt_run(10);
}

static void code_with_interrupts_off_is_traced_into_the_reserve(void **state)
{
	struct pt_event *event;

	(void)state;
	set_up("skylake");
	event = start(64 << 10, 0);
	for (int i = 0; i < 40; i++) {
		run_bytes(3000);
		host_pt.irqs_on = false;
		run_bytes(6000);
		host_pt.irqs_on = true;
	}
	pt_event_stop(event);
	take_all(event);
	assert_same_bytes(true);
	assert_nothing_lost(event);
	assert_true(consumer.calls > 0);
	pt_event_destroy(event);
	tear_down();
}

static void interrupts_off_for_too_long_is_counted_and_tears_nothing(
	void **state)
{
	struct pt_event_stats stats;
	struct pt_event *event;
	size_t n;

	(void)state;
	set_up("skylake");
	event = start(64 << 10, 0);
	host_pt.irqs_on = false;
	host_pt_run(40000);
	n = host_pt.nr_written;
	assert_true(n <= 64 << 10);
	host_pt.irqs_on = true;
	host_pt_run(20000);
	assert_true(host_pt.nr_written > n);
	pt_event_stop(event);
	take_all(event);
	assert_same_bytes(true);
	pt_event_stats(event, &stats);
	assert_int_equal(stats.lost_stops, 1);
	assert_int_equal(stats.stopped, 0);
	pt_event_destroy(event);
	tear_down();
}

static void a_consumer_that_is_gone_ends_the_trace_with_a_count(void **state)
{
	struct pt_event_stats stats;
	struct pt_event *event;

	(void)state;
	set_up("skylake");
	event = start(32 << 10, 0);
	consumer.gives_up = true;
	host_pt_run(50000);
	pt_event_stop(event);
	assert_true(host_pt.nr_written <= 32 << 10);
	take_all(event);
	assert_same_bytes(true);
	pt_event_stats(event, &stats);
	assert_true(stats.lost_stops >= 1);
	pt_event_destroy(event);
	tear_down();
}

static void a_late_pmi_within_a_region_loses_nothing(void **state)
{
	struct pt_event *event;

	(void)state;
	set_up("skylake");
	event = start(128 << 10, 1);
	host_pt.skid = 1000;
	host_pt_run(100000);
	pt_event_stop(event);
	take_all(event);
	assert_same_bytes(true);
	assert_nothing_lost(event);
	pt_event_destroy(event);
	tear_down();
}

static void a_pmi_that_never_comes_ends_at_stop_and_is_counted(void **state)
{
	struct pt_event_stats stats;
	struct pt_event *event;

	(void)state;
	set_up("skylake");
	event = start(32 << 10, 0);
	host_pt.deliver_pmi = false;
	host_pt_run(50000);
	assert_true(host_pt.nr_written <= 32 << 10);
	pt_event_stop(event);
	take_all(event);
	assert_same_bytes(true);
	pt_event_stats(event, &stats);
	assert_int_equal(stats.stopped, 1);
	assert_int_equal(stats.pmis, 0);
	pt_event_destroy(event);
	tear_down();
}

static void captures_follow_each_other_in_one_buffer(void **state)
{
	struct pt_event *event;

	(void)state;
	set_up("skylake");
	event = start(32 << 10, 0);
	for (int i = 0; i < 50; i++) {
		host_pt_run(777);
		pt_event_stop(event);
		assert_false(pt_event_running(event));
		if (pt_event_peek(event, &(const u8 *){ NULL }))
			assert_int_equal(pt_event_start(event), -EBUSY);
		take_all(event);
		assert_int_equal(pt_event_start(event), 0);
		assert_true(pt_event_running(event));
	}
	pt_event_stop(event);
	take_all(event);
	assert_same_bytes(true);
	pt_event_destroy(event);
	tear_down();
}

static void tracing_that_is_not_ours_is_not_touched(void **state)
{
	struct pt_event_config config = {
		.buffer_size = 16 << 10, .os = true,
	};
	struct pt_event *event;

	(void)state;
	set_up("skylake");
	event = pt_event_create(0, &config);
	assert_false(IS_ERR(event));
	rtit_enable(RTIT_CTL_TRACEEN | RTIT_CTL_BRANCH_EN | RTIT_CTL_TOPA);
	assert_int_equal(pt_event_start(event), -EBUSY);
	assert_true(rtit_enabled());
	pt_event_destroy(event);
	tear_down();
}

static long error_of(struct pt_event_config config, unsigned int cpu)
{
	struct pt_event *event = pt_event_create(cpu, &config);

	assert_true(IS_ERR(event));
	return PTR_ERR(event);
}

static void impossible_configurations_are_refused(void **state)
{
	const struct pt_event_config good = {
		.buffer_size = 64 << 10, .os = true,
	};
	struct pt_event_config bad;
	struct pt_event *event;

	(void)state;
	set_up("broadwell");
	bad = good;
	bad.buffer_size = 3 * PAGE_SIZE;
	assert_int_equal(error_of(bad, 0), -EINVAL);
	bad.buffer_size = 2 * PAGE_SIZE;
	assert_int_equal(error_of(bad, 0), -EINVAL);
	bad.buffer_size = 1000;
	assert_int_equal(error_of(bad, 0), -EINVAL);
	bad = good;
	bad.region_order = MAX_ORDER + 1;
	assert_int_equal(error_of(bad, 0), -EINVAL);
	bad = good;
	bad.psb_freq = 3;	/* CPUID of this processor has no PSBFreq */
	assert_int_equal(error_of(bad, 0), -EOPNOTSUPP);
	bad = good;
	bad.buffer_size = 1ULL << 40;
	assert_int_equal(error_of(bad, 0), -ENOMEM);
	assert_int_equal(error_of(good, 1), -EINVAL);
	event = pt_event_create(0, &good);
	assert_false(IS_ERR(event));
	assert_int_equal(error_of(good, 0), -EBUSY);
	host_cpu = 1;
	assert_int_equal(pt_event_start(event), -EINVAL);
	host_cpu = 0;
	pt_event_destroy(event);
	tear_down();
}

static void no_allocation_that_fails_leaves_anything_behind(void **state)
{
	const struct pt_event_config config = {
		.buffer_size = 64 << 10, .os = true,
	};
	struct page_stats before, after;
	struct pt_event *event;
	unsigned long n = 0;

	(void)state;
	set_up("skylake");
	event = pt_event_create(0, &config);	/* the slab takes its pages */
	pt_event_destroy(event);
	page_stats_read(&before);
	do {
		page_fail_nth(++n);
		event = pt_event_create(0, &config);
		page_fail_nth(0);
		if (!IS_ERR(event))
			pt_event_destroy(event);
		page_stats_read(&after);
		assert_int_equal(after.nr_free, before.nr_free);
	} while (n < 40);
	tear_down();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_reaches_the_consumer_in_order),
		cmocka_unit_test(a_consumer_that_keeps_up_is_never_waited_for),
		cmocka_unit_test(
			code_with_interrupts_off_is_traced_into_the_reserve),
		cmocka_unit_test(
		interrupts_off_for_too_long_is_counted_and_tears_nothing),
		cmocka_unit_test(
			a_consumer_that_is_gone_ends_the_trace_with_a_count),
		cmocka_unit_test(a_late_pmi_within_a_region_loses_nothing),
		cmocka_unit_test(
			a_pmi_that_never_comes_ends_at_stop_and_is_counted),
		cmocka_unit_test(captures_follow_each_other_in_one_buffer),
		cmocka_unit_test(tracing_that_is_not_ours_is_not_touched),
		cmocka_unit_test(impossible_configurations_are_refused),
		cmocka_unit_test(
			no_allocation_that_fails_leaves_anything_behind),
	};

	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
