/* SPDX-License-Identifier: MIT */
/*
 * UARTs of all ages and states: found, set up, written to in bounded time.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <asm/io.h>
#include "arch/x86/uart.h"
#include "tests/unit/fake_uart.h"

#define MS	1000000ULL
#define SECOND	1000000000ULL

static struct fake_uart fake;
static struct uart uart;
static u64 now;
static u64 tick;		/* that a look at the clock takes */

/* I/O ports; an access notes its width. */
static u8 ports[64];
static unsigned int last_width;

static u32 port_read(u16 port, unsigned int width)
{
	u32 val = 0;

	memcpy(&val, ports + port, width);
	last_width = width;
	return val;
}

static void port_write(u16 port, u32 val, unsigned int width)
{
	memcpy(ports + port, &val, width);
	last_width = width;
}

u8 inb(u16 port)
{
	return (u8)port_read(port, 1);
}

u16 inw(u16 port)
{
	return (u16)port_read(port, 2);
}

u32 inl(u16 port)
{
	return port_read(port, 4);
}

void outb(u16 port, u8 val)
{
	port_write(port, val, 1);
}

void outw(u16 port, u16 val)
{
	port_write(port, val, 2);
}

void outl(u16 port, u32 val)
{
	port_write(port, val, 4);
}

static u64 clock_now(void)
{
	now += tick;
	return now;
}

static int start(void **state)
{
	(void)state;
	fake_init(&fake, 0, 1);
	memset(&uart, 0, sizeof(uart));
	uart.access = fake.access;
	now = SECOND;
	tick = 1000;
	uart_set_clock(clock_now);
	return 0;
}

static unsigned int divisor(void)
{
	return fake.dll | (unsigned int)fake.dlm << 8;
}

static void every_shift_and_width_reaches_the_registers(void **state)
{
	static const u8 widths[] = { 1, 2, 4 };

	(void)state;
	for (u8 shift = 0; shift <= 2; shift++) {
		for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
			fake_init(&fake, shift, widths[i]);
			memset(&uart, 0, sizeof(uart));
			uart.access = fake.access;
			assert_int_equal(uart_detect(&uart), UART_THERE);
			assert_true(uart_loops_back(&uart));
			uart_setup(&uart);
			assert_string_equal(uart.type, "16550A");
			assert_int_equal(uart_write(&uart, "hello", 5), 5);
			assert_string_equal(fake.out, "hello");
		}
	}
}

static void nothing_on_the_bus_is_absent_and_not_written_to(void **state)
{
	(void)state;
	fake.mode = FAKE_ONES;
	assert_int_equal(uart_detect(&uart), UART_ABSENT);
	assert_int_equal(fake.nr_writes, 0);
	assert_false(uart_loops_back(&uart));
}

static void memory_is_no_uart(void **state)
{
	(void)state;
	fake.mode = FAKE_MEMORY;
	memcpy(fake.reg, "\x12\x34\x56\x78\x9a\xbc\xde\xf0", 8);
	assert_int_equal(uart_detect(&uart), UART_ABSENT);
	assert_memory_equal(fake.reg, "\x12\x34\x56\x78\x9a\xbc\xde\xf0", 8);
	memcpy(fake.reg, "\x12\x04\x56\x78\x9a\xbc\xde\xf0", 8);
	assert_false(uart_loops_back(&uart));
	assert_memory_equal(fake.reg, "\x12\x04\x56\x78\x9a\xbc\xde\xf0", 8);
}

static void one_without_a_divisor_latch_is_no_uart(void **state)
{
	(void)state;
	fake.no_dlab = true;
	assert_int_equal(uart_detect(&uart), UART_ABSENT);
	assert_int_equal(fake.reg[3], 0x03);
}

static void a_line_control_of_all_ones_is_not_written_to(void **state)
{
	(void)state;
	fake.reg[3] = 0xff;
	assert_int_equal(uart_detect(&uart), UART_ABSENT);
	assert_int_equal(fake.nr_writes, 0);
}

static void all_zero_is_not_now(void **state)
{
	(void)state;
	fake.mode = FAKE_ZEROES;
	assert_int_equal(uart_detect(&uart), UART_NOT_NOW);
	assert_int_equal(fake.nr_writes, 0);
}

static void detection_puts_back_what_it_changed(void **state)
{
	(void)state;
	fake.reg[1] = 0x05;
	fake.reg[3] = 0x1b | 0x80;	/* firmware left DLAB on */
	fake.reg[4] = 0x0b;
	assert_int_equal(uart_detect(&uart), UART_THERE);
	uart_loops_back(&uart);
	assert_int_equal(fake.reg[1], 0x05);
	assert_int_equal(fake.reg[3], 0x9b);
	assert_int_equal(fake.reg[4], 0x0b);
	assert_int_equal(divisor(), 12);
}

static void types_are_told_apart(void **state)
{
	(void)state;
	uart_setup(&uart);
	assert_string_equal(uart.type, "16550A");
	assert_int_equal(uart.fifo, 16);
	fake.iir_fifo = 0x80;
	uart_setup(&uart);
	assert_string_equal(uart.type, "16550");
	assert_int_equal(uart.fifo, 1);
	assert_int_equal(fake.fcr, 0);
	fake.iir_fifo = 0;
	uart_setup(&uart);
	assert_string_equal(uart.type, "16450");
	fake.no_scr = true;
	uart_setup(&uart);
	assert_string_equal(uart.type, "8250");
	assert_int_equal(uart_write(&uart, "abc", 3), 3);
	assert_int_equal(fake.most_in_fifo, 1);
}

static void set_up_is_polled_8n1_with_dtr_and_rts(void **state)
{
	(void)state;
	fake.reg[1] = 0x0f;
	fake.reg[3] = 0x9f;
	uart_setup(&uart);
	assert_int_equal(fake.reg[1], 0);
	assert_int_equal(fake.reg[3], 0x03);
	assert_int_equal(fake.reg[4], 0x03);
	assert_int_equal(fake.fcr, 0x07);
}

struct rate {
	u32 want;
	unsigned int flags;
	u32 clock;
	unsigned int left;	/* divisor that firmware left */
	unsigned int divisor;
	u32 baud;
};

static void a_divisor_that_can_be_is_kept_another_is_115200(void **state)
{
	static const struct rate rates[] = {
		{ 0, 0, UART_CLOCK_PC, 12, 12, 9600 },
		{ 0, 0, UART_CLOCK_PC, 1, 1, 115200 },
		{ 0, 0, UART_CLOCK_PC, 0, 1, 115200 },
		{ 0, 0, UART_CLOCK_PC, 0xffff, 1, 115200 },
		{ 0, 0, UART_CLOCK_PC, 7, 1, 115200 },
		{ 0, UART_KEEP, UART_CLOCK_PC, 7, 7, 0 },
		{ 0, UART_KEEP, UART_CLOCK_PC, 0, 1, 115200 },
		{ 0, 0, 48000000, 26, 26, 115200 },
		{ 115200, 0, 48000000, 0, 26, 115200 },
		{ 115200, 0, 14745600, 3, 8, 115200 },
		{ 115200, 0, 62500000, 3, 34, 115200 },
		{ 115200, 0, 125000000, 3, 68, 115200 },
		{ 9600, 0, 125000000, 3, 814, 9600 },
		{ 9600, UART_KEEP, UART_CLOCK_PC, 1, 12, 9600 },
		{ 4000000, 0, UART_CLOCK_PC, 12, 1, 115200 },
		{ 1, 0, 4000000000u, 12, 0xffff, 3814 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		start(state);
		uart.access.clock = rates[i].clock;
		uart.want_baud = rates[i].want;
		uart.flags = rates[i].flags;
		fake.dll = (u8)rates[i].left;
		fake.dlm = (u8)(rates[i].left >> 8);
		uart_setup(&uart);
		assert_int_equal(divisor(), rates[i].divisor);
		assert_int_equal(uart.baud, rates[i].baud);
	}
}

static void an_unknown_clock_keeps_any_divisor_but_none(void **state)
{
	(void)state;
	uart.access.space = UART_MMIO;
	uart.access.clock = 0;
	fake.dll = 54;
	uart_setup(&uart);
	assert_int_equal(divisor(), 54);
	assert_int_equal(uart.baud, 0);
	fake.dll = 0;
	uart_setup(&uart);
	assert_int_equal(divisor(), 1);
}

static void as_many_bytes_go_at_once_as_the_fifo_takes(void **state)
{
	static const char text[] = "a text that is longer than a FIFO is deep, "
				   "so it needs more than one look at LSR";

	(void)state;
	uart_setup(&uart);
	assert_int_equal(uart_write(&uart, text, strlen(text)), strlen(text));
	assert_string_equal(fake.out, text);
	assert_int_equal(fake.most_in_fifo, 16);
	start(state);
	uart.want_fifo = 64;
	uart_setup(&uart);
	assert_int_equal(uart_write(&uart, text, strlen(text)), strlen(text));
	assert_int_equal(fake.most_in_fifo, 64);
}

static void a_slow_uart_loses_nothing(void **state)
{
	static char text[4000];

	(void)state;
	uart_setup(&uart);
	memset(text, 'x', sizeof(text));
	fake.mode = FAKE_SLOW;
	fake.slow = 8000;	/* 16 ms: 16 bytes at 9600 baud */
	assert_int_equal(uart_write(&uart, text, sizeof(text)), sizeof(text));
	assert_int_equal(fake.n, sizeof(text));
	assert_int_equal(uart.nr_dropped, 0);
}

static void a_stuck_uart_is_dead_after_three_time_outs(void **state)
{
	u64 before;

	(void)state;
	uart_setup(&uart);
	fake.mode = FAKE_STUCK;
	before = now;
	for (unsigned int i = 0; i < 3; i++) {
		assert_false(uart.dead);
		assert_int_equal(uart_write(&uart, "0123456789", 10), 0);
	}
	assert_true(uart.dead);
	assert_int_equal(uart.nr_timeouts, 3);
	assert_int_equal(uart.nr_dropped, 30);
	assert_in_range(now - before, 3 * 30 * MS, 3 * 40 * MS);
	before = now;
	assert_int_equal(uart_write(&uart, "0123456789", 10), 0);
	assert_int_equal(uart.nr_dropped, 40);
	assert_in_range(now - before, 0, MS);
}

static void a_dead_uart_is_looked_at_every_five_seconds(void **state)
{
	(void)state;
	a_stuck_uart_is_dead_after_three_time_outs(state);
	now += 4 * SECOND;
	fake.mode = FAKE_HEALTHY;
	assert_int_equal(uart_write(&uart, "a", 1), 0);
	now += SECOND;
	fake.mode = FAKE_ZEROES;
	assert_int_equal(uart_write(&uart, "b", 1), 0);
	now += 3 * SECOND;
	fake.mode = FAKE_HEALTHY;
	fake.dll = 0;
	fake.reg[3] = 0;
	assert_int_equal(uart_write(&uart, "c", 1), 0);
	now += 3 * SECOND;
	assert_int_equal(uart_write(&uart, "d", 1), 1);
	assert_string_equal(fake.out, "d");
	assert_int_equal(fake.reg[3], 0x03);
	assert_int_equal(divisor(), 1);
	assert_int_equal(uart.nr_dropped, 43);
}

static void one_success_between_time_outs_keeps_it_alive(void **state)
{
	(void)state;
	uart_setup(&uart);
	for (unsigned int i = 0; i < 10; i++) {
		fake.mode = i % 3 ? FAKE_STUCK : FAKE_HEALTHY;
		uart_write(&uart, "x", 1);
	}
	assert_false(uart.dead);
	assert_string_equal(fake.out, "xxxx");
}

static void without_a_clock_reads_bound_the_wait(void **state)
{
	(void)state;
	uart_set_clock(NULL);
	uart_setup(&uart);
	fake.mode = FAKE_STUCK;
	fake.looks = 0;
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(uart_write(&uart, "x", 1), 0);
	assert_int_equal(fake.looks, 3 * 0xffff);
	assert_true(uart.dead);
}

static void a_clock_that_stands_still_ends_no_wait_but_reads_do(void **state)
{
	(void)state;
	uart_setup(&uart);
	tick = 0;
	fake.mode = FAKE_STUCK;
	fake.looks = 0;
	assert_int_equal(uart_write(&uart, "x", 1), 0);
	assert_int_equal(fake.looks, 16 * 0xffff);
}

static void one_that_vanishes_takes_no_bytes(void **state)
{
	(void)state;
	uart_setup(&uart);
	fake.mode = FAKE_ONES;
	assert_int_equal(uart_write(&uart, "abc", 3), 0);
	assert_int_equal(uart.nr_dropped, 3);
}

static void mapped_registers_are_accessed_in_their_width(void **state)
{
	u8 regs[32];
	struct uart_access a = {
		.ops = &uart_mmio_ops, .space = UART_MMIO, .regs = regs,
	};

	(void)state;
	for (u8 width = 1; width <= 4; width *= 2) {
		memset(regs, 0xee, sizeof(regs));
		a.width = width;
		a.ops->write(&a, 12, 0x41);
		assert_int_equal(a.ops->read(&a, 12), 0x41);
		assert_int_equal(regs[11], 0xee);
		assert_int_equal(regs[12], 0x41);
		for (unsigned int i = 1; i < 4; i++)
			assert_int_equal(regs[12 + i], i < width ? 0 : 0xee);
		assert_int_equal(regs[16], 0xee);
	}
}

static void ports_are_accessed_in_their_width(void **state)
{
	struct uart_access a = {
		.ops = &uart_io_ops, .space = UART_IO, .base = 0x10,
	};

	(void)state;
	for (u8 width = 1; width <= 4; width *= 2) {
		memset(ports, 0xee, sizeof(ports));
		a.width = width;
		a.ops->write(&a, 12, 0x41);
		assert_int_equal(last_width, width);
		assert_int_equal(ports[0x1c], 0x41);
		last_width = 0;
		assert_int_equal(a.ops->read(&a, 12), 0x41);
		assert_int_equal(last_width, width);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			every_shift_and_width_reaches_the_registers, start),
		cmocka_unit_test_setup(
			nothing_on_the_bus_is_absent_and_not_written_to, start),
		cmocka_unit_test_setup(memory_is_no_uart, start),
		cmocka_unit_test_setup(one_without_a_divisor_latch_is_no_uart,
				       start),
		cmocka_unit_test_setup(
			a_line_control_of_all_ones_is_not_written_to, start),
		cmocka_unit_test_setup(all_zero_is_not_now, start),
		cmocka_unit_test_setup(detection_puts_back_what_it_changed,
				       start),
		cmocka_unit_test_setup(types_are_told_apart, start),
		cmocka_unit_test_setup(set_up_is_polled_8n1_with_dtr_and_rts,
				       start),
		cmocka_unit_test_setup(
			a_divisor_that_can_be_is_kept_another_is_115200, start),
		cmocka_unit_test_setup(
			an_unknown_clock_keeps_any_divisor_but_none, start),
		cmocka_unit_test_setup(
			as_many_bytes_go_at_once_as_the_fifo_takes, start),
		cmocka_unit_test_setup(a_slow_uart_loses_nothing, start),
		cmocka_unit_test_setup(
			a_stuck_uart_is_dead_after_three_time_outs, start),
		cmocka_unit_test_setup(
			a_dead_uart_is_looked_at_every_five_seconds, start),
		cmocka_unit_test_setup(
			one_success_between_time_outs_keeps_it_alive, start),
		cmocka_unit_test_setup(without_a_clock_reads_bound_the_wait,
				       start),
		cmocka_unit_test_setup(
			a_clock_that_stands_still_ends_no_wait_but_reads_do,
			start),
		cmocka_unit_test_setup(one_that_vanishes_takes_no_bytes, start),
		cmocka_unit_test(mapped_registers_are_accessed_in_their_width),
		cmocka_unit_test(ports_are_accessed_in_their_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
