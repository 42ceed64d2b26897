/* SPDX-License-Identifier: MIT */
/*
 * What Intel PT can do on each CPU, as its CPUID says.
 *
 * Read once, on the CPU itself: the cores of a hybrid differ. Nothing is ever
 * found out by provoking #GP, nothing is derived from a model name.
 */
#ifndef PT_CAPS_H
#define PT_CAPS_H

#include "lib/printk.h"
#include "lib/types.h"

/* Names as in Linux's pt.c; facts of SDM "Detection of Intel PT". */
struct pt_caps {
	bool present;			/* CPUID 7 EBX[25] */
	/* CPUID 14H.0 EBX */
	bool cr3_filtering;
	bool psb_cyc;			/* PSBFreq, CYC, PacketByteCnt */
	bool ip_filtering;
	bool mtc;
	bool ptwrite;
	bool power_event_trace;
	bool psb_pmi_preserve;
	bool event_trace;
	bool tnt_disable;
	/* CPUID 14H.0 ECX */
	bool topa_output;
	bool topa_multiple_entries;
	bool single_range_output;
	bool output_subsys;
	bool payloads_lip;		/* IPs contain the CS base */
	/* CPUID 14H.1; 0 where the feature is not there */
	u8 num_address_ranges;
	u16 mtc_periods;		/* bit n: encoding n of CTL.MTCFreq */
	u16 cycle_thresholds;		/* of CTL.CycThresh */
	u16 psb_periods;		/* of CTL.PSBFreq */
	/* around it */
	u8 family;			/* CPUID 1, extended parts added */
	u8 model;
	u8 stepping;
	u8 core_kind;			/* CPUID 1AH EAX[31:24]; 0: no hybrid */
	u8 phys_bits;			/* MAXPHYADDR */
	u32 tsc_num;			/* TSC = crystal * num / den; or 0 */
	u32 tsc_den;
	u32 crystal_hz;			/* 0: not said */
};

/* Fills @caps from the CPUID of the CPU that calls. Context: any. */
void pt_caps_read(struct pt_caps *caps);

/**
 * pt_caps_read_all() - capabilities of every CPU, each read on that CPU
 *
 * Context: boot, after smp_start(); the other CPUs are idle.
 * Return: 0; -EBUSY or -ETIMEDOUT when a CPU does not run the function.
 */
int __must_check pt_caps_read_all(void);

/* What pt_caps_read_all() found. @cpu below NR_CPUS. */
const struct pt_caps *pt_caps_of(unsigned int cpu);

/**
 * pt_caps_print() - what PT can do: one line per CPU, then the details
 *
 * Details are printed once for each set of equal CPUs.
 *
 * Context: thread.
 */
void pt_caps_print(struct printer *out);

/* "0 3 6 9" for the bits set in @mask, "none" for 0; always terminated. */
void pt_caps_encodings(u16 mask, char *buf, size_t size);

#endif /* PT_CAPS_H */
