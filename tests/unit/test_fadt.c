/* SPDX-License-Identifier: MIT */
/*
 * The FADT: long, short and contradictory ones.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/fadt.h"
#include "lib/err.h"

#define FADT_SIZE	276

/* No table is looked for by address here. */
const u8 *acpi_map(phys_addr_t pa, size_t n)
{
	(void)pa;
	(void)n;
	return NULL;
}

static u8 bytes[FADT_SIZE];

static void put(size_t off, u64 val, size_t n)
{
	memcpy(bytes + off, &val, n);
}

static void put_gas(size_t off, u8 space, u8 bits, u64 address)
{
	bytes[off] = space;
	bytes[off + 1] = bits;
	put(off + 4, address, 8);
}

/* Only what stands in @size bytes can be read: the block is no longer. */
static int parse(struct fadt *fadt, size_t size)
{
	u8 *exact = malloc(size + !size);
	struct acpi_table table;
	int err;

	assert_non_null(exact);
	memcpy(exact, bytes, size);
	table = acpi_table_of(exact, size);
	err = fadt_parse(fadt, &table);
	free(exact);
	return err;
}

static int start(void **state)
{
	(void)state;
	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes, "FACP", 4);
	bytes[8] = 6;
	put(40, 0x7fe0000, 4);		/* DSDT */
	put(48, 0xb2, 4);		/* SMI_CMD */
	bytes[52] = 0xf1;		/* ACPI_ENABLE */
	put(64, 0x604, 4);		/* PM1a_CNT */
	put(68, 0x614, 4);		/* PM1b_CNT */
	put(76, 0x608, 4);		/* PM_TMR */
	put(109, 0x0002, 2);		/* 8042 */
	put(112, 1u << 8 | 1u << 10, 4);
	put_gas(116, ACPI_SPACE_IO, 8, 0xcf9);
	bytes[128] = 0x0f;
	put(140, 0x123456789000, 8);	/* X_DSDT */
	put_gas(172, ACPI_SPACE_IO, 16, 0x1804);
	put_gas(184, ACPI_SPACE_IO, 16, 0x1814);
	put_gas(208, ACPI_SPACE_MEMORY, 32, 0xfed00000);
	put_gas(244, ACPI_SPACE_IO, 8, 0x3405);
	return 0;
}

static void a_full_table_gives_the_x_fields(void **state)
{
	struct fadt fadt;

	(void)state;
	assert_int_equal(parse(&fadt, FADT_SIZE), 0);
	assert_int_equal(fadt.dsdt, 0x123456789000);
	assert_int_equal(fadt.smi_cmd, 0xb2);
	assert_int_equal(fadt.acpi_enable, 0xf1);
	assert_int_equal(fadt.pm1a_cnt.address, 0x1804);
	assert_int_equal(fadt.pm1b_cnt.address, 0x1814);
	assert_int_equal(fadt.pm_tmr.address, 0xfed00000);
	assert_int_equal(fadt.pm_tmr.space, ACPI_SPACE_MEMORY);
	assert_true(fadt.pm_tmr_32bit);
	assert_true(fadt.has_8042);
	assert_false(fadt.hw_reduced);
	assert_int_equal(fadt.reset_reg.address, 0xcf9);
	assert_int_equal(fadt.reset_value, 0x0f);
}

static void an_x_field_of_0_leaves_the_old_one(void **state)
{
	struct fadt fadt;

	(void)state;
	memset(bytes + 140, 0, 8);
	memset(bytes + 172, 0, 12);
	memset(bytes + 184, 0, 12);
	memset(bytes + 208, 0, 12);
	assert_int_equal(parse(&fadt, FADT_SIZE), 0);
	assert_int_equal(fadt.dsdt, 0x7fe0000);
	assert_int_equal(fadt.pm1a_cnt.address, 0x604);
	assert_int_equal(fadt.pm1a_cnt.space, ACPI_SPACE_IO);
	assert_int_equal(fadt.pm1b_cnt.address, 0x614);
	assert_int_equal(fadt.pm_tmr.address, 0x608);
	assert_int_equal(fadt.pm_tmr.space, ACPI_SPACE_IO);
}

/* Revision 1: 116 bytes, no reset register, and an 8042 is a matter of course. */
static void a_table_of_acpi_1_ends_at_its_flags(void **state)
{
	struct fadt fadt;

	(void)state;
	bytes[8] = 1;
	put(109, 0, 2);
	assert_int_equal(parse(&fadt, 116), 0);
	assert_int_equal(fadt.dsdt, 0x7fe0000);
	assert_int_equal(fadt.pm1a_cnt.address, 0x604);
	assert_int_equal(fadt.pm_tmr.address, 0x608);
	assert_int_equal(fadt.reset_reg.address, 0);
	assert_true(fadt.has_8042);
}

static void no_field_is_read_beyond_the_end(void **state)
{
	struct fadt fadt;

	(void)state;
	for (size_t n = 0; n <= FADT_SIZE; n++) {
		int err = parse(&fadt, n);

		assert_int_equal(err, n < 44 ? -EBADMSG : 0);
		if (err)
			continue;
		assert_int_equal(fadt.dsdt, n < 148 ? 0x7fe0000 :
				 0x123456789000);
		assert_int_equal(fadt.pm1a_cnt.address, n < 68 ? 0 :
				 n < 184 ? 0x604 : 0x1804);
		assert_int_equal(fadt.pm_tmr.address, n < 80 ? 0 :
				 n < 220 ? 0x608 : 0xfed00000);
		assert_int_equal(fadt.reset_reg.address,
				 n < 128 ? 0 : 0xcf9);
		assert_int_equal(fadt.reset_value, n < 129 ? 0 : 0x0f);
	}
}

static void the_reset_register_needs_its_flag(void **state)
{
	struct fadt fadt;

	(void)state;
	put(112, 0, 4);
	assert_int_equal(parse(&fadt, FADT_SIZE), 0);
	assert_int_equal(fadt.reset_reg.address, 0);
	assert_false(fadt.pm_tmr_32bit);
}

static void reduced_hardware_has_no_pm1_and_no_timer(void **state)
{
	struct fadt fadt;

	(void)state;
	put(112, 1u << 20 | 1u << 10, 4);
	assert_int_equal(parse(&fadt, FADT_SIZE), 0);
	assert_true(fadt.hw_reduced);
	assert_int_equal(fadt.pm1a_cnt.address, 0);
	assert_int_equal(fadt.pm_tmr.address, 0);
	assert_int_equal(fadt.smi_cmd, 0);
	assert_false(fadt.has_8042);
	assert_int_equal(fadt.sleep_control.address, 0x3405);
	assert_int_equal(fadt.reset_reg.address, 0xcf9);
}

static void a_boot_arch_without_8042_is_believed(void **state)
{
	struct fadt fadt;

	(void)state;
	put(109, 0x0001, 2);
	assert_int_equal(parse(&fadt, FADT_SIZE), 0);
	assert_false(fadt.has_8042);
}

static void another_table_is_refused(void **state)
{
	struct fadt fadt;

	(void)state;
	memcpy(bytes, "APIC", 4);
	assert_int_equal(parse(&fadt, FADT_SIZE), -EBADMSG);
}

static void a_bad_check_sum_is_used_all_the_same(void **state)
{
	struct fadt fadt;

	(void)state;
	bytes[9]++;
	assert_int_equal(parse(&fadt, FADT_SIZE), 0);
	assert_int_equal(fadt.reset_reg.address, 0xcf9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_full_table_gives_the_x_fields, start),
		cmocka_unit_test_setup(an_x_field_of_0_leaves_the_old_one,
				       start),
		cmocka_unit_test_setup(a_table_of_acpi_1_ends_at_its_flags,
				       start),
		cmocka_unit_test_setup(no_field_is_read_beyond_the_end, start),
		cmocka_unit_test_setup(the_reset_register_needs_its_flag,
				       start),
		cmocka_unit_test_setup(reduced_hardware_has_no_pm1_and_no_timer,
				       start),
		cmocka_unit_test_setup(a_boot_arch_without_8042_is_believed,
				       start),
		cmocka_unit_test_setup(another_table_is_refused, start),
		cmocka_unit_test_setup(a_bad_check_sum_is_used_all_the_same,
				       start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
