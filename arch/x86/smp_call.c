/* SPDX-License-Identifier: MIT */
/*
 * A function called on another CPU, in its interrupt context, and waited for.
 *
 * One call at a time for each CPU. Its state says who may touch it:
 *
 *	FREE -> CLAIMED	a caller writes function and argument
 *	CLAIMED -> SENT	the interrupt is on its way
 *	SENT -> RUNS	the CPU has taken it
 *	RUNS -> DONE	the caller gives it back: FREE
 *	SENT -> FREE	the caller waited too long; the function never runs
 *	RUNS -> LEFT	the caller waited too long; the CPU gives it back
 */
#include <asm/smp.h>

#include <asm/apic.h>
#include <asm/irqflags.h>
#include <asm/traps.h>
#include <asm/tsc.h>
#include "arch/x86/cpu.h"
#include "lib/err.h"

enum call_state {
	CALL_FREE,
	CALL_CLAIMED,
	CALL_SENT,
	CALL_RUNS,
	CALL_DONE,
	CALL_LEFT,
};

static bool move(struct cpu_call *call, u32 from, u32 to)
{
	return __atomic_compare_exchange_n(&call->state, &from, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void take_call(struct pt_regs *regs)
{
	struct cpu_call *call = &cpus[cpu_id()].call;

	(void)regs;
	if (!move(call, CALL_SENT, CALL_RUNS))
		return;		/* the caller has given up */
	call->fn(call->arg);
	if (!move(call, CALL_RUNS, CALL_DONE))
		smp_store_release(&call->state, CALL_FREE);
}

void smp_call_init(void)
{
	irq_set_handler(VECTOR_CALL, take_call);
}

static int call_here(void (*fn)(void *arg), void *arg)
{
	unsigned long flags = local_irq_save();

	fn(arg);
	local_irq_restore(flags);
	return 0;
}

/* Return: true when @call could be moved in time. */
static bool move_by(struct cpu_call *call, u32 from, u32 to, u64 end)
{
	while (!move(call, from, to)) {
		if (now_ns() > end)
			return false;
		cpu_relax();
	}
	return true;
}

int smp_call(unsigned int cpu, void (*fn)(void *arg), void *arg,
	     u64 timeout_us)
{
	u64 end = now_ns() + timeout_us * 1000;
	struct cpu_call *call;

	if (cpu >= nr_cpus())
		return -EINVAL;
	if (cpu == cpu_id())
		return call_here(fn, arg);
	call = &cpus[cpu].call;
	if (!move_by(call, CALL_FREE, CALL_CLAIMED, end))
		return -EBUSY;
	call->fn = fn;
	call->arg = arg;
	smp_store_release(&call->state, CALL_SENT);
	lapic_send_ipi(cpus[cpu].apic_id, VECTOR_CALL);
	if (move_by(call, CALL_DONE, CALL_FREE, end))
		return 0;
	if (move(call, CALL_SENT, CALL_FREE))
		return -ETIMEDOUT;
	if (move(call, CALL_RUNS, CALL_LEFT))
		return -EINPROGRESS;
	/* It was done after all, between the two looks. */
	smp_store_release(&call->state, CALL_FREE);
	return 0;
}
