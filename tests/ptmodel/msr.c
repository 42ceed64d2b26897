/* SPDX-License-Identifier: MIT */
/*
 * The MSRs of Intel PT: what can be read and written, and what is a #GP.
 *
 * Implements the SDM's "Enabling and Configuration MSRs". What tracing then
 * does is in enable.c and output.c.
 */
#include "internal.h"

#include <string.h>

#define CTL_ALWAYS	(PTM_CTL_TRACEEN | PTM_CTL_OS | PTM_CTL_USER | \
			 PTM_CTL_TSCEN | PTM_CTL_DISRETC | PTM_CTL_BRANCHEN)
#define FIELD(shift)	((uint64_t)PTM_CTL_FREQ_MASK << (shift))
#define STATUS_ENABLES	(PTM_STATUS_FILTEREN | PTM_STATUS_CONTEXTEN | \
			 PTM_STATUS_TRIGGEREN)
#define STATUS_OFF	(PTM_STATUS_ERROR | PTM_STATUS_STOPPED)
#define STATUS_PENDING	(PTM_STATUS_PENDPSB | PTM_STATUS_PENDTOPAPMI)
#define STATUS_BYTECNT	((uint64_t)PTM_STATUS_BYTECNT_MAX << \
			 PTM_STATUS_BYTECNT_SHIFT)

#define BASE_RESERVED	0x7fULL
#define MASK_ALWAYS_1	0x7fULL
#define CR3_RESERVED	0x1fULL

#define PSB_PERIOD	2048

void ptm_update_trigger(struct ptm_cpu *cpu)
{
	bool on = (cpu->ctl & PTM_CTL_TRACEEN) && !(cpu->status & STATUS_OFF);

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

/* NULL: beyond what CPUID enumerates. */
static uint64_t *addr_msr(struct ptm_cpu *cpu, uint32_t msr)
{
	unsigned int n = msr - PTM_MSR_RTIT_ADDR0_A;

	if (msr < PTM_MSR_RTIT_ADDR0_A || n / 2 >= ptm_nr_ranges(cpu) ||
	    !ptm_has_ebx(cpu, PTM_EBX_IP_FILTER))
		return NULL;
	return &cpu->addr[n / 2][n & 1];
}

/* ---- reading ---- */

/* While TraceEn is 1 the count lags behind by what is still buffered. */
static uint64_t read_status(const struct ptm_cpu *cpu)
{
	uint64_t status = cpu->status, count = cpu->byte_cnt;

	if (ptm_has_ebx(cpu, PTM_EBX_PSB_CYC)) {
		if (cpu->ctl & PTM_CTL_TRACEEN)
			count -= count < cpu->used ? count : cpu->used;
		status |= count << PTM_STATUS_BYTECNT_SHIFT;
	}
	if (!(cpu->ctl & PTM_CTL_TRACEEN))
		return status;
	if (cpu->filter_en)
		status |= PTM_STATUS_FILTEREN;
	if (cpu->context_en)
		status |= PTM_STATUS_CONTEXTEN;
	if (cpu->trigger_en)
		status |= PTM_STATUS_TRIGGEREN;
	return status;
}

int ptm_rdmsr(struct ptm_cpu *cpu, uint32_t msr, uint64_t *val)
{
	const uint64_t *addr;

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
	addr = addr_msr(cpu, msr);
	if (!addr)
		return -1;
	*val = *addr;
	return 0;
}

/* ---- CTL ---- */

/* CTL bits that exist where CPUID.(EAX=14H,ECX=0):EBX or ECX has a bit. */
static const struct {
	bool ecx;
	uint32_t needs;
	uint64_t bits;
} ctl_features[] = {
	{ false, PTM_EBX_CR3_FILTER, PTM_CTL_CR3FILTER },
	{ false, PTM_EBX_PSB_CYC, PTM_CTL_CYCEN |
	  FIELD(PTM_CTL_CYCTHRESH_SHIFT) | FIELD(PTM_CTL_PSBFREQ_SHIFT) },
	{ false, PTM_EBX_MTC, PTM_CTL_MTCEN | FIELD(PTM_CTL_MTCFREQ_SHIFT) },
	{ false, PTM_EBX_PTWRITE, PTM_CTL_PTWEN | PTM_CTL_FUPONPTW },
	{ false, PTM_EBX_PWR_EVT, PTM_CTL_PWREVTEN },
	{ false, PTM_EBX_PSB_PMI, PTM_CTL_INJECT_PSB_PMI },
	{ false, PTM_EBX_EVENT, PTM_CTL_EVENTEN },
	{ false, PTM_EBX_DISTNT, PTM_CTL_DISTNT },
	{ true, PTM_ECX_TOPA, PTM_CTL_TOPA },
	{ true, PTM_ECX_FABRIC, PTM_CTL_FABRICEN },
};

static uint64_t ctl_allowed(const struct ptm_cpu *cpu)
{
	uint64_t allowed = CTL_ALWAYS;
	unsigned int i;

	for (i = 0; i < sizeof(ctl_features) / sizeof(ctl_features[0]); i++)
		if (ctl_features[i].ecx ?
		    ptm_has_ecx(cpu, ctl_features[i].needs) :
		    ptm_has_ebx(cpu, ctl_features[i].needs))
			allowed |= ctl_features[i].bits;
	if (ptm_has_ebx(cpu, PTM_EBX_IP_FILTER))
		for (i = 0; i < ptm_nr_ranges(cpu); i++)
			allowed |= FIELD(PTM_CTL_ADDR0_CFG_SHIFT + 4 * i);
	return allowed;
}

/*
 * An encoding is good when its bit is in the bitmap; 0, which is what an unused
 * field holds, also when it is not: unless @strict.
 */
static bool encoding_ok(uint64_t ctl, unsigned int shift, uint32_t bitmap,
			bool strict)
{
	unsigned int code = ctl >> shift & PTM_CTL_FREQ_MASK;

	return (!code && !strict) || (bitmap >> code & 1);
}

static bool encodings_ok(const struct ptm_cpu *cpu, uint64_t val)
{
	uint32_t mtc = cpu->profile->leaf14_1[0] >> 16;
	uint32_t cyc = cpu->profile->leaf14_1[1] & 0xffff;
	uint32_t psb = cpu->profile->leaf14_1[1] >> 16;
	bool kvm = cpu->profile->policy & PTM_POLICY_KVM;

	/* KVM looks at a field wherever the feature is enumerated. */
	return encoding_ok(val, PTM_CTL_MTCFREQ_SHIFT, mtc,
			   (val & PTM_CTL_MTCEN) ||
			   (kvm && ptm_has_ebx(cpu, PTM_EBX_MTC))) &&
	       encoding_ok(val, PTM_CTL_CYCTHRESH_SHIFT, cyc,
			   kvm && ptm_has_ebx(cpu, PTM_EBX_PSB_CYC)) &&
	       encoding_ok(val, PTM_CTL_PSBFREQ_SHIFT, psb,
			   kvm && ptm_has_ebx(cpu, PTM_EBX_PSB_CYC));
}

static bool ranges_ok(uint64_t val)
{
	unsigned int i;

	for (i = 0; i < PTM_NR_RANGES; i++)
		if ((val >> (PTM_CTL_ADDR0_CFG_SHIFT + 4 * i) &
		     PTM_CTL_ADDR_CFG_MASK) > PTM_ADDR_TRACESTOP)
			return false;
	return true;
}

static bool ctl_ok(const struct ptm_cpu *cpu, uint64_t val)
{
	bool traced = cpu->ctl & PTM_CTL_TRACEEN;

	if ((val & ~ctl_allowed(cpu)) || !ranges_ok(val) ||
	    !encodings_ok(cpu, val))
		return false;
	/* KVM refuses another change also with a write that clears TraceEn. */
	if (traced && (cpu->profile->policy & PTM_POLICY_KVM) &&
	    ((val ^ cpu->ctl) & ~PTM_CTL_TRACEEN))
		return false;
	if (!(val & PTM_CTL_TRACEEN))
		return true;
	if (traced)
		return val == cpu->ctl;
	if (!(val & (PTM_CTL_TOPA | PTM_CTL_FABRICEN)) &&
	    !ptm_has_ecx(cpu, PTM_ECX_SINGLE_RANGE))
		return false;
	return (val & PTM_CTL_BRANCHEN) || !ptm_erratum(cpu, PTM_ERRATUM_BDM106);
}

/* What waited for tracing to be on again: PendPSB is for ptm_flow_enable(). */
static void deliver_pending_pmi(struct ptm_cpu *cpu)
{
	if ((cpu->ctl & PTM_CTL_INJECT_PSB_PMI) &&
	    (cpu->status & PTM_STATUS_PENDTOPAPMI))
		ptm_pmi_now(cpu);
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
	if (on && !was_on) {
		ptm_flow_enable(cpu, at);
		deliver_pending_pmi(cpu);
	}
	return 0;
}

/* ---- the others: #GP while TraceEn is 1 ---- */

static bool beyond_maxphyaddr(const struct ptm_cpu *cpu, uint64_t pa)
{
	return pa >> cpu->profile->maxphyaddr;
}

/* The model has no 57-bit linear addresses. */
static bool canonical(uint64_t ip)
{
	return (uint64_t)((int64_t)(ip << 16) >> 16) == ip;
}

static int write_status(struct ptm_cpu *cpu, uint64_t val)
{
	uint64_t settable = STATUS_OFF;
	uint64_t allowed = STATUS_ENABLES;

	if (ptm_has_ebx(cpu, PTM_EBX_PSB_PMI))
		settable |= STATUS_PENDING;
	if (ptm_has_ebx(cpu, PTM_EBX_PSB_CYC))
		allowed |= STATUS_BYTECNT;
	if (val & ~(settable | allowed))
		return -1;
	cpu->status = val & settable;
	cpu->byte_cnt = val >> PTM_STATUS_BYTECNT_SHIFT &
			PTM_STATUS_BYTECNT_MAX;
	return 0;
}

static int write_addr(struct ptm_cpu *cpu, uint32_t msr, uint64_t val)
{
	uint64_t *addr = addr_msr(cpu, msr);

	if (!addr || !canonical(val))
		return -1;
	*addr = val;
	return 0;
}

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
	return write_addr(cpu, msr, val);
}

static int write_global_status_reset(struct ptm_cpu *cpu, uint64_t val)
{
	/* The model has no counters: every other bit is reserved. */
	if (val & ~PTM_GLOBAL_STATUS_TOPA_PMI)
		return -1;
	cpu->global_status &= ~val;
	return 0;
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
