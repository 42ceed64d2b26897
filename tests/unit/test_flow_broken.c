/* SPDX-License-Identifier: MIT */
/*
 * Streams that are cut, broken or hostile: nothing is lost but what was broken,
 * everything is counted, and decoding ends.
 */
#include "tests/unit/flow_run.h"

#include <stdlib.h>

#define NR_MUTATIONS	20000
#define SOON		100	/* edges that a short stream cannot exceed */

/* Some of everything; ends in sync. */
static void varied_stream(void)
{
	stream_psb_plus(&s, LOOP);
	go_round("NT");
	STREAM(&s, "\x19\x01\x02\x03\x04\x05\x06\x07\x02\x03\x18\x00");
	stream_tnt(&s, "TTNTT");
	stream_ip(&s, STREAM_TIP, BACK);
	stream_ip(&s, STREAM_TIP, BACK);
	STREAM(&s, "\x02\x43\x00\x01\x00\x00\x00\x00\x07\x07\x02\x00");
	stream_ip(&s, STREAM_FUP, FUNC);
	STREAM(&s, "\x2d\x40\x10");		/* TIP HANDLER, two bytes */
	STREAM(&s, "\x4d\x20\x10\x40\x00");	/* TIP FUNC, four bytes */
	stream_tnt(&s, "T");
	stream_psb_plus(&s, AFTER);
	stream_ip(&s, STREAM_TIP, SPIN);
	stream_long_tnt(&s, "TTTTTTTTTTTTTTTTTTTN");
	STREAM(&s, "\x02\x63\x80\x0c\x01\x02\x03\x04\x02\x33");	/* PEBS */
	STREAM(&s, "\x02\xb2zzzzzzzz");
	stream_ip(&s, STREAM_FUP, SPIN + 2);
	stream_no_ip(&s, STREAM_PGD);
	stream_ip(&s, STREAM_PGE, LOOP);
	stream_ovf(&s);
	stream_ip(&s, STREAM_FUP, COND);
	stream_tnt(&s, "T");
	stream_ip(&s, STREAM_FUP, CALL);
	stream_ip(&s, STREAM_TIP, HANDLER);
}

/* Of four stretches, each with PSBs, three end in what does not belong. */
static void broken_stream(void)
{
	varied_stream();
	STREAM(&s, "\x05\x02\x82\x02\x82\x06\x02");
	varied_stream();
	STREAM(&s, "\x02\x82\x02\x82\x02\x82\x00");
	varied_stream();
	stream_ip(&s, STREAM_TIP, NOWHERE);
	stream_tnt(&s, "T");
	varied_stream();
}

/* ---- cuts ---- */

static struct run whole;

static void assert_same_as_whole(void)
{
	assert_memory_equal(&run.stats, &whole.stats, sizeof(run.stats));
	assert_int_equal(run.nr_edges, whole.nr_edges);
	assert_memory_equal(run.edges, whole.edges,
			    run.nr_edges * sizeof(run.edges[0]));
	assert_int_equal(run.err_offset, whole.err_offset);
	assert_int_equal(run.err_ip, whole.err_ip);
}

static void cut_everywhere(u64 min_edges)
{
	whole = run;
	decode(&whole);
	assert_true(whole.stats.edges >= min_edges);
	for (size_t cut = 0; cut <= s.n; cut++) {
		begin(&run);
		pt_flow_feed(run.flow, s.bytes, cut);
		pt_flow_feed(run.flow, s.bytes + cut, s.n - cut);
		end(&run);
		assert_same_as_whole();
	}
	for (size_t piece = 1; piece <= 40; piece++) {
		begin(&run);
		for (size_t at = 0; at < s.n; at += piece)
			pt_flow_feed(run.flow, s.bytes + at,
				     min(piece, s.n - at));
		end(&run);
		assert_same_as_whole();
	}
}

static void a_cut_at_any_byte_changes_nothing(void **state)
{
	(void)state;
	varied_stream();
	cut_everywhere(30);
	assert_int_equal(whole.stats.errors, 0);
	assert_int_equal(whole.stats.bytes_skipped, 0);
}

static void a_cut_in_a_broken_stream_changes_nothing(void **state)
{
	(void)state;
	STREAM(&s, "middle of something\x02\x82");
	s.n--;
	broken_stream();
	cut_everywhere(30);
	assert_int_equal(whole.stats.err_packet, 2);
	assert_int_equal(whole.stats.err_code, 1);
}

static void a_packet_cut_off_by_the_end_is_skipped(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	stream_tnt(&s, "T");
	STREAM(&s, "\x6d\x01\x02");
	decode(&run);
	assert_int_equal(run.stats.errors, 0);
	assert_int_equal(run.stats.edges, 1);
	assert_int_equal(run.stats.bytes_skipped, 3);
}

static void lost_bytes_are_a_gap_up_to_the_next_psb(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	go_round("TT");
	begin(&run);
	pt_flow_feed(run.flow, s.bytes, s.n - 2);
	pt_flow_lost(run.flow);
	stream_psb_plus(&s, LOOP);
	go_round("TT");
	pt_flow_feed(run.flow, s.bytes + s.n / 2 - 3, s.n / 2 + 3);
	end(&run);
	assert_int_equal(run.stats.errors, 0);
	/* The cut TIP's five bytes before, three odd ones behind. */
	assert_int_equal(run.stats.bytes_skipped, 5 + 3);
	assert_edge(2, COND, CALL, BRANCH_COND);
	assert_edge(1, AFTER, BACK, BRANCH_IJUMP);
}

static void bytes_before_a_psb_that_look_like_one_do_not_hide_it(void **state)
{
	(void)state;
	for (size_t pairs = 0; pairs < 8; pairs++) {
		s.n = 0;
		STREAM(&s, "\x2d");
		for (size_t i = 0; i < pairs; i++)
			STREAM(&s, "\x02\x82");
		stream_psb_plus(&s, LOOP);
		stream_tnt(&s, "T");
		cut_everywhere(1);
		assert_int_equal(whole.stats.errors, 0);
		assert_int_equal(whole.stats.edges, 1);
		assert_int_equal(whole.stats.bytes_skipped, 1 + 2 * pairs);
	}
}

/* ---- errors ---- */

enum kind { OF_PACKET, OF_CODE, OF_FLOW };

/* The stream up to here is good; at @offset it is not, then comes a PSB. */
static void expect_error(enum kind kind, size_t offset, u64 edges_before)
{
	const struct pt_flow_stats *st = &run.stats;

	stream_tnt(&s, "TTT");		/* lost */
	stream_psb_plus(&s, LOOP);
	go_round("TT");
	decode(&run);
	assert_int_equal(st->errors, 1);
	assert_int_equal(st->err_packet, kind == OF_PACKET);
	assert_int_equal(st->err_code, kind == OF_CODE);
	assert_int_equal(st->err_flow, kind == OF_FLOW);
	assert_int_equal(run.err, kind == OF_CODE ? -EFAULT : -EBADMSG);
	assert_int_equal(run.err_offset, offset);
	assert_int_equal(st->edges, edges_before + 4);
	assert_int_equal(st->psbs, 2);
	assert_edge(1, AFTER, BACK, BRANCH_IJUMP);
}

static void unknown_packets_are_errors_of_packets(void **state)
{
	static const char *const bad[] = {
		"\x05", "\x02\xff", "\x02\x82\x02\x83", "\xad", "\xed",
		"\x02\xc3\x11", "\x02\x52",
		"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		size_t at;

		print_message("unknown packet %zu\n", i);
		s.n = 0;
		stream_psb_plus(&s, LOOP);
		stream_tnt(&s, "T");
		at = s.n;
		stream_put(&s, bad[i], strlen(bad[i]));
		expect_error(OF_PACKET, at, 1);
		assert_int_equal(run.stats.bytes_skipped, strlen(bad[i]) + 1);
	}
}

static void missing_code_is_an_error_of_code(void **state)
{
	size_t at;

	(void)state;
	stream_psb_plus(&s, AFTER);
	stream_ip(&s, STREAM_TIP, NOWHERE);
	at = s.n;
	stream_tnt(&s, "T");
	expect_error(OF_CODE, at, 1);
	assert_int_equal(run.err_ip, NOWHERE);
	assert_edge(1, AFTER, NOWHERE, BRANCH_IJUMP);
	s.n = 0;
	stream_psb_plus(&s, NOWHERE);
	at = s.n;
	stream_ip(&s, STREAM_TIP, LOOP);
	expect_error(OF_CODE, at, 0);
}

static void code_that_ends_in_an_instruction_is_an_error_of_code(void **state)
{
	size_t at;

	(void)state;
	run.code_size = CALL + 4 - BASE;
	stream_psb_plus(&s, LOOP);
	stream_tnt(&s, "T");
	at = s.n;
	stream_tnt(&s, "T");
	decode(&run);
	assert_int_equal(run.stats.err_code, 1);
	assert_int_equal(run.err_offset, at);
	assert_int_equal(run.err_ip, CALL);
}

static void packets_that_do_not_fit_the_code_are_errors_of_flow(void **state)
{
	static const struct {
		u64 at;
		const char *packet;
		size_t size;
	} cases[] = {
		{ COND, "\x6d\x00\x10\x40\x00\x00\x00", 7 },	/* TIP at jne */
		{ RET, "\x06", 1 },		/* compressed, no call before */
		{ LOOP, "\x7d\x00\x99\x40\x00\x00\x00", 7 },	/* FUP */
		{ SELF, "\x6d\x00\x10\x40\x00\x00\x00", 7 },	/* no way */
		{ SELF, "\x06", 1 },
		{ SELF, "\x7d\x00\x10\x40\x00\x00\x00", 7 },
		{ SELF, "\x61\x00\x10\x40\x00\x00\x00", 7 },
		{ LOOP, "\x0d", 1 },			/* TIP without IP */
		{ LOOP, "\x1d", 1 },			/* FUP without IP */
		{ LOOP, "\x71\x00\x10\x40\x00\x00\x00", 7 },	/* PGE twice */
		{ LOOP, "\x02\x23", 2 },		/* PSBEND alone */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t at;
		u64 before = cases[i].at == SELF ? 1 : 0;

		print_message("misfit %zu\n", i);
		s.n = 0;
		stream_psb_plus(&s, cases[i].at);
		at = s.n;
		stream_put(&s, cases[i].packet, cases[i].size);
		expect_error(OF_FLOW, at, before);
		assert_int_equal(run.stats.bytes_skipped, 1);
	}
}

static void a_result_of_not_taken_at_a_return_is_an_error(void **state)
{
	size_t at;

	(void)state;
	stream_psb_plus(&s, LOOP);
	at = s.n;
	stream_tnt(&s, "TN");
	expect_error(OF_FLOW, at, 2);
}

static void more_results_than_can_wait_are_an_error(void **state)
{
	size_t at = 0;

	(void)state;
	stream_psb_plus(&s, AFTER);
	for (int i = 0; i < 11; i++) {
		at = s.n;
		stream_tnt(&s, "TTTTTT");
	}
	expect_error(OF_FLOW, at, 0);
}

/* ---- limits ---- */

static void memory_too_small_is_refused(void **state)
{
	struct pt_flow_config config = {
		.read_code = read_code, .ctx = &run, .mem = run.mem,
		.mem_size = PT_FLOW_MIN_MEM - 1,
	};

	(void)state;
	assert_int_equal(PTR_ERR(pt_flow_create(&config)), -ENOMEM);
}

static void a_full_block_cache_drops_edges_and_counts_that(void **state)
{
	static u8 many[16384];

	(void)state;
	for (size_t i = 0; i < sizeof(many); i += 2)
		memcpy(many + i, "\x75", 2);	/* jne to what follows */
	run.code = many;
	run.code_size = sizeof(many);
	stream_psb_plus(&s, BASE);
	for (int i = 0; i < 1300; i++)
		stream_tnt(&s, "TNTNTN");
	decode(&run);
	assert_int_equal(run.stats.errors, 0);
	assert_true(run.stats.blocks > 1000);
	assert_int_equal(run.stats.edges, run.stats.blocks);
	/* One look at each block, that behind the last result too. */
	assert_in_range(run.stats.err_memory, 7800 - run.stats.blocks,
			7801 - run.stats.blocks);
}

static void a_full_edge_table_drops_edges_and_counts_that(void **state)
{
	static u8 many[4096];

	(void)state;
	for (size_t i = 0; i < sizeof(many); i += 2)
		memcpy(many + i, "\xff\xe0", 2);
	run.code = many;
	run.code_size = sizeof(many);
	stream_psb_plus(&s, BASE);
	for (u64 i = 1; i <= 1500; i++)
		stream_ip(&s, STREAM_TIP, BASE + 2 * i);
	stream_ip(&s, STREAM_TIP, BASE);
	stream_ip(&s, STREAM_TIP, BASE + 2);
	decode(&run);
	assert_int_equal(run.stats.errors, 0);
	assert_true(run.stats.edges > 500 && run.stats.err_memory > 500);
	assert_int_equal(run.stats.edges + run.stats.err_memory, 1502);
	/* What is in the table goes on counting. */
	assert_edge(2, BASE, BASE + 2, BRANCH_IJUMP);
}

static void a_loop_without_a_way_out_ends_at_once(void **state)
{
	static const u64 loops[] = { SELF, ROUND };
	static const enum stream_ip types[] = {
		STREAM_TIP, STREAM_FUP, STREAM_PGD,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
		for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
			s.n = 0;
			stream_psb_plus(&s, loops[i]);
			stream_ip(&s, types[t], LOOP);
			decode(&run);
			assert_int_equal(run.stats.err_flow, 1);
			assert_true(run.stats.edges < SOON);
		}
	}
}

/* A chain without a loop is passed whole, however the bound is found. */
static void a_long_chain_of_jumps_is_passed(void **state)
{
	static u8 chain[2 * 1000 + 2];

	(void)state;
	for (size_t i = 0; i < sizeof(chain) - 2; i += 2)
		memcpy(chain + i, "\xeb", 2);
	memcpy(chain + sizeof(chain) - 2, "\x75\xfe", 2);
	run.code = chain;
	run.code_size = sizeof(chain);
	stream_psb_plus(&s, BASE);
	stream_tnt(&s, "T");
	decode(&run);
	assert_clean(1001);
}

/* ---- chance ---- */

static void mutate(size_t n)
{
	unsigned int changes = 1 + (unsigned int)random() % 6;

	while (changes--) {
		size_t at = (size_t)random() % n;
		size_t from = (size_t)random() % n;
		size_t some = (size_t)random() % 16;

		switch (random() % 4) {
		case 0:
			s.bytes[at] ^= (u8)(1 << random() % 8);
			break;
		case 1:
			s.bytes[at] = (u8)random();
			break;
		case 2:			/* a piece of it elsewhere */
			memmove(s.bytes + at, s.bytes + from, some);
			break;
		default:		/* bytes lost */
			memmove(s.bytes + at, s.bytes + at + some, n - at);
		}
	}
}

static void no_mutation_breaks_the_balance_of_bytes(void **state)
{
	static struct stream good;
	u64 errors = 0, edges = 0;

	(void)state;
	varied_stream();
	varied_stream();
	good = s;
	srandom(1);
	for (int i = 0; i < NR_MUTATIONS; i++) {
		memcpy(s.bytes, good.bytes, good.n + 64);
		mutate(good.n);
		decode(&run);		/* end() asserts what holds */
		errors += run.stats.errors;
		edges += run.stats.edges;
	}
	print_message("%lu errors, %lu edges\n", errors, edges);
	assert_true(errors > NR_MUTATIONS / 2);
	assert_true(edges > 10ULL * NR_MUTATIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_cut_at_any_byte_changes_nothing),
		TEST(a_cut_in_a_broken_stream_changes_nothing),
		TEST(a_packet_cut_off_by_the_end_is_skipped),
		TEST(lost_bytes_are_a_gap_up_to_the_next_psb),
		TEST(bytes_before_a_psb_that_look_like_one_do_not_hide_it),
		TEST(unknown_packets_are_errors_of_packets),
		TEST(missing_code_is_an_error_of_code),
		TEST(code_that_ends_in_an_instruction_is_an_error_of_code),
		TEST(packets_that_do_not_fit_the_code_are_errors_of_flow),
		TEST(a_result_of_not_taken_at_a_return_is_an_error),
		TEST(more_results_than_can_wait_are_an_error),
		TEST(memory_too_small_is_refused),
		TEST(a_full_block_cache_drops_edges_and_counts_that),
		TEST(a_full_edge_table_drops_edges_and_counts_that),
		TEST(a_loop_without_a_way_out_ends_at_once),
		TEST(a_long_chain_of_jumps_is_passed),
		TEST(no_mutation_breaks_the_balance_of_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
