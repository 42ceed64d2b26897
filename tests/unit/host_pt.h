/* SPDX-License-Identifier: MIT */
/*
 * A processor with Intel PT for host tests: the hardware model's engine behind
 * the kernel's own MSR, CPUID, APIC and interrupt interfaces.
 *
 * Time is told by host_pt_run(): branches retire, PMIs and self-IPIs are
 * delivered between them as the test has set.
 */
#ifndef TESTS_UNIT_HOST_PT_H
#define TESTS_UNIT_HOST_PT_H

#include "lib/types.h"
#include "tests/ptmodel/engine.h"

struct host_pt {
	struct ptm_cpu cpu;
	bool irqs_on;		/* RFLAGS.IF of the traced code */
	bool deliver_pmi;	/* false: the NMI is held back */
	unsigned int skid;	/* branches between a PMI and its NMI */
	u8 *written;		/* every byte that the hardware wrote */
	size_t nr_written;
	unsigned long nr_gp;	/* MSR accesses that raised #GP */
	bool gp_allowed;
};

extern struct host_pt host_pt;

/* @profile: name of a processor of the model. Memory must be set up. */
void host_pt_init(const char *profile);
void host_pt_fini(void);

/* @n indirect jumps to pseudo-random addresses retire. */
void host_pt_run(unsigned int n);

#endif /* TESTS_UNIT_HOST_PT_H */
