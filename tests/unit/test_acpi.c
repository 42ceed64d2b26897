/* SPDX-License-Identifier: MIT */
/*
 * The index of ACPI tables, from firmware of any quality.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/acpi_firmware.h"
#include "tests/unit/collect.h"

static struct collector console;

static void to_console(const char *s, size_t n)
{
	collect_write(&console.printer, s, n);
}

static unsigned int said(const char *text)
{
	return collect_count(&console, text);
}

/* The XSDT leads to NEWT, the RSDT to OLDT. */
static int start(void **state)
{
	(void)state;
	memory_init();
	memory_add(LOW, LOW_END - LOW);
	memory_add(HIGH, 0x1000);
	memory_add(LATE, 0x1000)->late = true;
	collect_reset(&console);
	printk_set_sink(to_console);
	put_rsdp(2, XSDT, RSDT);
	put_table(TABLES, "NEWT", 40, 40);
	put_table(TABLES + 0x41, "OLDT", 50, 50);
	put_xsdt(TABLES);
	put_root(RSDT, (u64[]){ TABLES + 0x41 }, 1);
	return 0;
}

static int end(void **state)
{
	(void)state;
	memory_fini();
	return 0;
}

static bool is_there(const char *sig, unsigned int nth)
{
	struct acpi_table table;

	return acpi_find(sig, nth, &table);
}

static void assert_used(const char *sig)
{
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(nr_entries, 1);
	assert_true(is_there(sig, 0));
}

/* ---- roots ---- */

static void revision_2_leads_to_the_xsdt(void **state)
{
	struct acpi_table table;

	(void)state;
	assert_used("NEWT");
	assert_true(acpi_find("NEWT", 0, &table));
	assert_int_equal(table.size, 40);
	assert_true(table.sum_good);
	assert_false(is_there("NEWT", 1));
	assert_true(acpi_complete());
	assert_string_equal(console.text, "");
}

static void revisions_0_and_1_lead_to_the_rsdt(void **state)
{
	for (u8 revision = 0; revision < 2; revision++) {
		start(state);
		put_rsdp(revision, XSDT, RSDT);
		assert_used("OLDT");
		assert_string_equal(console.text, "");
		end(state);
	}
}

static void an_rsdp_of_revision_0_may_be_the_last_20_bytes(void **state)
{
	phys_addr_t pa = LOW_END - 20;

	(void)state;
	put_rsdp(0, 0, RSDT);
	memcpy(memory_at(pa), memory_at(RSDP), 20);
	assert_int_equal(acpi_init(pa), 0);
	assert_true(is_there("OLDT", 0));
	assert_int_equal(acpi_init(pa + 1), 0);	/* complete: not asked again */
}

static void an_rsdp_that_is_none_is_refused(void **state)
{
	(void)state;
	assert_int_equal(acpi_init(0), -ENODEV);
	assert_int_equal(acpi_init(1), -EBADMSG);
	assert_int_equal(acpi_init(~0ULL), -EBADMSG);
	memory_at(RSDP)[8]++;
	assert_int_equal(acpi_init(RSDP), -EBADMSG);
	put_rsdp(2, XSDT, RSDT);
	memory_at(RSDP)[0] = 'r';
	memory_sum(memory_at(RSDP), 20, 8);
	assert_int_equal(acpi_init(RSDP), -EBADMSG);
	assert_int_equal(said("acpi: no RSDP at "), 4);
	assert_int_equal(nr_entries, 0);
}

static void an_rsdp_with_a_bad_second_sum_leads_to_the_rsdt(void **state)
{
	(void)state;
	memory_at(RSDP)[32]++;
	assert_used("OLDT");
	assert_int_equal(said("RSDP at e0010 has a bad second check sum"), 1);
}

static void a_bad_xsdt_is_said_and_the_rsdt_used(void **state)
{
	(void)state;
	memory_at(XSDT)[9]++;
	assert_used("OLDT");
	assert_int_equal(said("XSDT at e0103 has a bad check sum"), 1);

	end(state);
	start(state);
	put_table(XSDT, "XSDX", 44, 44);
	assert_used("OLDT");
	assert_int_equal(said("XSDT at e0103 has a bad signature"), 1);

	end(state);
	start(state);
	put_rsdp(2, 0, RSDT);
	assert_used("OLDT");

	end(state);
	start(state);
	put_table(XSDT, "XSDT", 35, 44);
	assert_used("OLDT");
	assert_int_equal(said("table at e0103 says it has 35 bytes"), 1);
}

static void no_root_at_all_is_an_error(void **state)
{
	(void)state;
	put_rsdp(2, 0, 0);
	assert_int_equal(acpi_init(RSDP), -EBADMSG);
	put_rsdp(2, ~0ULL, 0xffffffff);
	assert_int_equal(acpi_init(RSDP), -EBADMSG);
	put_rsdp(2, TABLES, TABLES);
	assert_int_equal(acpi_init(RSDP), -EBADMSG);
	assert_int_equal(nr_entries, 0);
}

static void bytes_behind_the_last_whole_entry_are_no_entry(void **state)
{
	(void)state;
	put_xsdt(TABLES, TABLES + 0x41);
	for (u32 size = 36; size < 52; size++) {
		memory_init();
		put_table(XSDT, "XSDT", size, size);
		assert_int_equal(acpi_init(RSDP), 0);
		assert_int_equal(nr_entries, (size - 36) / 8);
	}
}

/* ---- entries ---- */

static void entries_may_be_0_twice_unaligned_and_high(void **state)
{
	(void)state;
	put_table(HIGH + 3, "HIGH", 60, 60);
	put_xsdt(0, HIGH + 3, TABLES, 0, HIGH + 3, TABLES + 0x41, TABLES);
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(nr_entries, 3);
	assert_true(is_there("HIGH", 0));
	assert_true(is_there("NEWT", 0));
	assert_true(is_there("OLDT", 0));
	assert_int_equal(acpi_nr_skipped(), 0);
	assert_string_equal(console.text, "");
}

static void tables_of_one_name_are_numbered(void **state)
{
	struct acpi_table table;

	(void)state;
	for (u32 i = 0; i < 3; i++)
		put_table(TABLES + 0x100 * i, "SSDT", 40 + i, 40 + i);
	put_xsdt(TABLES, TABLES + 0x100, TABLES + 0x200);
	assert_int_equal(acpi_init(RSDP), 0);
	for (u32 i = 0; i < 3; i++) {
		assert_true(acpi_find("SSDT", i, &table));
		assert_int_equal(table.size, 40 + i);
	}
	assert_false(acpi_find("SSDT", 3, &table));
}

static void lengths_that_are_none_are_said_once_and_skipped(void **state)
{
	static const u32 lengths[] = { 0, 35, (1 << 20) + 1, 0xffffffff };

	(void)state;
	for (u32 i = 0; i < 4; i++)
		put_table(TABLES + 0x100 * (i + 1), "JUNK", lengths[i], 36);
	/* LATE makes the index incomplete, so that all are seen twice. */
	put_xsdt(TABLES + 0x100, TABLES + 0x200, TABLES + 0x300,
		 TABLES + 0x400, TABLES, LATE);
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(acpi_nr_skipped(), 5);
	assert_int_equal(acpi_init(RSDP), 0);
	memory_later = true;
	put_table(LATE, "LATE", 36, 36);
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(said("bytes: skipped\n"), 4);
	assert_int_equal(said("says it has 35 bytes"), 1);
	assert_int_equal(acpi_nr_skipped(), 4);
	assert_false(is_there("JUNK", 0));
	assert_true(is_there("NEWT", 0));
	assert_true(is_there("LATE", 0));
}

static void the_longest_table_is_one_of_a_mib(void **state)
{
	struct acpi_table table;

	(void)state;
	memory_add(0x80000000, ACPI_TABLE_MAX);
	put_table(0x80000000, "LONG", ACPI_TABLE_MAX, ACPI_TABLE_MAX);
	put_xsdt(0x80000000);
	assert_int_equal(acpi_init(RSDP), 0);
	assert_true(acpi_find("LONG", 0, &table));
	assert_true(table.sum_good);
	assert_int_equal(table.size, ACPI_TABLE_MAX);
}

static void a_table_past_the_end_of_memory_is_left_out(void **state)
{
	(void)state;
	put_table(LOW_END - 36, "EDGE", 36, 36);
	put_xsdt(LOW_END - 35, LOW_END - 36, LOW_END, ~0ULL, ~0ULL - 35, 1,
		 1ULL << 52);
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(nr_entries, 1);
	assert_true(is_there("EDGE", 0));
	assert_int_equal(acpi_nr_skipped(), 6);
	assert_false(acpi_complete());

	end(state);
	start(state);
	put_table(LOW_END - 36, "EDGE", 37, 36);
	put_xsdt(LOW_END - 36);
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(nr_entries, 0);
	assert_int_equal(acpi_nr_skipped(), 1);
}

static void a_bad_check_sum_is_said_and_the_table_kept(void **state)
{
	struct acpi_table table;

	(void)state;
	memory_at(TABLES)[9]++;
	assert_used("NEWT");
	assert_true(acpi_find("NEWT", 0, &table));
	assert_false(table.sum_good);
	assert_int_equal(said("NEWT at f0000 has a bad check sum"), 1);
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(said("bad check sum"), 1);
}

static void tables_beyond_what_fits_are_counted(void **state)
{
	u64 entry[ACPI_MAX_TABLES + 7];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(entry); i++) {
		entry[i] = TABLES + 40 * i;
		put_table(entry[i], "MANY", 36, 36);
	}
	put_root(XSDT, entry, ARRAY_SIZE(entry));
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(nr_entries, ACPI_MAX_TABLES);
	assert_true(is_there("MANY", ACPI_MAX_TABLES - 1));
	assert_false(is_there("MANY", ACPI_MAX_TABLES));
	assert_int_equal(acpi_nr_skipped(), 7);
	assert_true(acpi_complete());
}

static void junk_beyond_what_fits_says_no_more_lines(void **state)
{
	u64 entry[600];

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(entry); i++)
		entry[i] = TABLES + 0x1000 + i;
	put_root(XSDT, entry, ARRAY_SIZE(entry));
	assert_int_equal(acpi_init(RSDP), 0);
	assert_in_range(said("\n"), 1, ACPI_MAX_TABLES);
	assert_int_equal(acpi_nr_skipped(), ARRAY_SIZE(entry));
}

static void nothing_raw_of_a_table_reaches_the_console(void **state)
{
	u8 *p = memory_at(TABLES);

	(void)state;
	put_table(TABLES, "\x1b[2J", 40, 40);
	for (u8 i = 10; i < 36; i++)
		p[i] = (u8)(i * 37 | 0x80);
	p[20] = '\r';
	memcpy(memory_at(TABLES + 0x41), "\0\n\x7f\xff", 4);
	memory_at(TABLES + 0x41)[9] = 1;
	put_xsdt(TABLES, TABLES + 0x41);
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(nr_entries, 2);
	acpi_show(&console.printer);
	assert_int_equal(said("acpi: ?[2J at f0000 has a bad check sum"), 1);
	assert_int_equal(said("acpi: ???? at f0041 has a bad check sum"), 1);
	for (const char *c = console.text; *c; c++)
		assert_true(*c == '\n' || (*c >= 0x20 && *c < 0x7f));
}

/* ---- the two calls ---- */

static void what_was_out_of_reach_is_found_later_and_once(void **state)
{
	(void)state;
	put_table(LATE, "LAT1", 36, 36);
	put_table(LATE + 0x100, "LAT2", 36, 36);
	put_xsdt(LATE, TABLES, LATE + 0x100, TABLES + 0x41);
	memory_at(TABLES)[9]++;
	assert_int_equal(acpi_init(RSDP), 0);
	assert_int_equal(nr_entries, 2);
	assert_false(acpi_complete());
	assert_int_equal(acpi_nr_skipped(), 2);
	memory_later = true;
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(acpi_init(RSDP), 0);
		assert_int_equal(nr_entries, 4);
		assert_true(acpi_complete());
		assert_int_equal(acpi_nr_skipped(), 0);
	}
	assert_true(is_there("LAT1", 0) && is_there("LAT2", 0));
	assert_false(is_there("NEWT", 1));
	assert_int_equal(said("bad check sum"), 1);
}

static void a_table_whose_end_is_out_of_reach_is_asked_for_again(void **state)
{
	(void)state;
	memory_add(0xfecff000, 0x1000)->late = false;
	put_table(0xfecfffd0, "LONG", 48, 48);
	memory[3].size -= 4;	/* the last bytes come later */
	put_xsdt(0xfecfffd0, TABLES);
	assert_int_equal(acpi_init(RSDP), 0);
	assert_false(is_there("LONG", 0));
	assert_false(acpi_complete());
	memory[3].size += 4;
	assert_int_equal(acpi_init(RSDP), 0);
	assert_true(is_there("LONG", 0));
	assert_true(acpi_complete());
}

static void the_rsdt_stands_in_while_the_xsdt_is_out_of_reach(void **state)
{
	(void)state;
	put_rsdp(2, LATE, RSDT);
	memcpy(memory_at(LATE), memory_at(XSDT), 0x100);
	assert_used("OLDT");
	assert_false(acpi_complete());
	assert_used("OLDT");
	memory_later = true;
	assert_used("NEWT");
	assert_false(is_there("OLDT", 0));
	assert_true(acpi_complete());
}

static void the_rsdt_stays_when_the_late_xsdt_is_bad(void **state)
{
	(void)state;
	put_rsdp(2, LATE, RSDT);
	assert_used("OLDT");
	memory_later = true;
	assert_used("OLDT");
	assert_true(acpi_complete());
}

/* ---- fields ---- */

static void fields_beyond_the_end_are_0(void **state)
{
	u8 *data = malloc(40);
	struct acpi_table t;
	struct acpi_gas gas;

	(void)state;
	memset(data, 0x11, 40);
	t = acpi_table_of(data, 40);
	assert_int_equal(acpi_u8(&t, 39), 0x11);
	assert_int_equal(acpi_u8(&t, 40), 0);
	assert_int_equal(acpi_u16(&t, 38), 0x1111);
	assert_int_equal(acpi_u16(&t, 39), 0);
	assert_int_equal(acpi_u32(&t, 36), 0x11111111);
	assert_int_equal(acpi_u32(&t, 37), 0);
	assert_int_equal(acpi_u64(&t, 32), 0x1111111111111111);
	assert_int_equal(acpi_u64(&t, 33), 0);
	assert_int_equal(acpi_u64(&t, SIZE_MAX), 0);
	assert_int_equal(acpi_u64(&t, SIZE_MAX - 7), 0);
	assert_true(acpi_gas(&t, 28, &gas));
	assert_int_equal(gas.access, 0x11);
	assert_int_equal(gas.address, 0x1111111111111111);
	assert_false(acpi_gas(&t, 29, &gas));
	assert_false(acpi_gas(&t, SIZE_MAX - 3, &gas));
	assert_int_equal(gas.address, 0);
	free(data);
}

static void a_table_by_its_address_is_held_to_the_same(void **state)
{
	struct acpi_table table;

	(void)state;
	assert_true(acpi_table_at(TABLES, &table));
	assert_int_equal(table.size, 40);
	assert_false(acpi_table_at(LATE, &table));
	assert_false(acpi_table_at(~0ULL, &table));
	assert_int_equal(said("cannot be reached: skipped\n"), 2);
	assert_false(acpi_table_at(TABLES + 0x1000, &table));
	assert_int_equal(said("says it has 0 bytes: skipped\n"), 1);
}

#define test(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(revision_2_leads_to_the_xsdt),
		cmocka_unit_test(revisions_0_and_1_lead_to_the_rsdt),
		test(an_rsdp_of_revision_0_may_be_the_last_20_bytes),
		test(an_rsdp_that_is_none_is_refused),
		test(an_rsdp_with_a_bad_second_sum_leads_to_the_rsdt),
		test(a_bad_xsdt_is_said_and_the_rsdt_used),
		test(no_root_at_all_is_an_error),
		test(bytes_behind_the_last_whole_entry_are_no_entry),
		test(entries_may_be_0_twice_unaligned_and_high),
		test(tables_of_one_name_are_numbered),
		test(lengths_that_are_none_are_said_once_and_skipped),
		test(the_longest_table_is_one_of_a_mib),
		test(a_table_past_the_end_of_memory_is_left_out),
		test(a_bad_check_sum_is_said_and_the_table_kept),
		test(tables_beyond_what_fits_are_counted),
		test(junk_beyond_what_fits_says_no_more_lines),
		test(nothing_raw_of_a_table_reaches_the_console),
		test(what_was_out_of_reach_is_found_later_and_once),
		test(a_table_whose_end_is_out_of_reach_is_asked_for_again),
		test(the_rsdt_stands_in_while_the_xsdt_is_out_of_reach),
		test(the_rsdt_stays_when_the_late_xsdt_is_bad),
		test(fields_beyond_the_end_are_0),
		test(a_table_by_its_address_is_held_to_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
