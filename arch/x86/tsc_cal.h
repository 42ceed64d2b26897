/* SPDX-License-Identifier: MIT */
/*
 * How fast the TSC runs: what CPUID says, what a second clock measures, and
 * which of the two is believed. Touches no hardware but through its argument.
 */
#ifndef X86_TSC_CAL_H
#define X86_TSC_CAL_H

#include <asm/cpuid.h>
#include "arch/x86/timers.h"
#include "lib/compiler.h"

/* Too fast rather than too slow: delays get longer then. */
#define TSC_GUESS_HZ	4000000000ULL

enum tsc_source {
	TSC_SOURCE_NONE,
	TSC_SOURCE_15H,		/* CPUID 15H, all of it */
	TSC_SOURCE_CRYSTAL,	/* CPUID 15H, the crystal from the model */
	TSC_SOURCE_HYPERVISOR,	/* CPUID 40000010H */
	TSC_SOURCE_16H,		/* CPUID 16H: whole MHz of the name plate */
	TSC_SOURCE_MSR_CEH,	/* MSR_PLATFORM_INFO: units of 100 MHz */
};

/* The machine, as far as it matters here. */
struct tsc_hw {
	/* All zero above the maximum leaf of its range. */
	struct cpuid_regs (*cpuid)(u32 leaf, u32 subleaf);
	int (*rdmsr)(u32 msr, u64 *val);	/* 0 or -EIO */
	u64 (*tsc)(void);
	const struct ref_clock *clock;
	unsigned int nr_clocks;
};

struct tsc_cal {
	u64 hz;			/* what is used; never 0 */
	enum tsc_source source;	/* of @named_hz */
	u64 named_hz;		/* by CPUID or MSR; 0: they do not say */
	u64 plate_hz;		/* MSR_PLATFORM_INFO; 0: none */
	const struct ref_clock *clock;	/* what measured; NULL: none counts */
	u64 measured_hz;	/* 0: not measured */
	u32 error_ppm;		/* bound of the measurement's error */
	u32 differ_ppm;		/* named against measured */
	bool contradicted;	/* they differ by more than 1 % and the error */
	bool believed_clock;	/* @hz is the measured one */
	bool invariant;		/* CPUID 80000007H */
	unsigned int nr_dead;	/* clocks that do not count */
	const char *dead[MAX_REF_CLOCKS];
};

/**
 * tsc_calibrate() - find the TSC's frequency
 * @hw:		the machine
 * @cal:	filled in; points into @hw
 *
 * CPUID's word in the order of enum tsc_source, held against the first clock
 * that counts, over some 25 ms. Where they differ by more than 1 % the clock is
 * believed, but for a PIT against a full CPUID 15H: the PIT is what firmware
 * and emulators get wrong. Within 1 % CPUID is taken where it is exact, the
 * clock where CPUID gives a rounded number. With neither it is a guess.
 *
 * Every wait ends after a number of reads, whatever the clocks do. Sources: SDM
 * "Determining the Processor Base Frequency", "Time-Stamp Counter".
 *
 * Context: boot.
 */
void tsc_calibrate(const struct tsc_hw *hw, struct tsc_cal *cal);

/* The result as console lines. */
void tsc_cal_print(const struct tsc_cal *cal);

#endif /* X86_TSC_CAL_H */
