/* SPDX-License-Identifier: MIT */
/*
 * Where ACPI's bytes are in the kernel's address space, and what the kernel
 * wants of them at start-up.
 */
#include <asm/machine.h>
#include <asm/page.h>
#include <asm/paging.h>
#include <asm/physaddr.h>
#include "arch/x86/acpi.h"
#include "arch/x86/cpu.h"
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/string.h"

struct madt acpi_madt;

/* Owner: machine_acpi_init(). */
static const struct boot_info *hand_over;
static bool all_read;

/*
 * Whether the direct map holds all of it, before and after our tables. The map
 * is sorted; neighbours may be of different types or nodes.
 */
static bool in_ram(phys_addr_t pa, size_t size)
{
	const struct boot_mem *mem = phys_to_virt(hand_over->mem);

	for (u64 i = 0; i < hand_over->nr_mem; i++) {
		u64 left;

		if (!boot_mem_is_ram(mem[i].type) || pa < mem[i].base ||
		    pa - mem[i].base >= mem[i].size)
			continue;
		left = mem[i].size - (pa - mem[i].base);
		if (size <= left)
			return true;
		pa += left;
		size -= left;
	}
	return false;
}

const u8 *acpi_map(phys_addr_t pa, size_t size)
{
	if (!pa || !size || !phys_range_valid(pa, size))
		return NULL;
	if (in_ram(pa, size))
		return phys_to_virt(pa);
	return kernel_vm.cr3 ? ioremap(pa, size) : NULL;
}

static void report_madt(const struct madt *madt)
{
	if (madt->nr_hotplug || madt->nr_disabled || madt->nr_duplicate)
		printk("acpi: MADT: %u CPUs; left out: %u slots without a CPU, %u disabled, %u named twice\n",
		       madt->nr, madt->nr_hotplug, madt->nr_disabled,
		       madt->nr_duplicate);
	if (madt->nr_too_many)
		printk("acpi: MADT: %u CPUs beyond %u left out\n",
		       madt->nr_too_many, NR_CPUS);
	if (madt->nr_skipped)
		printk("acpi: MADT: %u malformed entries skipped\n",
		       madt->nr_skipped);
	if (madt->bad_offset)
		printk("acpi: MADT: entry at offset %zu has a bad length: the rest is left out\n",
		       madt->bad_offset);
}

static void read_madt(void)
{
	struct acpi_table table;

	for (unsigned int i = 0; acpi_find("APIC", i, &table); i++) {
		if (!madt_parse(&acpi_madt, &table)) {
			report_madt(&acpi_madt);
			return;
		}
		printk("acpi: MADT %u cannot be used\n", i);
	}
}

int machine_acpi_init(const struct boot_info *bi)
{
	int err;

	hand_over = bi;
	if (all_read)
		return 0;
	err = acpi_init(bi->rsdp);
	if (err)
		return err;
	if (!acpi_madt.nr)
		read_madt();
	numa_init();
	all_read = acpi_complete();
	if ((all_read || kernel_vm.cr3) && acpi_nr_skipped())
		printk("acpi: %u entries of the root table left out\n",
		       acpi_nr_skipped());
	return 0;
}
