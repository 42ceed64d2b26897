/* SPDX-License-Identifier: MIT */
/*
 * How fast the TSC runs.
 */
#include "arch/x86/tsc_cal.h"

#include <asm/cpu.h>
#include <asm/msr-index.h>
#include "lib/bitfield.h"
#include "lib/printk.h"
#include "lib/sort.h"
#include "lib/string.h"

#define CPUID_1_ECX_HYPERVISOR	BIT_ULL(31)
#define CPUID_INVARIANT_TSC	BIT_ULL(8)	/* 80000007H EDX */

/* No machine is outside; now_ns() needs the upper one. */
#define HZ_MIN		1000000ULL
#define HZ_MAX		18000000000ULL
/* What CPUID may say: a slower one is rubbish in the leaf. */
#define NAMED_HZ_MIN	50000000ULL

#define PPM		1000000
#define DIFFER_PPM	10000		/* 1 % */

#define STAMP_READS	5
#define ALIVE_READS	20000		/* >= 5 ms; a tick takes < 1 us */
#define WINDOW_READS	1000000
#define WINDOWS_PER_S	200		/* 5 ms each */
#define NR_WINDOWS	5
#define MAX_WINDOWS	20

/* ---- what the processor says ---- */

static bool is_intel(const struct tsc_hw *hw)
{
	struct cpuid_regs r = hw->cpuid(0, 0);

	return r.ebx == 0x756e6547 && r.edx == 0x49656e69 &&
	       r.ecx == 0x6c65746e;		/* "GenuineIntel" */
}

/* Crystal of processors whose leaf 15H leaves it out, by family 6 model. */
static u64 crystal_hz(const struct tsc_hw *hw)
{
	u32 sig = hw->cpuid(1, 0).eax;

	if (!is_intel(hw) || x86_family(sig) != 6)
		return 0;
	switch (x86_model(sig)) {
	case 0x4e:		/* Skylake, Kaby Lake: client */
	case 0x5e:
	case 0x8e:
	case 0x9e:
		return 24000000;
	case 0x5c:		/* Goldmont */
		return 19200000;
	case 0x5f:		/* Denverton */
		return 25000000;
	}
	return 0;
}

static bool name(struct tsc_cal *cal, enum tsc_source source, u64 hz)
{
	if (hz < NAMED_HZ_MIN || hz > HZ_MAX)
		return false;
	cal->source = source;
	cal->named_hz = hz;
	return true;
}

static u64 hypervisor_hz(const struct tsc_hw *hw)
{
	if (!(hw->cpuid(1, 0).ecx & CPUID_1_ECX_HYPERVISOR))
		return 0;
	return hw->cpuid(0x40000010, 0).eax * 1000ULL;
}

/* Bits 15:8; other processors have other things there. */
static u64 plate_hz(const struct tsc_hw *hw)
{
	u64 val, hz;

	if (!is_intel(hw) || x86_family(hw->cpuid(1, 0).eax) != 6 ||
	    hw->rdmsr(MSR_PLATFORM_INFO, &val))
		return 0;
	hz = FIELD_GET(PLATFORM_INFO_RATIO, val) * 100000000ULL;
	return hz > HZ_MAX ? 0 : hz;
}

/*
 * A hypervisor knows the rate to the kHz, leaf 16H only to the MHz and only
 * that of the host's name plate.
 */
static void ask_processor(const struct tsc_hw *hw, struct tsc_cal *cal)
{
	struct cpuid_regs leaf15 = hw->cpuid(0x15, 0);
	u64 mul = leaf15.ebx, div = leaf15.eax;

	cal->plate_hz = plate_hz(hw);
	cal->invariant = hw->cpuid(0x80000007, 0).edx & CPUID_INVARIANT_TSC;
	if (mul && div) {
		if (name(cal, TSC_SOURCE_15H, leaf15.ecx * mul / div))
			return;
		if (!leaf15.ecx && name(cal, TSC_SOURCE_CRYSTAL,
					crystal_hz(hw) * mul / div))
			return;
	}
	if (name(cal, TSC_SOURCE_HYPERVISOR, hypervisor_hz(hw)) ||
	    name(cal, TSC_SOURCE_16H,
		 (hw->cpuid(0x16, 0).eax & 0xffff) * 1000000ULL))
		return;
	name(cal, TSC_SOURCE_MSR_CEH, cal->plate_hz);
}

/* ---- what a clock says ---- */

/* A counter's value, and the TSC around its read. */
struct stamp {
	u64 tsc;
	u64 width;
	u32 count;
};

struct window {
	u64 hz;
	u32 error_ppm;
	bool disturbed;
};

/*
 * The tightest of some reads: an SMI, or the host that takes the CPU away, in
 * the middle of one makes it wide.
 */
static struct stamp stamp_take(const struct tsc_hw *hw,
			       const struct ref_clock *clock)
{
	struct stamp best = { 0, ~0ULL, 0 };

	for (unsigned int i = 0; i < STAMP_READS; i++) {
		u64 before = hw->tsc();
		u32 count = clock->read(clock);
		u64 width = hw->tsc() - before;

		if (width < best.width)
			best = (struct stamp){ before + width / 2, width,
					       count };
	}
	return best;
}

/* Two reads may well be equal: processors are faster than a tick. */
static bool clock_counts(const struct ref_clock *clock)
{
	u32 first = clock->read(clock);

	for (unsigned int i = 0; i < ALIVE_READS; i++) {
		if ((clock->read(clock) - first) & clock->mask)
			return true;
		cpu_relax();
	}
	return false;
}

static bool window_finish(struct window *win, const struct stamp *start,
			  const struct stamp *end, u64 ticks, u64 clock_hz)
{
	u64 passed = end->tsc - start->tsc;
	u64 error;

	if (!passed || passed > ~0ULL / clock_hz)
		return false;
	win->hz = passed * clock_hz / ticks;
	/* Half of each bracket, and a tick of the counter. */
	error = min((start->width + end->width) / 2, passed) * PPM / passed +
		PPM / ticks;
	win->error_ppm = (u32)min(error, (u64)PPM);
	return win->hz >= HZ_MIN && win->hz <= HZ_MAX;
}

/*
 * Whether the counter may have wrapped unseen while the CPU was away for @gap
 * TSC ticks: in the other @rest it went on by @ticks.
 */
static bool may_have_wrapped(const struct ref_clock *clock, u64 ticks, u64 gap,
			     u64 rest)
{
	/* Less than the 5 ms of a window: no counter wraps in that. */
	if (gap < rest)
		return false;
	return !rest || !ticks || gap / rest + 1 > clock->mask / 2 / ticks;
}

/* Follows the counter, so that it may wrap as often as it likes. */
static bool window_measure(const struct tsc_hw *hw,
			   const struct ref_clock *clock, struct window *win)
{
	struct stamp start = stamp_take(hw, clock), end;
	u64 want = clock->hz / WINDOWS_PER_S;
	u64 ticks = 0, gap = 0, gap_ticks = 0, last = start.tsc;
	u32 count = start.count;

	for (unsigned int reads = 0; ticks < want; reads++) {
		u32 next = clock->read(clock);
		u64 now = hw->tsc();

		if (reads == WINDOW_READS)
			return false;
		if (now - last > gap) {
			gap = now - last;
			gap_ticks = (next - count) & clock->mask;
		}
		ticks += (next - count) & clock->mask;
		count = next;
		last = now;
	}
	end = stamp_take(hw, clock);
	ticks += (end.count - count) & clock->mask;
	win->disturbed = may_have_wrapped(clock, ticks - gap_ticks, gap,
					  end.tsc - start.tsc - gap);
	return window_finish(win, &start, &end, ticks, clock->hz);
}

static int by_hz(const void *a, const void *b, const void *priv)
{
	const struct window *x = a, *y = b;

	(void)priv;
	return x->hz < y->hz ? -1 : x->hz > y->hz;
}

/*
 * The median of several windows: one bad read of the counter, as old chip sets
 * give, or one window that the CPU slept through, does not reach the result.
 */
static bool measure(const struct tsc_hw *hw, const struct ref_clock *clock,
		    struct tsc_cal *cal)
{
	struct window win[NR_WINDOWS];
	unsigned int nr = 0;

	if (!clock_counts(clock))
		return false;
	for (unsigned int i = 0; i < MAX_WINDOWS && nr < NR_WINDOWS; i++)
		if (window_measure(hw, clock, &win[nr]) && !win[nr].disturbed)
			nr++;
	if (!nr)
		return false;
	sort(win, nr, sizeof(win[0]), by_hz, NULL);
	cal->clock = clock;
	cal->measured_hz = win[nr / 2].hz;
	cal->error_ppm = win[nr / 2].error_ppm;
	return true;
}

static void ask_clocks(const struct tsc_hw *hw, struct tsc_cal *cal)
{
	for (unsigned int i = 0; i < hw->nr_clocks; i++) {
		if (measure(hw, &hw->clock[i], cal))
			return;
		cal->dead[cal->nr_dead++] = hw->clock[i].name;
	}
}

/* ---- who is believed ---- */

static bool is_rounded(enum tsc_source source)
{
	return source == TSC_SOURCE_16H || source == TSC_SOURCE_MSR_CEH;
}

static bool believe_clock(struct tsc_cal *cal)
{
	u64 a = min(cal->named_hz, cal->measured_hz);
	u64 b = max(cal->named_hz, cal->measured_hz);

	if (!a)
		return cal->measured_hz;
	cal->differ_ppm = (u32)min((b - a) * PPM / a, (u64)UINT32_MAX);
	if (cal->differ_ppm > DIFFER_PPM + cal->error_ppm) {
		cal->contradicted = true;
		return !(cal->source == TSC_SOURCE_15H && cal->clock->is_pit);
	}
	return is_rounded(cal->source) && cal->differ_ppm > cal->error_ppm;
}

void tsc_calibrate(const struct tsc_hw *hw, struct tsc_cal *cal)
{
	memset(cal, 0, sizeof(*cal));
	ask_processor(hw, cal);
	ask_clocks(hw, cal);
	cal->believed_clock = believe_clock(cal);
	cal->hz = cal->believed_clock ? cal->measured_hz : cal->named_hz;
	if (!cal->hz)
		cal->hz = TSC_GUESS_HZ;
}

/* ---- for people ---- */

static const char *const source_names[] = {
	[TSC_SOURCE_NONE] = "CPUID",
	[TSC_SOURCE_15H] = "CPUID 15H",
	[TSC_SOURCE_CRYSTAL] = "CPUID 15H and the model's crystal",
	[TSC_SOURCE_HYPERVISOR] = "hypervisor",
	[TSC_SOURCE_16H] = "CPUID 16H",
	[TSC_SOURCE_MSR_CEH] = "MSR CEH",
};

#define MHZ(hz)		(unsigned long long)((hz) / 1000000), \
			(unsigned long long)((hz) / 1000 % 1000)
/* Rounded up: a bound. */
#define PERCENT(ppm)	((ppm) + 99) / 10000, ((ppm) + 99) / 100 % 100

static void print_doubts(const struct tsc_cal *cal)
{
	for (unsigned int i = 0; i < cal->nr_dead; i++)
		printk("time: %s does not count\n", cal->dead[i]);
	if (cal->contradicted)
		printk("time: %s says %llu.%03llu MHz, the %s %llu.%03llu: %s is believed\n",
		       source_names[cal->source], MHZ(cal->named_hz),
		       cal->clock->name, MHZ(cal->measured_hz),
		       cal->believed_clock ? cal->clock->name :
		       source_names[cal->source]);
	if (cal->plate_hz && (cal->contradicted || !cal->measured_hz))
		printk("time: MSR CEH says %llu.%03llu MHz\n",
		       MHZ(cal->plate_hz));
	if (!cal->invariant)
		printk("time: the TSC is not said to be invariant: its rate may change\n");
}

void tsc_cal_print(const struct tsc_cal *cal)
{
	const char *named = source_names[cal->source];
	char why[96];

	print_doubts(cal);
	if (!cal->named_hz && !cal->measured_hz)
		scnprintf(why, sizeof(why),
			  "a guess: neither CPUID nor a timer says");
	else if (!cal->measured_hz)
		scnprintf(why, sizeof(why), "%s, unverified: no timer counts",
			  named);
	else if (!cal->named_hz)
		scnprintf(why, sizeof(why), "%s to %u.%02u %%; no CPUID leaf says",
			  cal->clock->name, PERCENT(cal->error_ppm));
	else if (cal->believed_clock)
		scnprintf(why, sizeof(why), "%s to %u.%02u %%; %s says %llu.%03llu",
			  cal->clock->name, PERCENT(cal->error_ppm), named,
			  MHZ(cal->named_hz));
	else
		scnprintf(why, sizeof(why), "%s; %s %s %u.%02u %%", named,
			  cal->clock->name, cal->contradicted ? "is off by" :
			  "agrees to", PERCENT(cal->differ_ppm));
	printk("time: TSC %llu.%03llu MHz (%s)\n", MHZ(cal->hz), why);
}
