/* SPDX-License-Identifier: MIT */
/*
 * Faults to come: what ptm_inject() arms, and when it goes off.
 */
#include "internal.h"

#include <string.h>

/* ---- the PMI ---- */

void ptm_report(struct ptm_cpu *cpu, enum ptm_report what, uint64_t addr)
{
	cpu->counts.reports++;
	cpu->counts.last_report = what;
	if (cpu->ops->report)
		cpu->ops->report(cpu->opaque, what, addr);
}

static void send_pmi(struct ptm_cpu *cpu)
{
	if (cpu->lose_pmis) {
		cpu->lose_pmis--;
		cpu->counts.lost_pmis++;
		return;
	}
	cpu->counts.pmis++;
	cpu->ops->raise_pmi(cpu->opaque);
}

void ptm_pmi_now(struct ptm_cpu *cpu)
{
	cpu->pmi_in = -1;
	if (cpu->ctl & PTM_CTL_INJECT_PSB_PMI)
		cpu->status |= PTM_STATUS_PENDTOPAPMI;
	cpu->global_status |= PTM_GLOBAL_STATUS_TOPA_PMI;
	send_pmi(cpu);
}

void ptm_pmi(struct ptm_cpu *cpu)
{
	if (!cpu->pmi_skid)
		ptm_pmi_now(cpu);
	else if (cpu->pmi_in < 0)
		cpu->pmi_in = cpu->pmi_skid;
}

static void spurious(struct ptm_cpu *cpu, bool pmi)
{
	cpu->global_status |= PTM_GLOBAL_STATUS_TOPA_PMI;
	if (pmi)
		send_pmi(cpu);
}

/* ---- what goes off after so many bytes ---- */

/* -1: never. True once, when @len bytes reach it. */
static bool goes_off(int64_t *in, unsigned int len)
{
	if (*in < 0)
		return false;
	if (*in > len) {
		*in -= len;
		return false;
	}
	*in = -1;
	return true;
}

bool ptm_faults_due(struct ptm_cpu *cpu, unsigned int len)
{
	if ((cpu->ovf_in & cpu->error_in & cpu->pmi_in) == -1)
		return false;
	if (goes_off(&cpu->pmi_in, len))
		ptm_pmi_now(cpu);
	if (goes_off(&cpu->error_in, len))
		ptm_output_error(cpu);
	return goes_off(&cpu->ovf_in, len);
}

void ptm_faults_stop(struct ptm_cpu *cpu)
{
	if (cpu->pmi_in >= 0)
		ptm_pmi_now(cpu);
}

/* ---- arming ---- */

/* As a firmware or a hypervisor might, behind the driver's back. */
static void zero_msrs(struct ptm_cpu *cpu)
{
	ptm_output_lose(cpu);
	ptm_table_forget(cpu);
	cpu->ctl = cpu->status = 0;
	cpu->output_base = cpu->cr3_match = 0;
	ptm_topa_set_pointers(cpu, 0, 0);
	memset(cpu->addr, 0, sizeof(cpu->addr));
	cpu->byte_cnt = 0;
	cpu->nr_tnt = cpu->nr_tips = 0;
	cpu->overflow = cpu->ovf_due = false;
	cpu->context_en = cpu->filter_en = false;
	ptm_update_trigger(cpu);
	ptm_update_slow(cpu);
}

static int arm_overflow(struct ptm_cpu *cpu, const uint64_t arg[3])
{
	if (!arg[1] || arg[0] > INT64_MAX)
		return -1;
	cpu->ovf_in = arg[0];
	cpu->ovf_for = arg[1];
	return 0;
}

static int arm_errata(struct ptm_cpu *cpu, uint64_t errata)
{
	if (errata & ~PTM_ERRATA_ALL)
		return -1;
	cpu->errata = errata;
	return 0;
}

static int restrict_memory(struct ptm_cpu *cpu, uint64_t base, uint64_t size)
{
	if (base + size < base)
		return -1;
	cpu->restricted = base;
	cpu->restricted_size = size;
	return 0;
}

static int cache_topa(struct ptm_cpu *cpu, uint64_t on)
{
	if (on > 1)
		return -1;
	cpu->cache_topa = on;
	if (!on)
		ptm_table_forget(cpu);
	return 0;
}

int ptm_inject(struct ptm_cpu *cpu, enum ptm_inject what, const uint64_t arg[3],
	       const struct ptm_at *at)
{
	switch (what) {
	case PTM_INJECT_OVF:
		return arm_overflow(cpu, arg);
	case PTM_INJECT_PMI_SKID:
		if (arg[0] > INT64_MAX)
			return -1;
		cpu->pmi_skid = arg[0];
		return 0;
	case PTM_INJECT_LATE_ERROR:
		if (arg[0] > INT64_MAX)
			return -1;
		cpu->error_in = arg[0];
		return 0;
	case PTM_INJECT_LOSE_PMI:
		cpu->lose_pmis = arg[0];
		return 0;
	case PTM_INJECT_SPURIOUS:
		if (arg[0] > 1)
			return -1;
		spurious(cpu, arg[0]);
		return 0;
	case PTM_INJECT_ZERO_MSRS:
		zero_msrs(cpu);
		return 0;
	case PTM_INJECT_HOLD:
		ptm_hold_set(cpu, arg[0]);
		return 0;
	case PTM_INJECT_CACHE_TOPA:
		return cache_topa(cpu, arg[0]);
	case PTM_INJECT_ERRATA:
		return arm_errata(cpu, arg[0]);
	case PTM_INJECT_RESTRICT:
		return restrict_memory(cpu, arg[0], arg[1]);
	default:
		return ptm_happen(cpu, what, arg, at);
	}
}
