/* SPDX-License-Identifier: MIT */
/*
 * What Intel PT can do on each CPU: reading CPUID.
 *
 * Only reads and keeps; pt/caps_print.c says it in words, pt/rtit.c judges
 * register values by it.
 */
#include "pt/caps.h"

#include <asm/cpu.h>
#include <asm/cpuid.h>
#include <asm/percpu.h>
#include <asm/smp.h>
#include "lib/bitfield.h"
#include "lib/err.h"
#include "lib/string.h"

#define CPUID_FEATURES		0x1
#define CPUID_EXT_FEATURES	0x7
#define CPUID_PT		0x14
#define CPUID_TSC		0x15
#define CPUID_HYBRID		0x1a
#define CPUID_PHYS_BITS		0x80000008u

#define CPUID_7_EBX_PT		BIT_ULL(25)

#define CAPS_TIMEOUT_US		1000000

/* Owner: each CPU writes its own element once, in pt_caps_read_all(). */
static struct pt_caps cpu_caps[NR_CPUS];

/* SDM "Detection of Intel PT", sub-leaf 0. */
static void decode_leaf_0(struct pt_caps *caps, const struct cpuid_regs *r)
{
	caps->cr3_filtering = r->ebx & BIT_ULL(0);
	caps->psb_cyc = r->ebx & BIT_ULL(1);
	caps->ip_filtering = r->ebx & BIT_ULL(2);
	caps->mtc = r->ebx & BIT_ULL(3);
	caps->ptwrite = r->ebx & BIT_ULL(4);
	caps->power_event_trace = r->ebx & BIT_ULL(5);
	caps->psb_pmi_preserve = r->ebx & BIT_ULL(6);
	caps->event_trace = r->ebx & BIT_ULL(7);
	caps->tnt_disable = r->ebx & BIT_ULL(8);
	caps->topa_output = r->ecx & BIT_ULL(0);
	caps->topa_multiple_entries = r->ecx & BIT_ULL(1);
	caps->single_range_output = r->ecx & BIT_ULL(2);
	caps->output_subsys = r->ecx & BIT_ULL(3);
	caps->payloads_lip = r->ecx & BIT_ULL(31);
}

/* Sub-leaf 1: a bitmap counts only where sub-leaf 0 has the feature. */
static void decode_leaf_1(struct pt_caps *caps, const struct cpuid_regs *r)
{
	if (caps->ip_filtering)
		caps->num_address_ranges =
			(u8)FIELD_GET(GENMASK_ULL(2, 0), r->eax);
	if (caps->mtc)
		caps->mtc_periods = (u16)FIELD_GET(GENMASK_ULL(31, 16), r->eax);
	if (!caps->psb_cyc)
		return;
	caps->cycle_thresholds = (u16)FIELD_GET(GENMASK_ULL(15, 0), r->ebx);
	caps->psb_periods = (u16)FIELD_GET(GENMASK_ULL(31, 16), r->ebx);
}

static void decode_signature(struct pt_caps *caps, u32 sig)
{
	caps->family = (u8)x86_family(sig);
	caps->model = (u8)x86_model(sig);
	caps->stepping = (u8)x86_stepping(sig);
}

static void decode_clock(struct pt_caps *caps)
{
	struct cpuid_regs r = cpuid_checked(CPUID_TSC, 0);

	if (!r.eax || !r.ebx)
		return;
	caps->tsc_num = r.ebx;
	caps->tsc_den = r.eax;
	caps->crystal_hz = r.ecx;
}

void pt_caps_read(struct pt_caps *caps)
{
	struct cpuid_regs r;

	memset(caps, 0, sizeof(*caps));
	decode_signature(caps, cpuid_checked(CPUID_FEATURES, 0).eax);
	caps->core_kind = (u8)(cpuid_checked(CPUID_HYBRID, 0).eax >> 24);
	caps->phys_bits = (u8)cpuid_checked(CPUID_PHYS_BITS, 0).eax;
	decode_clock(caps);

	if (!(cpuid_checked(CPUID_EXT_FEATURES, 0).ebx & CPUID_7_EBX_PT))
		return;
	caps->present = true;
	r = cpuid_checked(CPUID_PT, 0);
	decode_leaf_0(caps, &r);
	if (!r.eax)
		return;
	r = cpuid_checked(CPUID_PT, 1);
	decode_leaf_1(caps, &r);
}

static void caps_read_here(void *arg)
{
	(void)arg;
	pt_caps_read(&cpu_caps[cpu_id()]);
}

int pt_caps_read_all(void)
{
	unsigned int cpu;
	int err;

	for (cpu = 0; cpu < nr_cpus(); cpu++) {
		err = smp_call(cpu, caps_read_here, NULL, CAPS_TIMEOUT_US);
		if (err)
			return err;
	}
	return 0;
}

const struct pt_caps *pt_caps_of(unsigned int cpu)
{
	return &cpu_caps[cpu];
}
