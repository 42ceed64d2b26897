/* SPDX-License-Identifier: MIT */
/*
 * UARTs among PCI functions: which are found, where, with which clock.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include <asm/tsc.h>
#include "arch/x86/acpi.h"
#include "arch/x86/device_map.h"
#include "arch/x86/serial.h"
#include "lib/err.h"
#include "tests/unit/collect.h"
#include "tests/unit/fake_pci.h"

const u8 *acpi_map(phys_addr_t pa, size_t n)
{
	(void)pa;
	(void)n;
	return NULL;
}

void udelay(u64 us)
{
	(void)us;
}

static struct uart_desc found[32];
static unsigned int nr_found;
static int answer;
static struct collector console;
static u32 lpss_regs[0x400];
static phys_addr_t mapped;

void *device_map(phys_addr_t pa, size_t size)
{
	assert_true(size <= sizeof(lpss_regs));
	mapped = pa;
	return lpss_regs;
}

static int add(const struct uart_desc *desc, unsigned int how)
{
	(void)how;
	assert_true(nr_found < ARRAY_SIZE(found));
	found[nr_found++] = *desc;
	return answer;
}

static void sink(const char *s, size_t n)
{
	collect_write(&console.printer, s, n);
}

static int start(void **state)
{
	(void)state;
	space_init();
	memset(lpss_regs, 0, sizeof(lpss_regs));
	nr_found = 0;
	answer = 0;
	collect_reset(&console);
	printk_set_sink(sink);
	return 0;
}

static void assert_port(unsigned int i, enum uart_space where, u64 base,
			u8 shift, u32 clock, const char *name)
{
	assert_true(i < nr_found);
	assert_int_equal(found[i].access.space, where);
	assert_int_equal(found[i].access.base, base);
	assert_int_equal(found[i].access.shift, shift);
	assert_int_equal(found[i].access.clock, clock);
	assert_string_equal(found[i].name, name);
}

static void ports_of_the_serial_class_are_found_one_after_the_other(
	void **state)
{
	struct function *f = add_fn(0, 3, 0, 0x00041b36, 0x070002);

	(void)state;
	set_bar(f, 0, 0xc001, 32);
	add_fn(0, 4, 0, 0x11118086, 0x020000);
	f = add_fn(5, 0, 0, 0x98659710, 0x070200);
	set_bar(f, 0, 0xd001, 8);
	serial_pci_scan(add);
	assert_int_equal(nr_found, 5);
	assert_port(0, UART_IO, 0xc000, 0, UART_CLOCK_PC, "PCI 00:03.0/0");
	assert_port(3, UART_IO, 0xc018, 0, UART_CLOCK_PC, "PCI 00:03.0/3");
	assert_port(4, UART_IO, 0xd000, 0, UART_CLOCK_PC, "PCI 05:00.0");
	assert_int_equal(f->reg[1] & 3, PCI_COMMAND_IO);
}

static void cards_have_their_own_clocks_and_layouts(void **state)
{
	struct function *f = add_fn(1, 0, 0, 0xc1581415, 0x070002);

	(void)state;
	set_bar(f, 0, 0xfe000000, 0x4000);
	f = add_fn(2, 0, 0, 0x795212d8, 0x070002);
	set_bar(f, 0, 0xe001, 64);
	f = add_fn(3, 0, 0, 0x035213a8, 0x070002);
	set_bar(f, 0, 0xfd000004, 0x4000);
	f->reg[5] = 1;		/* above 4 GiB */
	f = add_fn(4, 0, 0, 0x32531c00, 0x078000);
	set_bar(f, 0, 0xf001, 256);
	serial_pci_scan(add);
	assert_int_equal(nr_found, 8);
	assert_port(0, UART_MMIO, 0xfe001000, 0, 62500000, "PCI 01:00.0/0");
	assert_port(1, UART_MMIO, 0xfe001200, 0, 62500000, "PCI 01:00.0/1");
	assert_port(2, UART_IO, 0xe000, 0, 14745600, "PCI 02:00.0/0");
	assert_port(3, UART_IO, 0xe008, 0, 14745600, "PCI 02:00.0/1");
	assert_port(4, UART_MMIO, 0x1fd000000ULL, 0, 125000000,
		    "PCI 03:00.0/0");
	assert_port(5, UART_MMIO, 0x1fd000400ULL, 0, 125000000,
		    "PCI 03:00.0/1");
	assert_port(6, UART_IO, 0xf0c0, 0, UART_CLOCK_PC, "PCI 04:00.0/0");
	for (unsigned int i = 0; i < nr_found; i++)
		assert_int_equal(found[i].baud, UART_BAUD);
}

static void a_range_too_small_for_the_layout_ends_the_card(void **state)
{
	struct function *f = add_fn(1, 0, 0, 0xc1581415, 0x070002);

	(void)state;
	set_bar(f, 0, 0xfe000000, 0x1000);
	serial_pci_scan(add);
	assert_int_equal(nr_found, 0);
	assert_non_null(strstr(console.text, "too small: skipped"));
}

static void registers_in_memory_are_tried_wide_then_narrow(void **state)
{
	struct function *f = add_fn(1, 0, 0, 0x43211234, 0x070002);

	(void)state;
	set_bar(f, 0, 0xfe000000, 0x1000);
	answer = -ENODEV;
	serial_pci_scan(add);
	assert_int_equal(nr_found, 2);
	assert_port(0, UART_MMIO, 0xfe000000, 2, 0, "PCI 01:00.0");
	assert_int_equal(found[0].access.width, 4);
	assert_port(1, UART_MMIO, 0xfe000000, 0, UART_CLOCK_PC, "PCI 01:00.0");
	start(state);
	f = add_fn(1, 0, 0, 0x43211234, 0x070002);
	set_bar(f, 0, 0xfe000000, 0x1000);
	serial_pci_scan(add);
	assert_int_equal(nr_found, 1);
}

static void serial_over_lan_keeps_its_divisor_and_may_sleep(void **state)
{
	struct function *f = add_fn(0, 0x16, 3, 0xa13d8086, 0x070002);

	(void)state;
	set_bar(f, 0, 0xf0a1, 8);
	add_fn(0, 0x16, 0, 0xa13a8086, 0x078000)->reg[3] = 0x80u << 16;
	serial_pci_scan(add);
	assert_int_equal(nr_found, 1);
	assert_port(0, UART_IO, 0xf0a0, 0, UART_CLOCK_PC, "AMT 00:16.3");
	assert_int_equal(found[0].flags, UART_KEEP | UART_SLEEPS);
	assert_int_equal(found[0].baud, 0);
}

static void a_uart_without_an_address_is_said(void **state)
{
	(void)state;
	add_fn(6, 0, 0, 0x00021b36, 0x070002);
	serial_pci_scan(add);
	assert_int_equal(nr_found, 0);
	assert_string_equal(console.text,
			    "console: UART 1b36:0002 at PCI 06:00.0: firmware "
			    "gave it no address: skipped\n");
}

/* ---- LPSS ---- */

static struct function *add_lpss(u32 device)
{
	struct function *f = add_fn(0, 0x1e, 0, device << 16 | 0x8086,
				    0x078000);

	set_bar(f, 0, 0xfe032004, 0x1000);
	f->reg[5] = 0x40;	/* above 4 GiB */
	return f;
}

static void an_lpss_uart_that_firmware_started_is_used(void **state)
{
	(void)state;
	add_lpss(0xa0a8);
	lpss_regs[0x200 / 4] = 1;
	lpss_regs[0x204 / 4] = 3;
	serial_pci_scan(add);
	assert_int_equal(nr_found, 1);
	assert_port(0, UART_MMIO, 0x40fe032000ULL, 2, 0, "LPSS 00:1e.0");
	assert_int_equal(mapped, 0x40fe032000ULL);
	assert_int_equal(found[0].access.width, 4);
	assert_int_equal(found[0].fifo, 64);
	assert_int_equal(found[0].flags, UART_KEEP);
	/* The older kind has its registers elsewhere. */
	start(state);
	add_lpss(0x9ce3);
	lpss_regs[0x800 / 4] = 1;
	lpss_regs[0x804 / 4] = 3;
	serial_pci_scan(add);
	assert_int_equal(nr_found, 1);
}

static void assert_not_started(const char *why)
{
	serial_pci_scan(add);
	assert_int_equal(nr_found, 0);
	assert_non_null(strstr(console.text, why));
}

static void one_that_firmware_did_not_start_is_left_alone(void **state)
{
	(void)state;
	add_lpss(0x9d27);
	lpss_regs[0x200 / 4] = 1;
	lpss_regs[0x204 / 4] = 0;
	assert_not_started("left it in reset");
	start(state);
	add_lpss(0x9d27);
	lpss_regs[0x200 / 4] = 1;
	lpss_regs[0x204 / 4] = 0xffffffffu;
	assert_not_started("left it in reset");
	start(state);
	add_lpss(0x9d27);
	lpss_regs[0x204 / 4] = 3;
	assert_not_started("without a clock");
	start(state);
	add_lpss(0x9d27)->reg[0x84 / 4] = 3;
	lpss_regs[0x200 / 4] = 1;
	lpss_regs[0x204 / 4] = 3;
	assert_not_started("without power");
	assert_int_equal(functions[0].reg[0x84 / 4], 3);
	start(state);
	set_bar(add_lpss(0x9d27), 0, 0, 0x1000);
	functions[0].reg[5] = 0;
	assert_not_started("no address");
}

int main(void)
{
#define TEST(f)	cmocka_unit_test_setup(f, start)
	const struct CMUnitTest tests[] = {
		TEST(ports_of_the_serial_class_are_found_one_after_the_other),
		TEST(cards_have_their_own_clocks_and_layouts),
		TEST(a_range_too_small_for_the_layout_ends_the_card),
		TEST(registers_in_memory_are_tried_wide_then_narrow),
		TEST(serial_over_lan_keeps_its_divisor_and_may_sleep),
		TEST(a_uart_without_an_address_is_said),
		TEST(an_lpss_uart_that_firmware_started_is_used),
		TEST(one_that_firmware_did_not_start_is_left_alone),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
