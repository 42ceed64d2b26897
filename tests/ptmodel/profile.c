/* SPDX-License-Identifier: MIT */
/*
 * The processors that the model can play, as their CPUID leaves.
 *
 * Sources: skylake from public CPUID dumps; kvm-strict is the fixed leaf that
 * QEMU offers under KVM, and icelake the processor that leaf was taken from;
 * broadwell from Linux's driver. The two halves of alderlake are put together
 * from what Intel says of hybrids (they differ in LIP, encodings and features)
 * and not from a dump. long TNT and deferred TIPs are choices that the SDM
 * leaves open: each is on where decoders should meet it, no claim about that
 * processor. MAXPHYADDR is QEMU's own, and so is the TSC's rate: no crystal
 * frequency is enumerated, and no signature (skylake's) that implies one. Errata are switched on by errata=, but
 * for BDM106, without which a driver could not see a broadwell.
 */
#include "internal.h"

#include <stdio.h>
#include <string.h>

#define CORE_ATOM	0x20000001	/* CPUID.1AH:EAX */
#define CORE_CORE	0x40000001
#define HYBRID		(1U << 15)	/* CPUID.7.0:EDX */
#define INTEL_PT	(1U << 25)	/* CPUID.7.0:EBX */

#define EBX_SKYLAKE	(PTM_EBX_CR3_FILTER | PTM_EBX_PSB_CYC | \
			 PTM_EBX_IP_FILTER | PTM_EBX_MTC)
#define EBX_ALDERLAKE	(EBX_SKYLAKE | PTM_EBX_PTWRITE | PTM_EBX_PSB_PMI)
#define EBX_ALL		0x1ff
#define ECX_SKYLAKE	(PTM_ECX_TOPA | PTM_ECX_TOPA_MULTI | \
			 PTM_ECX_SINGLE_RANGE)
/* Two ranges; MTCFreq encodings 0, 3, 6 and 9. */
#define EAX1_SKYLAKE	0x02490002

static const struct ptm_profile profiles[] = {
	{
		.name = "skylake",
		.max_leaf = 0x15,
		.leaf14_0 = { 1, EBX_SKYLAKE, ECX_SKYLAKE, 0 },
		/* PSBFreq encodings 0..5, cycle thresholds 0..13. */
		.leaf14_1 = { EAX1_SKYLAKE, 0x003f3fff, 0, 0 },
		.leaf15 = { 2, 200, 0, 0 },
		.maxphyaddr = 40,
		.cbr = 24,
	}, {
		.name = "broadwell",
		.signature = 0x306d4,
		.max_leaf = 0x14,
		.leaf14_0 = { 0, PTM_EBX_CR3_FILTER, PTM_ECX_TOPA, 0 },
		.maxphyaddr = 40,
		.cbr = 20,
		.errata = PTM_ERRATUM_BDM106,
	}, {
		.name = "icelake",
		.signature = 0x706e5,
		.max_leaf = 0x15,
		.leaf14_0 = { 1, EBX_SKYLAKE, ECX_SKYLAKE, 0 },
		.leaf14_1 = { EAX1_SKYLAKE, 0x003f1fff, 0, 0 },
		.leaf15 = { 2, 62, 0, 0 },
		.maxphyaddr = 40,
		.cbr = 12,
		.policy = PTM_POLICY_DEFER_TIP,
	}, {
		.name = "alderlake-p",
		.signature = 0x90672,
		.max_leaf = 0x1a,
		.leaf14_0 = { 1, EBX_ALDERLAKE, ECX_SKYLAKE, 0 },
		.leaf14_1 = { EAX1_SKYLAKE, 0x003f3fff, 0, 0 },
		.leaf15 = { 2, 166, 0, 0 },
		.core_type = CORE_CORE,
		.maxphyaddr = 40,
		.cbr = 32,
		.policy = PTM_POLICY_DEFER_TIP,
	}, {
		.name = "alderlake-e",
		.signature = 0x90672,
		.max_leaf = 0x1a,
		.leaf14_0 = { 1, EBX_ALDERLAKE | PTM_EBX_EVENT |
			      PTM_EBX_DISTNT, ECX_SKYLAKE | PTM_ECX_LIP, 0 },
		.leaf14_1 = { EAX1_SKYLAKE, 0x003f1fff, 0, 0 },
		.leaf15 = { 2, 166, 0, 0 },
		.core_type = CORE_ATOM,
		.maxphyaddr = 40,
		.cbr = 24,
		.policy = PTM_POLICY_LONG_TNT,
	}, {
		.name = "kvm-strict",
		.max_leaf = 0x15,
		.leaf14_0 = { 1, EBX_SKYLAKE, ECX_SKYLAKE, 0 },
		.leaf14_1 = { EAX1_SKYLAKE, 0x003f1fff, 0, 0 },
		.leaf15 = { 2, 200, 0, 0 },
		.maxphyaddr = 40,
		.cbr = 24,
		.policy = PTM_POLICY_KVM,
	}, {
		.name = "everything",
		.max_leaf = 0x15,
		.leaf14_0 = { 1, EBX_ALL, ECX_SKYLAKE | PTM_ECX_FABRIC |
			      PTM_ECX_LIP, 0 },
		/* Four ranges, all encodings. */
		.leaf14_1 = { 0xffff0004, 0xffffffff, 0, 0 },
		.leaf15 = { 2, 100, 0, 0 },
		.maxphyaddr = 40,
		.cbr = 24,
		.policy = PTM_POLICY_LONG_TNT | PTM_POLICY_DEFER_TIP,
	},
};

#define NR_PROFILES	(sizeof(profiles) / sizeof(profiles[0]))

const struct ptm_profile *ptm_profile_find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_PROFILES; i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

const char *ptm_profile_names(void)
{
	static char names[128];
	size_t i, used = 0;

	for (i = 0; i < NR_PROFILES; i++)
		used += snprintf(names + used, sizeof(names) - used, "%s%s",
				 i ? " " : "", profiles[i].name);
	return names;
}

/* Leaves that Intel PT alone has; subleaves beyond EAX read as 0. */
static void leaf14(const struct ptm_profile *profile, uint32_t subleaf,
		   uint32_t regs[4])
{
	static const uint32_t none[4];
	const uint32_t *from = subleaf ? profile->leaf14_1 : profile->leaf14_0;

	memcpy(regs, subleaf > profile->leaf14_0[0] ? none : from,
	       sizeof(none));
}

static void leaf7(const struct ptm_profile *profile, uint32_t regs[4])
{
	regs[1] |= INTEL_PT;
	if (profile->core_type)
		regs[3] |= HYBRID;
}

void ptm_cpuid(const struct ptm_cpu *cpu, uint32_t leaf, uint32_t subleaf,
	       uint32_t regs[4])
{
	const struct ptm_profile *profile = cpu->profile;

	switch (leaf) {
	case 0:
		if (regs[0] < profile->max_leaf)
			regs[0] = profile->max_leaf;
		break;
	case 1:
		if (profile->signature)
			regs[0] = profile->signature;
		break;
	case 7:
		if (!subleaf)
			leaf7(profile, regs);
		break;
	case 0x14:
		leaf14(profile, subleaf, regs);
		break;
	case 0x15:
		if (profile->leaf15[0])
			memcpy(regs, profile->leaf15, sizeof(profile->leaf15));
		break;
	case 0x1a:
		if (profile->core_type) {
			memset(regs, 0, 4 * sizeof(*regs));
			regs[0] = profile->core_type;
		}
		break;
	}
}
