/* SPDX-License-Identifier: MIT */
/*
 * Which CPU runs this, and what is kept for each CPU.
 *
 * GS.base points at the CPU's struct cpu in kernel mode. CPUs are numbered
 * 0..nr_cpus()-1 in the order of their start; 0 is the boot CPU.
 */
#ifndef ASM_PERCPU_H
#define ASM_PERCPU_H

#include "lib/compiler.h"

#define NR_CPUS		512	/* arrays indexed by CPU; more are left asleep */

/* The calling CPU's number. Context: any, also NMI, once cpu_init() ran. */
static inline unsigned int cpu_id(void)
{
	unsigned int id;

	/* struct cpu starts with the self pointer, then the number. */
	__asm__ volatile("movl %%gs:8, %0" : "=r"(id));
	return id;
}

/* CPUs that came up. Constant after smp_start(). */
unsigned int nr_cpus(void);

/* NUMA node of a CPU; 0 where the machine does not say. */
int cpu_to_node(int cpu);

#endif /* ASM_PERCPU_H */
