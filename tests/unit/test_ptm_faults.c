/* SPDX-License-Identifier: MIT */
/*
 * The hardware model's faults and its newer MSR rules, against the SDM.
 */
#include "ptm_machine.h"

#define CTL		(PTM_CTL_OS | PTM_CTL_BRANCHEN)
#define CTL_ON		(CTL | PTM_CTL_TRACEEN | PTM_CTL_TOPA)

static uint64_t rd(uint32_t msr)
{
	uint64_t val = 0;

	assert_int_equal(ptm_rdmsr(&machine.cpu, msr, &val), 0);
	return val;
}

static void jumps(unsigned int n)
{
	while (n--)
		machine_branch(PTM_IJMP, CODE, CODE + 0x40);
}

static void addresses_are_canonical_and_enumerated(void **state)
{
	uint64_t val;

	(void)state;
	machine_power_on(ptm_profile_find("skylake"));
	assert_int_equal(machine_wrmsr(0x580, 0xffff800000000000), 0);
	assert_int_equal(machine_wrmsr(0x581, 0x0000800000000000), -1);
	assert_int_equal(machine_wrmsr(0x583, 1), 0);
	assert_int_equal(machine_wrmsr(0x584, 1), -1);
	assert_int_equal(ptm_rdmsr(&machine.cpu, 0x584, &val), -1);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 2ULL << 36), 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 3ULL << 36), -1);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 1ULL << 40), -1);
	machine_power_on(ptm_profile_find("broadwell"));
	assert_int_equal(machine_wrmsr(0x580, 0), -1);
}

static void kvm_refuses_other_changes_with_the_stop(void **state)
{
	(void)state;
	machine_power_on(ptm_profile_find("kvm-strict"));
	machine_trace(CTL);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 0), -1);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL,
				       CTL_ON & ~PTM_CTL_TRACEEN), 0);
	machine_power_on(ptm_profile_find("skylake"));
	machine_trace(CTL);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 0), 0);
}

static void pending_bits_wait_for_the_next_enable(void **state)
{
	(void)state;
	machine_power_on(ptm_profile_find("skylake"));
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_STATUS,
				       PTM_STATUS_PENDTOPAPMI), -1);
	machine_power_on(&machine_all);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_STATUS,
				       PTM_STATUS_PENDTOPAPMI |
				       PTM_STATUS_PENDPSB | 100ULL << 32), 0);
	machine_trace_from_start(CTL | PTM_CTL_INJECT_PSB_PMI);
	assert_int_equal(machine.nr_pmis, 1);
	ptm_flush(&machine.cpu);
	assert_int_equal(machine.trace[0], 0x02);
	assert_int_equal(machine.trace[1], 0x82);
}

static void a_late_error_drops_what_is_buffered(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_trace(CTL);
	machine_inject(PTM_INJECT_LATE_ERROR, 6, 0);
	jumps(10);
	assert_true(rd(PTM_MSR_RTIT_STATUS) & PTM_STATUS_ERROR);
	assert_false(rd(PTM_MSR_RTIT_STATUS) & PTM_STATUS_TRIGGEREN);
	assert_int_equal(machine.cpu.counts.produced,
			 machine.cpu.counts.stored +
			 machine.cpu.counts.dropped);
}

static void msrs_may_be_zeroed_behind_the_driver(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_trace(CTL);
	machine_inject(PTM_INJECT_ZERO_MSRS, 0, 0);
	assert_int_equal(rd(PTM_MSR_RTIT_CTL), 0);
	assert_int_equal(rd(PTM_MSR_RTIT_OUTPUT_BASE), 0);
	assert_int_equal(rd(PTM_MSR_RTIT_OUTPUT_MASK_PTRS), 0x7f);
	jumps(3);
	EXPECT_NOTHING();
}

static void held_output_comes_with_the_stop(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_trace(CTL);
	machine_inject(PTM_INJECT_HOLD, 4096, 0);
	jumps(100);
	ptm_flush(&machine.cpu);
	assert_int_equal(machine.len, 0);
	assert_true(ptm_held_overlaps(&machine.cpu, MACHINE_REGION, 4096));
	assert_int_equal(machine.cpu.counts.last_report, PTM_REPORT_HELD_READ);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 0), 0);
	assert_true(machine.len >= 300);
	assert_false(ptm_held_overlaps(&machine.cpu, MACHINE_REGION, 4096));
}

static void an_edit_of_a_cached_table_is_reported(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_inject(PTM_INJECT_CACHE_TOPA, 1, 0);
	machine_trace(CTL);
	machine.mem[MACHINE_TABLE] |= PTM_TOPA_INT;
	assert_int_equal(machine.cpu.counts.reports, 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CTL, 0), 0);
	assert_int_equal(machine.cpu.counts.reports, 1);
	assert_int_equal(machine.cpu.counts.last_report, PTM_REPORT_TOPA_EDIT);
}

static void output_to_restricted_memory_is_an_error(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_inject(PTM_INJECT_RESTRICT, MACHINE_REGION + 0x1000, 0x1000);
	machine_trace_at(CTL, CODE + WRMSR_LEN);
	assert_true(rd(PTM_MSR_RTIT_STATUS) & PTM_STATUS_ERROR);
}

static void a_spurious_bit_needs_no_pmi(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_inject(PTM_INJECT_SPURIOUS, 0, 0);
	assert_int_equal(rd(PTM_MSR_PERF_GLOBAL_STATUS), PTM_BIT(55));
	assert_int_equal(machine.nr_pmis, 0);
	machine_inject(PTM_INJECT_LOSE_PMI, 1, 0);
	machine_inject(PTM_INJECT_SPURIOUS, 1, 0);
	assert_int_equal(machine.nr_pmis, 0);
	assert_int_equal(machine.cpu.counts.lost_pmis, 1);
	machine_inject(PTM_INJECT_SPURIOUS, 1, 0);
	assert_int_equal(machine.nr_pmis, 1);
}

static void a_warm_reset_keeps_all_but_trace_en(void **state)
{
	(void)state;
	machine_power_on(&machine_all);
	machine_trace(CTL);
	ptm_reset(&machine.cpu, PTM_RESET_INIT);
	assert_int_equal(rd(PTM_MSR_RTIT_CTL), CTL_ON);
	ptm_reset(&machine.cpu, PTM_RESET_WARM);
	assert_int_equal(rd(PTM_MSR_RTIT_CTL), CTL_ON & ~PTM_CTL_TRACEEN);
	assert_int_equal(rd(PTM_MSR_RTIT_OUTPUT_BASE), MACHINE_TABLE);
	ptm_reset(&machine.cpu, PTM_RESET_COLD);
	assert_int_equal(rd(PTM_MSR_RTIT_CTL), 0);
	assert_int_equal(rd(PTM_MSR_RTIT_OUTPUT_BASE), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_canonical_and_enumerated),
		cmocka_unit_test(kvm_refuses_other_changes_with_the_stop),
		cmocka_unit_test(pending_bits_wait_for_the_next_enable),
		cmocka_unit_test(a_late_error_drops_what_is_buffered),
		cmocka_unit_test(msrs_may_be_zeroed_behind_the_driver),
		cmocka_unit_test(held_output_comes_with_the_stop),
		cmocka_unit_test(an_edit_of_a_cached_table_is_reported),
		cmocka_unit_test(output_to_restricted_memory_is_an_error),
		cmocka_unit_test(a_spurious_bit_needs_no_pmi),
		cmocka_unit_test(a_warm_reset_keeps_all_but_trace_en),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	ptm_fini(&machine.cpu);
	return failed;
}
