/* SPDX-License-Identifier: MIT */
/*
 * The TSC's frequency on machines of many kinds: processors whose CPUID says
 * it, says half of it or lies; clocks that stand still, wrap, or are not there.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <asm/tsc.h>
#include "arch/x86/tsc_cal.h"
#include "lib/err.h"

#define PS_PER_S	1000000000000ULL
#define PM_HZ		3579545
#define PIT_HZ		1193182
#define HPET_HZ		14318179	/* 10^15 / 69841279 fs */
#define MAX_READS	30000000ULL

/* Family 6 signatures: extended model in 19:16, model in 7:4. */
#define MODEL(m)	(6u << 8 | ((m) & 0xfu) << 4 | ((m) & 0xf0u) << 12)
#define HV		(1u << 31)

enum quirk {
	Q_NONE,
	Q_STILL,		/* the counter does not move */
	Q_ONES,			/* all ones: nobody answers the port */
	Q_DIES,			/* stands still after 2 ms */
	Q_FAST_READ,		/* many reads within one tick */
	Q_GLITCH,		/* each 20000th read is rubbish */
	Q_RUBBISH_ABOVE,	/* bits beyond the mask are random */
	Q_STOLEN,		/* the CPU is away for 60 ms each 20 ms */
	Q_BUSY,			/* ... for 6 ms each 4 ms */
	Q_WINDOW_STOLEN,	/* is away for 300 ms, once */
	Q_SLOW_READ,		/* a read takes 20 us */
};

struct fake_clock {
	const char *name;
	u64 hz;
	u64 mask;
	u32 start;
	enum quirk quirk;
};

#define PM24(q)		{ "PM timer", PM_HZ, 0xffffff, 0xfffff0, q }
#define PM32(q)		{ "PM timer", PM_HZ, 0xffffffff, 5, q }
#define HPET(q)		{ "HPET", HPET_HZ, 0xffffffff, 0xffffff00, q }
#define PIT(q)		{ "PIT", PIT_HZ, 0xffff, 0, q }

struct model {
	const char *name;
	const char *vendor;	/* NULL: GenuineIntel */
	u32 sig, ecx1;
	u32 leaf15[3];
	u32 leaf16, hv_khz;
	u64 msr_ce;		/* 0: raises #GP */
	u64 real_hz;
	struct fake_clock clock[MAX_REF_CLOCKS];
	/* What has to come out. */
	enum tsc_source source;
	u64 hz;
	bool by_clock, contradicted;
	const char *clock_used;	/* NULL: none */
	unsigned int nr_dead;
};

static const struct model models[] = {
	{ .name = "Tiger Lake: all of leaf 15H",
	  .sig = MODEL(0x8c), .leaf15 = { 2, 146, 38400000 }, .leaf16 = 2800,
	  .msr_ce = 28 << 8, .real_hz = 2803200000, .clock = { PM24(Q_NONE) },
	  .source = TSC_SOURCE_15H, .hz = 2803200000, .clock_used = "PM timer" },
	{ .name = "Skylake client: no crystal",
	  .sig = MODEL(0x5e), .leaf15 = { 2, 284, 0 }, .leaf16 = 3400,
	  .real_hz = 3408000000, .clock = { PM24(Q_NONE) },
	  .source = TSC_SOURCE_CRYSTAL, .hz = 3408000000,
	  .clock_used = "PM timer" },
	{ .name = "Kaby Lake mobile: no crystal",
	  .sig = MODEL(0x8e), .leaf15 = { 2, 242, 0 }, .leaf16 = 2900,
	  .real_hz = 2904000000, .clock = { PM24(Q_NONE) },
	  .source = TSC_SOURCE_CRYSTAL, .hz = 2904000000,
	  .clock_used = "PM timer" },
	{ .name = "Goldmont: no crystal",
	  .sig = MODEL(0x5c), .leaf15 = { 3, 171, 0 }, .real_hz = 1094400000,
	  .clock = { PM24(Q_NONE) }, .source = TSC_SOURCE_CRYSTAL,
	  .hz = 1094400000, .clock_used = "PM timer" },
	{ .name = "Denverton: no crystal",
	  .sig = MODEL(0x5f), .leaf15 = { 2, 168, 0 }, .real_hz = 2100000000,
	  .clock = { PM24(Q_NONE) }, .source = TSC_SOURCE_CRYSTAL,
	  .hz = 2100000000, .clock_used = "PM timer" },
	{ .name = "leaf 16H says 2300, the TSC runs at 2304",
	  .sig = MODEL(0xa5), .leaf15 = { 2, 192, 0 }, .leaf16 = 2300,
	  .real_hz = 2304000000, .clock = { PM24(Q_NONE) },
	  .source = TSC_SOURCE_16H, .hz = 2304000000, .by_clock = true,
	  .clock_used = "PM timer" },
	{ .name = "leaf 15H of 1/0/0, leaf 16H of 0",
	  .sig = MODEL(0x96), .leaf15 = { 1, 0, 0 }, .real_hz = 1996800000,
	  .clock = { PM24(Q_NONE) }, .source = TSC_SOURCE_NONE,
	  .hz = 1996800000, .by_clock = true, .clock_used = "PM timer" },
	{ .name = "leaf 15H with a crystal and no ratio",
	  .sig = MODEL(0x9a), .leaf15 = { 2, 0, 38400000 }, .leaf16 = 2500,
	  .real_hz = 2500000000, .clock = { PM24(Q_STILL), PIT(Q_STILL) },
	  .source = TSC_SOURCE_16H, .hz = 2500000000, .nr_dead = 2 },
	{ .name = "Broadwell: MSR CEH and a timer",
	  .sig = MODEL(0x3d), .msr_ce = 22 << 8, .real_hz = 2194910000,
	  .clock = { PM24(Q_NONE) }, .source = TSC_SOURCE_MSR_CEH,
	  .hz = 2194910000, .by_clock = true, .clock_used = "PM timer" },
	{ .name = "Broadwell: MSR CEH alone",
	  .sig = MODEL(0x3d), .msr_ce = 22 << 8, .real_hz = 2194910000,
	  .clock = { PIT(Q_STILL) }, .source = TSC_SOURCE_MSR_CEH,
	  .hz = 2200000000, .nr_dead = 1 },
	{ .name = "an MSR CEH that no machine has",
	  .sig = MODEL(0x3d), .msr_ce = 255 << 8, .real_hz = 2194910000,
	  .clock = { PIT(Q_STILL) }, .source = TSC_SOURCE_NONE,
	  .hz = TSC_GUESS_HZ, .nr_dead = 1 },
	{ .name = "KVM: leaf 40000010H",
	  .sig = MODEL(0x55), .ecx1 = HV, .hv_khz = 2099998, .leaf16 = 2100,
	  .real_hz = 2099998000, .clock = { PM24(Q_NONE) },
	  .source = TSC_SOURCE_HYPERVISOR, .hz = 2099998000,
	  .clock_used = "PM timer" },
	{ .name = "leaf 40000010H without a hypervisor is no such leaf",
	  .sig = MODEL(0x55), .hv_khz = 2099998, .real_hz = 2600000000,
	  .clock = { PM24(Q_NONE) }, .source = TSC_SOURCE_NONE,
	  .hz = 2600000000, .by_clock = true, .clock_used = "PM timer" },
	{ .name = "Hyper-V: no timer at all",
	  .sig = MODEL(0x6a), .ecx1 = HV, .leaf15 = { 2, 216, 25000000 },
	  .real_hz = 2700000000, .clock = { PIT(Q_ONES) },
	  .source = TSC_SOURCE_15H, .hz = 2700000000, .nr_dead = 1 },
	{ .name = "an emulator whose TSC is 875 times slower than leaf 15H",
	  .sig = MODEL(0x8c), .leaf15 = { 2, 182, 38400000 },
	  .real_hz = 3993600, .clock = { PM24(Q_NONE) },
	  .source = TSC_SOURCE_15H, .hz = 3993600, .by_clock = true,
	  .contradicted = true, .clock_used = "PM timer" },
	{ .name = "a PIT against all of leaf 15H is not believed",
	  .sig = MODEL(0x8c), .leaf15 = { 2, 146, 38400000 },
	  .real_hz = 2900000000, .clock = { PIT(Q_NONE) },
	  .source = TSC_SOURCE_15H, .hz = 2803200000, .contradicted = true,
	  .clock_used = "PIT" },
	{ .name = "a PIT against leaf 16H is believed",
	  .sig = MODEL(0xa5), .leaf16 = 2300, .real_hz = 2900000000,
	  .clock = { PIT(Q_NONE) }, .source = TSC_SOURCE_16H,
	  .hz = 2900000000, .by_clock = true, .contradicted = true,
	  .clock_used = "PIT" },
	{ .name = "PM timer still, HPET used",
	  .sig = MODEL(0xbe), .real_hz = 806400000,
	  .clock = { PM24(Q_STILL), HPET(Q_NONE) }, .source = TSC_SOURCE_NONE,
	  .hz = 806400000, .by_clock = true, .clock_used = "HPET",
	  .nr_dead = 1 },
	{ .name = "PM timer all ones, HPET still, PIT used",
	  .sig = MODEL(0x3c), .real_hz = 3400000000,
	  .clock = { PM32(Q_ONES), HPET(Q_STILL), PIT(Q_NONE) },
	  .source = TSC_SOURCE_NONE, .hz = 3400000000, .by_clock = true,
	  .clock_used = "PIT", .nr_dead = 2 },
	{ .name = "PM timer dies, HPET used",
	  .sig = MODEL(0x3c), .real_hz = 3400000000,
	  .clock = { PM24(Q_DIES), HPET(Q_NONE) }, .source = TSC_SOURCE_NONE,
	  .hz = 3400000000, .by_clock = true, .clock_used = "HPET",
	  .nr_dead = 1 },
	{ .name = "Gracemont: reads faster than the PM timer",
	  .sig = MODEL(0xbe), .leaf15 = { 2, 42, 38400000 },
	  .real_hz = 806400000, .clock = { PM24(Q_FAST_READ) },
	  .source = TSC_SOURCE_15H, .hz = 806400000,
	  .clock_used = "PM timer" },
	{ .name = "a PM timer that glitches",
	  .sig = MODEL(0x3c), .real_hz = 3100000000,
	  .clock = { PM24(Q_GLITCH) }, .source = TSC_SOURCE_NONE,
	  .hz = 3100000000, .by_clock = true, .clock_used = "PM timer" },
	{ .name = "a 24-bit PM timer with rubbish above",
	  .sig = MODEL(0x3c), .real_hz = 3100000000,
	  .clock = { PM24(Q_RUBBISH_ABOVE) }, .source = TSC_SOURCE_NONE,
	  .hz = 3100000000, .by_clock = true, .clock_used = "PM timer" },
	{ .name = "a host that takes the CPU away: PM timer",
	  .sig = MODEL(0x3c), .real_hz = 2400000000,
	  .clock = { PM24(Q_STOLEN) }, .source = TSC_SOURCE_NONE,
	  .hz = 2400000000, .by_clock = true, .clock_used = "PM timer" },
	{ .name = "a host that takes the CPU away: the PIT wraps meanwhile",
	  .sig = MODEL(0x3c), .real_hz = 2400000000,
	  .clock = { PIT(Q_STOLEN) }, .source = TSC_SOURCE_NONE,
	  .hz = 2400000000, .by_clock = true, .clock_used = "PIT" },
	{ .name = "a host with two machines for each CPU",
	  .sig = MODEL(0x3c), .real_hz = 2400000000,
	  .clock = { PM24(Q_BUSY) }, .source = TSC_SOURCE_NONE,
	  .hz = 2400000000, .by_clock = true, .clock_used = "PM timer" },
	{ .name = "one long absence",
	  .sig = MODEL(0x3c), .real_hz = 2400000000,
	  .clock = { PIT(Q_WINDOW_STOLEN) }, .source = TSC_SOURCE_NONE,
	  .hz = 2400000000, .by_clock = true, .clock_used = "PIT" },
	{ .name = "an emulated port of 20 us",
	  .sig = MODEL(0x8c), .leaf15 = { 2, 146, 38400000 },
	  .real_hz = 2803200000, .clock = { PM24(Q_SLOW_READ) },
	  .source = TSC_SOURCE_15H, .hz = 2803200000,
	  .clock_used = "PM timer" },
	{ .name = "AMD: no leaf, the MSR means something else",
	  .vendor = "AuthenticAMD", .sig = 0x00a20f12, .msr_ce = 22 << 8,
	  .real_hz = 3393620000, .clock = { PM32(Q_NONE) },
	  .source = TSC_SOURCE_NONE, .hz = 3393620000, .by_clock = true,
	  .clock_used = "PM timer" },
	{ .name = "a leaf 15H of 4 kHz is passed over",
	  .sig = MODEL(0x8c), .leaf15 = { 1, 1, 4000 }, .leaf16 = 2800,
	  .real_hz = 2800000000, .clock = { PIT(Q_STILL) },
	  .source = TSC_SOURCE_16H, .hz = 2800000000, .nr_dead = 1 },
	{ .name = "a leaf 15H that overflows 64 bits is passed over",
	  .sig = MODEL(0x8c), .leaf15 = { 1, 0xffffffff, 0xffffffff },
	  .real_hz = 2800000000, .clock = { PM24(Q_NONE) },
	  .source = TSC_SOURCE_NONE, .hz = 2800000000, .by_clock = true,
	  .clock_used = "PM timer" },
	{ .name = "a TSC that stands still",
	  .sig = MODEL(0x8c), .real_hz = 0, .clock = { PM24(Q_NONE) },
	  .source = TSC_SOURCE_NONE, .hz = TSC_GUESS_HZ, .nr_dead = 1 },
	{ .name = "nothing says anything",
	  .sig = MODEL(0x1c), .real_hz = 1600000000,
	  .source = TSC_SOURCE_NONE, .hz = TSC_GUESS_HZ },
};

/* ---- the machine that is played ---- */

static const struct model *model;
static u64 now_ps, nr_reads, stolen_at;

static struct cpuid_regs fake_cpuid(u32 leaf, u32 subleaf)
{
	struct cpuid_regs r = { 0, 0, 0, 0 };
	const char *vendor = model->vendor ? model->vendor : "GenuineIntel";

	(void)subleaf;
	switch (leaf) {
	case 0:
		memcpy(&r.ebx, vendor, 4);
		memcpy(&r.edx, vendor + 4, 4);
		memcpy(&r.ecx, vendor + 8, 4);
		break;
	case 1:
		r.eax = model->sig;
		r.ecx = model->ecx1;
		break;
	case 0x15:
		r.eax = model->leaf15[0];
		r.ebx = model->leaf15[1];
		r.ecx = model->leaf15[2];
		break;
	case 0x16:
		r.eax = model->leaf16;
		break;
	case 0x40000010:
		r.eax = model->hv_khz;
		break;
	case 0x80000007:
		r.edx = 1u << 8;
		break;
	}
	return r;
}

static int fake_rdmsr(u32 msr, u64 *val)
{
	assert_int_equal(msr, 0xce);
	if (!model->msr_ce)
		return -EIO;
	*val = model->msr_ce;
	return 0;
}

static u64 scale(u64 ps, u64 hz)
{
	return (u64)((unsigned __int128)ps * hz / PS_PER_S);
}

static u64 fake_tsc(void)
{
	now_ps += 8000;
	return scale(now_ps, model->real_hz);
}

/* The host runs something else. */
static void steal(enum quirk quirk)
{
	u64 each = PS_PER_S / 1000 * 20;

	if (quirk == Q_STOLEN && now_ps - stolen_at > each) {
		now_ps += PS_PER_S / 1000 * 60;
		stolen_at = now_ps;
	}
	if (quirk == Q_BUSY && now_ps - stolen_at > each / 5) {
		now_ps += PS_PER_S / 1000 * 6;
		stolen_at = now_ps;
	}
	if (quirk == Q_WINDOW_STOLEN && !stolen_at &&
	    now_ps > PS_PER_S / 1000 * 8) {
		now_ps += PS_PER_S / 1000 * 300;
		stolen_at = now_ps;
	}
}

static u64 read_cost(enum quirk quirk)
{
	switch (quirk) {
	case Q_FAST_READ:
		return 20000;
	case Q_SLOW_READ:
		return 20000000;
	default:
		return 700000;
	}
}

static u32 fake_read(const struct ref_clock *clock)
{
	const struct fake_clock *fake = &model->clock[clock->port];
	u64 cost = read_cost(fake->quirk);
	u64 at = now_ps + cost / 2;
	u32 count;

	assert_true(++nr_reads < MAX_READS);
	now_ps += cost;
	steal(fake->quirk);
	switch (fake->quirk) {
	case Q_STILL:
		return fake->start;
	case Q_ONES:
		return 0xffffffff;
	case Q_DIES:
		at = min(at, PS_PER_S / 500);
		break;
	case Q_GLITCH:
		if (!(nr_reads % 20000))
			return (u32)(nr_reads * 2654435761u);
		break;
	default:
		break;
	}
	count = (u32)((fake->start + scale(at, clock->hz)) & clock->mask);
	if (fake->quirk == Q_RUBBISH_ABOVE)
		count |= (u32)(nr_reads * 2654435761u) & 0xff000000u;
	return count;
}

static void calibrate(const struct model *m, struct tsc_cal *cal)
{
	static struct ref_clock clocks[MAX_REF_CLOCKS];
	struct tsc_hw hw = {
		.cpuid = fake_cpuid, .rdmsr = fake_rdmsr, .tsc = fake_tsc,
		.clock = clocks,
	};

	model = m;
	now_ps = nr_reads = stolen_at = 0;
	while (hw.nr_clocks < MAX_REF_CLOCKS && m->clock[hw.nr_clocks].name) {
		const struct fake_clock *fake = &m->clock[hw.nr_clocks];

		clocks[hw.nr_clocks] = (struct ref_clock){
			.name = fake->name, .hz = fake->hz,
			.mask = fake->mask, .read = fake_read,
			.is_pit = !strcmp(fake->name, "PIT"),
			.port = (u16)hw.nr_clocks,
		};
		hw.nr_clocks++;
	}
	tsc_calibrate(&hw, cal);
}

/* Within 0.05 %; exact where CPUID is taken. */
static bool near(const struct tsc_cal *cal, u64 want)
{
	u64 diff = cal->hz > want ? cal->hz - want : want - cal->hz;

	return cal->believed_clock ? diff <= want / 2000 : !diff;
}

static bool clock_is(const struct tsc_cal *cal, const char *want)
{
	if (!want || !cal->clock)
		return !want && !cal->clock;
	return !strcmp(cal->clock->name, want);
}

static void each_model_gets_its_frequency(void **state)
{
	(void)state;
	assert_true(ARRAY_SIZE(models) >= 20);
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		const struct model *m = &models[i];
		struct tsc_cal cal;

		calibrate(m, &cal);
		if (!near(&cal, m->hz) || cal.source != m->source ||
		    cal.believed_clock != m->by_clock ||
		    cal.contradicted != m->contradicted ||
		    cal.nr_dead != m->nr_dead || !clock_is(&cal, m->clock_used))
			fail_msg("%s: %llu Hz of source %d, clock %s %llu Hz, %d %d, %u dead",
				 m->name, (unsigned long long)cal.hz,
				 (int)cal.source,
				 cal.clock ? cal.clock->name : "none",
				 (unsigned long long)cal.measured_hz,
				 cal.believed_clock, cal.contradicted,
				 cal.nr_dead);
		assert_true(cal.invariant);
	}
}

/* What is measured is as near to the truth as the bound says. */
static void the_bound_of_the_error_holds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		const struct model *m = &models[i];
		struct tsc_cal cal;
		u64 diff;

		calibrate(m, &cal);
		if (!cal.measured_hz)
			continue;
		diff = cal.measured_hz > m->real_hz ?
		       cal.measured_hz - m->real_hz :
		       m->real_hz - cal.measured_hz;
		if (diff > m->real_hz * (cal.error_ppm + 1) / 1000000 + 1)
			fail_msg("%s: off by %llu Hz, bound %u ppm", m->name,
				 (unsigned long long)diff, cal.error_ppm);
	}
}

static void it_takes_no_second_of_a_dead_machine(void **state)
{
	static const struct model dead = {
		.name = "dead", .sig = MODEL(0x8c), .real_hz = 2000000000,
		.clock = { PM24(Q_STILL), HPET(Q_STILL), PIT(Q_ONES) },
	};
	struct tsc_cal cal;

	(void)state;
	calibrate(&dead, &cal);
	assert_int_equal(cal.nr_dead, 3);
	assert_true(now_ps < PS_PER_S);
}

static void a_live_clock_is_watched_for_25_ms(void **state)
{
	struct tsc_cal cal;

	(void)state;
	calibrate(&models[0], &cal);
	assert_true(now_ps > PS_PER_S / 1000 * 25);
	assert_true(now_ps < PS_PER_S / 1000 * 30);
}

static void long_times_do_not_overflow(void **state)
{
	const u64 hz = 18000000000ULL;		/* the largest that is taken */
	const u64 year_us = 365ULL * 86400 * 1000000;

	(void)state;
	assert_int_equal(tsc_from_us(1, 2464123000), 2464);
	assert_int_equal(tsc_from_us(year_us, hz), year_us * 18000);
	assert_int_equal(tsc_to_ns(tsc_from_us(10 * year_us, hz), hz),
			 10 * year_us * 1000);
	assert_int_equal(tsc_to_ns(hz - 1, hz), 999999999);
	for (u64 t = 1; t < 1ULL << 62; t = t * 3 + 1)
		assert_int_equal(tsc_to_ns(t, 2463997531ULL),
				 (u64)((unsigned __int128)t * 1000000000 /
				       2463997531ULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_model_gets_its_frequency),
		cmocka_unit_test(the_bound_of_the_error_holds),
		cmocka_unit_test(it_takes_no_second_of_a_dead_machine),
		cmocka_unit_test(a_live_clock_is_watched_for_25_ms),
		cmocka_unit_test(long_times_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
