/* SPDX-License-Identifier: MIT */
/*
 * The machine as a whole: who made it, and how it ends.
 */
#include <asm/machine.h>

#include <asm/cpuid.h>
#include <asm/io.h>
#include <asm/irqflags.h>
#include "lib/string.h"

#define CPUID_1_ECX_HYPERVISOR	(1u << 31)
#define DEBUG_EXIT_PORT		0xf4	/* QEMU's isa-debug-exit */
#define DEBUG_EXIT_PASS		0x10	/* QEMU ends with 33 */
#define DEBUG_EXIT_FAIL		0x11	/* QEMU ends with 35 */

void cpu_vendor(char vendor[13])
{
	struct cpuid_regs r = cpuid(0, 0);

	memcpy(vendor, &r.ebx, 4);
	memcpy(vendor + 4, &r.edx, 4);
	memcpy(vendor + 8, &r.ecx, 4);
	vendor[12] = '\0';
}

void hypervisor_signature(char sig[13])
{
	struct cpuid_regs r;

	memset(sig, 0, 13);
	if (!(cpuid(1, 0).ecx & CPUID_1_ECX_HYPERVISOR))
		return;
	r = cpuid(0x40000000, 0);
	memcpy(sig, &r.ebx, 4);
	memcpy(sig + 4, &r.ecx, 4);
	memcpy(sig + 8, &r.edx, 4);
}

/* The port means something else on a real board: only under QEMU. */
static bool under_qemu(void)
{
	char sig[13];

	hypervisor_signature(sig);
	return !memcmp(sig, "TCGTCGTCGTCG", 12) ||
	       !memcmp(sig, "KVMKVMKVM\0\0\0", 12);
}

static void __noreturn halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt");
}

void machine_exit(int status)
{
	local_irq_disable();
	if (under_qemu()) {
		/* QEMU ends a little later: nothing may be printed meanwhile. */
		outl(DEBUG_EXIT_PORT, status ? DEBUG_EXIT_FAIL :
		     DEBUG_EXIT_PASS);
		halt();
	}
	printk("topaz: ended with status %d; the machine can be switched off\n",
	       status);
	halt();
}

void machine_reboot(void)
{
	struct {
		u16 limit;
		u64 base;
	} __packed no_idt = { 0, 0 };

	local_irq_disable();
	outb(0xcf9, 0x02);
	outb(0xcf9, 0x06);
	for (unsigned int i = 0; i < 100000; i++)
		inb(0x80);
	outb(0x64, 0xfe);
	for (unsigned int i = 0; i < 100000; i++)
		inb(0x80);
	__asm__ volatile("lidt %0; int3" : : "m"(no_idt));
	halt();
}
