/* SPDX-License-Identifier: MIT */
/*
 * The processors that the model can play, as their CPUID leaves.
 *
 * A profile enumerates only what the engine implements, so it may have less
 * than the processor it is named after: no IP filters, MTC, PTWRITE or power
 * events so far.
 */
#include "internal.h"

#include <stdio.h>
#include <string.h>

static const struct ptm_profile profiles[] = {
	{
		.name = "skylake",
		.max_leaf = 0x15,
		.leaf14_0 = { 1, PTM_EBX_CR3_FILTER | PTM_EBX_PSB_CYC,
			      PTM_ECX_TOPA | PTM_ECX_TOPA_MULTI |
			      PTM_ECX_SINGLE_RANGE, 0 },
		/* PSBFreq encodings 0..5, cycle thresholds 0..13. */
		.leaf14_1 = { 0, 0x003f3fff, 0, 0 },
		/* Crystal ratio only: its frequency is not enumerated. */
		.leaf15 = { 2, 200, 0, 0 },
		.maxphyaddr = 40,
		.cbr = 24,
	}, {
		.name = "broadwell",
		.max_leaf = 0x14,
		.leaf14_0 = { 0, PTM_EBX_CR3_FILTER, PTM_ECX_TOPA, 0 },
		.maxphyaddr = 40,
		.cbr = 20,
		.errata = PTM_ERRATUM_BDM106,
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

void ptm_cpuid(const struct ptm_cpu *cpu, uint32_t leaf, uint32_t subleaf,
	       uint32_t regs[4])
{
	static const uint32_t none[4];
	const struct ptm_profile *profile = cpu->profile;

	switch (leaf) {
	case 0:
		if (regs[0] < profile->max_leaf)
			regs[0] = profile->max_leaf;
		break;
	case 7:
		if (!subleaf)
			regs[1] |= 1U << 25;
		break;
	case 0x14:
		if (subleaf > profile->leaf14_0[0])
			memcpy(regs, none, sizeof(none));
		else
			memcpy(regs, subleaf ? profile->leaf14_1 :
			       profile->leaf14_0, sizeof(none));
		break;
	case 0x15:
		if (profile->leaf15[0])
			memcpy(regs, profile->leaf15, sizeof(none));
		break;
	}
}
