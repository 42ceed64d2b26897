/* SPDX-License-Identifier: MIT */
/*
 * PCI functions and the UARTs among them, in a made-up configuration space.
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
#include "arch/x86/device_map.h"
#include "arch/x86/pci.h"
#include "arch/x86/serial.h"
#include "lib/err.h"
#include "tests/unit/collect.h"

#define MAX_FN	16

struct function {
	u8 bus, dev, fn;
	u32 reg[64];
	u32 size[PCI_BARS];	/* writable bits of each BAR */
	bool decoding_off;	/* seen while a BAR was sized */
};

static struct function functions[MAX_FN];
static unsigned int nr_functions;
static u64 nr_reads;
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

/* ---- the space ---- */

static struct function *find(const struct pci_fn *f)
{
	for (unsigned int i = 0; i < nr_functions; i++)
		if (functions[i].bus == f->bus && functions[i].dev == f->dev &&
		    functions[i].fn == f->fn)
			return &functions[i];
	return NULL;
}

static u32 space_read(const struct pci_fn *f, unsigned int off)
{
	struct function *fn = find(f);

	nr_reads++;
	assert_true(off < 256 && off % 4 == 0);
	return fn ? fn->reg[off / 4] : 0xffffffffu;
}

static void bar_write(struct function *fn, unsigned int bar, u32 val)
{
	u32 *reg = &fn->reg[4 + bar];
	u32 kind = *reg & (*reg & 1 ? 3 : 15);

	if (val == 0xffffffffu)
		fn->decoding_off = !(fn->reg[1] & 3);
	if (fn->size[bar])
		*reg = (val & fn->size[bar]) | kind;
	else if (bar && fn->size[bar - 1])
		*reg = val;		/* upper half */
}

static void space_write(const struct pci_fn *f, unsigned int off, u32 val,
			unsigned int width)
{
	struct function *fn = find(f);

	assert_true(width == 2 || width == 4);
	assert_true(off % width == 0);
	if (!fn)
		return;
	if (off >= PCI_BAR0 && off < PCI_BAR0 + 4 * PCI_BARS) {
		bar_write(fn, (off - PCI_BAR0) / 4, val);
		return;
	}
	memcpy((u8 *)fn->reg + off, &val, width);
}

static const struct pci_ops space = {
	.read = space_read,
	.write = space_write,
};

static struct function *add_fn(u8 bus, u8 dev, u8 fn, u32 id, u32 class)
{
	struct function *f = &functions[nr_functions++];

	assert_true(nr_functions <= MAX_FN);
	f->bus = bus;
	f->dev = dev;
	f->fn = fn;
	f->reg[0] = id;		/* device << 16 | vendor */
	f->reg[2] = class << 8;
	return f;
}

static void set_bar(struct function *f, unsigned int bar, u32 val, u32 size)
{
	f->reg[4 + bar] = val;
	f->size[bar] = -size;
}

/* ---- what is found ---- */

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
	memset(functions, 0, sizeof(functions));
	memset(lpss_regs, 0, sizeof(lpss_regs));
	nr_functions = nr_found = 0;
	answer = 0;
	slept = 0;
	pci_set_ops(&space);
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

/* ---- UARTs ---- */

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
		TEST(all_buses_and_functions_are_visited),
		TEST(without_pci_all_reads_as_ones),
		TEST(bars_have_a_place_and_a_size_and_stay),
		TEST(a_bar_of_16_bits_has_a_size),
		TEST(a_function_that_sleeps_is_woken_and_given_time),
		TEST(a_ring_of_capabilities_ends),
		TEST(the_mcfg_names_the_buses_of_segment_0),
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
