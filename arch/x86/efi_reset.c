/* SPDX-License-Identifier: MIT */
/*
 * The firmware's ResetSystem: the one thing that it is asked after the loader.
 */
#include <asm/apic.h>
#include <asm/percpu.h>
#include <asm/traps.h>
#include "arch/x86/power.h"
#include "boot/boot_info.h"
#include "lib/printk.h"

#define TIMEOUT_US	2000000

/* efi_call.asm */
void efi_call_reset(u64 fn, u64 cr3, u64 stack_top, u64 type);
void __noreturn efi_call_abandon(void);

/* Owner: efi_reset_init(). */
static u64 reset_system, loader_cr3, loader_stack;
/* Owner: efi_reset(): the CPU that is in the firmware, or none. */
static int inside = -1;
static bool timed_out, faulted;

void efi_reset_init(const struct boot_info *bi)
{
	reset_system = bi->efi_reset;
	loader_cr3 = bi->cr3;
	loader_stack = bi->stack_base + BOOT_STACK_SIZE;
}

static bool is_inside(void)
{
	return inside >= 0 && (unsigned int)inside == cpu_id();
}

/* No EOI yet: the APIC may not be mapped in the loader's tables. */
static void on_timeout(struct pt_regs *regs)
{
	(void)regs;
	if (!is_inside())
		return;
	timed_out = true;
	efi_call_abandon();
}

void efi_reset_fault(void)
{
	if (!is_inside())
		return;
	faulted = true;
	efi_call_abandon();
}

bool efi_reset(enum efi_reset_type type)
{
	bool timer = lapic_is_ready();

	if (!reset_system)
		return false;
	/* Waits of others would end the call: it is the last thing that runs. */
	irq_set_handler(VECTOR_TIMER, NULL);	/* whoever had it: it is over */
	irq_set_handler(VECTOR_TIMER, on_timeout);
	if (timer)
		lapic_timer_start(TIMEOUT_US);
	timed_out = faulted = false;
	inside = (int)cpu_id();
	efi_call_reset(reset_system, loader_cr3, loader_stack, type);
	inside = -1;
	if (timer)
		lapic_timer_stop();
	if (timed_out)
		lapic_eoi();
	printk("power: EFI ResetSystem %s\n", faulted ? "faulted" :
	       timed_out ? "did not come back in 2 s" : "came back");
	return true;
}
