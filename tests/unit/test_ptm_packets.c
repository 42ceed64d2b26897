/* SPDX-License-Identifier: MIT */
/*
 * The hardware model against the SDM's "Packet Definitions": each packet's
 * bytes, and when the ones of time, power and events are sent.
 */
#include "ptm_machine.h"

#define KERNEL		(PTM_CTL_OS | PTM_CTL_BRANCHEN)
#define HERE		(CODE + 0x100u)
#define THERE		(CODE + 0x200u)

static const struct ptm_profile *with_policy(uint32_t policy)
{
	static struct ptm_profile profile;

	profile = machine_all;
	profile.policy = policy;
	return &profile;
}

static void traced(uint64_t ctl)
{
	machine_power_on(&machine_all);
	machine_trace(KERNEL | ctl);
}

/* ---- TNT ---- */

static void six_results_fill_a_short_tnt(void **state)
{
	(void)state;
	traced(0);
	for (unsigned int i = 0; i < 6; i++)
		machine_jcc(i != 1, HERE, THERE);
	/* 1 0 1 1 1 1 under the stop bit, bit 0 clear. */
	EXPECT(0xde);
}

static void fewer_results_wait_for_the_next_packet(void **state)
{
	(void)state;
	traced(0);
	machine_jcc(false, HERE, THERE);
	EXPECT_NOTHING();
	machine_branch(PTM_IJMP, HERE, THERE);
	EXPECT(0x04, TIP16(THERE));
}

static void a_long_tnt_holds_47_results(void **state)
{
	(void)state;
	machine_power_on(with_policy(PTM_POLICY_LONG_TNT));
	machine_trace(KERNEL);
	for (unsigned int i = 0; i < 47; i++)
		machine_jcc(i % 4 == 0, HERE, THERE);
	/* Oldest first: 1000 1000 .. 100, the stop bit in bit 47. */
	EXPECT(0x02, 0xa3, 0x44, 0x44, 0x44, 0x44, 0x44, 0xc4);
	for (unsigned int i = 0; i < 7; i++)
		machine_jcc(true, HERE, THERE);
	machine_branch(PTM_IJMP, HERE, THERE);
	EXPECT(0x02, 0xa3, 0xff, 0, 0, 0, 0, 0, TIP16(THERE));
}

static void deferred_tips_follow_the_bits(void **state)
{
	(void)state;
	machine_power_on(with_policy(PTM_POLICY_DEFER_TIP));
	machine_trace(KERNEL);
	machine_jcc(true, HERE, THERE);
	machine_branch(PTM_IJMP, HERE, THERE);
	machine_jcc(false, HERE, THERE);
	machine_branch(PTM_ICALL, HERE, HERE + 0x40);
	EXPECT_NOTHING();
	/* A RET's TIP ends the waiting. */
	machine_branch(PTM_RET, HERE, THERE + 0x40);
	EXPECT(0x0c, TIP16(THERE), TIP16(HERE + 0x40), TIP16(THERE + 0x40));
}

static void distnt_leaves_no_trace_of_conditions_and_compressed_rets(void **s)
{
	(void)s;
	traced(PTM_CTL_DISTNT);
	for (unsigned int i = 0; i < 8; i++)
		machine_jcc(true, HERE, THERE);
	machine_branch(PTM_CALL, HERE, THERE);
	machine_branch(PTM_RET, THERE, HERE + 5);
	machine_branch(PTM_IJMP, HERE, THERE);
	EXPECT(TIP16(THERE));
}

/* ---- IP payloads ---- */

static void an_ip_is_as_long_as_what_changed_of_it(void **state)
{
	(void)state;
	traced(0);
	machine_branch(PTM_IJMP, HERE, CODE + 0x1234);
	machine_branch(PTM_IJMP, HERE, 0x80401234);
	machine_branch(PTM_IJMP, HERE, 0x123480401234);
	machine_branch(PTM_IJMP, HERE, 0xffff800000001234);
	machine_branch(PTM_IJMP, HERE, 0x0000800000001234);
	EXPECT(0x2d, 0x34, 0x22,
	       0x4d, 0x34, 0x12, 0x40, 0x80,
	       0x8d, 0x34, 0x12, 0x40, 0x80, 0x34, 0x12,
	       0x6d, 0x34, 0x12, 0x00, 0x00, 0x00, 0x80,
	       0xcd, 0x34, 0x12, 0x00, 0x00, 0x00, 0x80, 0x00, 0x00);
}

static void without_lip_the_code_segments_base_is_missing(void **state)
{
	static struct ptm_profile rip;

	(void)state;
	rip = machine_all;
	rip.leaf14_0[2] &= ~(uint32_t)PTM_ECX_LIP;
	machine_power_on(&rip);
	machine.state = (struct ptm_state){ .cs_base = 0xffff0000 };
	machine_trace(KERNEL);
	machine_branch(PTM_IJMP, 0xfffffff0, 0xffff1234);
	EXPECT(0x6d, 0x34, 0x12, 0, 0, 0, 0);
}

/* ---- time ---- */

static void psb_plus_tells_the_time_first(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine.tsc = 0x00112233445566ULL * 4 + 3;
	machine_trace_from_start(KERNEL | PTM_CTL_TSCEN | PTM_CTL_MTCEN);
	/* TMA: 16 bits of the crystal's count, 9 of TSC ticks since. */
	EXPECT(PSB, 0x19, 0x9b, 0x55, 0x11, 0xcd, 0x88, 0x44, 0,
	       0x02, 0x73, 0x66, 0x55, 0, 3, 0,
	       PIP(0x5000, 0), CBR(10), PSBEND, MODE_EXEC(1),
	       0x71, 0x02, 0x10, 0x40, 0, 0, 0);
}

static void mtc_counts_crystal_ticks(void **state)
{
	(void)state;
	traced(PTM_CTL_MTCEN | 3ULL << PTM_CTL_MTCFREQ_SHIFT);
	/* A period is 8 crystal ticks, 32 of the TSC. */
	machine.tsc = 31;
	machine_jcc(true, HERE, THERE);
	EXPECT_NOTHING();
	machine.tsc = 3 * 32;
	machine_jcc(true, HERE, THERE);
	EXPECT(0x06, 0x59, 1, 0x59, 2, 0x59, 3);
}

static void after_a_long_time_tsc_and_tma_tell_it(void **state)
{
	(void)state;
	traced(PTM_CTL_MTCEN | PTM_CTL_TSCEN);
	machine.tsc = 0x4000;
	machine_branch(PTM_IJMP, HERE, THERE);
	EXPECT(0x19, 0, 0x40, 0, 0, 0, 0, 0, 0x02, 0x73, 0, 0x10, 0, 0, 0,
	       TIP16(THERE));
}

static void cyc_precedes_what_it_times(void **state)
{
	(void)state;
	traced(PTM_CTL_CYCEN);
	machine_branch(PTM_IJMP, HERE, THERE);
	ptm_advance(&machine.cpu, 30);
	machine_branch(PTM_IJMP, HERE, THERE);
	ptm_advance(&machine.cpu, 31);
	machine_branch(PTM_IJMP, HERE, THERE);
	ptm_advance(&machine.cpu, 5000);
	machine_branch(PTM_IJMP, HERE, THERE);
	/* 1; 31; 32 = 1 << 5; 5001 = 156 << 5 | 9, 156 = 1 << 7 | 28. */
	EXPECT(1 << 3 | 3, TIP16(THERE), 31 << 3 | 3, TIP16(THERE),
	       0 << 3 | 7, 1 << 1, TIP16(THERE),
	       9 << 3 | 7, 28 << 1 | 1, 1 << 1, TIP16(THERE));
}

static void cyc_of_tnt_times_its_first_branch(void **state)
{
	(void)state;
	traced(PTM_CTL_CYCEN);
	for (unsigned int i = 0; i < 6; i++) {
		ptm_advance(&machine.cpu, 3);
		machine_jcc(true, HERE, THERE);
	}
	EXPECT(4 << 3 | 3, 0xfe);
}

static void below_the_threshold_there_is_no_cyc(void **state)
{
	(void)state;
	/* Encoding 5: 16 cycles. */
	traced(PTM_CTL_CYCEN | 5ULL << PTM_CTL_CYCTHRESH_SHIFT);
	ptm_advance(&machine.cpu, 14);
	machine_branch(PTM_IJMP, HERE, THERE);
	EXPECT(TIP16(THERE));
	machine_branch(PTM_IJMP, HERE, THERE);
	EXPECT(16 << 3 | 3, TIP16(THERE));
}

static void a_new_frequency_is_a_cbr(void **state)
{
	(void)state;
	traced(0);
	machine_inject(PTM_INJECT_CBR, 33, 0);
	EXPECT(CBR(33));
}

/* ---- PSB ---- */

static unsigned int count_psbs(void)
{
	static const uint8_t psb[] = { PSB };
	unsigned int nr = 0;
	size_t i;

	ptm_flush(&machine.cpu);
	for (i = 0; i + sizeof(psb) <= machine.len; i++)
		nr += !memcmp(machine.trace + i, psb, sizeof(psb));
	machine.len = 0;
	return nr;
}

static void psb_comes_with_psbfreq(void **state)
{
	(void)state;
	for (unsigned int freq = 0; freq < 4; freq++) {
		traced((uint64_t)freq << PTM_CTL_PSBFREQ_SHIFT);
		for (unsigned int i = 0; i < 16 * 1024 / 3; i++)
			machine_branch(PTM_IJMP, HERE, THERE);
		/* One per 2 KiB << freq. */
		assert_in_range(count_psbs(), (8 >> freq) - 1, 8 >> freq);
	}
}

static void psb_plus_in_the_middle_says_where_and_in_what_mode(void **state)
{
	unsigned int i;

	(void)state;
	traced(0);
	for (i = 0; machine.cpu.byte_cnt < 2048 - 4; i++)
		machine_branch(PTM_IJMP, HERE, THERE);
	ptm_flush(&machine.cpu);
	machine.len = 0;
	machine_branch(PTM_IJMP, HERE, 0x123456789abc);
	EXPECT(0x8d, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12,
	       PSB, PIP(0x5000, 0), CBR(10), MODE_EXEC(1),
	       0x9d, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12, PSBEND);
	/* It empties the return stack. */
	assert_int_equal(machine.cpu.nr_ret, 0);
}

/* ---- PTWRITE ---- */

static const struct ptm_at ptwrite_at = { .ip = HERE, .next = HERE + 5 };

static void ptwrite_is_ptw_and_a_fup_if_wanted(void **state)
{
	(void)state;
	traced(PTM_CTL_PTWEN);
	ptm_ptwrite(&machine.cpu, &ptwrite_at, 0x11223344, 4);
	EXPECT(0x02, 0x12, 0x44, 0x33, 0x22, 0x11);
	traced(PTM_CTL_PTWEN | PTM_CTL_FUPONPTW);
	ptm_ptwrite(&machine.cpu, &ptwrite_at, 0x1122334455667788, 8);
	EXPECT(0x02, 0xb2, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
	       FUP16(HERE));
	traced(0);
	ptm_ptwrite(&machine.cpu, &ptwrite_at, 1, 4);
	EXPECT_NOTHING();
}

static void out_of_context_ptwrite_is_silent(void **state)
{
	(void)state;
	traced(PTM_CTL_PTWEN);
	machine.state.cpl = 3;
	machine_branch(PTM_FAR, HERE, THERE);
	EXPECT(PGD_NO_IP);
	ptm_ptwrite(&machine.cpu, &ptwrite_at, 1, 4);
	EXPECT_NOTHING();
}

/* ---- power, MNT ---- */

static void a_sleep_is_mwait_pwre_exstop_and_pwrx(void **state)
{
	(void)state;
	traced(PTM_CTL_PWREVTEN | PTM_CTL_TSCEN);
	machine.tsc = 0x10;
	machine_inject(PTM_INJECT_MWAIT, 0x21, 1);
	machine_inject(PTM_INJECT_PWRE, 0x1280, 0);
	machine_inject(PTM_INJECT_EXSTOP, 1, 0);
	EXPECT(0x02, 0xc2, 0x21, 0, 0, 0, 1, 0, 0, 0,
	       0x02, 0x22, 0x80, 0x12,
	       0x02, 0xe2, FUP16(CODE + WRMSR_LEN));
	machine_inject(PTM_INJECT_PWRX, 0x0123, 0);
	EXPECT(0x19, 0x10, 0, 0, 0, 0, 0, 0, CBR(10),
	       0x02, 0xa2, 0x23, 0x01, 0, 0, 0);
	machine_inject(PTM_INJECT_EXSTOP, 0, 0);
	EXPECT(0x02, 0x62);
}

static void without_pwrevten_there_are_no_power_packets(void **state)
{
	(void)state;
	traced(0);
	machine_inject(PTM_INJECT_MWAIT, 0x21, 1);
	machine_inject(PTM_INJECT_PWRE, 0x1280, 0);
	machine_inject(PTM_INJECT_EXSTOP, 1, 0);
	machine_inject(PTM_INJECT_PWRX, 0x0123, 0);
	EXPECT_NOTHING();
}

static void mnt_carries_eight_bytes(void **state)
{
	(void)state;
	traced(0);
	machine_inject(PTM_INJECT_MNT, 0x0102030405060708, 0);
	EXPECT(0x02, 0xc3, 0x88, 8, 7, 6, 5, 4, 3, 2, 1);
}

/* ---- event trace ---- */

static void an_event_is_named_in_front_of_its_fup(void **state)
{
	(void)state;
	traced(PTM_CTL_EVENTEN);
	machine_event(PTM_EVENT_INTR, HERE, THERE);
	EXPECT(0x02, 0x13, 0x01, 0x2e, FUP16(HERE), TIP16(THERE));
	machine_branch(PTM_IRET, THERE, HERE);
	EXPECT(0x02, 0x13, 0x02, 0x00, TIP16(HERE));
	machine_event(PTM_EVENT_SHUTDOWN, HERE, 0);
	EXPECT(0x02, 0x13, 0x8a, 0x00, FUP16(HERE));
}

static void a_page_fault_tells_its_address_before(void **state)
{
	const struct ptm_event fault = {
		.kind = PTM_EVENT_FAULT, .from = HERE, .to = THERE,
		.vector = 14, .has_cr2 = true, .data = 0x1122334455667788,
	};

	(void)state;
	traced(PTM_CTL_EVENTEN);
	ptm_event(&machine.cpu, &fault);
	EXPECT(0x02, 0x53, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
	       0x02, 0x13, 0x01, 14, FUP16(HERE), TIP16(THERE));
}

static void a_vm_exit_tells_qualification_and_reason(void **state)
{
	const struct ptm_event exit = {
		.kind = PTM_EVENT_VMEXIT, .from = HERE, .to = THERE,
		.data = 0xabcd, .reason = 30,
	};

	(void)state;
	traced(PTM_CTL_EVENTEN);
	ptm_event(&machine.cpu, &exit);
	EXPECT(0x02, 0x53, 1, 0xcd, 0xab, 0, 0, 0, 0, 0, 0,
	       0x02, 0x53, 2, 30, 0, 0, 0, 0, 0, 0, 0,
	       0x02, 0x13, 0x08, 0, FUP16(HERE), PIP(0x5000, 0), TIP16(THERE));
	machine_event(PTM_EVENT_VMENTRY, THERE, HERE);
	EXPECT(0x02, 0x13, 0x87, 0, FUP16(THERE), PIP(0x5000, 1), TIP16(HERE));
}

static void without_branches_an_event_has_a_fup_of_its_own(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_trace(PTM_CTL_OS | PTM_CTL_EVENTEN);
	machine_event(PTM_EVENT_INTR, HERE, THERE);
	EXPECT(0x02, 0x13, 0x81, 0x2e, 0x5d, 0x00, 0x11, 0x40, 0x00);
	machine.state.cpl = 3;
	machine_branch(PTM_IRET, THERE, HERE);
	EXPECT(0x02, 0x13, 0x82, 0x00, FUP16(THERE));
	/* Out of context there is no address to tell. */
	machine_event(PTM_EVENT_INTR, HERE, THERE);
	EXPECT(0x02, 0x13, 0x01, 0x2e);
}

static void every_kind_of_event_has_its_type(void **state)
{
	static const struct {
		enum ptm_event_kind kind;
		uint8_t type, vector;
	} kinds[] = {
		{ PTM_EVENT_FAULT, 1, 0x2e }, { PTM_EVENT_SWINT, 1, 0x2e },
		{ PTM_EVENT_SMI, 3, 0 }, { PTM_EVENT_INIT, 6, 0 },
		{ PTM_EVENT_VMEXIT_INTR, 9, 0x2e },
		{ PTM_EVENT_UINTR, 12, 0x2e },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct ptm_note *note;

		traced(PTM_CTL_EVENTEN);
		machine_event(kinds[i].kind, HERE, THERE);
		note = machine.notes;
		while (note->kind != PTM_NOTE_CFE)
			assert_true(++note < machine.notes + machine.nr_notes);
		assert_int_equal(note->payload,
				 kinds[i].type | kinds[i].vector << 8);
	}
	traced(PTM_CTL_EVENTEN);
	machine_event(PTM_EVENT_UIRET, HERE, THERE);
	EXPECT(0x02, 0x13, 0x8d, 0, FUP16(HERE), TIP16(THERE));
	machine.state = (struct ptm_state){ 0 };
	machine_event(PTM_EVENT_INIT, THERE, 0);
	EXPECT(0x02, 0x13, 6, 0, FUP16(THERE), PIP(0, 0));
	machine_event(PTM_EVENT_SIPI, 0, 0x2e000);
	EXPECT(0x02, 0x13, 5, 0x2e, MODE_EXEC(0), 0x4d, 0x00, 0xe0, 0x02, 0);
}

static void the_interrupt_flag_is_part_of_the_mode(void **state)
{
	(void)state;
	traced(PTM_CTL_EVENTEN);
	machine.state.intr = true;
	ptm_iflag(&machine.cpu, &ptwrite_at);
	EXPECT(MODE_EXEC(5), FUP16(HERE + 5));
	ptm_iflag(&machine.cpu, &ptwrite_at);
	EXPECT_NOTHING();
	machine.state.intr = false;
	machine_event(PTM_EVENT_INTR, HERE, THERE);
	EXPECT(0x02, 0x13, 0x01, 0x2e, FUP16(HERE), MODE_EXEC(1), TIP16(THERE));
	/* Without event trace nobody asks for it. */
	traced(0);
	machine.state.intr = true;
	ptm_iflag(&machine.cpu, &ptwrite_at);
	machine_branch(PTM_FAR, HERE, THERE);
	EXPECT(TIP16(THERE));
}

/* ---- overflow ---- */

static void an_overflow_loses_whole_branches_and_says_so(void **state)
{
	(void)state;
	traced(0);
	machine_branch(PTM_IJMP, HERE, THERE);
	machine_inject(PTM_INJECT_OVF, 0, 3);
	/* The packet that is due goes out; then three branches are lost. */
	assert_int_equal(machine_branch(PTM_IJMP, HERE, THERE), PTM_TRACED);
	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(machine_branch(PTM_IJMP, HERE,
						0x7000000 + i),
				 PTM_TRACED | PTM_LOST);
	/* Compressed against the last IP before the overflow. */
	EXPECT(TIP16(THERE), TIP16(THERE), OVF, 0x7d, 2, 0, 0, 7, 0, 0);
	assert_int_equal(machine_branch(PTM_IJMP, HERE, 0x7000000), PTM_TRACED);
	EXPECT(0x2d, 0, 0);
}

static void an_overflow_forgets_the_return_stack_and_the_bits(void **state)
{
	(void)state;
	traced(0);
	machine_branch(PTM_CALL, HERE, THERE);
	machine_inject(PTM_INJECT_OVF, 0, 2);
	machine_branch(PTM_IJMP, THERE, THERE);
	EXPECT(TIP16(THERE));
	machine_jcc(true, HERE, THERE);
	machine_jcc(true, HERE, THERE);
	EXPECT(OVF, FUP48(THERE));
	machine_branch(PTM_RET, THERE, HERE + 5);
	EXPECT(TIP16(HERE + 5));
}

static void behind_an_overflow_a_changed_context_is_told_anew(void **state)
{
	(void)state;
	traced(0);
	machine_inject(PTM_INJECT_OVF, 0, 1);
	machine_branch(PTM_IJMP, HERE, THERE);
	EXPECT(TIP16(THERE));
	machine.state.cr3 = 0x6000;
	machine_branch(PTM_MOV_CR3, THERE, THERE + 3);
	EXPECT(OVF, FUP48(THERE + 3), PSB, PIP(0x6000, 0), CBR(10),
	       MODE_EXEC(1), 0x5d, 0x03, 0x12, 0x40, 0, PSBEND);
}

static void an_overflow_may_end_out_of_context(void **state)
{
	(void)state;
	traced(0);
	machine_inject(PTM_INJECT_OVF, 0, 1);
	machine_branch(PTM_IJMP, HERE, THERE);
	EXPECT(TIP16(THERE));
	machine.state.cpl = 3;
	assert_int_equal(machine_branch(PTM_FAR, HERE, THERE),
			 PTM_WAS | PTM_LOST);
	EXPECT(OVF);
	machine.state.cpl = 0;
	machine_event(PTM_EVENT_INTR, THERE, HERE);
	EXPECT(PGE48(HERE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(six_results_fill_a_short_tnt),
		cmocka_unit_test(fewer_results_wait_for_the_next_packet),
		cmocka_unit_test(a_long_tnt_holds_47_results),
		cmocka_unit_test(deferred_tips_follow_the_bits),
		cmocka_unit_test(
			distnt_leaves_no_trace_of_conditions_and_compressed_rets
			),
		cmocka_unit_test(an_ip_is_as_long_as_what_changed_of_it),
		cmocka_unit_test(without_lip_the_code_segments_base_is_missing),
		cmocka_unit_test(psb_plus_tells_the_time_first),
		cmocka_unit_test(mtc_counts_crystal_ticks),
		cmocka_unit_test(after_a_long_time_tsc_and_tma_tell_it),
		cmocka_unit_test(cyc_precedes_what_it_times),
		cmocka_unit_test(cyc_of_tnt_times_its_first_branch),
		cmocka_unit_test(below_the_threshold_there_is_no_cyc),
		cmocka_unit_test(a_new_frequency_is_a_cbr),
		cmocka_unit_test(psb_comes_with_psbfreq),
		cmocka_unit_test(
			psb_plus_in_the_middle_says_where_and_in_what_mode),
		cmocka_unit_test(ptwrite_is_ptw_and_a_fup_if_wanted),
		cmocka_unit_test(out_of_context_ptwrite_is_silent),
		cmocka_unit_test(a_sleep_is_mwait_pwre_exstop_and_pwrx),
		cmocka_unit_test(without_pwrevten_there_are_no_power_packets),
		cmocka_unit_test(mnt_carries_eight_bytes),
		cmocka_unit_test(an_event_is_named_in_front_of_its_fup),
		cmocka_unit_test(a_page_fault_tells_its_address_before),
		cmocka_unit_test(a_vm_exit_tells_qualification_and_reason),
		cmocka_unit_test(
			without_branches_an_event_has_a_fup_of_its_own),
		cmocka_unit_test(every_kind_of_event_has_its_type),
		cmocka_unit_test(the_interrupt_flag_is_part_of_the_mode),
		cmocka_unit_test(an_overflow_loses_whole_branches_and_says_so),
		cmocka_unit_test(
			an_overflow_forgets_the_return_stack_and_the_bits),
		cmocka_unit_test(
			behind_an_overflow_a_changed_context_is_told_anew),
		cmocka_unit_test(an_overflow_may_end_out_of_context),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
