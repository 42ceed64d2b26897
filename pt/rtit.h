/* SPDX-License-Identifier: MIT */
/*
 * The RTIT MSRs of the calling CPU: composing, judging and writing them.
 *
 * Values are composed whole and then written; nothing that was once read or
 * written is believed later. SDM "Enabling and Configuration MSRs".
 */
#ifndef PT_RTIT_H
#define PT_RTIT_H

#include <asm/msr-index.h>
#include "lib/compiler.h"

struct pt_caps;
struct pt_event_config;

/* OUTPUT_BASE and OUTPUT_MASK_PTRS in ToPA mode. */
struct rtit_output {
	phys_addr_t base;	/* of the table */
	u32 index;		/* entry of the table */
	u32 offset;		/* bytes into its region */
};

/**
 * rtit_compose_ctl() - the CTL value of a configuration, TraceEn set
 *
 * Whether the CPU takes it is for rtit_check_ctl() to say.
 */
u64 rtit_compose_ctl(const struct pt_event_config *config);

/**
 * rtit_check_ctl() - would this CPU take a CTL value
 * @caps:	of the CPU
 * @ctl:	the value
 * @why:	on error: the field at fault, a constant string
 *
 * Every bit must be enumerated by CPUID, else the write raises #GP.
 *
 * Context: any.
 * Return: 0 or -EOPNOTSUPP.
 */
int __must_check rtit_check_ctl(const struct pt_caps *caps, u64 ctl,
				const char **why);

/*
 * All below: on the traced CPU, NMI allowed. Writes other than to CTL need
 * TraceEn = 0, or they raise #GP.
 */
bool rtit_enabled(void);

/* Clears TraceEn alone; the bytes written so far are visible then. */
void rtit_disable(void);

/* Writes CTL: last of all. */
void rtit_enable(u64 ctl);

/* Valid only with TraceEn = 0. */
void rtit_read_output(struct rtit_output *out);
void rtit_write_output(const struct rtit_output *out);

u64 rtit_read_status(void);
/* The read-only bits of @status are left out. */
void rtit_write_status(u64 status);

#endif /* PT_RTIT_H */
