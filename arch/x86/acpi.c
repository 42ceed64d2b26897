/* SPDX-License-Identifier: MIT */
/*
 * ACPI tables: from the RSDP to the MADT. Firmware's word: all is checked.
 */
#include <asm/machine.h>
#include <asm/page.h>
#include <asm/paging.h>
#include "arch/x86/cpu.h"
#include "lib/err.h"
#include "lib/string.h"

#define SDT_HEADER	36
#define TABLE_MAX	(1u << 20)	/* bytes; a longer one is a lie */

struct madt acpi_madt;

/* Kernel address of physical bytes, or NULL. Maps what is no RAM. */
static const u8 *map_bytes(phys_addr_t pa, size_t size)
{
	unsigned int prot;
	phys_addr_t out;

	if (!pa || pa + size < pa)
		return NULL;
	for (u64 off = 0; off < size + PAGE_SIZE; off += PAGE_SIZE) {
		u64 at = pa + min(off, (u64)size - 1);

		if (vm_translate(&kernel_vm, HHDM_BASE + at, &out, &prot))
			return ioremap(pa, size);
	}
	return phys_to_virt(pa);
}

static bool checksum_good(const u8 *p, size_t n)
{
	u8 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = (u8)(sum + p[i]);
	return !sum;
}

static u64 get_bytes(const u8 *p, unsigned int n)
{
	u64 v = 0;

	memcpy(&v, p, n);
	return v;
}

/* A whole table with a good check sum, or NULL. */
static const u8 *map_table(phys_addr_t pa, size_t *size)
{
	const u8 *head = map_bytes(pa, SDT_HEADER);

	if (!head)
		return NULL;
	*size = get_bytes(head + 4, 4);
	if (*size < SDT_HEADER || *size > TABLE_MAX) {
		printk("acpi: table at %llx has length %zu: skipped\n",
		       (unsigned long long)pa, *size);
		return NULL;
	}
	head = map_bytes(pa, *size);
	if (head && checksum_good(head, *size))
		return head;
	printk("acpi: table at %llx has a bad check sum: skipped\n",
	       (unsigned long long)pa);
	return NULL;
}

/* Address of the XSDT, or of the RSDT where there is none; 0: bad RSDP. */
static phys_addr_t root_table(phys_addr_t rsdp, unsigned int *entry_size)
{
	const u8 *p = map_bytes(rsdp, 36);

	if (!p || memcmp(p, "RSD PTR ", 8) || !checksum_good(p, 20))
		return 0;
	if (p[15] >= 2 && checksum_good(p, 36) && get_bytes(p + 24, 8)) {
		*entry_size = 8;
		return get_bytes(p + 24, 8);
	}
	*entry_size = 4;
	return get_bytes(p + 16, 4);
}

static int find_madt(phys_addr_t root_pa, unsigned int entry_size)
{
	size_t root_size, size;
	const u8 *root = map_table(root_pa, &root_size);

	for (size_t pos = SDT_HEADER; root && pos + entry_size <= root_size;
	     pos += entry_size) {
		phys_addr_t pa = get_bytes(root + pos, entry_size);
		const u8 *head = map_bytes(pa, SDT_HEADER);
		const u8 *table;

		if (!head || memcmp(head, "APIC", 4))
			continue;
		table = map_table(pa, &size);
		if (table && !madt_parse(&acpi_madt, table, size))
			return 0;
	}
	return -EBADMSG;
}

int acpi_init(phys_addr_t rsdp)
{
	unsigned int entry_size = 0;
	phys_addr_t root;
	int err;

	if (!rsdp)
		return -ENODEV;
	root = root_table(rsdp, &entry_size);
	if (!root)
		return -EBADMSG;
	err = find_madt(root, entry_size);
	if (!err && acpi_madt.nr_skipped)
		printk("acpi: MADT: %u entries skipped\n",
		       acpi_madt.nr_skipped);
	return err;
}
