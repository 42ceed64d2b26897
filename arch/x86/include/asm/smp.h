/* SPDX-License-Identifier: MIT */
/*
 * Starting the other CPUs and handing them work.
 *
 * An AP that has nothing to do waits in thread context with interrupts on for
 * a function to run. One function at a time per CPU; there is no scheduler.
 */
#ifndef ASM_SMP_H
#define ASM_SMP_H

#include <asm/percpu.h>

/**
 * smp_start() - bring up every enabled CPU of the MADT
 * @trampoline:	physical page below 1 MiB for the real-mode entry
 *
 * A CPU that does not answer in time is reported and left out.
 *
 * Context: boot CPU, once; interrupts on; ACPI parsed.
 * Return: the number of CPUs that run, the boot CPU included.
 */
unsigned int smp_start(phys_addr_t trampoline);

/**
 * smp_run_on() - let a waiting CPU run a function in thread context
 * @cpu:	not the caller's own
 * @fn:		called with @arg, interrupts on, on that CPU's own stack
 *
 * Return: 0; -EBUSY while its last function runs; -EINVAL for the caller's own
 * or an unknown number.
 */
int __must_check smp_run_on(unsigned int cpu, void (*fn)(void *arg), void *arg);

/* True once the last function given to @cpu has returned (or none was). */
bool smp_idle(unsigned int cpu);

/**
 * smp_wait() - wait until a CPU's function has returned
 * @timeout_us:	bound; 0 waits for ever
 *
 * Return: 0 or -ETIMEDOUT.
 */
int smp_wait(unsigned int cpu, u64 timeout_us);

/* The APIC ID of a CPU. */
u32 cpu_apic_id(unsigned int cpu);

#endif /* ASM_SMP_H */
