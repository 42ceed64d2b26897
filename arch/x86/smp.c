/* SPDX-License-Identifier: MIT */
/*
 * Starting the other CPUs and handing them work.
 */
#include <asm/smp.h>

#include <asm/apic.h>
#include <asm/irqflags.h>
#include <asm/page.h>
#include <asm/paging.h>
#include <asm/tsc.h>
#include "arch/x86/cpu.h"
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/string.h"

#define START_TIMEOUT_US	500000

/* Owner: smp_start(). */
static unsigned int nr_running = 1;

unsigned int nr_cpus(void)
{
	return nr_running;
}

int cpu_to_node(int cpu)
{
	(void)cpu;
	return 0;		/* one node; SRAT is not read yet */
}

u32 cpu_apic_id(unsigned int cpu)
{
	return cpus[cpu].apic_id;
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

void ap_main(struct cpu *cpu)
{
	cpu_init(cpu, cpu->tss.rsp[0]);
	lapic_init();
	smp_store_release(&cpu->online, 1);
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

static bool came_up(const struct cpu *cpu, u64 us)
{
	for (u64 waited = 0; waited < us; waited += 50) {
		if (smp_load_acquire(&cpu->online))
			return true;
		udelay(50);
	}
	return false;
}

/* INIT, 10 ms, STARTUP; a second one only when nothing is heard. */
static bool start_one(struct cpu *cpu, u32 apic_id, phys_addr_t trampoline)
{
	u8 page = (u8)(trampoline >> PAGE_SHIFT);

	lapic_send_init(apic_id);
	udelay(10000);
	lapic_send_startup(apic_id, page);
	if (came_up(cpu, 10000))
		return true;
	lapic_send_startup(apic_id, page);
	return came_up(cpu, START_TIMEOUT_US);
}

static void prepare(struct cpu *cpu, unsigned int id, u64 stacks,
		    phys_addr_t trampoline)
{
	char *page = phys_to_virt(trampoline);
	struct ap_params params = {
		.boot_cr3 = boot_cr3,
		.kernel_cr3 = kernel_vm.cr3,
		.stack = stack_top(stacks, STACK_THREAD),
		.entry = (u64)ap_entry,
		.cpu = (u64)cpu,
	};

	memset(cpu, 0, sizeof(*cpu));
	cpu->id = id;
	cpu->tss.rsp[0] = stacks;	/* for ap_main() */
	memcpy(page, ap_start, (size_t)(ap_end - ap_start));
	memcpy(page + (ap_params - ap_start), &params, sizeof(params));
}

static bool trampoline_usable(phys_addr_t trampoline)
{
	return trampoline && trampoline % PAGE_SIZE == 0 &&
	       trampoline < 0x100000 && boot_cr3 < 1ULL << 32 &&
	       (size_t)(ap_end - ap_start) <= PAGE_SIZE;
}

unsigned int smp_start(phys_addr_t trampoline)
{
	u32 me = lapic_id();
	u64 stacks = 0;

	irq_set_handler(VECTOR_WAKE, wake);
	if (acpi_madt.nr > 1 && !trampoline_usable(trampoline)) {
		printk("smp: no usable page below 1 MiB, or page tables above 4 GiB: one CPU only\n");
		return nr_running;
	}
	for (unsigned int i = 0; i < acpi_madt.nr; i++) {
		struct cpu *cpu = &cpus[nr_running];

		if (acpi_madt.apic_id[i] == me || nr_running == NR_CPUS)
			continue;
		/* Those of a CPU that did not answer serve the next one. */
		if (!stacks)
			stacks = stacks_alloc(nr_running);
		if (!stacks) {
			printk("smp: no memory for the stacks of CPU %u\n",
			       nr_running);
			break;
		}
		prepare(cpu, nr_running, stacks, trampoline);
		if (start_one(cpu, acpi_madt.apic_id[i], trampoline)) {
			nr_running++;
			stacks = 0;
			continue;
		}
		/* A late answer would come to the next CPU's stack. */
		lapic_send_init(acpi_madt.apic_id[i]);
		printk("smp: the CPU with APIC ID %u does not answer: left out\n",
		       acpi_madt.apic_id[i]);
	}
	return nr_running;
}

int smp_run_on(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	struct cpu *to = &cpus[cpu];

	if (cpu >= nr_running || cpu == cpu_id())
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
