/* SPDX-License-Identifier: MIT */
/*
 * The machine as a whole: who made it, and how it ends.
 */
#include <asm/machine.h>

#include <asm/cpuid.h>
#include <asm/io.h>
#include <asm/irqflags.h>
#include <asm/tsc.h>
#include <asm/watchdog.h>
#include "arch/x86/power.h"
#include "lib/cmdline.h"
#include "lib/err.h"
#include "lib/string.h"

#define CPUID_1_ECX_HYPERVISOR	(1u << 31)
#define DEBUG_EXIT_PORT		0xf4	/* QEMU's isa-debug-exit */
#define DEBUG_EXIT_PASS		0x10	/* QEMU ends with 33 */
#define DEBUG_EXIT_FAIL		0x11	/* QEMU ends with 35 */
#define DEBUG_EXIT_US		1000000

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

static bool is_under(const char *hypervisor)
{
	char sig[13];

	hypervisor_signature(sig);
	return !strcmp(sig, hypervisor);
}

bool machine_is_emulated(void)
{
	return is_under("TCGTCGTCGTCG");
}

/* The port means something else on a real board: only under QEMU. */
static bool under_qemu(void)
{
	return machine_is_emulated() || is_under("KVMKVMKVM");
}

static void __noreturn halt(void)
{
	for (;;)
		__asm__ volatile("cli; hlt");
}

/* An exception with no IDT, and a double fault with none. */
void triple_fault(void)
{
	struct {
		u16 limit;
		u64 base;
	} __packed no_idt = { 0, 0 };

	__asm__ volatile("lidt %0; int3" : : "m"(no_idt));
}

/* Return: there is no such device. */
static void debug_exit(int status)
{
	if (!under_qemu())
		return;
	outl(DEBUG_EXIT_PORT, status ? DEBUG_EXIT_FAIL : DEBUG_EXIT_PASS);
	/* QEMU ends a little later: nothing may be printed meanwhile. */
	udelay(DEBUG_EXIT_US);
}

/*
 * Once: a fault on the way out, or a second CPU that ends, must not begin
 * anew.
 */
static void begin_end(void)
{
	static u32 ending;

	local_irq_disable();
	watchdog_stop();
	if (__atomic_exchange_n(&ending, 1, __ATOMIC_SEQ_CST))
		halt();
}

static void __noreturn switch_off(void)
{
	power_off();
	printk("power: it did not go off by itself: safe to switch off\n");
	halt();
}

static void __noreturn reset(void)
{
	power_reset();
	printk("power: it did not reset: switch it off and on\n");
	halt();
}

void machine_exit(int status)
{
	char end[8];
	bool given;

	begin_end();
	debug_exit(status);
	given = cmdline_get("end", end, sizeof(end)) != -ENOENT;
	if (!strcmp(end, "off"))
		switch_off();
	if (!strcmp(end, "reset"))
		reset();
	if (given && strcmp(end, "halt"))
		cmdline_bad("end", end, 0, "off, reset or halt");
	printk("topaz: ended with status %d; the machine can be switched off\n",
	       status);
	halt();
}

void machine_poweroff(int status)
{
	begin_end();
	debug_exit(status);
	switch_off();
}

void machine_reboot(void)
{
	begin_end();
	reset();
}
