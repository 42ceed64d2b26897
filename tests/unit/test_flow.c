/* SPDX-License-Identifier: MIT */
/*
 * From packets to edges: a small program and hand-made streams of it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/flow_run.h"

/* ---- edges ---- */

static void conditionals_count_taken_and_not_taken(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	go_round("TT");
	go_round("NT");
	go_round("TT");
	decode(&run);
	assert_clean(14);
	assert_edge(2, COND, CALL, BRANCH_COND);
	assert_edge(1, COND, FALL, BRANCH_COND);
	assert_edge(3, CALL, FUNC, BRANCH_CALL);
	assert_edge(3, RET, AFTER, BRANCH_RETURN);
	assert_edge(3, AFTER, BACK, BRANCH_IJUMP);
	assert_edge(2, JUMP, LOOP, BRANCH_JUMP);
	assert_int_equal(run.stats.packets, 4 + 6);
	/* nop jne call nop ret jmp; nop3 once; nop jmp after two of them */
	assert_int_equal(run.stats.insns, 3 * 6 + 1 + 2 * 2);
}

static void a_return_without_its_call_takes_a_tip(void **state)
{
	(void)state;
	stream_psb_plus(&s, FUNC);
	stream_ip(&s, STREAM_TIP, AFTER);
	decode(&run);
	assert_clean(1);
	assert_edge(1, RET, AFTER, BRANCH_RETURN);
}

static void a_call_to_what_follows_is_not_returned_from(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	stream_tnt(&s, "T");			/* CALL pushes AFTER */
	stream_ip(&s, STREAM_TIP, NEAR);	/* RET to NEAR pops it */
	stream_ip(&s, STREAM_TIP, BACK);	/* NEAR's call pushed nothing */
	decode(&run);
	assert_clean(5);
	assert_edge(1, NEAR, NEAR + 5, BRANCH_CALL);
	assert_edge(1, NEAR + 5, BACK, BRANCH_RETURN);
	s.n = 0;
	stream_psb_plus(&s, NEAR);
	stream_tnt(&s, "T");
	decode(&run);
	assert_int_equal(run.stats.err_flow, 1);
}

static void results_wait_behind_an_indirect_branch(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	stream_tnt(&s, "TTNTTT");
	stream_tnt(&s, "N");
	for (int i = 0; i < 3; i++)
		stream_ip(&s, STREAM_TIP, BACK);
	decode(&run);
	assert_clean(3 * 4 + 3 + 1);
	assert_edge(2, COND, CALL, BRANCH_COND);
	assert_edge(2, COND, FALL, BRANCH_COND);
	assert_edge(3, AFTER, BACK, BRANCH_IJUMP);
}

static void a_long_tnt_counts_all_its_results(void **state)
{
	(void)state;
	stream_psb_plus(&s, SPIN);
	stream_long_tnt(&s, "TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTN");
	decode(&run);
	assert_clean(47);
	assert_edge(46, SPIN, SPIN, BRANCH_COND);
	assert_edge(1, SPIN, SPIN + 2, BRANCH_COND);
}

/* ---- events ---- */

static void an_interrupt_is_fup_and_tip(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	stream_tnt(&s, "T");
	stream_ip(&s, STREAM_FUP, FUNC);
	stream_ip(&s, STREAM_TIP, HANDLER);
	stream_ip(&s, STREAM_TIP, FUNC);
	stream_tnt(&s, "T");
	decode(&run);
	assert_clean(5);
	assert_edge(1, CALL, FUNC, BRANCH_CALL);
	assert_edge(1, FUNC, HANDLER, BRANCH_INTERRUPT);
	assert_edge(1, IRET, FUNC, BRANCH_IRET);
	assert_edge(1, RET, AFTER, BRANCH_RETURN);
}

static void an_interrupt_in_a_self_loop_ends_it(void **state)
{
	(void)state;
	stream_psb_plus(&s, SELF);
	stream_ip(&s, STREAM_FUP, SELF);
	stream_ip(&s, STREAM_TIP, HANDLER);
	decode(&run);
	assert_clean(1);
	assert_edge(1, SELF, HANDLER, BRANCH_INTERRUPT);
}

static void the_fup_of_another_packet_is_no_interrupt(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	STREAM(&s, "\x02\x92zzzz");		/* PTW with FUP */
	stream_ip(&s, STREAM_FUP, LOOP);
	STREAM(&s, "\x99\x21");			/* MODE.TSX: InTX */
	stream_ip(&s, STREAM_FUP, LOOP);
	go_round("TT");
	STREAM(&s, "\x99\x21");
	stream_ip(&s, STREAM_FUP, BACK);
	stream_tnt(&s, "TT");
	STREAM(&s, "\x99\x20");			/* commit, just before jmp */
	stream_ip(&s, STREAM_FUP, AFTER);
	stream_ip(&s, STREAM_TIP, BACK);
	decode(&run);
	assert_clean(9);
	assert_edge(2, AFTER, BACK, BRANCH_IJUMP);
}

static void a_transaction_aborts_by_fup_and_tip(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	STREAM(&s, "\x99\x22");			/* MODE.TSX: TXAbort */
	stream_ip(&s, STREAM_FUP, COND);
	stream_ip(&s, STREAM_TIP, BACK);
	decode(&run);
	assert_clean(1);
	assert_edge(1, COND, BACK, BRANCH_INTERRUPT);
}

static void edges_out_of_and_into_traced_code_do_not_count(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	stream_tnt(&s, "T");
	stream_no_ip(&s, STREAM_PGD);		/* RET leaves */
	stream_ip(&s, STREAM_PGE, BACK);
	stream_ip(&s, STREAM_PGD, LOOP);	/* the jump leaves */
	stream_ip(&s, STREAM_PGE, LOOP);
	stream_ip(&s, STREAM_FUP, COND);
	stream_no_ip(&s, STREAM_PGD);		/* an interrupt leaves */
	stream_ip(&s, STREAM_PGE, COND);
	stream_tnt(&s, "N");
	decode(&run);
	assert_clean(3);
	assert_edge(1, COND, CALL, BRANCH_COND);
	assert_edge(1, CALL, FUNC, BRANCH_CALL);
	assert_edge(1, COND, FALL, BRANCH_COND);
}

static void an_overflow_leaves_a_gap_and_fup_or_pge_ends_it(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	stream_tnt(&s, "T");
	stream_ovf(&s);
	stream_ip(&s, STREAM_FUP, FUNC);
	stream_ip(&s, STREAM_TIP, AFTER);
	stream_ip(&s, STREAM_TIP, BACK);
	stream_ovf(&s);
	stream_ip(&s, STREAM_PGE, COND);
	stream_tnt(&s, "N");
	stream_ovf(&s);
	stream_no_ip(&s, STREAM_PGD);
	stream_ip(&s, STREAM_PGE, SPIN);
	stream_tnt(&s, "N");
	decode(&run);
	/* The call after the first result is not proven, nor is BACK's jump. */
	assert_clean(5);
	assert_int_equal(run.stats.overflows, 3);
	assert_edge(1, COND, CALL, BRANCH_COND);
	assert_edge(1, RET, AFTER, BRANCH_RETURN);
	assert_edge(1, AFTER, BACK, BRANCH_IJUMP);
	assert_edge(1, COND, FALL, BRANCH_COND);
	assert_edge(1, SPIN, SPIN + 2, BRANCH_COND);
}

static void a_psb_on_the_way_proves_direct_branches(void **state)
{
	(void)state;
	stream_psb_plus(&s, LOOP);
	stream_tnt(&s, "T");
	stream_psb_plus(&s, FUNC);
	stream_ip(&s, STREAM_TIP, AFTER);	/* PSB emptied the stack */
	stream_ip(&s, STREAM_TIP, BACK);
	decode(&run);
	assert_clean(4);
	assert_int_equal(run.stats.psbs, 2);
	assert_edge(1, CALL, FUNC, BRANCH_CALL);
	assert_edge(1, RET, AFTER, BRANCH_RETURN);
}

static void a_psb_while_tracing_is_off_leaves_it_off(void **state)
{
	(void)state;
	stream_psb(&s);
	stream_psbend(&s);
	stream_ip(&s, STREAM_PGE, LOOP);
	stream_tnt(&s, "T");
	stream_psb(&s);
	stream_psbend(&s);
	stream_tnt(&s, "T");
	decode(&run);
	assert_int_equal(run.stats.err_flow, 1);
	assert_int_equal(run.stats.edges, 1);
}

static void an_address_space_is_part_of_an_edge(void **state)
{
	(void)state;
	stream_psb_plus(&s, SPIN);
	stream_tnt(&s, "T");
	STREAM(&s, "\x02\x43\x00\x01\x00\x00\x00\x00");	/* PIP: 0x1000 */
	stream_tnt(&s, "TN");
	decode(&run);
	assert_clean(3);
	assert_int_equal(run.last_cr3, 0x1000);
	assert_int_equal(run.nr_edges, 3);
	for (size_t i = 0; i < run.nr_edges; i++)
		assert_int_equal(run.edges[i].count, 1);
}

static void the_operating_mode_comes_from_the_trace(void **state)
{
	(void)state;
	stream_psb_plus(&s, BOTH);
	stream_tnt(&s, "T");			/* REX jne */
	STREAM(&s, "\x99\x02");
	stream_ip(&s, STREAM_TIP, BOTH);
	stream_tnt(&s, "T");			/* inc; jne */
	decode(&run);
	assert_clean(3);
	assert_edge(1, BOTH, BOTH + 3, BRANCH_COND);
	assert_edge(1, BOTH + 1, BOTH + 3, BRANCH_COND);
}

static void each_instruction_is_told_once_in_order(void **state)
{
	static const u64 want[] = {
		LOOP, COND, FALL, CALL, FUNC, RET, AFTER, BACK, JUMP, LOOP,
		HANDLER, IRET, COND,
	};

	(void)state;
	run.tell_insns = true;
	stream_psb_plus(&s, LOOP);
	go_round("NT");
	stream_ip(&s, STREAM_FUP, COND);
	stream_ip(&s, STREAM_TIP, HANDLER);
	stream_ip(&s, STREAM_TIP, COND);
	stream_tnt(&s, "T");
	decode(&run);
	assert_clean(8);
	assert_int_equal(run.nr_insns, ARRAY_SIZE(want));
	assert_memory_equal(run.insns, want, sizeof(want));
	assert_int_equal(run.stats.insns, ARRAY_SIZE(want));
}

static void long_straight_code_has_no_edges_of_its_own(void **state)
{
	static u8 nops[3000 + 2];

	(void)state;
	memset(nops, 0x90, sizeof(nops));
	memcpy(nops + 3000, "\x75\xfe", 2);
	run.code = nops;
	run.code_size = sizeof(nops);
	stream_psb_plus(&s, BASE);
	stream_tnt(&s, "T");
	decode(&run);
	assert_clean(1);
	assert_edge(1, BASE + 3000, BASE + 3000, BRANCH_COND);
	assert_int_equal(run.stats.insns, 3001);
	assert_int_equal(run.nr_edges, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(conditionals_count_taken_and_not_taken),
		TEST(a_return_without_its_call_takes_a_tip),
		TEST(a_call_to_what_follows_is_not_returned_from),
		TEST(results_wait_behind_an_indirect_branch),
		TEST(a_long_tnt_counts_all_its_results),
		TEST(an_interrupt_is_fup_and_tip),
		TEST(an_interrupt_in_a_self_loop_ends_it),
		TEST(the_fup_of_another_packet_is_no_interrupt),
		TEST(a_transaction_aborts_by_fup_and_tip),
		TEST(edges_out_of_and_into_traced_code_do_not_count),
		TEST(an_overflow_leaves_a_gap_and_fup_or_pge_ends_it),
		TEST(a_psb_on_the_way_proves_direct_branches),
		TEST(a_psb_while_tracing_is_off_leaves_it_off),
		TEST(an_address_space_is_part_of_an_edge),
		TEST(the_operating_mode_comes_from_the_trace),
		TEST(each_instruction_is_told_once_in_order),
		TEST(long_straight_code_has_no_edges_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
