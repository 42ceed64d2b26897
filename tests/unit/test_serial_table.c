/* SPDX-License-Identifier: MIT */
/*
 * SPCR and DBG2, as firmware writes them and as it should not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/serial_table.h"

/* No table is looked for by address here. */
const u8 *acpi_map(phys_addr_t pa, size_t n)
{
	(void)pa;
	(void)n;
	return NULL;
}

static u8 table[4096];
static size_t size;
static struct serial_table out;

static void put(size_t pos, u64 v, size_t n)
{
	memcpy(table + pos, &v, n);
}

static void put_gas(size_t pos, u8 space, u8 width, u8 access, u64 address)
{
	table[pos] = space;
	table[pos + 1] = width;
	table[pos + 2] = 0;
	table[pos + 3] = access;
	put(pos + 4, address, 8);
}

static void start(const char *sig, u8 revision, size_t n)
{
	memset(table, 0, sizeof(table));
	memcpy(table, sig, 4);
	table[8] = revision;
	size = n;
}

/* COM1 as most firmware says it. */
static void spcr(u8 revision, u8 type)
{
	start("SPCR", revision, 80);
	table[36] = type;
	put_gas(40, 1, 8, 1, 0x3f8);
	table[58] = 7;
	put(64, 0xffffffff, 4);
}

/* From a copy that ends where the memory ends: reading on is an ASan error. */
static void parse_as_is(void)
{
	u8 *copy = malloc(size + !size);
	struct acpi_table t;

	memcpy(copy, table, size);
	t = acpi_table_of(copy, size);
	if (!memcmp(table, "DBG2", 4))
		dbg2_parse(&t, &out);
	else
		spcr_parse(&t, &out);
	free(copy);
}

static void parse(void)
{
	u8 sum = 0;

	put(4, size, 4);
	table[9] = 0;
	for (size_t i = 0; i < size; i++)
		sum = (u8)(sum + table[i]);
	table[9] = (u8)-sum;
	parse_as_is();
}

static void assert_io(unsigned int i, u64 port, u8 shift)
{
	const struct uart_access *a = &out.port[i].access;

	assert_true(i < out.nr);
	assert_int_equal(a->space, UART_IO);
	assert_int_equal(a->base, port);
	assert_int_equal(a->shift, shift);
	assert_int_equal(a->width, 1);
}

static void assert_mmio(unsigned int i, u64 base, u8 shift, u8 width)
{
	const struct uart_access *a = &out.port[i].access;

	assert_true(i < out.nr);
	assert_int_equal(a->space, UART_MMIO);
	assert_int_equal(a->base, base);
	assert_int_equal(a->shift, shift);
	assert_int_equal(a->width, width);
}

static void assert_skip(unsigned int nr, size_t off, const char *why)
{
	assert_int_equal(out.nr, nr);
	assert_int_equal(out.nr_skipped, 1);
	assert_int_equal(out.bad_offset, off);
	assert_non_null(strstr(out.why, why));
}

static void an_spcr_of_any_revision_names_an_io_port(void **state)
{
	(void)state;
	for (u8 revision = 1; revision <= 3; revision++) {
		spcr(revision, 0);
		parse();
		assert_int_equal(out.nr_skipped, 0);
		assert_io(0, 0x3f8, 0);
		assert_int_equal(out.port[0].baud, 115200);
		assert_int_equal(out.port[0].access.clock, UART_CLOCK_PC);
		assert_int_equal(out.port[0].flags, 0);
		assert_false(out.port[0].is_pci);
	}
}

static void every_baud_code_is_known_and_zero_keeps(void **state)
{
	static const u32 bauds[8] = { 0, 1, 1, 9600, 19200, 1, 57600, 115200 };

	(void)state;
	for (u8 code = 0; code < 8; code++) {
		spcr(2, 1);
		table[58] = code;
		parse();
		assert_int_equal(out.nr, 1);
		if (bauds[code] == 1) {
			assert_skip(1, 58, "baud");
			assert_int_equal(out.port[0].baud, 0);
		} else {
			assert_int_equal(out.nr_skipped, 0);
			assert_int_equal(out.port[0].baud, bauds[code]);
		}
		assert_int_equal(out.port[0].flags,
				 out.port[0].baud ? 0 : UART_KEEP);
	}
}

static void revision_four_has_a_precise_baud_and_a_clock(void **state)
{
	(void)state;
	spcr(4, 0x12);
	size = 90;
	put_gas(40, 0, 32, 3, 0xfe030000);
	put(76, 48000000, 4);
	put(80, 1500000, 4);
	parse();
	assert_mmio(0, 0xfe030000, 2, 4);
	assert_int_equal(out.port[0].access.clock, 48000000);
	assert_int_equal(out.port[0].baud, 1500000);
	/* The same bytes mean nothing in an older one. */
	table[8] = 2;
	parse();
	assert_int_equal(out.port[0].access.clock, 0);
	assert_int_equal(out.port[0].baud, 115200);
	/* One of 80 bytes has none. */
	table[8] = 4;
	size = 80;
	parse();
	assert_int_equal(out.port[0].baud, 115200);
}

struct width {
	u8 type, space, bits, access;
	int shift;		/* -1: refused */
	int width;
};

static void strides_and_widths_follow_type_width_and_access(void **state)
{
	static const struct width widths[] = {
		{ 0x00, 0, 8, 1, 0, 1 }, { 0x00, 0, 8, 0, 0, 1 },
		{ 0x00, 0, 0, 0, 0, 1 }, { 0x00, 0, 32, 3, 2, 4 },
		{ 0x00, 0, 32, 0, 2, 4 }, { 0x00, 0, 32, 1, 2, 1 },
		{ 0x00, 0, 8, 3, 2, 4 }, { 0x01, 0, 8, 2, 1, 2 },
		{ 0x05, 0, 32, 3, 2, 4 }, { 0x12, 0, 8, 1, 0, 1 },
		{ 0x12, 0, 16, 2, 1, 2 }, { 0x12, 0, 32, 3, 2, 4 },
		{ 0x12, 0, 32, 1, 2, 1 }, { 0x14, 0, 8, 1, 2, 4 },
		{ 0x00, 0, 64, 4, -1, 0 }, { 0x00, 0, 24, 0, -1, 0 },
		{ 0x12, 0, 8, 3, -1, 0 }, { 0x00, 0, 8, 9, -1, 0 },
		{ 0x00, 1, 8, 1, 0, 1 }, { 0x00, 1, 32, 3, 0, 1 },
		{ 0x12, 1, 32, 1, 2, 1 }, { 0x12, 1, 16, 1, 1, 1 },
		{ 0x00, 2, 8, 1, -1, 0 }, { 0x00, 0x7f, 8, 1, -1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		const struct width *w = &widths[i];

		spcr(2, w->type);
		put_gas(40, w->space, w->bits, w->access, 0x3000);
		parse();
		if (w->shift < 0) {
			assert_skip(0, 40, "");
			continue;
		}
		assert_int_equal(out.nr, 1);
		assert_int_equal(out.port[0].access.shift, w->shift);
		assert_int_equal(out.port[0].access.width, w->width);
	}
}

static void an_lpss_port_keeps_its_divisor_and_has_a_deep_fifo(void **state)
{
	(void)state;
	spcr(2, 0x14);
	put_gas(40, 0, 32, 3, 0x40fe0321000ULL);
	parse();
	assert_mmio(0, 0x40fe0321000ULL, 2, 4);
	assert_int_equal(out.port[0].fifo, 64);
	assert_true(out.port[0].flags & UART_KEEP);
}

static void addresses_that_are_none_are_refused(void **state)
{
	static const struct {
		u8 space;
		u64 address;
	} bad[] = {
		{ 0, 0 }, { 1, 0 }, { 0, ~0ULL }, { 0, 0xfffffffffffff800ULL },
		{ 1, 0x10000 }, { 1, 0xfffc },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		spcr(2, 0);
		put_gas(40, bad[i].space, 8, 1, bad[i].address);
		parse();
		assert_skip(0, 40, "address");
	}
	spcr(2, 0);
	put_gas(40, 0, 32, 3, 0xfe030002);
	parse();
	assert_skip(0, 40, "address");
}

static void a_pci_port_names_its_function(void **state)
{
	(void)state;
	spcr(2, 0);
	put(64, 0xa13d, 2);
	put(66, 0x8086, 2);
	table[69] = 0x16;
	table[70] = 3;
	parse();
	assert_true(out.port[0].is_pci);
	assert_int_equal(out.port[0].vendor, 0x8086);
	assert_int_equal(out.port[0].device, 0xa13d);
	assert_int_equal(out.port[0].dev, 0x16);
	assert_int_equal(out.port[0].fn, 3);
	table[75] = 1;		/* a segment that is not reached */
	parse();
	assert_false(out.port[0].is_pci);
	table[75] = 0;
	put(64, 0, 4);		/* zeroes for "none" */
	parse();
	assert_false(out.port[0].is_pci);
}

static void other_interfaces_are_skipped(void **state)
{
	(void)state;
	spcr(2, 3);		/* PL011 */
	parse();
	assert_skip(0, 36, "16550");
}

static void a_bad_sum_signature_or_length_is_skipped(void **state)
{
	(void)state;
	spcr(2, 0);
	parse();
	table[50] ^= 1;
	parse_as_is();
	assert_skip(0, 9, "check sum");
	spcr(2, 0);
	memcpy(table, "SPCX", 4);
	parse();
	assert_skip(0, 0, "signature");
	for (size_t n = 0; n < 80; n++) {
		spcr(2, 0);
		size = n;
		parse_as_is();
		assert_skip(0, n, "short");
	}
}

/* ---- DBG2 ---- */

static void dbg2(u32 count)
{
	start("DBG2", 0, 44);
	put(36, 44, 4);
	put(40, count, 4);
}

/* Return: where the device is. */
static size_t add_device(u16 type, u16 subtype, u8 space, u8 bits, u64 address)
{
	size_t pos = size;

	put(pos + 1, 22 + 12 + 4 + 2, 2);
	table[pos + 3] = 1;
	put(pos + 4, 2, 2);
	put(pos + 6, 38, 2);
	put(pos + 12, type, 2);
	put(pos + 14, subtype, 2);
	put(pos + 18, 22, 2);
	put(pos + 20, 34, 2);
	put_gas(pos + 22, space, bits, bits == 32 ? 3 : 1, address);
	put(pos + 34, 0x1000, 4);
	table[pos + 38] = '.';
	size = pos + 40;
	return pos;
}

static void serial_devices_of_a_dbg2_are_found(void **state)
{
	(void)state;
	dbg2(5);
	add_device(0x8000, 0x00, 1, 8, 0x3f8);
	add_device(0x8002, 0x00, 0, 32, 0xfe000000);	/* USB */
	add_device(0x8000, 0x12, 0, 32, 0xfe030000);
	add_device(0x8000, 0x14, 0, 32, 0xfe032000);
	add_device(0x8003, 0x8086, 0, 32, 0xfe034000);	/* network */
	parse();
	assert_int_equal(out.nr, 3);
	assert_int_equal(out.nr_skipped, 0);
	assert_io(0, 0x3f8, 0);
	assert_mmio(1, 0xfe030000, 2, 4);
	assert_mmio(2, 0xfe032000, 2, 4);
	assert_true(out.port[0].flags & UART_KEEP);
	assert_int_equal(out.port[0].baud, 0);
}

static void a_dbg2_without_devices_is_none(void **state)
{
	(void)state;
	dbg2(0);
	parse();
	assert_int_equal(out.nr, 0);
	assert_int_equal(out.nr_skipped, 0);
}

static void a_pl011_is_skipped_and_the_next_is_found(void **state)
{
	size_t pos;

	(void)state;
	dbg2(2);
	pos = add_device(0x8000, 3, 0, 32, 0xfe000000);
	add_device(0x8000, 0, 1, 8, 0x2f8);
	parse();
	assert_skip(1, pos + 14, "16550");
	assert_io(0, 0x2f8, 0);
}

static void a_length_that_cannot_be_ends_the_walk(void **state)
{
	static const u16 lengths[] = { 0, 1, 21, 41, 0xffff };
	size_t pos;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		dbg2(3);
		add_device(0x8000, 0, 1, 8, 0x3f8);
		pos = add_device(0x8000, 0, 1, 8, 0x2f8);
		put(pos + 1, lengths[i], 2);
		parse();
		assert_skip(1, pos + 1, "length");
	}
}

static void offsets_past_the_end_are_skipped(void **state)
{
	static const u32 firsts[] = { 0, 43, 84, 85, 0x7fffffff, 0xffffffff };
	size_t pos;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(firsts); i++) {
		dbg2(1);
		add_device(0x8000, 0, 1, 8, 0x3f8);
		put(36, firsts[i], 4);
		parse();
		assert_skip(0, firsts[i], "past");
	}
	dbg2(0xffffffff);	/* more devices than bytes */
	add_device(0x8000, 0, 1, 8, 0x3f8);
	parse();
	assert_skip(1, 84, "past");
	dbg2(2);
	pos = add_device(0x8000, 0, 1, 8, 0x3f8);
	put(pos + 18, 29, 2);	/* the address would end past the device */
	add_device(0x8000, 0, 1, 8, 0x2f8);
	parse();
	assert_skip(1, pos + 18, "within");
	assert_io(0, 0x2f8, 0);
}

static void a_device_without_registers_is_skipped(void **state)
{
	size_t pos;

	(void)state;
	dbg2(1);
	pos = add_device(0x8000, 0, 1, 8, 0x3f8);
	table[pos + 3] = 0;
	parse();
	assert_skip(0, pos + 18, "address");
}

static void more_ports_than_there_is_room_for_are_counted(void **state)
{
	(void)state;
	dbg2(20);
	for (u64 i = 0; i < 20; i++)
		add_device(0x8000, 0, 1, 8, 0x1000 + 8 * i);
	parse();
	assert_int_equal(out.nr, TABLE_MAX_PORTS);
	assert_int_equal(out.nr_skipped, 20 - TABLE_MAX_PORTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_spcr_of_any_revision_names_an_io_port),
		cmocka_unit_test(every_baud_code_is_known_and_zero_keeps),
		cmocka_unit_test(revision_four_has_a_precise_baud_and_a_clock),
		cmocka_unit_test(
			strides_and_widths_follow_type_width_and_access),
		cmocka_unit_test(
			an_lpss_port_keeps_its_divisor_and_has_a_deep_fifo),
		cmocka_unit_test(addresses_that_are_none_are_refused),
		cmocka_unit_test(a_pci_port_names_its_function),
		cmocka_unit_test(other_interfaces_are_skipped),
		cmocka_unit_test(a_bad_sum_signature_or_length_is_skipped),
		cmocka_unit_test(serial_devices_of_a_dbg2_are_found),
		cmocka_unit_test(a_dbg2_without_devices_is_none),
		cmocka_unit_test(a_pl011_is_skipped_and_the_next_is_found),
		cmocka_unit_test(a_length_that_cannot_be_ends_the_walk),
		cmocka_unit_test(offsets_past_the_end_are_skipped),
		cmocka_unit_test(a_device_without_registers_is_skipped),
		cmocka_unit_test(more_ports_than_there_is_room_for_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
