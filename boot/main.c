/* SPDX-License-Identifier: MIT */
/*
 * The kernel's start-up: one named step after the other.
 *
 * The only place that knows all layers. Each step says what it did or why the
 * machine cannot go on; then the rc file runs, and its result is how the
 * machine ends.
 */
#include <asm/apic.h>
#include <asm/fb.h>
#include <asm/irqflags.h>
#include <asm/machine.h>
#include <asm/page.h>
#include <asm/paging.h>
#include <asm/percpu.h>
#include <asm/smp.h>
#include <asm/traps.h>
#include <asm/tsc.h>
#include <asm/watchdog.h>
#include "arch/x86/console.h"
#include "arch/x86/serial.h"
#include "arch/x86/uart.h"
#include "boot/boot_info.h"
#include "boot/machine_tree.h"
#include "boot/memory.h"
#include "lib/cmdline.h"
#include "lib/err.h"
#include "lib/errlog.h"
#include "lib/printk.h"
#include "lib/shell.h"
#include "lib/string.h"
#include "lib/symtab.h"
#include "mm/console.h"
#include "mm/debug.h"
#include "mm/page.h"
#include "mm/slab.h"
#include "pt/caps.h"
#include "pt/event.h"
#include "run/modules.h"
#include "run/session.h"

/* What runs when the boot volume has no \topaz.rc. */
static const char default_rc[] = "run all\n"
				 "selftest\n"
				 "dump\n";

/* Owner: start-up; the loader's copy lies in memory that may be reused. */
static struct boot_info boot_info;

static phys_addr_t table_page_alloc(void)
{
	unsigned long page = get_zeroed_page(GFP_ATOMIC);

	return page ? virt_to_phys((void *)page) : 0;
}

static void table_page_free(phys_addr_t pa)
{
	free_pages((unsigned long)phys_to_virt(pa), 0);
}

static const struct page_source table_pages = {
	.alloc = table_page_alloc,
	.free = table_page_free,
};

static bool hand_over_known(const struct boot_info *bi)
{
	return bi->magic == BOOT_INFO_MAGIC &&
	       bi->version == BOOT_INFO_VERSION && bi->size == sizeof(*bi);
}

static int step_hand_over(void)
{
	const struct boot_info *bi = &boot_info;

	if (bi->magic != BOOT_INFO_MAGIC) {
		printk("boot_info: magic %llx is not %llx\n",
		       (unsigned long long)bi->magic,
		       (unsigned long long)BOOT_INFO_MAGIC);
		return -EINVAL;
	}
	if (bi->version != BOOT_INFO_VERSION || bi->size != sizeof(*bi)) {
		printk("boot_info: version %u, size %u; this kernel needs %u, %zu\n",
		       bi->version, bi->size, BOOT_INFO_VERSION, sizeof(*bi));
		return -EINVAL;
	}
	if (bi->mem_skipped)
		printk("memory map: the loader left out %llu malformed entries\n",
		       (unsigned long long)bi->mem_skipped);
	if (bi->mem_overlaps)
		printk("memory map: %llu entries overlapped others\n",
		       (unsigned long long)bi->mem_overlaps);
	return 0;
}

static int step_memory(void)
{
	struct page_stats stats;
	int err = memory_init(&boot_info);

	if (err)
		return err;
	page_stats_read(&stats);
	printk("memory: %llu MiB free of %llu MiB\n",
	       (unsigned long long)(stats.nr_free >> 8),
	       (unsigned long long)(stats.nr_total >> 8));
	return 0;
}

static int step_paging(void)
{
	paging_set_source(&table_pages);
	return paging_init(&boot_info);
}

/* Those that need tables, or registers that are mapped. */
static int step_consoles(void)
{
	serial_find(&boot_info);
	return 0;
}

static void *alloc_for_good(size_t size)
{
	return kzalloc(size, GFP_KERNEL);
}

static int step_framebuffers(void)
{
	fb_init(&boot_info, alloc_for_good);
	return 0;
}

static int step_symbols(void)
{
	static struct symtab kernel_symbols;
	const struct module *kernel;
	long nr;
	int err;

	modules_init(&boot_info);
	kernel = module_by_type(BOOT_MODULE_KERNEL);
	nr = kernel ? symtab_count(kernel->data, kernel->size) : 0;
	if (nr <= 0) {
		printk("symbols: the kernel image %s: addresses only\n",
		       nr ? "is damaged" : "has none");
		return 0;
	}
	kernel_symbols.sym = kcalloc((size_t)nr, sizeof(struct symbol),
				     GFP_KERNEL);
	if (!kernel_symbols.sym)
		return -ENOMEM;
	kernel_symbols.max = (size_t)nr;
	err = symtab_build(&kernel_symbols, kernel->data, kernel->size);
	if (!err)
		symtab_register(&kernel_symbols);
	return err;
}

/* Before the page allocator, which wants to know of the nodes. */
static int step_acpi(void)
{
	int err = machine_acpi_init(&boot_info);

	if (err)
		printk("acpi: no tables (%s): one CPU, one node\n",
		       err_name(err));
	return 0;
}

static int step_time(void)
{
	tsc_init();
	errlog_set_clock(now_ns);
	uart_set_clock(now_ns);
	return 0;
}

static int step_power(void)
{
	machine_power_init(&boot_info);
	return 0;
}

static int step_cpus(void)
{
	unsigned int nr;

	lapic_init();
	local_irq_enable();
	nr = smp_start(boot_info.trampoline);
	printk("cpus: %u running, local APIC in %s mode\n", nr,
	       lapic_is_x2apic() ? "x2APIC" : "xAPIC");
	tsc_check_cpus();
	return 0;
}

/* In the debug build: a right too many stops the start. */
static int step_page_tables(void)
{
	return TOPAZ_DEBUG ? paging_show(&console_printer) : 0;
}

static int step_console_tree(void)
{
	int err = shell_init();

	if (!err)
		err = errlog_init();
	if (!err)
		err = machine_tree_init(&boot_info);
	if (!err)
		err = mm_console_init();
	return err;
}

/* A machine that cannot trace still shows what it is, and tests itself. */
static int step_pt(void)
{
	int err = pt_init();

	if (err)
		printk("pt: nothing can be traced here (%s)\n", err_name(err));
	else
		pt_caps_print(&console_printer);
	return 0;
}

static const struct step {
	const char *name;
	int (*run)(void);
} steps[] = {
	{ "hand-over", step_hand_over },
	{ "acpi", step_acpi },
	{ "memory", step_memory },
	{ "paging", step_paging },
	{ "framebuffers", step_framebuffers },
	{ "acpi beyond RAM", step_acpi },
	{ "consoles", step_consoles },
	{ "symbols", step_symbols },
	{ "time", step_time },
	{ "power", step_power },
	{ "cpus", step_cpus },
	{ "page tables", step_page_tables },
	{ "console tree", step_console_tree },
	{ "pt", step_pt },
	{ "session", session_init },
};

static bool start_up(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int err = steps[i].run();

		if (!err)
			continue;
		printk("topaz: start-up stopped at step \"%s\": %s\n",
		       steps[i].name, err_name(err));
		return false;
	}
	return true;
}

/* The rc file of the boot volume, or the built-in one. Return: failed lines. */
static unsigned int run_rc(void)
{
	const struct module *rc = module_by_type(BOOT_MODULE_RC);
	struct shell sh = {
		.out = &console_printer,
		.before = watchdog_doing,
	};

	sh.name = rc ? "topaz.rc" : "default.rc";
	printk("rc: %s\n", rc ? "\\topaz.rc of the boot volume" : "built in");
	if (rc)
		return shell_run_script(&sh, rc->data, rc->size);
	return shell_run_script(&sh, default_rc, sizeof(default_rc) - 1);
}

/* From entry.asm, on the loader's tables and stack; never returns. */
void kernel_main(const struct boot_info *bi);

void kernel_main(const struct boot_info *bi)
{
	unsigned int failed;

	memcpy(&boot_info, bi, sizeof(boot_info));
	cpu_init_boot();
	console_init();
	if (hand_over_known(&boot_info))
		cmdline_init(boot_info.cmdline, sizeof(boot_info.cmdline));
	serial_init();
	printk("\ntopaz: tracer for Intel Processor Trace, no operating system\n");
	if (!start_up())
		machine_exit(1);

	watchdog_init();
	page_leak_mark();
	failed = run_rc();
	if (TOPAZ_DEBUG)
		page_leak_report(&console_printer);
	consoles_show_dropped(&console_printer);
	if (failed)
		printk("topaz: FAIL: %u line%s of the rc file failed\n", failed,
		       failed == 1 ? "" : "s");
	else
		printk("topaz: PASS\n");
	machine_exit(failed ? 1 : 0);
}
