/* SPDX-License-Identifier: MIT */
/*
 * Serial ports in use: options, dedupe, text, holes, dumps.
 *
 * Ports stay for good, so each test has UARTs of its own.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include <asm/machine.h>
#include "arch/x86/device_map.h"
#include "arch/x86/serial.h"
#include "arch/x86/serial_option.h"
#include "lib/err.h"
#include "tests/unit/collect.h"
#include "tests/unit/fake_uart.h"

/* Where an address leads is the fake's business. */
const struct uart_ops uart_io_ops = {
	.read = fake_read, .write = fake_write,
};
const struct uart_ops uart_mmio_ops = {
	.read = fake_read, .write = fake_write,
};

static struct fake_uart first, twin, slow_start, quiet, for_dumps, last;
static struct fake_uart filler[SERIAL_MAX];
static u64 now = 1000000000;

void *device_map(phys_addr_t pa, size_t size)
{
	assert_int_equal(size, UART_REGS << fake_of(
		&(struct uart_access){ .base = pa })->access.shift);
	return pa == (uintptr_t)&quiet ? NULL : (void *)(uintptr_t)pa;
}

static u64 clock_now(void)
{
	now += 1000;
	return now;
}

static struct uart_desc desc_of(struct fake_uart *f, const char *name)
{
	struct uart_desc d = { .access = f->access };

	d.access.ops = NULL;
	snprintf(d.name, sizeof(d.name), "%s", name);
	return d;
}

static int add(struct fake_uart *f, const char *name, unsigned int how)
{
	struct uart_desc d = desc_of(f, name);

	return serial_add(&d, how);
}

static bool said(const struct fake_uart *f, const char *text)
{
	return strstr(f->out, text);
}

static int group_start(void **state)
{
	(void)state;
	console_init();
	uart_set_clock(clock_now);
	printk("before\n");
	return 0;
}

static void a_port_gets_the_log_with_cr_lf(void **state)
{
	(void)state;
	fake_init(&first, 0, 1);
	assert_int_equal(add(&first, "COM1", SERIAL_LOOP), 0);
	assert_true(!strncmp(first.out, "before\r\n", 8));
	assert_true(said(&first, "console: COM1: io "));
	assert_true(said(&first, ", 9600 baud, 16550A\r\n"));
}

static void a_port_that_is_not_there_is_refused(void **state)
{
	(void)state;
	fake_init(&twin, 0, 1);
	twin.mode = FAKE_ONES;
	assert_int_equal(add(&twin, "COM3", SERIAL_LOOP | SERIAL_QUIET),
			 -ENODEV);
	assert_false(said(&first, "COM3"));
	assert_int_equal(add(&twin, "SPCR", 0), -ENODEV);
	assert_true(said(&first, "no UART answers: skipped"));
	twin.mode = FAKE_ZEROES;
	assert_int_equal(add(&twin, "COM3", SERIAL_QUIET), -ENODEV);
	/* RAM with the right bits passes for a UART but does not loop back. */
	twin.mode = FAKE_MEMORY;
	memcpy(twin.reg, "\x12\x04\x56\x38\x0a\x60\xde\xf0", 8);
	assert_int_equal(add(&twin, "COM3", SERIAL_LOOP | SERIAL_QUIET),
			 -ENODEV);
}

static void registers_out_of_reach_are_refused(void **state)
{
	(void)state;
	fake_init(&quiet, 2, 4);
	quiet.access.space = UART_MMIO;
	assert_int_equal(add(&quiet, "LPSS", 0), -EFAULT);
	assert_true(said(&first, "no address of registers: skipped"));
}

static void the_same_port_twice_is_used_once(void **state)
{
	struct uart_desc d = desc_of(&first, "SPCR");
	size_t n;

	(void)state;
	d.baud = 57600;
	assert_int_equal(serial_add(&d, 0), -EEXIST);
	assert_int_equal(first.dll, 2);
	assert_true(said(&first, "console: SPCR is COM1: io "));
	assert_true(said(&first, "57600 baud"));
	n = first.n;
	printk("x\n");
	assert_int_equal(first.n, n + 3);
}

static void one_that_sleeps_comes_to_life_later(void **state)
{
	struct uart_desc d;

	(void)state;
	fake_init(&slow_start, 0, 1);
	slow_start.mode = FAKE_ZEROES;
	d = desc_of(&slow_start, "AMT");
	d.flags = UART_SLEEPS | UART_KEEP;
	assert_int_equal(serial_add(&d, 0), 0);
	assert_true(said(&first, "asleep"));
	printk("nobody hears it there\n");
	now += 6000000000;
	slow_start.mode = FAKE_HEALTHY;
	printk("awake\n");
	assert_true(!strncmp(slow_start.out, "\r\n[", 3));
	assert_true(said(&slow_start, " bytes lost]\r\nawake\r\n"));
	printk("and on\n");
	assert_true(said(&slow_start, "awake\r\nand on\r\n"));
}

static void a_hole_in_the_text_is_told_once(void **state)
{
	struct collector c;

	(void)state;
	first.mode = FAKE_STUCK;
	printk("0123456789\n");
	first.mode = FAKE_HEALTHY;
	printk("back\n");
	assert_true(said(&first, "\r\n[12 bytes lost]\r\nback\r\n"));
	printk("more\n");
	assert_true(said(&first, "back\r\nmore\r\n"));
	collect_reset(&c);
	consoles_show_dropped(&c.printer);
	assert_non_null(strstr(c.text, "console COM1: 12 bytes dropped\n"));
}

static void a_dump_port_shows_dumps_only(void **state)
{
	(void)state;
	assert_ptr_equal(dump_printer(), &console_printer);
	fake_init(&for_dumps, 1, 2);
	assert_int_equal(add(&for_dumps, "COM2", SERIAL_DUMP), 0);
	printk("text\n");
	pr_to(dump_printer(), "dump\n");
	assert_string_equal(for_dumps.out, "dump\n");
	assert_false(said(&first, "\ndump"));
	assert_true(said(&first, "16550A, dumps only"));
	/* A table that names it makes no console of it. */
	assert_int_equal(add(&for_dumps, "SPCR", 0), -EEXIST);
	assert_string_equal(for_dumps.out, "dump\n");
}

static void there_is_room_for_so_many(void **state)
{
	unsigned int nr = 0;
	int err = 0;

	(void)state;
	for (; !err && nr < SERIAL_MAX; nr++) {
		fake_init(&filler[nr], 0, 1);
		err = add(&filler[nr], "filler", 0);
	}
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(nr, SERIAL_MAX - 3 + 1);
	fake_init(&last, 0, 1);
	assert_int_equal(add(&last, "last", 0), -ENOSPC);
	assert_int_equal(last.nr_writes, 0);
	assert_true(said(&filler[0], "too many ports: skipped"));
}

/* ---- options ---- */

struct good {
	const char *text;
	enum serial_mode mode;
	enum uart_space space;
	u64 base;
	u8 shift, width;
	u32 baud, clock;
};

static void options_say_a_port(void **state)
{
	static const struct good good[] = {
		{ "auto", SERIAL_AUTO, UART_IO, 0, 0, 0, 0, 0 },
		{ "none", SERIAL_NONE, UART_IO, 0, 0, 0, 0, 0 },
		{ "com1", SERIAL_PLACE, UART_IO, 0x3f8, 0, 1, 0,
		  UART_CLOCK_PC },
		{ "com4,9600", SERIAL_PLACE, UART_IO, 0x2e8, 0, 1, 9600,
		  UART_CLOCK_PC },
		{ "io:3f8,115200", SERIAL_PLACE, UART_IO, 0x3f8, 0, 1, 115200,
		  UART_CLOCK_PC },
		{ "io:0xE000,0,14745600", SERIAL_PLACE, UART_IO, 0xe000, 0, 1,
		  0, 14745600 },
		{ "mmio:fe030000", SERIAL_PLACE, UART_MMIO, 0xfe030000, 0, 1, 0,
		  0 },
		{ "mmio16:fe030000,9600", SERIAL_PLACE, UART_MMIO, 0xfe030000,
		  1, 2, 9600, 0 },
		{ "mmio32:40fe0321000,115200,48000000", SERIAL_PLACE, UART_MMIO,
		  0x40fe0321000, 2, 4, 115200, 48000000 },
	};
	struct serial_option opt;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		const struct uart_access *a = &opt.desc.access;

		assert_int_equal(serial_option_parse(good[i].text, &opt), 0);
		assert_int_equal(opt.mode, good[i].mode);
		assert_int_equal(a->space, good[i].space);
		assert_int_equal(a->base, good[i].base);
		assert_int_equal(a->shift, good[i].shift);
		assert_int_equal(a->width, good[i].width);
		assert_int_equal(a->clock, good[i].clock);
		assert_int_equal(opt.desc.baud, good[i].baud);
	}
}

static void a_bad_option_is_pointed_at(void **state)
{
	static const struct {
		const char *text;
		size_t pos;
		const char *why;
	} bad[] = {
		{ "", 0, "none, auto" }, { "COM1", 0, "none, auto" },
		{ "com", 3, "1 to 4" }, { "com5", 3, "1 to 4" },
		{ "com0", 3, "1 to 4" }, { "com12", 3, "1 to 4" },
		{ "io:", 3, "hexadecimal" }, { "io:zz", 3, "hexadecimal" },
		{ "io:0", 3, "hexadecimal" }, { "io:fff9", 3, "hexadecimal" },
		{ "io:123456789012345678", 3, "hexadecimal" },
		{ "io:3g8", 4, "comma" }, { "com1x", 4, "comma" },
		{ "mmio32:ffffffffffffffff", 7, "hexadecimal" },
		{ "com1,", 5, "baud" }, { "com1,fast", 5, "baud" },
		{ "com1,9600n8", 9, "comma" }, { "com1,9", 5, "baud" },
		{ "com1,99999999999", 5, "baud" },
		{ "com1,9600,", 10, "clock" }, { "com1,9600,5", 10, "clock" },
		{ "com1,9600,1843200,", 17, "end" }, { "none,1", 4, "end" },
	};
	struct serial_option opt;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(serial_option_parse(bad[i].text, &opt),
				 -EINVAL);
		assert_int_equal(opt.bad_pos, bad[i].pos);
		assert_non_null(strstr(opt.why, bad[i].why));
		assert_int_equal(opt.mode, SERIAL_AUTO);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_port_gets_the_log_with_cr_lf),
		cmocka_unit_test(a_port_that_is_not_there_is_refused),
		cmocka_unit_test(registers_out_of_reach_are_refused),
		cmocka_unit_test(the_same_port_twice_is_used_once),
		cmocka_unit_test(one_that_sleeps_comes_to_life_later),
		cmocka_unit_test(a_hole_in_the_text_is_told_once),
		cmocka_unit_test(a_dump_port_shows_dumps_only),
		cmocka_unit_test(there_is_room_for_so_many),
		cmocka_unit_test(options_say_a_port),
		cmocka_unit_test(a_bad_option_is_pointed_at),
	};

	return cmocka_run_group_tests(tests, group_start, NULL);
}
