/* SPDX-License-Identifier: MIT */
/*
 * The MSRs of Intel PT: what can be read and written, and what is a #GP.
 *
 * Implements the SDM's "Enabling and Configuration MSRs". What tracing then
 * does is in flow.c and output.c.
 */
#include "internal.h"

#include <string.h>

#define CTL_ALWAYS	(PTM_CTL_TRACEEN | PTM_CTL_OS | PTM_CTL_USER | \
			 PTM_CTL_TOPA | PTM_CTL_TSCEN | PTM_CTL_DISRETC | \
			 PTM_CTL_BRANCHEN)
#define CTL_CYCTHRESH	((uint64_t)PTM_CTL_FREQ_MASK << PTM_CTL_CYCTHRESH_SHIFT)
#define CTL_PSBFREQ	((uint64_t)PTM_CTL_FREQ_MASK << PTM_CTL_PSBFREQ_SHIFT)
#define STATUS_ENABLES	(PTM_STATUS_FILTEREN | PTM_STATUS_CONTEXTEN | \
			 PTM_STATUS_TRIGGEREN)
#define STATUS_BYTECNT	((uint64_t)PTM_STATUS_BYTECNT_MAX << \
			 PTM_STATUS_BYTECNT_SHIFT)

#define BASE_RESERVED	0x7fULL
#define MASK_ALWAYS_1	0x7fULL
#define CR3_RESERVED	0x1fULL

/* PSBFreq 0: a PSB about every 2 KiB. */
#define PSB_PERIOD	2048

void ptm_init(struct ptm_cpu *cpu, const struct ptm_profile *profile,
	      const struct ptm_ops *ops, void *opaque)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->profile = profile;
	cpu->ops = ops;
	cpu->opaque = opaque;
	ptm_reset(cpu, PTM_RESET_COLD);
}

void ptm_reset(struct ptm_cpu *cpu, enum ptm_reset how)
{
	const struct ptm_cpu old = *cpu;

	(void)how;
	memset(cpu, 0, sizeof(*cpu));
	cpu->profile = old.profile;
	cpu->ops = old.ops;
	cpu->opaque = old.opaque;
	cpu->output_mask = MASK_ALWAYS_1;
	cpu->psb_period = PSB_PERIOD;
	cpu->ovf_in = cpu->error_in = cpu->pmi_in = -1;
	cpu->max_tnt = 6;
	cpu->cbr = cpu->profile->cbr;
	cpu->filter_en = true;
	if (old.trigger_en && cpu->ops->triggered)
		cpu->ops->triggered(cpu->opaque, false);
}

void ptm_update_trigger(struct ptm_cpu *cpu)
{
	bool on = (cpu->ctl & PTM_CTL_TRACEEN) && !cpu->status;

	if (on == cpu->trigger_en)
		return;
	cpu->trigger_en = on;
	if (!on)
		cpu->packet_en = false;
	if (cpu->ops->triggered)
		cpu->ops->triggered(cpu->opaque, on);
}

bool ptm_owns_msr(uint32_t msr)
{
	switch (msr) {
	case PTM_MSR_PERF_GLOBAL_STATUS:
	case PTM_MSR_PERF_GLOBAL_STATUS_RST:
	case PTM_MSR_RTIT_OUTPUT_BASE:
	case PTM_MSR_RTIT_OUTPUT_MASK_PTRS:
	case PTM_MSR_RTIT_CTL:
	case PTM_MSR_RTIT_STATUS:
	case PTM_MSR_RTIT_CR3_MATCH:
		return true;
	}
	return msr >= PTM_MSR_RTIT_ADDR0_A && msr <= PTM_MSR_RTIT_ADDR3_B;
}

/* ---- reading ---- */

static uint64_t read_status(const struct ptm_cpu *cpu)
{
	uint64_t status = cpu->status;

	if (ptm_has_ebx(cpu, PTM_EBX_PSB_CYC))
		status |= (uint64_t)cpu->byte_cnt << PTM_STATUS_BYTECNT_SHIFT;
	if (!(cpu->ctl & PTM_CTL_TRACEEN))
		return status;
	/* Without IP filters FilterEn is always 1. */
	status |= PTM_STATUS_FILTEREN;
	if (cpu->context_en)
		status |= PTM_STATUS_CONTEXTEN;
	if (cpu->trigger_en)
		status |= PTM_STATUS_TRIGGEREN;
	return status;
}

int ptm_rdmsr(struct ptm_cpu *cpu, uint32_t msr, uint64_t *val)
{
	ptm_flush(cpu);
	switch (msr) {
	case PTM_MSR_PERF_GLOBAL_STATUS:
		*val = cpu->global_status;
		return 0;
	case PTM_MSR_PERF_GLOBAL_STATUS_RST:
		*val = 0;
		return 0;
	case PTM_MSR_RTIT_OUTPUT_BASE:
		*val = cpu->output_base;
		return 0;
	case PTM_MSR_RTIT_OUTPUT_MASK_PTRS:
		*val = cpu->output_mask;
		return 0;
	case PTM_MSR_RTIT_CTL:
		*val = cpu->ctl;
		return 0;
	case PTM_MSR_RTIT_STATUS:
		*val = read_status(cpu);
		return 0;
	case PTM_MSR_RTIT_CR3_MATCH:
		if (!ptm_has_ebx(cpu, PTM_EBX_CR3_FILTER))
			return -1;
		*val = cpu->cr3_match;
		return 0;
	}
	/* No profile has address ranges. */
	return -1;
}

/* ---- writing ---- */

static bool beyond_maxphyaddr(const struct ptm_cpu *cpu, uint64_t pa)
{
	return pa >> cpu->profile->maxphyaddr;
}

static uint64_t ctl_allowed(const struct ptm_cpu *cpu)
{
	uint64_t allowed = CTL_ALWAYS;

	if (ptm_has_ebx(cpu, PTM_EBX_CR3_FILTER))
		allowed |= PTM_CTL_CR3FILTER;
	if (ptm_has_ebx(cpu, PTM_EBX_PSB_CYC))
		allowed |= PTM_CTL_CYCEN | CTL_CYCTHRESH | CTL_PSBFREQ;
	return allowed;
}

/* Encoding 0 is always good; another one when its bit is in the bitmap. */
static bool encoding_ok(uint64_t ctl, unsigned int shift, uint32_t bitmap)
{
	unsigned int code = ctl >> shift & PTM_CTL_FREQ_MASK;

	return !code || (bitmap >> code & 1);
}

static bool ctl_ok(const struct ptm_cpu *cpu, uint64_t val)
{
	uint32_t bitmaps = cpu->profile->leaf14_1[1];

	if (val & ~ctl_allowed(cpu))
		return false;
	if (!encoding_ok(val, PTM_CTL_CYCTHRESH_SHIFT, bitmaps & 0xffff))
		return false;
	if (!encoding_ok(val, PTM_CTL_PSBFREQ_SHIFT, bitmaps >> 16))
		return false;
	if (!(val & PTM_CTL_TRACEEN))
		return true;
	if (cpu->ctl & PTM_CTL_TRACEEN)
		return val == cpu->ctl;
	if (!(val & PTM_CTL_TOPA) && !ptm_has_ecx(cpu, PTM_ECX_SINGLE_RANGE))
		return false;
	return (val & PTM_CTL_BRANCHEN) || !ptm_erratum(cpu, PTM_ERRATUM_BDM106);
}

static int write_ctl(struct ptm_cpu *cpu, uint64_t val, const struct ptm_at *at)
{
	bool was_on = cpu->ctl & PTM_CTL_TRACEEN;
	bool on = val & PTM_CTL_TRACEEN;

	if (!ctl_ok(cpu, val))
		return -1;
	if (was_on && !on)
		ptm_flow_disable(cpu, at);
	cpu->ctl = val;
	cpu->psb_period = PSB_PERIOD <<
		(val >> PTM_CTL_PSBFREQ_SHIFT & PTM_CTL_FREQ_MASK);
	ptm_update_trigger(cpu);
	if (on && !was_on)
		ptm_flow_enable(cpu, at);
	return 0;
}

static int write_status(struct ptm_cpu *cpu, uint64_t val)
{
	uint64_t settable = PTM_STATUS_ERROR | PTM_STATUS_STOPPED;
	uint64_t allowed = settable | STATUS_ENABLES;

	if (ptm_has_ebx(cpu, PTM_EBX_PSB_CYC))
		allowed |= STATUS_BYTECNT;
	if (val & ~allowed)
		return -1;
	cpu->status = val & settable;
	cpu->byte_cnt = val >> PTM_STATUS_BYTECNT_SHIFT &
			PTM_STATUS_BYTECNT_MAX;
	return 0;
}

static int write_global_status_reset(struct ptm_cpu *cpu, uint64_t val)
{
	/* The model has no counters: every other bit is reserved. */
	if (val & ~PTM_GLOBAL_STATUS_TOPA_PMI)
		return -1;
	cpu->global_status &= ~val;
	return 0;
}

/* The MSRs that can be written only while TraceEn is 0. */
static int write_config(struct ptm_cpu *cpu, uint32_t msr, uint64_t val)
{
	switch (msr) {
	case PTM_MSR_RTIT_OUTPUT_BASE:
		if ((val & BASE_RESERVED) || beyond_maxphyaddr(cpu, val))
			return -1;
		cpu->output_base = val;
		return 0;
	case PTM_MSR_RTIT_OUTPUT_MASK_PTRS:
		cpu->output_mask = val | MASK_ALWAYS_1;
		return 0;
	case PTM_MSR_RTIT_STATUS:
		return write_status(cpu, val);
	case PTM_MSR_RTIT_CR3_MATCH:
		if (!ptm_has_ebx(cpu, PTM_EBX_CR3_FILTER) ||
		    (val & CR3_RESERVED))
			return -1;
		cpu->cr3_match = val;
		return 0;
	}
	return -1;
}

int ptm_wrmsr(struct ptm_cpu *cpu, uint32_t msr, uint64_t val,
	      const struct ptm_at *at)
{
	switch (msr) {
	case PTM_MSR_RTIT_CTL:
		return write_ctl(cpu, val, at);
	case PTM_MSR_PERF_GLOBAL_STATUS:
		return -1;
	case PTM_MSR_PERF_GLOBAL_STATUS_RST:
		return write_global_status_reset(cpu, val);
	}
	if (cpu->ctl & PTM_CTL_TRACEEN)
		return -1;
	return write_config(cpu, msr, val);
}
