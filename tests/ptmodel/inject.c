/* SPDX-License-Identifier: MIT */
/*
 * Faults to come: what ptm_inject() arms, and when it goes off.
 */
#include "internal.h"

#include <stdlib.h>

int ptm_inject(struct ptm_cpu *cpu, enum ptm_inject what, const uint64_t arg[3],
	       const struct ptm_at *at)
{
	switch (what) {
	case PTM_INJECT_OVF:
		if (!arg[1] || arg[0] > INT64_MAX)
			return -1;
		cpu->ovf_in = arg[0];
		cpu->ovf_for = arg[1];
		return 0;
	case PTM_INJECT_ERRATA:
		if (arg[0] & ~PTM_ERRATA_ALL)
			return -1;
		cpu->errata = arg[0];
		return 0;
	default:
		return ptm_happen(cpu, what, arg, at);
	}
}

bool ptm_faults_due(struct ptm_cpu *cpu, unsigned int len)
{
	if (cpu->ovf_in < 0)
		return false;
	if (cpu->ovf_in > len) {
		cpu->ovf_in -= len;
		return false;
	}
	cpu->ovf_in = -1;
	return true;
}

void ptm_fini(struct ptm_cpu *cpu)
{
	(void)cpu;
}
