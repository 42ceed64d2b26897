/* SPDX-License-Identifier: MIT */
/*
 * The firmware's list of CPUs, well formed and not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/acpi.h"
#include "arch/x86/cpu.h"
#include "lib/err.h"

#define HEADER	44
#define ENABLED	1

/* No table is looked for by address here. */
const u8 *acpi_map(phys_addr_t pa, size_t n)
{
	(void)pa;
	(void)n;
	return NULL;
}

static u8 table[HEADER + 16 * 1100];
static size_t size;
static struct madt madt;

static void put_u32(size_t pos, u32 v)
{
	memcpy(table + pos, &v, sizeof(v));
}

static int start(void **state)
{
	(void)state;
	memset(table, 0, sizeof(table));
	memcpy(table, "APIC", 4);
	put_u32(36, 0xfee00000);
	size = HEADER;
	return 0;
}

static void add_lapic(u8 id, u32 flags)
{
	table[size] = 0;
	table[size + 1] = 8;
	table[size + 3] = id;
	put_u32(size + 4, flags);
	size += 8;
}

static void add_x2apic(u32 id, u32 flags)
{
	table[size] = 9;
	table[size + 1] = 16;
	put_u32(size + 4, id);
	put_u32(size + 8, flags);
	size += 16;
}

static void add_raw(u8 type, u8 len, size_t bytes)
{
	table[size] = type;
	table[size + 1] = len;
	size += bytes;
}

/* From a copy that ends where the memory ends: reading on is an ASan error. */
static int parse(size_t n)
{
	u8 *copy = malloc(n + !n);
	struct acpi_table t;
	int err;

	memcpy(copy, table, n);
	t = acpi_table_of(copy, n);
	err = madt_parse(&madt, &t);
	free(copy);
	return err;
}

static void assert_cpus(unsigned int nr, const u32 *ids)
{
	assert_int_equal(madt.nr, nr);
	for (unsigned int i = 0; i < nr; i++)
		assert_int_equal(madt.apic_id[i], ids[i]);
}

static void cpus_of_both_types_are_found_in_order(void **state)
{
	(void)state;
	add_lapic(0, ENABLED);
	add_raw(1, 12, 12);	/* I/O APIC */
	add_lapic(7, ENABLED);
	add_x2apic(0x12345, ENABLED);
	assert_int_equal(parse(size), 0);
	assert_cpus(3, (u32[]){ 0, 7, 0x12345 });
	assert_int_equal(madt.lapic_pa, 0xfee00000);
	assert_int_equal(madt.nr_skipped, 0);
}

static void disabled_cpus_and_broadcast_ids_are_left_out(void **state)
{
	(void)state;
	add_lapic(1, 0);
	add_lapic(2, 2);	/* may be enabled later */
	add_lapic(0xff, ENABLED);
	add_x2apic(3, 0);
	add_x2apic(0xffffffff, ENABLED);
	add_x2apic(0xff, ENABLED);
	assert_int_equal(parse(size), 0);
	assert_cpus(1, (u32[]){ 0xff });
	assert_int_equal(madt.nr_hotplug, 1);
	assert_int_equal(madt.nr_disabled, 4);
	assert_int_equal(madt.nr_skipped, 0);
}

static void a_cpu_named_twice_is_taken_once(void **state)
{
	(void)state;
	add_lapic(4, ENABLED);
	add_x2apic(4, ENABLED);
	add_lapic(5, ENABLED);
	add_lapic(4, ENABLED);
	assert_int_equal(parse(size), 0);
	assert_cpus(2, (u32[]){ 4, 5 });
	assert_int_equal(madt.nr_duplicate, 2);
	assert_int_equal(madt.nr_skipped, 0);
}

static void more_cpus_than_fit_are_counted(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < NR_CPUS + 5; i++)
		add_x2apic(i, ENABLED);
	assert_int_equal(parse(size), 0);
	assert_int_equal(madt.nr, NR_CPUS);
	assert_int_equal(madt.apic_id[NR_CPUS - 1], NR_CPUS - 1);
	assert_int_equal(madt.nr_too_many, 5);
	assert_int_equal(madt.nr_skipped, 0);
}

static void the_address_override_counts(void **state)
{
	u64 pa = 0x1234567000;

	(void)state;
	add_raw(5, 12, 12);
	memcpy(table + size - 8, &pa, sizeof(pa));
	assert_int_equal(parse(size), 0);
	assert_int_equal(madt.lapic_pa, pa);
}

static void an_entry_too_short_for_its_type_is_skipped(void **state)
{
	(void)state;
	add_lapic(1, ENABLED);
	add_raw(0, 7, 7);
	add_raw(9, 15, 15);
	add_raw(0, 2, 2);
	add_lapic(2, ENABLED);
	assert_int_equal(parse(size), 0);
	assert_cpus(2, (u32[]){ 1, 2 });
	assert_int_equal(madt.nr_skipped, 3);
}

static void nothing_is_read_behind_a_bad_length(void **state)
{
	static const struct {
		u8 len;
		size_t bytes;
	} bad[] = { { 0, 8 }, { 1, 8 }, { 255, 8 }, { 0, 1 } };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		start(state);
		add_lapic(1, ENABLED);
		add_raw(0, bad[i].len, bad[i].bytes);
		if (bad[i].bytes > 1)
			add_lapic(2, ENABLED);
		assert_int_equal(parse(size), 0);
		assert_cpus(1, (u32[]){ 1 });
		assert_int_equal(madt.nr_skipped, 1);
		assert_int_equal(madt.bad_offset, HEADER + 8);
	}
}

static void what_is_no_madt_is_refused(void **state)
{
	(void)state;
	add_lapic(1, ENABLED);
	memcpy(table, "FACP", 4);
	assert_int_equal(parse(size), -EBADMSG);
	assert_int_equal(madt.nr, 0);
}

static void a_table_cut_anywhere_gives_only_whole_entries(void **state)
{
	size_t whole;

	(void)state;
	for (u8 i = 0; i < 6; i++)
		add_lapic(i, ENABLED);
	whole = size;
	for (size_t n = 0; n <= whole; n++) {
		if (n < HEADER) {
			assert_int_equal(parse(n), -EBADMSG);
			continue;
		}
		assert_int_equal(parse(n), 0);
		assert_cpus((unsigned int)(n - HEADER) / 8,
			    (u32[]){ 0, 1, 2, 3, 4, 5 });
		assert_int_equal(madt.nr_skipped, (n - HEADER) % 8 != 0);
	}
}

/* A 12th generation notebook: eight entries made of the bytes 14 15 16 17. */
static void entries_of_filler_bytes_give_one_cpu_at_most(void **state)
{
	(void)state;
	add_lapic(0, ENABLED);
	add_lapic(1, ENABLED);
	for (unsigned int i = 0; i < 8; i++)
		add_x2apic(0x17161514, 0x1b1a1918 | ENABLED);
	assert_int_equal(parse(size), 0);
	assert_cpus(3, (u32[]){ 0, 1, 0x17161514 });
	assert_int_equal(madt.nr_duplicate, 7);
}

/* Efficiency cores first: the order of the table is kept, none is special. */
static void the_first_entry_need_not_be_the_smallest_id(void **state)
{
	(void)state;
	for (u8 i = 0; i < 4; i++)
		add_lapic((u8)(0x10 + 2 * i), ENABLED);
	add_lapic(0, ENABLED);
	assert_int_equal(parse(size), 0);
	assert_cpus(5, (u32[]){ 0x10, 0x12, 0x14, 0x16, 0 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(cpus_of_both_types_are_found_in_order,
				       start),
		cmocka_unit_test_setup(
			disabled_cpus_and_broadcast_ids_are_left_out, start),
		cmocka_unit_test_setup(a_cpu_named_twice_is_taken_once, start),
		cmocka_unit_test_setup(more_cpus_than_fit_are_counted, start),
		cmocka_unit_test_setup(the_address_override_counts, start),
		cmocka_unit_test_setup(
			an_entry_too_short_for_its_type_is_skipped, start),
		cmocka_unit_test(nothing_is_read_behind_a_bad_length),
		cmocka_unit_test_setup(what_is_no_madt_is_refused, start),
		cmocka_unit_test_setup(
			a_table_cut_anywhere_gives_only_whole_entries, start),
		cmocka_unit_test_setup(
			entries_of_filler_bytes_give_one_cpu_at_most, start),
		cmocka_unit_test_setup(
			the_first_entry_need_not_be_the_smallest_id, start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
