/* SPDX-License-Identifier: MIT */
/* Host stand-in for asm/percpu.h: the test says which CPU it plays. */
#ifndef ASM_PERCPU_H
#define ASM_PERCPU_H

#include "lib/compiler.h"

#define NR_CPUS		512

/* Owner: tests/unit/host_memory.c. Thread local, for tests with threads. */
extern _Thread_local unsigned int host_cpu;
extern unsigned int host_nr_cpus;
extern int host_cpu_node[NR_CPUS];

static inline unsigned int cpu_id(void)
{
	return host_cpu;
}

static inline unsigned int nr_cpus(void)
{
	return host_nr_cpus;
}

static inline int cpu_to_node(int cpu)
{
	return host_cpu_node[cpu];
}

#endif /* ASM_PERCPU_H */
