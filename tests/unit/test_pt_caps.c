/* SPDX-License-Identifier: MIT */
/*
 * What CPUID says and what WRMSR takes are the same: no CTL value that
 * rtit_check_ctl() lets through raises #GP on the model, and the other way
 * round.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <asm/msr.h>
#include "lib/err.h"
#include "pt/caps.h"
#include "pt/event.h"
#include "pt/rtit.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/host_pt.h"

static void set_up(const char *profile)
{
	host_pt_init(profile);
	assert_int_equal(pt_caps_read_all(), 0);
	host_pt.gp_allowed = true;
}

static void skylake_is_read_as_its_cpuid_says(void **state)
{
	const struct pt_caps *caps = pt_caps_of(0);

	(void)state;
	set_up("skylake");
	assert_true(caps->present && caps->topa_output);
	assert_true(caps->topa_multiple_entries && caps->single_range_output);
	assert_true(caps->cr3_filtering && caps->psb_cyc);
	assert_true(caps->ip_filtering && caps->mtc);
	assert_false(caps->ptwrite);
	assert_int_equal(caps->psb_periods, 0x3f);
	assert_int_equal(caps->cycle_thresholds, 0x3fff);
	assert_int_equal(caps->family, 6);
	assert_int_equal(caps->model, 0x5e);
	assert_int_equal(caps->stepping, 3);
	assert_int_equal(caps->tsc_num, 200);
	assert_int_equal(caps->tsc_den, 2);
	host_pt_fini();
}

static void broadwell_has_no_encodings_to_choose_from(void **state)
{
	const struct pt_caps *caps = pt_caps_of(0);

	(void)state;
	set_up("broadwell");
	assert_true(caps->present && caps->topa_output);
	assert_false(caps->topa_multiple_entries || caps->psb_cyc);
	assert_int_equal(caps->psb_periods, 0);
	assert_int_equal(caps->cycle_thresholds, 0);
	assert_int_equal(caps->num_address_ranges, 0);
	host_pt_fini();
}

/* TraceEn stays out: what a running trace writes is not the question. */
static bool cpu_takes(u64 ctl)
{
	unsigned long before = host_pt.nr_gp;

	wrmsr(MSR_IA32_RTIT_CTL, ctl & ~RTIT_CTL_TRACEEN);
	wrmsr(MSR_IA32_RTIT_CTL, 0);
	return host_pt.nr_gp == before;
}

static void assert_agree(u64 ctl)
{
	const char *why = NULL;
	bool ok = !rtit_check_ctl(pt_caps_of(0), ctl, &why);

	if (ok != cpu_takes(ctl))
		print_error("ctl %llx: we say %d (%s)\n",
			    (unsigned long long)ctl, ok, why);
	assert_int_equal(ok, cpu_takes(ctl));
}

static void check_profile(const char *profile)
{
	u64 random = 88172645463325252ULL;

	set_up(profile);
	for (unsigned int bit = 0; bit < 64; bit++)
		assert_agree(1ULL << bit);
	for (u64 n = 0; n < 16; n++) {
		assert_agree(FIELD_PREP(RTIT_CTL_PSB_FREQ, n));
		assert_agree(FIELD_PREP(RTIT_CTL_CYC_THRESH, n));
		assert_agree(FIELD_PREP(RTIT_CTL_MTC_RANGE, n));
	}
	for (unsigned int i = 0; i < 20000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		/* Few bits each, or no value would ever be good. */
		assert_agree(random & random >> 11 & random >> 23);
		assert_agree(random & (RTIT_CTL_OS | RTIT_CTL_USR |
				       RTIT_CTL_TOPA | RTIT_CTL_PSB_FREQ |
				       RTIT_CTL_CYCLEACC | RTIT_CTL_CYC_THRESH |
				       RTIT_CTL_BRANCH_EN | RTIT_CTL_DISRETC));
	}
	host_pt_fini();
}

static void what_cpuid_offers_is_what_wrmsr_takes(void **state)
{
	(void)state;
	check_profile("skylake");
	check_profile("broadwell");
}

static void encodings_are_listed_in_words(void **state)
{
	char buf[16];

	(void)state;
	pt_caps_encodings(0, buf, sizeof(buf));
	assert_string_equal(buf, "none");
	pt_caps_encodings(0x0249, buf, sizeof(buf));
	assert_string_equal(buf, "0 3 6 9");
	pt_caps_encodings(0xffff, buf, 6);
	assert_true(strlen(buf) < 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skylake_is_read_as_its_cpuid_says),
		cmocka_unit_test(broadwell_has_no_encodings_to_choose_from),
		cmocka_unit_test(what_cpuid_offers_is_what_wrmsr_takes),
		cmocka_unit_test(encodings_are_listed_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
