/* SPDX-License-Identifier: MIT */
/*
 * Which physical addresses ACPI's bytes are read at, and what the kernel makes
 * of the tables at its two calls: before and after its own page tables.
 *
 * The files with that state are included, so that each test starts afresh.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/acpi.c"
#include "arch/x86/acpi_map.c"
#include "arch/x86/numa.c"
#include "tests/unit/collect.h"

#define BASE	0x100000ULL	/* of the arena */
#define SIZE	0x10000ULL
#define MAP	BASE		/* the memory map is in it too */
#define RSDP	(BASE + 0x1000)
#define XSDT	(BASE + 0x1100)
#define TABLES	(BASE + 0x2000)
#define DEVICE	0xfed00000ULL

unsigned char *host_memory;
phys_addr_t host_phys_base = BASE;
struct vm kernel_vm;

static struct boot_info bi;
static struct boot_mem *map;
static u32 address_bits;
static u8 device[0x1000];
static phys_addr_t device_pa;	/* of the last ioremap(); 0: none */
static struct collector console;

struct cpuid_regs cpuid_checked(u32 leaf, u32 subleaf)
{
	struct cpuid_regs r = { 0, 0, 0, 0 };

	(void)subleaf;
	assert_int_equal(leaf, 0x80000008);
	r.eax = 0x3000 | address_bits;
	return r;
}

void *ioremap(phys_addr_t pa, u64 size)
{
	device_pa = pa;
	return pa >= DEVICE && pa - DEVICE + size <= sizeof(device) ?
	       device + (pa - DEVICE) : device;
}

static void to_console(const char *s, size_t n)
{
	collect_write(&console.printer, s, n);
}

static unsigned int said(const char *text)
{
	return collect_count(&console, text);
}

static void add_mem(u64 base, u64 size, u32 type)
{
	map[bi.nr_mem].base = base;
	map[bi.nr_mem].size = size;
	map[bi.nr_mem++].type = type;
}

static int start(void **state)
{
	(void)state;
	memset(&root, 0, sizeof(root));
	memset(&srat, 0, sizeof(srat));
	memset(&acpi_madt, 0, sizeof(acpi_madt));
	nr_entries = nr_bad = nr_skipped = 0;
	complete = all_read = false;
	memset(device, 0, sizeof(device));
	device_pa = 0;
	kernel_vm.cr3 = 0;
	address_bits = 39;
	host_memory = calloc(1, SIZE);
	memset(&bi, 0, sizeof(bi));
	bi.mem = MAP;
	bi.rsdp = RSDP;
	map = phys_to_virt(MAP);
	add_mem(BASE, 0x4000, BOOT_MEM_ACPI);
	add_mem(BASE + 0x4000, 0x1000, BOOT_MEM_NVS);
	add_mem(BASE + 0x6000, 0x1000, BOOT_MEM_USABLE);
	add_mem(BASE + 0x7000, 0x1000, BOOT_MEM_RESERVED);
	hand_over = &bi;
	collect_reset(&console);
	printk_set_sink(to_console);
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(host_memory);
	return 0;
}

/* ---- addresses ---- */

static void ram_is_read_in_the_direct_map(void **state)
{
	(void)state;
	for (u64 cr3 = 0; cr3 < 2; cr3++) {
		kernel_vm.cr3 = cr3;
		assert_ptr_equal(acpi_map(BASE, 1), host_memory);
		assert_ptr_equal(acpi_map(BASE, 0x4000), host_memory);
		assert_ptr_equal(acpi_map(BASE + 0x6fff, 1),
				 host_memory + 0x6fff);
	}
	assert_int_equal(device_pa, 0);
}

static void two_ranges_of_ram_side_by_side_are_one(void **state)
{
	(void)state;
	kernel_vm.cr3 = 1;
	assert_ptr_equal(acpi_map(BASE + 0x3ff0, 0x20), host_memory + 0x3ff0);
	assert_ptr_equal(acpi_map(BASE, 0x5000), host_memory);
	assert_int_equal(device_pa, 0);
}

static void what_is_not_all_ram_is_mapped_once_it_can_be(void **state)
{
	static const struct {
		phys_addr_t pa;
		size_t size;
	} other[] = {
		{ BASE - 1, 1 }, { BASE - 1, 2 }, { BASE, 0x5001 },
		{ BASE + 0x4fff, 2 }, { BASE + 0x5000, 0x1001 },
		{ BASE + 0x6fff, 2 }, { BASE + 0x7000, 1 }, { DEVICE, 36 },
		{ 1, 1 }, { (1ULL << 39) - 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		kernel_vm.cr3 = 0;
		device_pa = 0;
		assert_null(acpi_map(other[i].pa, other[i].size));
		assert_int_equal(device_pa, 0);
		kernel_vm.cr3 = 1;
		assert_non_null(acpi_map(other[i].pa, other[i].size));
		assert_int_equal(device_pa, other[i].pa);
	}
}

static void addresses_that_the_processor_lacks_are_never_mapped(void **state)
{
	(void)state;
	kernel_vm.cr3 = 1;
	assert_null(acpi_map(0, 1));
	assert_null(acpi_map(DEVICE, 0));
	assert_null(acpi_map(~0ULL, 1));
	assert_null(acpi_map(~0ULL - 35, 36));
	assert_null(acpi_map(~0ULL, 36));
	assert_null(acpi_map(1ULL << 39, 1));
	assert_null(acpi_map((1ULL << 39) - 1, 2));
	address_bits = 0;		/* no such leaf */
	assert_null(acpi_map(1ULL << 36, 1));
	assert_non_null(acpi_map((1ULL << 36) - 1, 1));
	device_pa = 0;
	address_bits = 0xff;		/* more than a page table entry has */
	assert_null(acpi_map(1ULL << 52, 1));
	assert_int_equal(device_pa, 0);
	assert_non_null(acpi_map((1ULL << 52) - 1, 1));
}

/* ---- the two calls ---- */

static u8 *put_table(u8 *p, const char *sig, u32 size)
{
	memcpy(p, sig, 4);
	memcpy(p + 4, &size, 4);
	p[8] = 3;
	return p;
}

static void sum(u8 *p, size_t size, size_t at)
{
	u8 total = 0;

	p[at] = 0;
	for (size_t i = 0; i < size; i++)
		total = (u8)(total + p[i]);
	p[at] = (u8)-total;
}

static void put_root(const u64 *entry, size_t nr)
{
	u32 size = (u32)(ACPI_HEADER + nr * 8);
	u8 *p = put_table(phys_to_virt(XSDT), "XSDT", size);
	u64 xsdt = XSDT;

	memcpy(p + ACPI_HEADER, entry, nr * 8);
	sum(p, size, 9);
	p = phys_to_virt(RSDP);
	memcpy(p, "RSD PTR ", 8);
	p[15] = 2;
	memcpy(p + 24, &xsdt, 8);
	sum(p, 20, 8);
	sum(p, 36, 32);
}

static void put_madt(u8 *p, u8 apic_id)
{
	put_table(p, "APIC", 52);
	p[45] = 8;
	p[47] = apic_id;
	p[48] = 1;
	sum(p, 52, 9);
}

static void put_srat(u8 *p, u8 apic_id, u8 domain)
{
	put_table(p, "SRAT", 64);
	p[49] = 16;
	p[50] = domain;
	p[51] = apic_id;
	p[52] = 1;
	sum(p, 64, 9);
}

static void the_first_tables_that_can_be_used_are(void **state)
{
	(void)state;
	/* Too short for a MADT; an SRAT with a bad sum, one without nodes. */
	sum(put_table(phys_to_virt(TABLES), "APIC", 40), 40, 9);
	put_madt(phys_to_virt(TABLES + 0x100), 7);
	put_madt(phys_to_virt(TABLES + 0x200), 8);
	put_srat(phys_to_virt(TABLES + 0x300), 7, 1);
	((u8 *)phys_to_virt(TABLES + 0x300))[9]++;
	sum(put_table(phys_to_virt(TABLES + 0x400), "SRAT", 48), 48, 9);
	put_srat(phys_to_virt(TABLES + 0x500), 9, 2);
	put_srat(phys_to_virt(TABLES + 0x600), 9, 3);
	put_root((u64[]){ TABLES, TABLES + 0x100, TABLES + 0x200,
			  TABLES + 0x300, TABLES + 0x400, TABLES + 0x500,
			  TABLES + 0x600 }, 7);
	for (u64 cr3 = 0; cr3 < 3; cr3++) {
		kernel_vm.cr3 = cr3;
		assert_int_equal(machine_acpi_init(&bi), 0);
		assert_int_equal(acpi_madt.nr, 1);
		assert_int_equal(acpi_madt.apic_id[0], 7);
		assert_int_equal(numa_nr_nodes(), 1);
		assert_int_equal(srat.domain[0], 2);
	}
	assert_int_equal(said("acpi: MADT 0 cannot be used\n"), 1);
	assert_int_equal(said("numa: SRAT 0 cannot be used: bad check sum\n"),
			 1);
	assert_int_equal(said("numa: SRAT 1 cannot be used\n"), 1);
	assert_int_equal(said("left out"), 0);
}

static void tables_of_devices_come_with_the_second_call(void **state)
{
	(void)state;
	put_madt(device + 0x100, 5);
	put_srat(device + 0x200, 5, 4);
	put_root((u64[]){ DEVICE + 0x100, DEVICE + 0x200, DEVICE + 0x300,
			  1ULL << 39, ~0ULL }, 5);
	assert_int_equal(machine_acpi_init(&bi), 0);
	assert_int_equal(acpi_madt.nr, 0);
	assert_int_equal(numa_nr_nodes(), 1);
	assert_null(numa_distances());
	assert_string_equal(console.text, "");
	kernel_vm.cr3 = 1;
	assert_int_equal(machine_acpi_init(&bi), 0);
	assert_int_equal(acpi_madt.nr, 1);
	assert_int_equal(acpi_madt.apic_id[0], 5);
	assert_int_equal(srat.domain[0], 4);
	assert_int_equal(numa_node_of_apic(5), 0);
	assert_int_equal(said("says it has 0 bytes: skipped\n"), 1);
	assert_int_equal(said("acpi: 3 entries of the root table left out\n"),
			 1);
}

static void what_cannot_be_used_is_said_once(void **state)
{
	(void)state;
	sum(put_table(phys_to_virt(TABLES), "APIC", 40), 40, 9);
	sum(put_table(phys_to_virt(TABLES + 0x100), "SRAT", 48), 48, 9);
	put_root((u64[]){ TABLES, TABLES + 0x100, TABLES + 0x200 }, 3);
	for (u64 cr3 = 0; cr3 < 3; cr3++) {
		kernel_vm.cr3 = cr3;
		assert_int_equal(machine_acpi_init(&bi), 0);
	}
	assert_int_equal(acpi_madt.nr, 0);
	assert_int_equal(numa_nr_nodes(), 1);
	assert_int_equal(said("\n"), 4);
	assert_int_equal(said("acpi: MADT 0 cannot be used\n"), 1);
	assert_int_equal(said("numa: SRAT 0 cannot be used\n"), 1);
	assert_int_equal(said("acpi: 1 entries of the root table left out\n"),
			 1);
}

static void without_an_rsdp_it_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(machine_acpi_init(&bi), -EBADMSG);
	bi.rsdp = 0;
	assert_int_equal(machine_acpi_init(&bi), -ENODEV);
	assert_int_equal(numa_nr_nodes(), 1);
}

#define test(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(ram_is_read_in_the_direct_map),
		test(two_ranges_of_ram_side_by_side_are_one),
		test(what_is_not_all_ram_is_mapped_once_it_can_be),
		test(addresses_that_the_processor_lacks_are_never_mapped),
		test(the_first_tables_that_can_be_used_are),
		test(tables_of_devices_come_with_the_second_call),
		test(what_cannot_be_used_is_said_once),
		test(without_an_rsdp_it_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
