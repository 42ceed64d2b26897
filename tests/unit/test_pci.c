/* SPDX-License-Identifier: MIT */
/*
 * PCI functions: found, sized, woken, in a made-up configuration space.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <asm/tsc.h>
#include "arch/x86/acpi.h"
#include "tests/unit/fake_pci.h"

static u64 slept;

const u8 *acpi_map(phys_addr_t pa, size_t n)
{
	(void)pa;
	(void)n;
	return NULL;
}

void udelay(u64 us)
{
	slept += us;
}

static int start(void **state)
{
	(void)state;
	space_init();
	slept = 0;
	return 0;
}

/* ---- the scan ---- */

static unsigned int nr_visits;

static bool count(const struct pci_fn *f, void *arg)
{
	(void)arg;
	(void)f;
	nr_visits++;
	return true;
}

static bool stop_at_two(const struct pci_fn *f, void *arg)
{
	(void)f;
	(void)arg;
	return ++nr_visits < 2;
}

static void all_buses_and_functions_are_visited(void **state)
{
	(void)state;
	add_fn(0, 0, 0, 0x29c08086, 0x060000);
	add_fn(0, 31, 0, 0x29188086, 0x060100)->reg[3] = 0x80u << 16;
	add_fn(0, 31, 2, 0x29228086, 0x010601);
	add_fn(0, 31, 7, 0x29308086, 0x0c0500);
	add_fn(0, 5, 1, 0x12345678, 0x020000);	/* no function 0: no device */
	add_fn(1, 3, 1, 0x12345678, 0x020000);
	add_fn(1, 3, 0, 0x12345678, 0x020000);	/* but of one function */
	add_fn(255, 31, 0, 0x00021b36, 0x070002);
	nr_visits = 0;
	pci_scan(count, NULL);
	assert_int_equal(nr_visits, 6);
	nr_visits = 0;
	pci_scan(stop_at_two, NULL);
	assert_int_equal(nr_visits, 2);
}

static void without_pci_all_reads_as_ones(void **state)
{
	struct pci_fn f = { 0 };

	(void)state;
	pci_set_ops(NULL);
	assert_int_equal(pci_read32(&f, 0), 0xffffffffu);
	assert_false(pci_identify(&f));
	pci_write16(&f, 4, 7);
	nr_visits = 0;
	pci_scan(count, NULL);
	assert_int_equal(nr_visits, 0);
}

static struct pci_fn the_fn(void)
{
	struct pci_fn f = {
		.bus = functions[0].bus, .dev = functions[0].dev,
		.fn = functions[0].fn,
	};

	assert_true(pci_identify(&f));
	return f;
}

static void bars_have_a_place_and_a_size_and_stay(void **state)
{
	struct function *f = add_fn(2, 0, 0, 0x00021b36, 0x070002);
	struct pci_bar bar;
	struct pci_fn fn;

	(void)state;
	f->reg[1] = 0x03;
	set_bar(f, 0, 0xc001, 8);
	set_bar(f, 1, 0xfe000000, 0x1000);
	set_bar(f, 2, 0x0000000c, 0x4000);
	f->reg[4 + 3] = 0x70;
	fn = the_fn();
	assert_true(pci_bar_read(&fn, 0, &bar));
	assert_true(bar.io);
	assert_int_equal(bar.base, 0xc000);
	assert_int_equal(bar.size, 8);
	assert_int_equal(f->reg[4], 0xc001);
	assert_int_equal(f->reg[1], 0x03);
	assert_true(f->decoding_off);
	assert_true(pci_bar_read(&fn, 1, &bar));
	assert_false(bar.io);
	assert_int_equal(bar.base, 0xfe000000);
	assert_int_equal(bar.size, 0x1000);
	assert_true(pci_bar_read(&fn, 2, &bar));
	assert_true(bar.is_64bit);
	assert_int_equal(bar.base, 0x7000000000ULL);
	assert_int_equal(bar.size, 0x4000);
	assert_int_equal(f->reg[4 + 2], 0x0c);
	assert_int_equal(f->reg[4 + 3], 0x70);
	assert_false(pci_bar_read(&fn, 4, &bar));	/* 0 */
	assert_false(pci_bar_read(&fn, 6, &bar));	/* no such */
	f->reg[3] = 1u << 16;				/* a bridge has two */
	assert_false(pci_bar_read(&fn, 2, &bar));
}

static void a_bar_of_16_bits_has_a_size(void **state)
{
	struct function *f = add_fn(0, 1, 0, 0x00021b36, 0x070002);
	struct pci_bar bar;
	struct pci_fn fn;

	(void)state;
	set_bar(f, 0, 0xe0f1, 0);
	f->size[0] = 0xfff0;
	fn = the_fn();
	assert_true(pci_bar_read(&fn, 0, &bar));
	assert_int_equal(bar.size, 16);
}

static void a_function_that_sleeps_is_woken_and_given_time(void **state)
{
	struct function *f = add_fn(0, 2, 0, 0x00021b36, 0x070002);
	struct pci_fn fn = the_fn();

	(void)state;
	pci_wake(&fn);
	assert_int_equal(slept, 0);
	f->reg[1] = 0x10u << 16;
	f->reg[0x34 / 4] = 0x50;
	f->reg[0x50 / 4] = 0x6005;	/* MSI, then 60 */
	f->reg[0x60 / 4] = 0x0001;	/* power management */
	pci_wake(&fn);
	assert_int_equal(slept, 0);
	f->reg[0x64 / 4] = 0x8103;
	pci_wake(&fn);
	assert_int_equal(f->reg[0x64 / 4], 0x0100);
	assert_true(slept >= 10000);
}

static void a_ring_of_capabilities_ends(void **state)
{
	struct function *f = add_fn(0, 2, 0, 0x00021b36, 0x070002);
	struct pci_fn fn = the_fn();

	(void)state;
	f->reg[1] = 0x10u << 16;
	f->reg[0x34 / 4] = 0x50;
	f->reg[0x50 / 4] = 0x5005;
	nr_reads = 0;
	pci_wake(&fn);
	assert_true(nr_reads < 200);
	f->reg[0x34 / 4] = 0x04;	/* into the header */
	pci_wake(&fn);
	assert_int_equal(slept, 0);
}

/* ---- MCFG ---- */

static bool mcfg(size_t size, u64 base, u16 segment, u8 first, u8 last,
		 struct pci_ecam *ecam)
{
	u8 *data = calloc(1, size);
	struct acpi_table table;
	u8 entry[16] = { 0 };
	bool good;

	memcpy(entry, &base, 8);
	memcpy(entry + 8, &segment, 2);
	entry[10] = first;
	entry[11] = last;
	for (size_t pos = 44; pos < size; pos++)
		data[pos] = entry[(pos - 44) % 16];
	table = acpi_table_of(data, size);
	good = pci_mcfg_parse(&table, ecam);
	free(data);
	return good;
}

static void the_mcfg_names_the_buses_of_segment_0(void **state)
{
	struct pci_ecam ecam;

	(void)state;
	assert_true(mcfg(60, 0xb0000000, 0, 0, 255, &ecam));
	assert_int_equal(ecam.base, 0xb0000000);
	assert_int_equal(ecam.last_bus, 255);
	assert_false(mcfg(60, 0xb0000000, 1, 0, 255, &ecam));
	assert_int_equal(ecam.base, 0);
	assert_false(mcfg(76, 0, 0, 0, 255, &ecam));
	assert_false(mcfg(60, 0xb0000001, 0, 0, 255, &ecam));
	assert_false(mcfg(60, ~0xfffffULL, 0, 0, 255, &ecam));
	assert_false(mcfg(60, 0xb0000000, 0, 9, 8, &ecam));
	for (size_t size = 1; size < 60; size++)
		assert_false(mcfg(size, 0xb0000000, 0, 0, 255, &ecam));
}

int main(void)
{
#define TEST(f)	cmocka_unit_test_setup(f, start)
	const struct CMUnitTest tests[] = {
		TEST(all_buses_and_functions_are_visited),
		TEST(without_pci_all_reads_as_ones),
		TEST(bars_have_a_place_and_a_size_and_stay),
		TEST(a_bar_of_16_bits_has_a_size),
		TEST(a_function_that_sleeps_is_woken_and_given_time),
		TEST(a_ring_of_capabilities_ends),
		TEST(the_mcfg_names_the_buses_of_segment_0),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
