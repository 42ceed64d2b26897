/* SPDX-License-Identifier: MIT */
/*
 * Crashes on request: each does one thing that the kernel must not survive.
 */
#include "run/crash.h"

#include <asm/apic.h>
#include <asm/smp.h>
#include <asm/traps.h>
#include <asm/tsc.h>
#include <asm/user.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/shell.h"
#include "lib/string.h"

/* Page 0 is unmapped: #PF. The address is hidden from the compiler. */
static void crash_null(void)
{
	volatile u32 *null = NULL;

	__asm__("" : "+r"(null));
	*null = 1;
}

static void crash_ud(void)
{
	__asm__ volatile("ud2");
}

/* The kernel's text is not writable: #PF. */
static void crash_text(void)
{
	volatile u8 *text = (volatile u8 *)(unsigned long)crash_ud;

	*text = 0x90;
}

/* Data is not executable: #PF on the fetch. */
static void crash_nx(void)
{
	static u8 code[16] = { 0xc3 };
	void (*fn)(void) = (void (*)(void))(unsigned long)code;

	__asm__("" : "+r"(fn));
	fn();
}

/* Non-canonical address: #GP. */
static void crash_gp(void)
{
	volatile u32 *far = (volatile u32 *)0x8000000000000000UL;

	__asm__("" : "+r"(far));
	*far = 1;
}

/* Runs into the guard page below the stack: #DF on its own stack. */
static __noinline u64 eat_stack(u64 depth)
{
	volatile u8 frame[512];

	frame[depth % sizeof(frame)] = (u8)depth;
	return depth == ~0ULL ? 0 : eat_stack(depth + 1) + frame[0];
}

static void crash_stack(void)
{
	eat_stack(0);
}

static void crash_bug(void)
{
	BUG_ON(true);
}

/* ---- exceptions within exceptions ---- */

/* Owner: the NMI handler of crash_nest(). */
static u32 nmi_depth, nmi_max_depth, nmi_faults, nmi_nr;

/*
 * The first NMI faults, and is fixed up, with the next NMI waiting: that one
 * must come after the first has returned, not before, on the same stack.
 */
static bool fault_in_nmi(struct pt_regs *regs)
{
	u64 word;

	(void)regs;
	nmi_max_depth = max(nmi_max_depth, ++nmi_depth);
	if (!nmi_nr++)
		lapic_send_nmi(cpu_apic_id(cpu_id()));
	if (probe_read(&word, 0, sizeof(word)))
		nmi_faults++;
	udelay(1000);
	nmi_depth--;
	return true;
}

static void faulting_nmis(void)
{
	nmi_nr = nmi_faults = nmi_max_depth = 0;
	nmi_set_handler(fault_in_nmi);
	lapic_send_nmi(cpu_apic_id(cpu_id()));
	udelay(1000);
	printk("crash: %u NMIs, %u faults in them, depth %u\n", nmi_nr,
	       nmi_faults, nmi_max_depth);
}

/* #PF in an NMI, in thread context; then in an NMI on the stack of #DF. */
static void crash_nest(void)
{
	faulting_nmis();
	panic_set_hook(faulting_nmis);
	crash_stack();
}

static void hang_irqs_off(void *unused)
{
	(void)unused;
	__asm__ volatile("cli" : : : "memory");
	for (;;)
		cpu_relax();
}

static void hang_irqs_on(void *unused)
{
	(void)unused;
	for (;;)
		cpu_relax();
}

/* Another CPU does not come back; CPU 0 waits for it, as a round does. */
static void hang_other(void (*how)(void *))
{
	if (!smp_run_on(1, how, NULL))
		smp_wait(1, 0);
	else
		how(NULL);		/* there is none */
}

static void crash_hang(void)
{
	hang_other(hang_irqs_off);
}

static void crash_spin(void)
{
	hang_other(hang_irqs_on);
}

/* CPU 0 itself: only another CPU can see it. */
static void crash_stuck(void)
{
	hang_irqs_off(NULL);
}

static const struct crash {
	const char *name;
	void (*fn)(void);
} crashes[] = {
	{ "null", crash_null },
	{ "ud", crash_ud },
	{ "text", crash_text },
	{ "nx", crash_nx },
	{ "gp", crash_gp },
	{ "stack", crash_stack },
	{ "bug", crash_bug },
	{ "nest", crash_nest },
	{ "hang", crash_hang },
	{ "spin", crash_spin },
	{ "stuck", crash_stuck },
};

static int cmd_crash(struct shell *sh, struct shell_args *args)
{
	(void)sh;
	if (args->argc < 2)
		return shell_fail(args, 0, "crash how? null ud text nx gp stack bug nest hang spin stuck",
				  -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(crashes); i++) {
		if (strcmp(args->argv[1], crashes[i].name))
			continue;
		crashes[i].fn();
		return shell_fail(args, 1, "That was survived", -EIO);
	}
	return shell_fail(args, 1, "The kinds are null ud text nx gp stack bug nest hang spin stuck",
			  -EINVAL);
}

static struct command crash_command = {
	.name = "crash",
	.usage = "crash null|ud|text|nx|gp|stack|bug|nest|hang|spin|stuck",
	.help = "fault on purpose: shows what a panic looks like",
	.run = cmd_crash,
};

int crash_init(void)
{
	return command_register(&crash_command);
}
