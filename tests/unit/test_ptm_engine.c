/* SPDX-License-Identifier: MIT */
/*
 * The hardware model's engine against the SDM: MSR rules, packets, output.
 *
 * Bytes are written down by hand from "Trace Packets and Data Types".
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tests/ptmodel/engine.h"

#define MEM	(64u << 10)
#define TABLE	0x0000u
#define REGION	0x4000u

static uint8_t mem[MEM];
static struct ptm_cpu cpu;
static struct ptm_state processor;
static unsigned int nr_pmis;

static int read_phys(void *opaque, uint64_t pa, void *buf, size_t len)
{
	(void)opaque;
	if (pa + len > MEM)
		return -1;
	memcpy(buf, mem + pa, len);
	return 0;
}

static int write_phys(void *opaque, uint64_t pa, const void *buf, size_t len)
{
	(void)opaque;
	if (pa + len > MEM)
		return -1;
	memcpy(mem + pa, buf, len);
	return 0;
}

static void read_state(void *opaque, struct ptm_state *state)
{
	(void)opaque;
	*state = processor;
}

static void raise_pmi(void *opaque)
{
	(void)opaque;
	nr_pmis++;
}

static const struct ptm_ops ops = {
	.read_phys = read_phys, .write_phys = write_phys,
	.read_state = read_state, .raise_pmi = raise_pmi,
};

static int wr(uint32_t msr, uint64_t val)
{
	const struct ptm_at at = { .ip = 0x1000, .next = 0x1002 };

	return ptm_wrmsr(&cpu, msr, val, &at);
}

static uint64_t rd(uint32_t msr)
{
	uint64_t val = 0;

	assert_int_equal(ptm_rdmsr(&cpu, msr, &val), 0);
	return val;
}

static void entry(unsigned int i, uint64_t val)
{
	memcpy(mem + TABLE + 8 * i, &val, sizeof(val));
}

static void power_on(const char *profile)
{
	memset(mem, 0, sizeof(mem));
	processor = (struct ptm_state){ .cr3 = 0x5000, .cs_l = true };
	nr_pmis = 0;
	ptm_init(&cpu, ptm_profile_find(profile), &ops, NULL);
}

#define CTL	(PTM_CTL_TRACEEN | PTM_CTL_OS | PTM_CTL_BRANCHEN)

/* One page, closed to itself; ToPA output begins at its start. */
static void start(uint64_t bits)
{
	entry(0, REGION | bits);
	entry(1, TABLE | PTM_TOPA_END);
	assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_BASE, TABLE), 0);
	assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_MASK_PTRS, 0x7f), 0);
	assert_int_equal(wr(PTM_MSR_RTIT_CTL, CTL | PTM_CTL_TOPA), 0);
}

/* With what is still buffered: the MSR itself is stale while TraceEn is 1. */
static unsigned int offset(void)
{
	ptm_flush(&cpu);
	return (unsigned int)(rd(PTM_MSR_RTIT_OUTPUT_MASK_PTRS) >> 32);
}

static void branch(enum ptm_kind kind, bool taken, uint64_t from, uint64_t to)
{
	const struct ptm_branch b = {
		.kind = kind, .taken = taken, .from = from, .next = from + 5,
		.to = taken ? to : from + 5,
	};

	ptm_branch(&cpu, &b);
}

/* ---- MSRs ---- */

static void a_reserved_ctl_bit_is_gp_and_changes_nothing(void **state)
{
	(void)state;
	power_on("skylake");
	for (unsigned int bit = 0; bit < 64; bit++) {
		uint64_t val = PTM_BIT(bit) & ~PTM_CTL_TRACEEN;

		if (wr(PTM_MSR_RTIT_CTL, val))
			assert_int_equal(rd(PTM_MSR_RTIT_CTL), 0);
		else
			assert_int_equal(rd(PTM_MSR_RTIT_CTL), val);
		assert_int_equal(wr(PTM_MSR_RTIT_CTL, 0), 0);
	}
	/* MTC and address ranges, no PTWRITE on this profile. */
	assert_int_equal(wr(PTM_MSR_RTIT_CTL, PTM_BIT(9)), 0);
	assert_int_equal(wr(PTM_MSR_RTIT_CTL, PTM_BIT(12)), -1);
	assert_int_equal(wr(PTM_MSR_RTIT_CTL, PTM_BIT(32)), 0);
	assert_int_equal(wr(PTM_MSR_RTIT_CTL, PTM_CTL_CR3FILTER), 0);
}

static void configuration_msrs_are_gp_while_trace_en_is_set(void **state)
{
	(void)state;
	power_on("skylake");
	start(0);
	assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_BASE, 0x1000), -1);
	assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_MASK_PTRS, 0x7f), -1);
	assert_int_equal(wr(PTM_MSR_RTIT_STATUS, 0), -1);
	assert_int_equal(wr(PTM_MSR_RTIT_CTL, CTL), -1);
	assert_int_equal(wr(PTM_MSR_RTIT_CTL, CTL | PTM_CTL_TOPA), 0);
	assert_int_equal(wr(PTM_MSR_RTIT_CTL, 0), 0);
	assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_BASE, 0x1000), 0);
	assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_BASE, 0x1001), -1);
	assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_BASE, 1ULL << 40), -1);
	assert_int_equal(wr(PTM_MSR_PERF_GLOBAL_STATUS, 0), -1);
}

/* ---- packets ---- */

/* Without CBR's ratio byte, which is the profile's own. */
static void a_trace_starts_with_psb_plus_and_pge(void **state)
{
	static const uint8_t want[] = {
		0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
		0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
		0x02, 0x43, 0x00, 0x05, 0, 0, 0, 0,	/* PIP */
		0x02, 0x03, 24, 0,			/* CBR */
		0x02, 0x23,				/* PSBEND */
		0x99, 0x01,				/* MODE.Exec, 64 bit */
		0x71, 0x02, 0x10, 0, 0, 0, 0,		/* TIP.PGE */
	};

	(void)state;
	power_on("skylake");
	start(0);
	assert_int_equal(offset(), sizeof(want));
	mem[REGION + 18] &= (uint8_t)~1;	/* PIP.NR */
	assert_memory_equal(mem + REGION + 0, want, 18);
	assert_memory_equal(mem + REGION + 24, want + 24,
			    sizeof(want) - 24);
	/* CR3 0x5000: bits 51:5 from bit 1 of the payload on. */
	assert_int_equal(mem[REGION + 18] | mem[REGION + 19] << 8,
			 0x5000 >> 5 << 1);
}

/* Bytes that @n packets after the start have added. */
static unsigned int begin;

static void begin_packets(void)
{
	power_on("skylake");
	start(0);
	begin = offset();
}

static void assert_packets(const uint8_t *want, size_t n)
{
	assert_int_equal(offset() - begin, n);
	assert_memory_equal(mem + REGION + begin, want, n);
}

static void six_conditional_branches_fill_a_tnt_byte(void **state)
{
	static const bool taken[] = { true, false, true, true, false, true };
	/* Stop bit, then the oldest result, bit 0 clear. */
	static const uint8_t want[] = { (1 << 6 | 0x2d) << 1 };

	(void)state;
	begin_packets();
	for (int i = 0; i < 5; i++)
		branch(PTM_JCC, taken[i], 0x1010, 0x1040);
	assert_packets(want, 0);
	branch(PTM_JCC, taken[5], 0x1010, 0x1040);
	assert_packets(want, sizeof(want));
}

static void an_indirect_jump_sends_what_changed_of_the_ip(void **state)
{
	static const uint8_t want[] = {
		0x2d, 0x34, 0x12,		/* 2 bytes */
		0x4d, 0x00, 0x00, 0x40, 0x00,	/* 4 bytes */
		0x0d | 4 << 5, 0, 0, 0, 0, 1, 0,	/* 6 of the last 8 */
	};

	(void)state;
	begin_packets();
	branch(PTM_IJMP, true, 0x1010, 0x1234);
	branch(PTM_IJMP, true, 0x1234, 0x400000);
	branch(PTM_IJMP, true, 0x400000, 0x100000000ULL);
	/* How the highest bytes are sent is the processor's choice: 6 or 8. */
	assert_true(offset() - begin >= 8 + 7);
	assert_memory_equal(mem + REGION + begin, want, 8);
	assert_int_equal(mem[REGION + begin + 8] & 0x1f, 0x0d);
}

static void a_return_to_its_call_is_a_taken_bit(void **state)
{
	(void)state;
	begin_packets();
	branch(PTM_CALL, true, 0x1010, 0x2000);
	branch(PTM_RET, true, 0x2000, 0x1015);
	assert_packets(NULL, 0);
	/* Elsewhere it needs a TIP, and the waiting TNT goes out before. */
	branch(PTM_CALL, true, 0x1015, 0x2000);
	branch(PTM_RET, true, 0x2000, 0x3333);
	{
		static const uint8_t want[] = { 0x06, 0x2d, 0x33, 0x33 };

		assert_packets(want, sizeof(want));
	}
}

static void an_interrupt_is_fup_and_tip(void **state)
{
	static const uint8_t want[] = { 0x3d, 0x20, 0x10, 0x2d, 0x00, 0x30 };

	(void)state;
	begin_packets();
	ptm_event(&cpu, &(struct ptm_event){
		.kind = PTM_EVENT_INTR, .from = 0x1020, .to = 0x3000 });
	assert_packets(want, sizeof(want));
}

static void user_code_is_not_traced_with_os_alone(void **state)
{
	(void)state;
	begin_packets();
	processor.cpl = 3;
	branch(PTM_FAR, true, 0x1010, 0x2000);
	/* TIP.PGD without an IP: the target is not ours to tell. */
	assert_packets((const uint8_t[]){ 0x01 }, 1);
	branch(PTM_IJMP, true, 0x2000, 0x9000);
	assert_packets((const uint8_t[]){ 0x01 }, 1);
	processor.cpl = 0;
	branch(PTM_FAR, true, 0x9000, 0x1100);
	/* Back: the mode is the last one told; TIP.PGE with where it goes on. */
	assert_int_equal(offset() - begin, 1 + 3);
	assert_memory_equal(mem + REGION + begin + 1, ((const uint8_t[]){
			    0x31, 0x00, 0x11 }), 3);
}

/* ---- output ---- */

static void run_branches(unsigned int n)
{
	for (uint64_t i = 0; i < n; i++)
		branch(PTM_IJMP, true, 0x1010 + i, 0x123456789000 + i * 7919);
}

static void int_raises_the_pmi_and_its_status_bit(void **state)
{
	(void)state;
	power_on("skylake");
	start(PTM_TOPA_INT);
	run_branches(200);
	assert_int_equal(nr_pmis, 0);
	assert_int_equal(rd(PTM_MSR_PERF_GLOBAL_STATUS), 0);
	run_branches(2000);
	assert_true(nr_pmis >= 1);
	assert_int_equal(rd(PTM_MSR_PERF_GLOBAL_STATUS),
			 PTM_GLOBAL_STATUS_TOPA_PMI);
	assert_int_equal(wr(PTM_MSR_PERF_GLOBAL_STATUS_RST,
			    PTM_GLOBAL_STATUS_TOPA_PMI), 0);
	assert_int_equal(rd(PTM_MSR_PERF_GLOBAL_STATUS), 0);
}

static void stop_ends_at_exactly_the_last_byte_of_its_region(void **state)
{
	(void)state;
	power_on("skylake");
	memset(mem + REGION + 4096, 0xee, 4096);
	start(PTM_TOPA_STOP);
	run_branches(5000);
	assert_true(rd(PTM_MSR_RTIT_STATUS) & PTM_STATUS_STOPPED);
	assert_int_equal(offset(), 4096);
	for (unsigned int i = 0; i < 4096; i++)
		assert_int_equal(mem[REGION + 4096 + i], 0xee);
}

static void a_bad_table_is_an_operational_error(void **state)
{
	static const struct {
		uint64_t entry;
		const char *what;
	} bad[] = {
		{ REGION | PTM_TOPA_END, "END in the first entry" },
		{ REGION | PTM_BIT(1), "a reserved bit" },
		{ (REGION + 0x1000) | 1 << 6, "a region not at its multiple" },
		{ 1ULL << 45, "a region beyond MAXPHYADDR" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		power_on("skylake");
		entry(0, bad[i].entry);
		entry(1, TABLE | PTM_TOPA_END);
		assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_MASK_PTRS, 0x7f), 0);
		assert_int_equal(wr(PTM_MSR_RTIT_CTL, CTL | PTM_CTL_TOPA), 0);
		if (!(rd(PTM_MSR_RTIT_STATUS) & PTM_STATUS_ERROR))
			print_error("%s\n", bad[i].what);
		assert_true(rd(PTM_MSR_RTIT_STATUS) & PTM_STATUS_ERROR);
	}
}

static void single_range_output_wraps(void **state)
{
	(void)state;
	power_on("skylake");
	memset(mem + REGION + 4096, 0xee, 16);
	assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_BASE, REGION), 0);
	assert_int_equal(wr(PTM_MSR_RTIT_OUTPUT_MASK_PTRS, 0xfff), 0);
	assert_int_equal(wr(PTM_MSR_RTIT_CTL, CTL), 0);
	run_branches(3000);
	assert_int_equal(rd(PTM_MSR_RTIT_STATUS) & PTM_STATUS_ERROR, 0);
	assert_true(offset() < 4096);
	assert_int_equal(mem[REGION + 4096], 0xee);
	assert_int_equal(nr_pmis, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reserved_ctl_bit_is_gp_and_changes_nothing),
		cmocka_unit_test(
			configuration_msrs_are_gp_while_trace_en_is_set),
		cmocka_unit_test(a_trace_starts_with_psb_plus_and_pge),
		cmocka_unit_test(six_conditional_branches_fill_a_tnt_byte),
		cmocka_unit_test(an_indirect_jump_sends_what_changed_of_the_ip),
		cmocka_unit_test(a_return_to_its_call_is_a_taken_bit),
		cmocka_unit_test(an_interrupt_is_fup_and_tip),
		cmocka_unit_test(user_code_is_not_traced_with_os_alone),
		cmocka_unit_test(int_raises_the_pmi_and_its_status_bit),
		cmocka_unit_test(
			stop_ends_at_exactly_the_last_byte_of_its_region),
		cmocka_unit_test(a_bad_table_is_an_operational_error),
		cmocka_unit_test(single_range_output_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
