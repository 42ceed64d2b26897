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

/**
 * smp_call() - call a function on another CPU and wait for it
 * @cpu:	any; on the caller's own it is a call with interrupts off
 * @fn:		called with @arg in interrupt context: it interrupts what that
 *		CPU does, and takes no lock that thread context holds
 * @timeout_us:	bound of the whole wait
 *
 * Context: thread, interrupts on (two CPUs that call each other would wait for
 * nothing else).
 * Return: 0 when @fn has returned; -EINVAL for an unknown CPU; -EBUSY when
 * another caller's function did not end in time; -ETIMEDOUT when the CPU did
 * not take the interrupt: @fn will not run; -EINPROGRESS when @fn runs still:
 * @arg must live on.
 */
int __must_check smp_call(unsigned int cpu, void (*fn)(void *arg), void *arg,
			  u64 timeout_us);

/* The APIC ID of a CPU. */
u32 cpu_apic_id(unsigned int cpu);

#endif /* ASM_SMP_H */
