/* SPDX-License-Identifier: MIT */
/*
 * Edges in maps, the report and the dump to the letter, the account.
 *
 * The decoder is a list of edges here.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "lib/symtab.h"
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/small_map.h"
#include "trace/account.h"
#include "trace/branch_map.h"
#include "trace/dump.h"

#define MAP_BITS	TRACING_MAP_BITS_MIN

struct pt_flow {
	const struct pt_edge *edge;
	unsigned int nr;
};

static struct collector out;

int pt_flow_for_each_edge(struct pt_flow *flow,
			  int (*fn)(void *ctx, const struct pt_edge *edge),
			  void *ctx)
{
	int stop = 0;

	for (unsigned int i = 0; i < flow->nr && !stop; i++)
		stop = fn(ctx, &flow->edge[i]);
	return stop;
}

/* Two functions that have names, and code that has none. */
static struct symbol symbols[] = {
	{ 0x1000, 0x100, "main" },
	{ 0x2000, 0x40, "leaf" },
};

static struct symtab symtab = { .sym = symbols, .nr = 2, .max = 2 };

static const struct pt_edge edges[] = {
	{ 0x1010, 0x2000, 40, 0, BRANCH_CALL },
	{ 0x2030, 0x1015, 90, 0, BRANCH_RETURN },
	{ 0x1020, 0x2000, 50, 0, BRANCH_ICALL },
	{ 0x1030, 0x1008, 7, 0, BRANCH_COND },
	{ 0x1030, 0x1032, 7, 0, BRANCH_COND },
	{ 0x9000, 0x2000, 7, 0, BRANCH_JUMP },
	{ 0x1040, 0xffffffff80001234, 7, 0, BRANCH_CALL },
	{ 0x1010, 0x2000, 2, 0, BRANCH_CALL },	/* a second piece */
};

static struct branch_map *new_map(void)
{
	struct branch_map *map = branch_map_create(MAP_BITS);

	assert_false(IS_ERR(map));
	collect_reset(&out);
	return map;
}

static struct branch_map *map_of_edges(bool backwards)
{
	struct branch_map *map = new_map();

	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		size_t at = backwards ? ARRAY_SIZE(edges) - 1 - i : i;
		struct pt_flow flow = { &edges[at], 1 };

		branch_map_add_flow(map, &flow);
	}
	return map;
}

/* ---- asking ---- */

static void hits_are_those_of_an_edge_or_into_or_out_of_an_address(void **state)
{
	struct branch_map *map = map_of_edges(false);

	(void)state;
	assert_int_equal(branch_map_hits(map, 0x1010, 0x2000), 42);
	assert_int_equal(branch_map_hits(map, 0, 0x2000), 42 + 50 + 7);
	assert_int_equal(branch_map_hits(map, 0x1030, 0), 14);
	assert_int_equal(branch_map_hits(map, 0x2000, 0x1010), 0);
	assert_int_equal(branch_map_hits(map, 0x1234, 0), 0);
	assert_int_equal(map->hits, 210);
	assert_int_equal(map->dropped, 0);
	branch_map_destroy(map);
}

static void calls_leave_out_jumps_and_returns(void **state)
{
	struct branch_map *map = map_of_edges(false);

	(void)state;
	assert_int_equal(branch_map_calls(map, 0x2000), 92);
	assert_int_equal(branch_map_calls(map, 0xffffffff80001234), 7);
	assert_int_equal(branch_map_calls(map, 0x1015), 0);
	branch_map_destroy(map);
}

static void every_element_has_the_class_of_its_edge(void **state)
{
	struct branch_map *map = map_of_edges(false);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
		struct branch_key key = { edges[i].from, edges[i].to };
		struct tracing_map_elt *elt = tracing_map_lookup(map->edges,
								 &key);

		assert_non_null(elt);
		assert_int_equal(branch_map_class(elt), edges[i].class);
	}
	branch_map_destroy(map);
}

static void flows_of_several_captures_add_up(void **state)
{
	struct branch_map *map = new_map();
	struct pt_flow flow = { edges, ARRAY_SIZE(edges) };

	(void)state;
	for (int i = 0; i < 3; i++)
		branch_map_add_flow(map, &flow);
	assert_int_equal(branch_map_hits(map, 0x1010, 0x2000), 3 * 42);
	assert_int_equal(branch_map_calls(map, 0x2000), 3 * 92);
	assert_int_equal(map->hits, 3 * 210);
	branch_map_destroy(map);
}

static void clear_forgets_edges_functions_and_totals(void **state)
{
	struct branch_map *map = map_of_edges(false);

	(void)state;
	branch_map_clear(map);
	assert_int_equal(branch_map_hits(map, 0x1010, 0x2000), 0);
	assert_int_equal(map->hits, 0);
	assert_int_equal(branch_map_print_top(map, &out.printer, "t", 3), 0);
	assert_string_equal(out.text, "\n# t: top 0 of 0 edges\n"
			    "\n# t: top 0 of 0 functions called\n"
			    "\nTotals:\n    Hits: 0\n    Entries: 0\n"
			    "    Dropped: 0\n");
	branch_map_destroy(map);
}

static void a_full_map_counts_every_execution_that_it_drops(void **state)
{
	struct branch_map *map = new_map();
	u64 nr = 1u << MAP_BITS;

	(void)state;
	for (u64 i = 0; i < nr + 5; i++) {
		struct pt_edge edge = { i + 1, ~i, 3, 0, BRANCH_CALL };
		struct pt_flow flow = { &edge, 1 };

		branch_map_add_flow(map, &flow);
		branch_map_add_flow(map, &flow);
	}
	assert_int_equal(map->hits, 6 * (nr + 5));
	assert_int_equal(map->dropped, 30);
	assert_int_equal(branch_map_hits(map, 1, ~0ULL), 6);
	assert_int_equal(branch_map_hits(map, nr + 1, 0), 0);
	assert_int_equal(branch_map_print_top(map, &out.printer, "t", 0), 0);
	assert_string_equal(out.text, "\n# t: top 0 of 128 edges\n"
			    "\n# t: top 0 of 128 functions called\n"
			    "\nTotals:\n    Hits: 768\n    Entries: 128\n"
			    "    Dropped: 30\n");
	branch_map_clear(map);
	assert_int_equal(map->dropped, 0);
	branch_map_destroy(map);
}

/* ---- the report ---- */

static const char report[] =
	"\n# demo cpu 1: top 5 of 7 edges\n"
	"{ from: [2030] leaf+0x30                                "
	", to: [1015] main+0x15                                "
	", class: return    } hitcount:         90\n"
	"{ from: [1020] main+0x20                                "
	", to: [2000] leaf+0x0                                 "
	", class: icall     } hitcount:         50\n"
	"{ from: [1010] main+0x10                                "
	", to: [2000] leaf+0x0                                 "
	", class: call      } hitcount:         42\n"
	"{ from: [9000] 0x9000                                   "
	", to: [2000] leaf+0x0                                 "
	", class: jump      } hitcount:          7\n"
	"{ from: [1030] main+0x30                                "
	", to: [1008] main+0x8                                 "
	", class: cond      } hitcount:          7\n"
	"\n# demo cpu 1: top 2 of 2 functions called\n"
	"{ func: [2000] leaf                                      } "
	"hitcount:         92\n"
	"{ func: [ffffffff80001234] 0xffffffff80001234            } "
	"hitcount:          7\n"
	"\nTotals:\n    Hits: 210\n    Entries: 7\n    Dropped: 0\n";

static void the_report_lists_the_most_frequent_first(void **state)
{
	(void)state;
	for (int backwards = 0; backwards < 2; backwards++) {
		struct branch_map *map = map_of_edges(backwards);

		symtab_register(&symtab);
		assert_int_equal(branch_map_print_top(map, &out.printer,
						      "demo cpu 1", 5), 0);
		symtab_unregister(&symtab);
		assert_string_equal(out.text, report);
		branch_map_destroy(map);
	}
}

static void a_report_without_memory_says_so(void **state)
{
	struct branch_map *map = map_of_edges(false);
	unsigned int nr_failed = 0;
	u64 before;
	int err;

	(void)state;
	for (u64 i = 0; i < 100; i++) {
		struct pt_edge edge = { i, i, 1, 0, BRANCH_CALL };
		struct pt_flow flow = { &edge, 1 };

		branch_map_add_flow(map, &flow);
	}
	assert_int_equal(branch_map_print_top(map, &out.printer, "t", 1), 0);
	before = pages_free();
	do {
		page_fail_nth(nr_failed + 1);
		err = branch_map_print_top(map, &out.printer, "t", 1);
		page_fail_nth(0);
		assert_true(err == 0 || err == -ENOMEM);
		assert_int_equal(pages_free(), before);
	} while (err && ++nr_failed);
	assert_true(nr_failed > 0);
	branch_map_destroy(map);
}

static void maps_that_cannot_be_made_leave_no_page_behind(void **state)
{
	unsigned int nr_failed = 0;
	struct branch_map *map = new_map();
	u64 before;

	(void)state;
	branch_map_destroy(map);
	branch_map_destroy(NULL);
	before = pages_free();
	do {
		page_fail_nth(nr_failed + 1);
		map = branch_map_create(MAP_BITS);
		page_fail_nth(0);
		if (!IS_ERR(map))
			branch_map_destroy(map);
		else
			assert_int_equal(PTR_ERR(map), -ENOMEM);
		assert_int_equal(pages_free(), before);
	} while (IS_ERR(map) && ++nr_failed);
	assert_true(nr_failed >= 6);
	assert_int_equal(PTR_ERR(branch_map_create(MAP_BITS - 1)), -EINVAL);
	assert_int_equal(pages_free(), before);
}

/* ---- the dump ---- */

/* By from, then to; the CRC-32 is of the lines between capture and end. */
static const char dump[] =
	"topaz-dump 1\n"
	"capture demo cpu 3 12\n"
	"0000000000001010 0000000000002000 42\n"
	"0000000000001020 0000000000002000 50\n"
	"0000000000001030 0000000000001008 7\n"
	"0000000000001030 0000000000001032 7\n"
	"0000000000001040 ffffffff80001234 7\n"
	"0000000000002030 0000000000001015 90\n"
	"0000000000009000 0000000000002000 7\n"
	"end 7 afc9e8ac\n";

static void the_dump_lists_edges_by_address_with_a_check_sum(void **state)
{
	(void)state;
	for (int backwards = 0; backwards < 2; backwards++) {
		struct branch_map *map = map_of_edges(backwards);

		dump_begin(&out.printer);
		assert_int_equal(branch_map_dump(map, &out.printer, "demo", 3,
						 12), 0);
		assert_string_equal(out.text, dump);
		branch_map_destroy(map);
	}
}

static void the_dump_of_a_capture_without_edges_is_two_lines(void **state)
{
	struct branch_map *map = new_map();

	(void)state;
	assert_int_equal(branch_map_dump(map, &out.printer, "demo", 0, 0), 0);
	assert_string_equal(out.text,
			    "capture demo cpu 0 0\nend 0 00000000\n");
	branch_map_destroy(map);
}

static void the_dump_holds_the_largest_numbers(void **state)
{
	struct branch_map *map = new_map();
	struct pt_edge edge = { ~0ULL, ~0ULL, ~0ULL, 0, BRANCH_FAR };
	struct pt_flow flow = { &edge, 1 };

	(void)state;
	branch_map_add_flow(map, &flow);
	assert_int_equal(branch_map_dump(map, &out.printer, "x", ~0u, ~0u), 0);
	assert_non_null(strstr(out.text, "capture x cpu 4294967295 4294967295\n"
			       "ffffffffffffffff ffffffffffffffff "
			       "18446744073709551615\nend 1 "));
	branch_map_destroy(map);
}

static void a_dump_without_memory_prints_nothing(void **state)
{
	struct branch_map *map = new_map();

	(void)state;
	/* So many that their copies take a page of their own. */
	for (u64 i = 0; i < 1u << MAP_BITS; i++) {
		struct pt_edge edge = { i, i, 1, 0, BRANCH_COND };
		struct pt_flow flow = { &edge, 1 };

		branch_map_add_flow(map, &flow);
	}
	page_fail_nth(1);
	assert_int_equal(branch_map_dump(map, &out.printer, "x", 0, 0),
			 -ENOMEM);
	page_fail_nth(0);
	assert_int_equal(out.len, 0);
	branch_map_destroy(map);
}

/* ---- the account ---- */

static const struct pt_event_stats event_stats = {
	.captured = 1000, .consumed = 990, .lost_stops = 3, .regions = 4,
	.pmis = 5, .spurious = 6, .stopped = 7, .errors = 8, .room_waits = 9,
};

static const struct pt_flow_stats flow_stats = {
	.bytes = 990, .bytes_decoded = 900, .bytes_skipped = 90,
	.packets = 10, .psbs = 11, .overflows = 12, .errors = 13,
	.err_packet = 14, .err_code = 15, .err_flow = 16, .err_memory = 17,
	.edges = 18, .insns = 19, .blocks = 20,
};

static void an_account_prints_all_it_took_from_driver_and_decoder(void **state)
{
	struct capture_account account;

	(void)state;
	collect_reset(&out);
	capture_account_set(&account, &event_stats, &flow_stats);
	capture_account_print(&account, &out.printer, "demo", 2);
	assert_string_equal(out.text, "account: demo cpu 2 captured 1000 "
		"decoded 900 dropped 100 regions 4 pmis 5 overflows 12 "
		"errors 21 lost 10 waits 9 edges 18 edges_dropped 17 "
		"insns 19\n");
	assert_false(capture_account_complete(&account));
}

static void accounts_add_up_in_every_counter(void **state)
{
	struct capture_account account, sum;

	(void)state;
	collect_reset(&out);
	capture_account_set(&account, &event_stats, &flow_stats);
	sum = account;
	capture_account_add(&sum, &account);
	capture_account_add(&sum, &account);
	capture_account_print(&sum, &out.printer, "demo", -1);
	assert_string_equal(out.text, "account: demo cpu all captured 3000 "
		"decoded 2700 dropped 300 regions 12 pmis 15 overflows 36 "
		"errors 63 lost 30 waits 27 edges 54 edges_dropped 51 "
		"insns 57\n");
}

static const struct capture_account whole = {
	.captured = 100, .decoded = 100, .regions = 1, .pmis = 2,
	.room_waits = 3, .edges = 4, .insns = 5,
};

static void each_loss_alone_makes_an_account_incomplete(void **state)
{
	static const size_t loss[] = {
		offsetof(struct capture_account, dropped),
		offsetof(struct capture_account, overflows),
		offsetof(struct capture_account, errors),
		offsetof(struct capture_account, lost),
		offsetof(struct capture_account, edges_dropped),
	};
	struct capture_account account = whole;

	(void)state;
	assert_true(capture_account_complete(&account));
	for (size_t i = 0; i < ARRAY_SIZE(loss); i++) {
		account = whole;
		*(u64 *)((char *)&account + loss[i]) = 1;
		assert_false(capture_account_complete(&account));
		*(u64 *)((char *)&account + loss[i]) = 1ULL << 32;
		assert_false(capture_account_complete(&account));
	}
}

static void bytes_not_decoded_or_none_at_all_are_incomplete(void **state)
{
	struct capture_account account = whole;

	(void)state;
	account.captured++;
	assert_false(capture_account_complete(&account));
	account.dropped++;
	assert_false(capture_account_complete(&account));
	account = whole;
	account.decoded++;
	assert_false(capture_account_complete(&account));
	account.captured = 0;
	account.decoded = 0;
	assert_false(capture_account_complete(&account));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_are_those_of_an_edge_or_into_or_out_of_an_address),
		cmocka_unit_test(calls_leave_out_jumps_and_returns),
		cmocka_unit_test(every_element_has_the_class_of_its_edge),
		cmocka_unit_test(flows_of_several_captures_add_up),
		cmocka_unit_test(clear_forgets_edges_functions_and_totals),
		cmocka_unit_test(a_full_map_counts_every_execution_that_it_drops),
		cmocka_unit_test(the_report_lists_the_most_frequent_first),
		cmocka_unit_test(a_report_without_memory_says_so),
		cmocka_unit_test(maps_that_cannot_be_made_leave_no_page_behind),
		cmocka_unit_test(the_dump_lists_edges_by_address_with_a_check_sum),
		cmocka_unit_test(the_dump_of_a_capture_without_edges_is_two_lines),
		cmocka_unit_test(the_dump_holds_the_largest_numbers),
		cmocka_unit_test(a_dump_without_memory_prints_nothing),
		cmocka_unit_test(an_account_prints_all_it_took_from_driver_and_decoder),
		cmocka_unit_test(accounts_add_up_in_every_counter),
		cmocka_unit_test(each_loss_alone_makes_an_account_incomplete),
		cmocka_unit_test(bytes_not_decoded_or_none_at_all_are_incomplete),
	};

	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
