/* SPDX-License-Identifier: MIT */
/*
 * The RTIT MSRs: one place that writes them, one that knows which bits a CPU
 * has. No policy: when to trace is for pt/event.c and pt/output.c.
 */
#include "pt/rtit.h"

#include <asm/msr.h>
#include "lib/err.h"
#include "pt/caps.h"
#include "pt/event.h"

#define RTIT_STATUS_READ_ONLY \
	(RTIT_STATUS_FILTEREN | RTIT_STATUS_CONTEXTEN | RTIT_STATUS_TRIGGEREN)

u64 rtit_compose_ctl(const struct pt_event_config *config)
{
	/* BranchEn always: without it Broadwell raises #GP (BDM106). */
	u64 ctl = RTIT_CTL_TRACEEN | RTIT_CTL_TOPA | RTIT_CTL_BRANCH_EN;

	if (config->os)
		ctl |= RTIT_CTL_OS;
	if (config->user)
		ctl |= RTIT_CTL_USR;
	if (config->disretc)
		ctl |= RTIT_CTL_DISRETC;
	if (config->tsc)
		ctl |= RTIT_CTL_TSC_EN;
	return ctl | FIELD_PREP(RTIT_CTL_PSB_FREQ, config->psb_freq);
}

/* Encoding 0 is what the CPU does without the feature: always taken. */
static bool encoding_ok(u64 ctl, u64 field, u16 offered)
{
	u64 n = FIELD_GET(field, ctl);

	return !n || (offered >> n & 1);
}

/* ADDRn_CFG: 0 off, 1 filter, 2 TraceStop; and only for ranges that exist. */
static bool addr_cfg_ok(u64 ctl, unsigned int nr_ranges)
{
	u64 cfg = FIELD_GET(GENMASK_ULL(47, 32), ctl);
	unsigned int n;

	for (n = 0; n < 4; n++, cfg >>= 4)
		if ((cfg & 0xf) > (n < nr_ranges ? 2 : 0))
			return false;
	return true;
}

int rtit_check_ctl(const struct pt_caps *caps, u64 ctl, const char **why)
{
	/* One row per field: which bits, whether this CPU has them. */
	const struct {
		u64 bits;
		bool offered;
		const char *name;
	} rows[] = {
		{ RTIT_CTL_TRACEEN | RTIT_CTL_OS | RTIT_CTL_USR |
		  RTIT_CTL_TSC_EN | RTIT_CTL_DISRETC | RTIT_CTL_BRANCH_EN,
		  caps->present, "TraceEn" },
		{ RTIT_CTL_TOPA, caps->topa_output, "ToPA" },
		{ RTIT_CTL_FABRIC_EN, caps->output_subsys, "FabricEn" },
		{ RTIT_CTL_CR3EN, caps->cr3_filtering, "CR3Filter" },
		{ RTIT_CTL_CYCLEACC, caps->psb_cyc, "CYCEn" },
		{ RTIT_CTL_CYC_THRESH, caps->psb_cyc &&
		  encoding_ok(ctl, RTIT_CTL_CYC_THRESH, caps->cycle_thresholds),
		  "CycThresh" },
		{ RTIT_CTL_PSB_FREQ, caps->psb_cyc &&
		  encoding_ok(ctl, RTIT_CTL_PSB_FREQ, caps->psb_periods),
		  "PSBFreq" },
		{ RTIT_CTL_MTC_EN, caps->mtc && (caps->mtc_periods >>
		  FIELD_GET(RTIT_CTL_MTC_RANGE, ctl) & 1), "MTCEn" },
		{ RTIT_CTL_MTC_RANGE, caps->mtc &&
		  encoding_ok(ctl, RTIT_CTL_MTC_RANGE, caps->mtc_periods),
		  "MTCFreq" },
		{ RTIT_CTL_PTW_EN | RTIT_CTL_FUP_ON_PTW, caps->ptwrite,
		  "PTWEn" },
		{ RTIT_CTL_PWR_EVT_EN, caps->power_event_trace, "PwrEvtEn" },
		{ RTIT_CTL_EVENT_EN, caps->event_trace, "EventEn" },
		{ RTIT_CTL_NOTNT, caps->tnt_disable, "DisTNT" },
		{ GENMASK_ULL(47, 32),
		  addr_cfg_ok(ctl, caps->num_address_ranges), "ADDRn_CFG" },
	};
	u64 known = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		known |= rows[i].bits;
		*why = rows[i].name;
		if ((ctl & rows[i].bits) && !rows[i].offered)
			return -EOPNOTSUPP;
	}
	*why = "a reserved bit";
	return ctl & ~known ? -EOPNOTSUPP : 0;
}

bool rtit_enabled(void)
{
	return rdmsr(MSR_IA32_RTIT_CTL) & RTIT_CTL_TRACEEN;
}

void rtit_disable(void)
{
	/*
	 * Not 0: KVM before 2025 refuses a change of any other bit. The write
	 * flushes PT's buffers, but the bytes are globally visible only after a
	 * fence (SDM "Trace Output"). Pairs with the acquire of the head in
	 * pt_event_peek().
	 */
	wrmsr(MSR_IA32_RTIT_CTL,
	      rdmsr(MSR_IA32_RTIT_CTL) & ~RTIT_CTL_TRACEEN);
	store_fence();
}

void rtit_enable(u64 ctl)
{
	/* Tables and markers are stored before the CPU may read them. */
	store_fence();
	wrmsr(MSR_IA32_RTIT_CTL, ctl);
}

void rtit_read_output(struct rtit_output *out)
{
	u64 mask = rdmsr(MSR_IA32_RTIT_OUTPUT_MASK);

	out->base = rdmsr(MSR_IA32_RTIT_OUTPUT_BASE);
	out->index = (u32)FIELD_GET(RTIT_OUTPUT_MASK_TABLE_INDEX, mask);
	out->offset = (u32)FIELD_GET(RTIT_OUTPUT_MASK_OFFSET, mask);
}

void rtit_write_output(const struct rtit_output *out)
{
	wrmsr(MSR_IA32_RTIT_OUTPUT_BASE, out->base);
	wrmsr(MSR_IA32_RTIT_OUTPUT_MASK, RTIT_OUTPUT_MASK_FIXED |
	      FIELD_PREP(RTIT_OUTPUT_MASK_TABLE_INDEX, out->index) |
	      FIELD_PREP(RTIT_OUTPUT_MASK_OFFSET, out->offset));
}

u64 rtit_read_status(void)
{
	return rdmsr(MSR_IA32_RTIT_STATUS);
}

void rtit_write_status(u64 status)
{
	wrmsr(MSR_IA32_RTIT_STATUS, status & ~RTIT_STATUS_READ_ONLY);
}
