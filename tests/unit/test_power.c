/* SPDX-License-Identifier: MIT */
/*
 * Reset and soft off: what is written, where, and in which order.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include <asm/io.h>
#include <asm/machine.h>
#include <asm/paging.h>
#include <asm/tsc.h>
#include "arch/x86/fadt.h"
#include "arch/x86/power.h"
#include "lib/cmdline.h"

#define DSDT_PA		0x1000

static const u8 with_s5[] = "\x08_S5_\x12\x06\x02\x0a\x05\x0a\x07";
static const u8 without[] = "\x08_S4_\x12\x06\x02\x0a\x05\x0a\x07";

static struct fadt fadt;
static bool has_fadt, has_ssdt, sci_comes;
static const u8 *dsdt;
static u16 pm1[2];
static u8 status_8042;
static u64 waited_us;
static u8 memory[16];
static char log_text[1024];

/* ---- the machine ---- */

static void note(const char *fmt, ...)
{
	size_t n = strlen(log_text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(log_text + n, sizeof(log_text) - n, fmt, ap);
	va_end(ap);
}

const struct fadt *fadt_get(void)
{
	return has_fadt ? &fadt : NULL;
}

bool acpi_table_at(phys_addr_t pa, struct acpi_table *table)
{
	assert_int_equal(pa, DSDT_PA);
	*table = (struct acpi_table){ dsdt, sizeof(with_s5) - 1, true };
	return true;
}

bool acpi_find(const char *sig, unsigned int nth, struct acpi_table *table)
{
	assert_string_equal(sig, "SSDT");
	*table = (struct acpi_table){ nth ? with_s5 : without,
				      sizeof(with_s5) - 1, true };
	return has_ssdt && nth < 2;
}

void *ioremap(phys_addr_t pa, u64 size)
{
	assert_true(size <= 8);
	return memory + (pa & 8);
}

void udelay(u64 us)
{
	waited_us += us;
}

void outb(u16 port, u8 val)
{
	note("%x=%02x ", port, val);
	if (port == 0xb2 && sci_comes)
		pm1[0] |= 1;
}

u8 inb(u16 port)
{
	return port == 0x64 ? status_8042 : 0;
}

void outw(u16 port, u16 val)
{
	note("%x=%04x ", port, val);
}

u16 inw(u16 port)
{
	return pm1[port == 0x614];
}

void outl(u16 port, u32 val)
{
	note("%x=%08x ", port, val);
}

u32 inl(u16 port)
{
	(void)port;
	return 0;
}

void efi_reset_init(const struct boot_info *bi)
{
	(void)bi;
}

bool efi_reset(enum efi_reset_type type)
{
	note("efi%d ", (int)type);
	return true;
}

void triple_fault(void)
{
	note("triple ");
}

/* ---- tests ---- */

static struct acpi_gas gas(u8 space, u64 address)
{
	return (struct acpi_gas){ .space = space, .address = address };
}

static int start(void **state)
{
	(void)state;
	memset(&fadt, 0, sizeof(fadt));
	fadt.dsdt = DSDT_PA;
	fadt.smi_cmd = 0xb2;
	fadt.acpi_enable = 0xf1;
	fadt.pm1a_cnt = gas(ACPI_SPACE_IO, 0x604);
	fadt.has_8042 = true;
	has_fadt = true;
	has_ssdt = false;
	sci_comes = true;
	dsdt = with_s5;
	pm1[0] = pm1[1] = 0;
	status_8042 = 0;
	memset(memory, 0, sizeof(memory));
	cmdline_init(NULL, 0);
	return 0;
}

static void begin(void)
{
	machine_power_init(NULL);
	log_text[0] = '\0';
	waited_us = 0;
}

static const char *reset_log(const char *options)
{
	cmdline_init(options, 100);
	begin();
	power_reset();
	return log_text;
}

static const char *off_log(void)
{
	begin();
	power_off();
	return log_text;
}

/* First: nothing of another machine is left over. */
static void without_a_fadt_all_that_pcs_have_is_tried(void **state)
{
	(void)state;
	has_fadt = false;
	assert_string_equal(reset_log(NULL),
			    "cf9=02 cf9=06 efi0 64=fe triple ");
	assert_string_equal(off_log(), "efi2 ");
}

static void the_reset_register_comes_first(void **state)
{
	(void)state;
	fadt.reset_reg = gas(ACPI_SPACE_IO, 0xb0);
	fadt.reset_value = 0x0f;
	assert_string_equal(reset_log(NULL),
			    "b0=0f cf9=02 cf9=06 efi0 64=fe triple ");
	assert_in_range(waited_us, 500000, 1000000);
}

static void a_reset_register_may_be_in_memory(void **state)
{
	(void)state;
	fadt.reset_reg = gas(ACPI_SPACE_MEMORY, 0xfed10008);
	fadt.reset_value = 0x5a;
	reset_log(NULL);
	assert_int_equal(memory[8], 0x5a);
	assert_int_equal(memory[9], 0);
}

static void a_reset_register_may_be_in_pci_space(void **state)
{
	(void)state;
	fadt.reset_reg = gas(ACPI_SPACE_PCI, 31ULL << 32 | 2 << 16 | 0x45);
	fadt.reset_value = 0x01;
	assert_string_equal(reset_log(NULL),
			    "cf8=8000fa44 cfd=01 cf9=02 cf9=06 efi0 64=fe triple ");
}

static void a_reset_register_out_of_reach_is_passed_over(void **state)
{
	static const struct acpi_gas bad[] = {
		{ .space = ACPI_SPACE_IO, .address = 0x10000 },
		{ .space = ACPI_SPACE_PCI, .address = 32ULL << 32 },
		{ .space = ACPI_SPACE_PCI, .address = 8 << 16 },
		{ .space = ACPI_SPACE_PCI, .address = 0x100 },
		{ .space = 0x7f, .address = 0xcf9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		fadt.reset_reg = bad[i];
		assert_string_equal(reset_log(NULL),
				    "cf9=02 cf9=06 efi0 64=fe triple ");
	}
}

static void no_8042_is_no_keyboard_reset(void **state)
{
	(void)state;
	fadt.has_8042 = false;
	assert_string_equal(reset_log(NULL), "cf9=02 cf9=06 efi0 triple ");
}

static void an_8042_that_stays_busy_is_waited_for_100_ms(void **state)
{
	(void)state;
	reset_log(NULL);
	waited_us = 0;
	status_8042 = 0xff;
	power_reset();
	assert_in_range(waited_us, 500000, 700000);
}

static void the_named_way_comes_first_and_once(void **state)
{
	(void)state;
	assert_string_equal(reset_log("reset=kbd"),
			    "64=fe cf9=02 cf9=06 efi0 triple ");
	assert_string_equal(reset_log("end=off reset=triple"),
			    "triple cf9=02 cf9=06 efi0 64=fe ");
	assert_string_equal(reset_log("reset=magic"),
			    "cf9=02 cf9=06 efi0 64=fe triple ");
}

/* 5 << 10 is 1400; what else stands in the register is kept. */
static void off_enables_acpi_and_writes_type_then_go(void **state)
{
	(void)state;
	pm1[0] = 0x0200;
	assert_string_equal(off_log(), "b2=f1 604=1601 604=3601 efi2 ");
	pm1[0] = 0x1c01;
	assert_string_equal(off_log(), "604=1401 604=3401 efi2 ");
}

static void both_blocks_get_their_own_type(void **state)
{
	(void)state;
	pm1[0] = 1;
	fadt.pm1b_cnt = gas(ACPI_SPACE_IO, 0x614);
	assert_string_equal(off_log(),
			    "604=1401 614=1c00 604=3401 614=3c00 efi2 ");
}

static void acpi_mode_that_never_comes_costs_3_s(void **state)
{
	(void)state;
	sci_comes = false;
	assert_string_equal(off_log(), "b2=f1 604=1400 604=3400 efi2 ");
	assert_in_range(waited_us, 7000000, 7100000);
}

static void pm1_may_be_in_memory(void **state)
{
	(void)state;
	fadt.pm1a_cnt = gas(ACPI_SPACE_MEMORY, 0xfed10000);
	memory[0] = 1;
	assert_string_equal(off_log(), "efi2 ");
	assert_int_equal(memory[0], 0x01);
	assert_int_equal(memory[1], 0x34);
}

static void the_types_may_be_in_an_ssdt(void **state)
{
	(void)state;
	pm1[0] = 1;
	dsdt = without;
	has_ssdt = true;
	assert_string_equal(off_log(), "604=1401 604=3401 efi2 ");
	has_ssdt = false;
	assert_string_equal(off_log(), "efi2 ");
}

static void reduced_hardware_has_one_byte_to_write(void **state)
{
	(void)state;
	fadt.hw_reduced = true;
	fadt.pm1a_cnt.address = 0;
	fadt.sleep_control = gas(ACPI_SPACE_IO, 0x3405);
	assert_string_equal(off_log(), "3405=34 efi2 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(fn)	cmocka_unit_test_setup(fn, start)
		T(without_a_fadt_all_that_pcs_have_is_tried),
		T(the_reset_register_comes_first),
		T(a_reset_register_may_be_in_memory),
		T(a_reset_register_may_be_in_pci_space),
		T(a_reset_register_out_of_reach_is_passed_over),
		T(no_8042_is_no_keyboard_reset),
		T(an_8042_that_stays_busy_is_waited_for_100_ms),
		T(the_named_way_comes_first_and_once),
		T(off_enables_acpi_and_writes_type_then_go),
		T(both_blocks_get_their_own_type),
		T(acpi_mode_that_never_comes_costs_3_s),
		T(pm1_may_be_in_memory),
		T(the_types_may_be_in_an_ssdt),
		T(reduced_hardware_has_one_byte_to_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
