/* SPDX-License-Identifier: MIT */
/*
 * One processor's life: power-on, and what a reset leaves of its registers.
 *
 * The SDM's "Intel PT and Reset": a cold reset clears all; a warm one clears
 * TraceEn and keeps the rest where IP filtering is enumerated; INIT leaves Intel
 * PT alone.
 */
#include "internal.h"

#include <string.h>

/* PSBFreq 0: a PSB about every 2 KiB. */
#define PSB_PERIOD	2048
#define MASK_ALWAYS_1	0x7fULL

void ptm_init(struct ptm_cpu *cpu, const struct ptm_profile *profile,
	      const struct ptm_ops *ops, void *opaque)
{
	memset(cpu, 0, sizeof(*cpu));
	cpu->profile = profile;
	cpu->ops = ops;
	cpu->opaque = opaque;
	ptm_reset(cpu, PTM_RESET_COLD);
}

void ptm_fini(struct ptm_cpu *cpu)
{
	ptm_table_forget(cpu);
	ptm_hold_set(cpu, 0);
}

static void keep_msrs(struct ptm_cpu *cpu, const struct ptm_cpu *old)
{
	cpu->ctl = old->ctl & ~PTM_CTL_TRACEEN;
	cpu->status = old->status;
	cpu->byte_cnt = old->byte_cnt;
	cpu->psb_period = old->psb_period;
	cpu->output_base = old->output_base;
	cpu->output_mask = old->output_mask;
	cpu->cr3_match = old->cr3_match;
	memcpy(cpu->addr, old->addr, sizeof(cpu->addr));
}

void ptm_reset(struct ptm_cpu *cpu, enum ptm_reset how)
{
	struct ptm_cpu old;

	if (how == PTM_RESET_INIT)
		return;
	ptm_output_lose(cpu);
	ptm_table_forget(cpu);
	old = *cpu;
	memset(cpu, 0, sizeof(*cpu));
	cpu->profile = old.profile;
	cpu->ops = old.ops;
	cpu->opaque = old.opaque;
	cpu->output_mask = MASK_ALWAYS_1;
	cpu->psb_period = PSB_PERIOD;
	cpu->ovf_in = cpu->error_in = cpu->pmi_in = -1;
	cpu->max_tnt = 6;
	cpu->cbr = cpu->profile->cbr;
	if (how == PTM_RESET_WARM) {
		cpu->counts = old.counts;
		if (ptm_has_ebx(cpu, PTM_EBX_IP_FILTER))
			keep_msrs(cpu, &old);
	}
	if (old.trigger_en && cpu->ops->triggered)
		cpu->ops->triggered(cpu->opaque, false);
}
