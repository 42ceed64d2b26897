/* SPDX-License-Identifier: MIT */
/*
 * What the page tables of this kernel grant, for people and for the debug
 * build.
 */
#include <asm/machine.h>
#include <asm/paging.h>
#include <asm/percpu.h>
#include "arch/x86/cpu.h"
#include "arch/x86/page_check.h"
#include "lib/err.h"
#include "lib/printk.h"

extern char __text_start[], __text_end[];

/* Pages below a CPU's stacks that are mapped: there must be none. */
static unsigned int open_guards(const struct cpu *cpu)
{
	u64 base = cpu->tss.ist[STACK_DF - 1] - (STACK_DF + 1) * STACK_SPAN;
	unsigned int prot, nr = 0;
	phys_addr_t pa;

	for (unsigned int i = 0; i < NR_STACKS; i++)
		if (!vm_translate(&kernel_vm, base + i * STACK_SPAN, &pa,
				  &prot))
			nr++;
	return nr;
}

int paging_show(struct printer *out)
{
	u64 text = (u64)(__text_end - __text_start);
	struct page_check check;
	unsigned int open = 0;

	page_check_rights(&kernel_vm, (u64)__text_start, (u64)__text_end,
			  &check);
	for (unsigned int i = 0; i < nr_cpus(); i++)
		open += open_guards(&cpus[i]);
	pr_to(out, "paging: %llu entries, %llu MiB; %llu KiB executable, of %llu KiB of text\n",
	      (unsigned long long)check.nr_entries,
	      (unsigned long long)(check.mapped_bytes >> 20),
	      (unsigned long long)(check.exec_bytes >> 10),
	      (unsigned long long)(text >> 10));
	if (check.bad)
		pr_to(out, "paging: %llu entries are wrong; %llx is %s\n",
		      (unsigned long long)check.nr_bad,
		      (unsigned long long)check.bad_va, check.bad);
	if (open)
		pr_to(out, "paging: %u guard pages are mapped\n", open);
	if (check.bad || open || check.exec_bytes != text)
		return -EFAULT;
	pr_to(out, "paging: nothing is writable and executable, %u guard pages of %u CPUs are unmapped\n",
	      nr_cpus() * NR_STACKS, nr_cpus());
	return 0;
}
