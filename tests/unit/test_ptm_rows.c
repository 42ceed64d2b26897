/* SPDX-License-Identifier: MIT */
/*
 * The hardware model against the SDM's table of packets under different enable
 * conditions: each event while PacketEn stays 1, goes to 0, goes to 1.
 */
#include "ptm_machine.h"

/* A filter range that holds IN and not OUT; both in one 64 KiB. */
#define IN		(CODE + 0x100u)
#define IN_END		(CODE + 0xfffu)
#define OUT		(CODE + 0x2000u)
#define OUT2		(CODE + 0x2100u)
#define STOPS		(CODE + 0x3000u)
#define STOPS_END	(CODE + 0x3fffu)

#define KERNEL		(PTM_CTL_OS | PTM_CTL_BRANCHEN)
#define FILTER0		(1ULL << 32)
#define STOP1		(2ULL << 36)

static void traced(uint64_t ctl)
{
	machine_power_on(&machine_all);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A, CODE), 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A + 1, IN_END), 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A + 2, STOPS), 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A + 3, STOPS_END), 0);
	machine_trace(KERNEL | ctl);
}

/* PacketEn is 0, because of the filter; the last IP told is OUT. */
static void filtered_out(void)
{
	traced(FILTER0);
	machine_branch(PTM_JMP, IN, OUT);
	EXPECT(PGD16(OUT));
}

/* ---- TraceEn ---- */

static void trace_en_0_to_1_is_psb_plus_mode_and_pge(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_trace_from_start(KERNEL);
	EXPECT(PSB, PIP(0x5000, 0), CBR(10), PSBEND, MODE_EXEC(1),
	       0x71, 0x02, 0x10, 0x40, 0, 0, 0);
	assert_int_equal(machine.notes[machine.nr_notes - 1].kind,
			 PTM_NOTE_ENABLED);
}

static void trace_en_again_without_psb_goes_on_where_it_was(void **state)
{
	(void)state;
	traced(PTM_CTL_TSCEN);
	machine.tsc = 0x0102030405060708;
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 0), 0);
	machine.len = 0;
	assert_true(machine.cpu.byte_cnt);
	machine_trace_from_start(KERNEL | PTM_CTL_TSCEN);
	EXPECT(0x19, 8, 7, 6, 5, 4, 3, 2, CBR(10),
	       0x71, 0x02, 0x10, 0x40, 0, 0, 0);
}

static void trace_en_1_to_0_is_fup_and_pgd(void **state)
{
	(void)state;
	traced(0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 0), 0);
	EXPECT(FUP16(CODE), PGD_NO_IP);
}

static void trace_en_out_of_context_sends_status_only(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_trace_from_start(PTM_CTL_USER | PTM_CTL_BRANCHEN);
	EXPECT(PSB, CBR(10), PSBEND);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 0), 0);
	EXPECT_NOTHING();
}

static void without_branch_en_there_are_no_branches(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_trace_from_start(PTM_CTL_OS);
	EXPECT(PSB, PIP(0x5000, 0), CBR(10), PSBEND);
	assert_int_equal(machine_branch(PTM_IJMP, IN, OUT), 0);
	machine_event(PTM_EVENT_INTR, IN, OUT);
	EXPECT_NOTHING();
	machine.state.cr3 = 0x6000;
	machine_branch(PTM_MOV_CR3, IN, IN + 5);
	EXPECT(PIP(0x6000, 0));
}

/* ---- near branches ---- */

static void a_direct_branch_is_silent_until_it_leaves(void **state)
{
	(void)state;
	traced(FILTER0);
	assert_int_equal(machine_branch(PTM_JMP, IN, IN + 0x40), PTM_TRACED);
	assert_int_equal(machine_branch(PTM_CALL, IN, IN + 0x40), PTM_TRACED);
	EXPECT_NOTHING();
	assert_int_equal(machine_branch(PTM_CALL, IN, OUT), PTM_WAS);
	EXPECT(PGD16(OUT));
	assert_int_equal(machine_branch(PTM_JMP, OUT, OUT2), 0);
	EXPECT_NOTHING();
	assert_int_equal(machine_branch(PTM_JMP, OUT, IN), PTM_IS);
	EXPECT(PGE16(IN));
}

static void a_conditional_branch_that_leaves_has_no_bit_and_no_ip(void **state)
{
	(void)state;
	traced(FILTER0);
	machine_jcc(true, IN, IN + 0x20);
	machine_jcc(false, IN, OUT);
	EXPECT_NOTHING();
	assert_int_equal(machine_jcc(true, IN, OUT), PTM_WAS);
	/* Taken, not taken: 1 1 0 under the stop bit. */
	EXPECT(0x06 << 1, PGD_NO_IP);
	machine_jcc(false, OUT, IN);
	EXPECT_NOTHING();
	machine_jcc(true, OUT, IN);
	EXPECT(PGE16(IN));
}

static void a_compressed_ret_that_leaves_has_no_ip_either(void **state)
{
	(void)state;
	traced(FILTER0);
	/* Called from the last instruction of the range, it returns out. */
	machine_branch(PTM_CALL, IN_END, IN);
	machine_branch(PTM_RET, IN, IN_END + 5);
	EXPECT(PGD_NO_IP);
	machine_branch(PTM_RET, OUT, IN);
	EXPECT(PGE16(IN));
	/* Not compressed: its target is told. */
	machine_branch(PTM_RET, IN, OUT);
	EXPECT(PGD16(OUT));
}

static void an_indirect_branch_is_a_tip(void **state)
{
	(void)state;
	traced(FILTER0);
	machine_branch(PTM_IJMP, IN, IN + 0x40);
	machine_branch(PTM_ICALL, IN, IN + 0x80);
	machine_branch(PTM_RET, IN, IN + 0xc0);
	EXPECT(TIP16(IN + 0x40), TIP16(IN + 0x80), TIP16(IN + 0xc0));
	machine_branch(PTM_IJMP, IN, OUT);
	EXPECT(PGD16(OUT));
	machine_branch(PTM_ICALL, OUT, IN);
	EXPECT(PGE16(IN));
}

static void disretc_makes_every_ret_a_tip(void **state)
{
	(void)state;
	traced(PTM_CTL_DISRETC);
	machine_branch(PTM_CALL, IN, IN + 0x40);
	machine_branch(PTM_RET, IN + 0x40, IN + 5);
	EXPECT(TIP16(IN + 5));
}

static void no_ret_is_compressed_across_a_gap(void **state)
{
	(void)state;
	traced(FILTER0);
	machine_branch(PTM_CALL, IN, IN + 0x40);
	machine_branch(PTM_JMP, IN + 0x40, OUT);
	machine_branch(PTM_JMP, OUT, IN + 0x44);
	EXPECT(PGD16(OUT), PGE16(IN + 0x44));
	machine_branch(PTM_RET, IN + 0x44, IN + 5);
	EXPECT(TIP16(IN + 5));
}

/* ---- far branches, MOV CR3 ---- */

static void a_far_branch_is_a_tip_behind_a_new_mode(void **state)
{
	(void)state;
	traced(0);
	machine_branch(PTM_FAR, IN, IN + 0x40);
	EXPECT(TIP16(IN + 0x40));
	machine.state.cs_l = false;
	machine.state.cs_d = true;
	machine_branch(PTM_FAR, IN, IN + 0x80);
	EXPECT(MODE_EXEC(2), TIP16(IN + 0x80));
}

static void a_far_branch_out_of_context_hides_its_target(void **state)
{
	(void)state;
	traced(0);
	machine.state.cpl = 3;
	assert_int_equal(machine_branch(PTM_FAR, IN, OUT), PTM_WAS);
	EXPECT(PGD_NO_IP);
	machine.state.cpl = 0;
	assert_int_equal(machine_branch(PTM_FAR, OUT, IN), PTM_IS);
	EXPECT(PGE16(IN));
}

static void a_far_branch_out_of_the_filter_tells_its_target(void **state)
{
	(void)state;
	traced(FILTER0);
	machine_branch(PTM_FAR, IN, OUT);
	EXPECT(PGD16(OUT));
	machine_branch(PTM_IRET, OUT, IN);
	EXPECT(PGE16(IN));
}

static void mov_cr3_is_a_pip(void **state)
{
	(void)state;
	traced(0);
	machine.state.cr3 = 0x7018;
	assert_int_equal(machine_branch(PTM_MOV_CR3, IN, IN + 3), PTM_TRACED);
	/* Bits 11:0 are no part of it outside of PAE paging. */
	EXPECT(PIP(0x7000, 0));
	machine.state.pae = true;
	machine.state.cr3 = 0x7020;
	machine_branch(PTM_MOV_CR3, IN, IN + 3);
	EXPECT(PIP(0x7020, 0));
}

static void mov_cr3_closes_and_opens_the_cr3_filter(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CR3_MATCH, 0x5000), 0);
	machine_trace(KERNEL | PTM_CTL_CR3FILTER);
	machine.state.cr3 = 0x6000;
	assert_int_equal(machine_branch(PTM_MOV_CR3, CODE, CODE + 3), PTM_WAS);
	EXPECT(PGD_NO_IP);
	machine.state.cr3 = 0x5000;
	assert_int_equal(machine_branch(PTM_MOV_CR3, CODE, CODE + 3), PTM_IS);
	EXPECT(PIP(0x5000, 0), PGE16(CODE + 3));
}

/* ---- interrupts, exceptions ---- */

static void an_interrupt_is_fup_and_tip(void **state)
{
	static const enum ptm_event_kind kinds[] = {
		PTM_EVENT_INTR, PTM_EVENT_FAULT, PTM_EVENT_SWINT,
	};

	(void)state;
	traced(0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(machine_event(kinds[i], IN, OUT), PTM_TRACED);
		EXPECT(FUP16(IN), TIP16(OUT));
	}
}

static void an_interrupt_may_bring_a_mode_and_a_cr3(void **state)
{
	(void)state;
	traced(0);
	machine.state.cs_l = false;
	machine.state.cr3 = 0x8000;
	machine_event(PTM_EVENT_INTR, IN, OUT);
	EXPECT(FUP16(IN), PIP(0x8000, 0), MODE_EXEC(0), TIP16(OUT));
}

static void an_interrupt_that_leaves_is_fup_and_pgd(void **state)
{
	(void)state;
	traced(FILTER0);
	assert_int_equal(machine_event(PTM_EVENT_INTR, IN, OUT), PTM_WAS);
	EXPECT(FUP16(IN), PGD16(OUT));
	assert_int_equal(machine_event(PTM_EVENT_FAULT, OUT, IN), PTM_IS);
	EXPECT(PGE16(IN));
}

static void an_interrupt_into_the_context_is_a_pge(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine.state.cpl = 3;
	machine_trace(KERNEL);
	machine.state.cpl = 0;
	assert_int_equal(machine_event(PTM_EVENT_INTR, IN, OUT), PTM_IS);
	/* First IP of the trace: two bytes would not do. */
	EXPECT(MODE_EXEC(1), 0x51, 0x00, 0x30, 0x40, 0x00);
	machine.state.cpl = 3;
	assert_int_equal(machine_branch(PTM_IRET, OUT, IN), PTM_WAS);
	EXPECT(PGD_NO_IP);
}

/* ---- injected: SMI, INIT, VMX, TSX, SENTER ---- */

static void smi_clears_trace_en_and_rsm_restores_it(void **state)
{
	(void)state;
	traced(0);
	assert_int_equal(machine_event(PTM_EVENT_SMI, IN, 0), PTM_WAS);
	EXPECT(FUP16(IN), PGD_NO_IP);
	assert_false(machine.cpu.trigger_en);
	assert_int_equal(machine_branch(PTM_IJMP, 0x8000, 0x9000), 0);
	assert_int_equal(machine_event(PTM_EVENT_RSM, 0x9000, IN), PTM_IS);
	EXPECT(CBR(10), 0x71, IN & 0xff, IN >> 8 & 0xff, IN >> 16, 0, 0, 0);
	assert_true(machine.cpu.trigger_en);
	machine_event(PTM_EVENT_RSM, 0x9000, IN);
	EXPECT_NOTHING();
}

static void senter_clears_trace_en_for_good(void **state)
{
	(void)state;
	traced(0);
	machine_event(PTM_EVENT_SENTER, IN, 0);
	EXPECT(FUP16(IN), PGD_NO_IP);
	assert_int_equal(machine_event(PTM_EVENT_RSM, OUT, IN), 0);
	EXPECT_NOTHING();
}

static void init_waits_for_sipi_with_its_tip(void **state)
{
	(void)state;
	traced(0);
	machine.state = (struct ptm_state){ 0 };
	machine_event(PTM_EVENT_INIT, IN, 0);
	EXPECT(FUP16(IN), PIP(0, 0));
	machine_event(PTM_EVENT_SIPI, 0, 0x9000);
	EXPECT(MODE_EXEC(0), 0x4d, 0x00, 0x90, 0, 0);
}

static void sipi_opens_a_trace_that_was_closed(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine.state.cpl = 3;
	machine_trace(KERNEL);
	machine.state = (struct ptm_state){ 0 };
	machine_event(PTM_EVENT_INIT, IN, 0);
	EXPECT(PIP(0, 0));
	machine_event(PTM_EVENT_SIPI, 0, 0x9000);
	EXPECT(MODE_EXEC(0), 0x31, 0x00, 0x90);
}

static void a_vm_exit_and_entry_bring_pip_and_tip(void **state)
{
	(void)state;
	traced(0);
	machine_inject(PTM_INJECT_NON_ROOT, 1, 0);
	machine.state.cr3 = 0x9000;
	assert_int_equal(machine_event(PTM_EVENT_VMEXIT, IN, OUT), PTM_TRACED);
	EXPECT(FUP16(IN), PIP(0x9000, 0), TIP16(OUT));
	machine.state.cr3 = 0x5000;
	machine.state.cs_l = false;
	machine.state.cs_d = true;
	machine_event(PTM_EVENT_VMENTRY, OUT, IN);
	EXPECT(PIP(0x5000, 1), MODE_EXEC(2), TIP16(IN));
}

static void a_vm_exit_and_entry_may_leave_and_open(void **state)
{
	(void)state;
	traced(FILTER0);
	machine_inject(PTM_INJECT_NON_ROOT, 1, 0);
	assert_int_equal(machine_event(PTM_EVENT_VMEXIT, IN, OUT), PTM_WAS);
	EXPECT(FUP16(IN), PIP(0x5000, 0), PGD16(OUT));
	assert_int_equal(machine_event(PTM_EVENT_VMENTRY, OUT, IN), PTM_IS);
	EXPECT(PIP(0x5000, 1), PGE16(IN));
	assert_int_equal(machine_event(PTM_EVENT_VMEXIT, IN, IN), PTM_TRACED);
	EXPECT(FUP16(IN), PIP(0x5000, 0), TIP16(IN));
	assert_int_equal(machine_event(PTM_EVENT_VMENTRY, IN, OUT), PTM_WAS);
	EXPECT(PIP(0x5000, 1), PGD16(OUT));
}

static void a_transaction_is_mode_tsx_and_fup(void **state)
{
	(void)state;
	traced(0);
	machine_inject(PTM_INJECT_TSX, 1, 0);
	EXPECT(MODE_TSX(1), FUP16(CODE + WRMSR_LEN));
	machine_inject(PTM_INJECT_TSX, 0, 0);
	EXPECT(MODE_TSX(0), FUP16(CODE + WRMSR_LEN));
	assert_int_equal(machine_event(PTM_EVENT_XABORT, IN, OUT), PTM_TRACED);
	EXPECT(MODE_TSX(2), FUP16(IN), TIP16(OUT));
}

static void a_transaction_may_abort_out_of_the_filter_and_into_it(void **state)
{
	(void)state;
	traced(FILTER0);
	machine_event(PTM_EVENT_XABORT, IN, OUT);
	EXPECT(MODE_TSX(2), FUP16(IN), PGD16(OUT));
	/* Off by the filter: the mode alone. */
	machine_inject(PTM_INJECT_TSX, 1, 0);
	EXPECT(MODE_TSX(1));
	machine_event(PTM_EVENT_XABORT, OUT, IN);
	EXPECT(MODE_TSX(2), PGE16(IN));
}

/* ---- TraceStop ---- */

static void a_branch_into_a_tracestop_range_ends_it(void **state)
{
	(void)state;
	traced(STOP1);
	machine_branch(PTM_IJMP, IN, STOPS + 4);
	EXPECT(PGD16(STOPS + 4), TRACESTOP);
	assert_false(machine.cpu.trigger_en);
	assert_true(machine.cpu.status & PTM_STATUS_STOPPED);
	machine_branch(PTM_IJMP, STOPS, IN);
	EXPECT_NOTHING();
}

static void tracestop_wins_over_the_filter(void **state)
{
	(void)state;
	filtered_out();
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 0), 0);
	machine_trace(KERNEL | FILTER0 | STOP1);
	machine_branch(PTM_JMP, IN, OUT);
	EXPECT(PGD16(OUT));
	machine_branch(PTM_JMP, OUT, STOPS_END);
	EXPECT(TRACESTOP);
	assert_true(machine.cpu.status & PTM_STATUS_STOPPED);
}

static void out_of_context_a_tracestop_range_is_passed(void **state)
{
	(void)state;
	traced(STOP1);
	machine.state.cpl = 3;
	machine_branch(PTM_FAR, IN, STOPS);
	EXPECT(PGD_NO_IP);
	machine_branch(PTM_JMP, STOPS, STOPS + 8);
	EXPECT_NOTHING();
	assert_false(machine.cpu.status & PTM_STATUS_STOPPED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trace_en_0_to_1_is_psb_plus_mode_and_pge),
		cmocka_unit_test(
			trace_en_again_without_psb_goes_on_where_it_was),
		cmocka_unit_test(trace_en_1_to_0_is_fup_and_pgd),
		cmocka_unit_test(trace_en_out_of_context_sends_status_only),
		cmocka_unit_test(without_branch_en_there_are_no_branches),
		cmocka_unit_test(a_direct_branch_is_silent_until_it_leaves),
		cmocka_unit_test(
			a_conditional_branch_that_leaves_has_no_bit_and_no_ip),
		cmocka_unit_test(a_compressed_ret_that_leaves_has_no_ip_either),
		cmocka_unit_test(an_indirect_branch_is_a_tip),
		cmocka_unit_test(disretc_makes_every_ret_a_tip),
		cmocka_unit_test(no_ret_is_compressed_across_a_gap),
		cmocka_unit_test(a_far_branch_is_a_tip_behind_a_new_mode),
		cmocka_unit_test(a_far_branch_out_of_context_hides_its_target),
		cmocka_unit_test(
			a_far_branch_out_of_the_filter_tells_its_target),
		cmocka_unit_test(mov_cr3_is_a_pip),
		cmocka_unit_test(mov_cr3_closes_and_opens_the_cr3_filter),
		cmocka_unit_test(an_interrupt_is_fup_and_tip),
		cmocka_unit_test(an_interrupt_may_bring_a_mode_and_a_cr3),
		cmocka_unit_test(an_interrupt_that_leaves_is_fup_and_pgd),
		cmocka_unit_test(an_interrupt_into_the_context_is_a_pge),
		cmocka_unit_test(smi_clears_trace_en_and_rsm_restores_it),
		cmocka_unit_test(senter_clears_trace_en_for_good),
		cmocka_unit_test(init_waits_for_sipi_with_its_tip),
		cmocka_unit_test(sipi_opens_a_trace_that_was_closed),
		cmocka_unit_test(a_vm_exit_and_entry_bring_pip_and_tip),
		cmocka_unit_test(a_vm_exit_and_entry_may_leave_and_open),
		cmocka_unit_test(a_transaction_is_mode_tsx_and_fup),
		cmocka_unit_test(
			a_transaction_may_abort_out_of_the_filter_and_into_it),
		cmocka_unit_test(a_branch_into_a_tracestop_range_ends_it),
		cmocka_unit_test(tracestop_wins_over_the_filter),
		cmocka_unit_test(out_of_context_a_tracestop_range_is_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
