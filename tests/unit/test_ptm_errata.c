/* SPDX-License-Identifier: MIT */
/*
 * What the hardware model does wrong when it is told to: each erratum's stream,
 * from Intel's specification updates and from what decoders do about them.
 */
#include "ptm_machine.h"

#define KERNEL		(PTM_CTL_OS | PTM_CTL_BRANCHEN)
#define IN		(CODE + 0x100u)
#define IN_END		(CODE + 0xfffu)
#define OUT		(CODE + 0x2000u)
#define FILTER0		(1ULL << 32)
#define STOP0		(2ULL << 32)

static void traced(uint32_t errata, uint64_t ctl)
{
	machine_power_on(&machine_all);
	machine_inject(PTM_INJECT_ERRATA, errata, 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A, CODE), 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A + 1, IN_END), 0);
	machine_trace(KERNEL | ctl);
}

/* One lost branch that lands on @to. */
static void overflow_at(uint64_t to)
{
	machine_inject(PTM_INJECT_OVF, 0, 1);
	machine_branch(PTM_IJMP, IN, IN);
	EXPECT(TIP16(IN));
	machine_branch(PTM_IJMP, IN, to);
}

static void bdm70_shows_tracing_before_it_begins(void **state)
{
	(void)state;
	traced(PTM_ERRATUM_BDM70, FILTER0);
	machine_branch(PTM_JMP, IN, OUT);
	EXPECT(PGD16(OUT));
	machine_branch(PTM_JMP, OUT, IN);
	EXPECT(PSB, PIP(0x5000, 0), CBR(10), MODE_EXEC(1),
	       0x5d, 0x00, 0x11, 0x40, 0, PSBEND,
	       0x71, 0x00, 0x11, 0x40, 0, 0, 0);
}

static void bdm64_shows_a_branch_that_the_abort_undid(void **state)
{
	(void)state;
	traced(PTM_ERRATUM_BDM64, 0);
	machine_event(PTM_EVENT_XABORT, IN, OUT);
	EXPECT(0x06, MODE_TSX(2), FUP16(IN), TIP16(OUT));
}

static void bdm106_refuses_to_trace_without_branches(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_inject(PTM_INJECT_ERRATA, PTM_ERRATUM_BDM106, 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, PTM_CTL_TRACEEN |
				       PTM_CTL_OS | PTM_CTL_TOPA), -1);
}

static void skd007_breaks_a_cyc_off(void **state)
{
	(void)state;
	traced(PTM_ERRATUM_SKD007, PTM_CTL_CYCEN |
	       15ULL << PTM_CTL_CYCTHRESH_SHIFT);
	overflow_at(OUT);
	EXPECT(0x07, OVF, FUP48(OUT));
}

static void skd010_forgets_the_fup_behind_ovf(void **state)
{
	(void)state;
	traced(PTM_ERRATUM_SKD010, 0);
	overflow_at(OUT);
	EXPECT(OVF);
	machine_branch(PTM_IJMP, OUT, IN);
	EXPECT(TIP48(IN));
}

static void skd022_has_a_fup_too_many_at_vm_entry(void **state)
{
	(void)state;
	traced(PTM_ERRATUM_SKD022, FILTER0);
	machine_event(PTM_EVENT_VMENTRY, IN, OUT);
	EXPECT(FUP16(IN), PIP(0x5000, 1), PGD16(OUT));
}

static void skl014_forgets_the_ip_of_a_direct_branch(void **state)
{
	(void)state;
	traced(PTM_ERRATUM_SKL014, FILTER0);
	machine_branch(PTM_JMP, IN, OUT);
	EXPECT(PGD_NO_IP);
	machine_branch(PTM_JMP, OUT, IN);
	EXPECT(PGE16(IN));
	machine_branch(PTM_IJMP, IN, OUT);
	EXPECT(PGD16(OUT));
}

static void apl11_is_off_behind_ovf(void **state)
{
	(void)state;
	traced(PTM_ERRATUM_APL11, 0);
	machine_inject(PTM_INJECT_OVF, 0, 1);
	machine_branch(PTM_IJMP, IN, IN);
	EXPECT(TIP16(IN));
	assert_int_equal(machine_branch(PTM_IJMP, IN, OUT),
			 PTM_WAS | PTM_LOST);
	EXPECT(OVF, PGD_NO_IP);
	machine_jcc(false, OUT, IN);
	EXPECT_NOTHING();
	assert_int_equal(machine_branch(PTM_IJMP, OUT, IN), PTM_IS);
	EXPECT(PGE48(IN));
	assert_int_equal(machine_branch(PTM_IJMP, IN, IN), PTM_TRACED);
	EXPECT(TIP16(IN));
}

static void apl12_sends_a_stray_fup_while_it_is_off(void **state)
{
	(void)state;
	traced(PTM_ERRATUM_APL12, FILTER0);
	overflow_at(OUT);
	EXPECT(OVF, FUP48(OUT));
	machine_branch(PTM_IJMP, OUT, IN);
	EXPECT(PGE16(IN));
}

static void skl168_loses_the_first_cyc_and_mtc_behind_psb(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_inject(PTM_INJECT_ERRATA, PTM_ERRATUM_SKL168, 0);
	machine_trace(KERNEL | PTM_CTL_MTCEN);
	machine.tsc = 4;
	machine_branch(PTM_IJMP, IN, IN);
	EXPECT(TIP16(IN));
	machine.tsc = 8;
	machine_branch(PTM_IJMP, IN, IN);
	EXPECT(0x59, 2, TIP16(IN));
}

static void skz84_spoils_tma_and_adds_a_byte(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_inject(PTM_INJECT_ERRATA, PTM_ERRATUM_SKZ84, 0);
	machine_trace_from_start(KERNEL | PTM_CTL_TSCEN | PTM_CTL_MTCEN);
	EXPECT(PSB, 0x19, 0, 0, 0, 0, 0, 0, 0,
	       0x02, 0x73, 0, 0, 0xff, 0, 0, 0xff,
	       PIP(0x5000, 0), CBR(10), PSBEND, MODE_EXEC(1),
	       0x71, 0x02, 0x10, 0x40, 0, 0, 0);
}

static void skl042_loses_the_ovf_before_tracestop(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_inject(PTM_INJECT_ERRATA, PTM_ERRATUM_SKL042, 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A, OUT), 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A + 1, OUT), 0);
	machine_trace(KERNEL | STOP0);
	overflow_at(OUT);
	EXPECT(TRACESTOP);
	/* Without it OVF comes first. */
	machine_power_on(&machine_all);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A, OUT), 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A + 1, OUT), 0);
	machine_trace(KERNEL | STOP0);
	overflow_at(OUT);
	EXPECT(OVF, TRACESTOP);
}

static void skl062_loses_one_pge_or_pgd_after_c6(void **state)
{
	(void)state;
	traced(PTM_ERRATUM_SKL062, FILTER0 | PTM_CTL_PWREVTEN);
	machine_inject(PTM_INJECT_PWRX, 0x66, 0);
	EXPECT(CBR(10), 0x02, 0xa2, 0x66, 0, 0, 0, 0);
	assert_int_equal(machine_branch(PTM_JMP, IN, OUT), PTM_WAS);
	EXPECT_NOTHING();
	machine_branch(PTM_JMP, OUT, IN);
	EXPECT(PGE16(IN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bdm70_shows_tracing_before_it_begins),
		cmocka_unit_test(bdm64_shows_a_branch_that_the_abort_undid),
		cmocka_unit_test(bdm106_refuses_to_trace_without_branches),
		cmocka_unit_test(skd007_breaks_a_cyc_off),
		cmocka_unit_test(skd010_forgets_the_fup_behind_ovf),
		cmocka_unit_test(skd022_has_a_fup_too_many_at_vm_entry),
		cmocka_unit_test(skl014_forgets_the_ip_of_a_direct_branch),
		cmocka_unit_test(apl11_is_off_behind_ovf),
		cmocka_unit_test(apl12_sends_a_stray_fup_while_it_is_off),
		cmocka_unit_test(skl168_loses_the_first_cyc_and_mtc_behind_psb),
		cmocka_unit_test(skz84_spoils_tma_and_adds_a_byte),
		cmocka_unit_test(skl042_loses_the_ovf_before_tracestop),
		cmocka_unit_test(skl062_loses_one_pge_or_pgd_after_c6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
