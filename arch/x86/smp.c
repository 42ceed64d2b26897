/* SPDX-License-Identifier: MIT */
/*
 * Handing work to the other CPUs.
 */
#include <asm/smp.h>

#include <asm/apic.h>
#include <asm/irqflags.h>
#include <asm/msr.h>
#include <asm/percpu.h>
#include <asm/tsc.h>
#include "arch/x86/cpu.h"
#include "lib/err.h"

u32 cpu_apic_id(unsigned int cpu)
{
	return cpus[cpu].apic_id;
}

int cpu_to_node(int cpu)
{
	return cpus[cpu].node;
}

static void wake(struct pt_regs *regs)
{
	(void)regs;		/* the interrupt alone ends HLT */
}

/* Interrupts off between the look and HLT, so that no wake-up is missed. */
static void wait_for_work(struct cpu *cpu)
{
	local_irq_disable();
	if (smp_load_acquire(&cpu->fn))
		local_irq_enable();
	else
		__asm__ volatile("sti; hlt" : : : "memory");
}

static void __noreturn work_loop(struct cpu *cpu)
{
	for (;;) {
		void (*fn)(void *arg);

		wait_for_work(cpu);
		fn = smp_load_acquire(&cpu->fn);
		if (!fn)
			continue;
		fn(cpu->arg);
		smp_store_release(&cpu->fn, NULL);
	}
}

/* From ap_entry, on the slot's stacks; returns to sleep for good. */
void ap_main(struct ap_slot *slot)
{
	bool x2apic = rdmsr(MSR_IA32_APICBASE) & APICBASE_EXTD;
	struct cpu *cpu;

	if (x2apic != lapic_is_x2apic()) {
		smp_store_release(&slot->state, AP_OTHER_MODE);
		return;
	}
	while (!(cpu = smp_load_acquire(&slot->cpu)))
		cpu_relax();
	cpu_init(cpu, slot->stacks);
	lapic_init();
	smp_store_release(&cpu->online, 1);
	work_loop(cpu);
}

void smp_init(void)
{
	irq_set_handler(VECTOR_WAKE, wake);
	smp_call_init();
}

int smp_run_on(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	struct cpu *to = &cpus[cpu];

	if (cpu >= nr_cpus() || cpu == cpu_id())
		return -EINVAL;
	if (smp_load_acquire(&to->fn))
		return -EBUSY;
	to->arg = arg;
	smp_store_release(&to->fn, fn);
	lapic_send_ipi(to->apic_id, VECTOR_WAKE);
	return 0;
}

bool smp_idle(unsigned int cpu)
{
	return !smp_load_acquire(&cpus[cpu].fn);
}

int smp_wait(unsigned int cpu, u64 timeout_us)
{
	u64 end = now_ns() + timeout_us * 1000;

	while (!smp_idle(cpu)) {
		if (timeout_us && now_ns() > end)
			return -ETIMEDOUT;
		cpu_relax();
	}
	return 0;
}
