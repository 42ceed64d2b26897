/* SPDX-License-Identifier: MIT */
/*
 * Reset and soft off: every way that a PC may have, one after the other.
 *
 * Sources: ACPI specification, "Reset Register", "PM1 Control Grouping",
 * "Sleep Control and Status Registers", "Transitioning from the Working to the
 * Soft Off State". Firmware often runs _PTS first, which is AML: failure is
 * one of the ways.
 */
#include "arch/x86/power.h"

#include <asm/io.h>
#include <asm/machine.h>
#include <asm/paging.h>
#include <asm/tsc.h>
#include "arch/x86/aml_s5.h"
#include "arch/x86/fadt.h"
#include "lib/bitfield.h"
#include "lib/cmdline.h"
#include "lib/err.h"
#include "lib/string.h"

#define RESET_US	100000	/* for each way to take effect */
#define OFF_US		2000000
#define ENABLE_US	3000000
#define STEP_US		1000

#define PM1_SCI_EN	BIT_ULL(0)
#define PM1_SLP_TYP	GENMASK_ULL(12, 10)
#define PM1_SLP_EN	BIT_ULL(13)
#define SLEEP_TYP	GENMASK_ULL(4, 2)	/* SLEEP_CONTROL */
#define SLEEP_EN	BIT_ULL(5)

#define PORT_CF9	0xcf9
#define CF9_FULL	0x02
#define CF9_RESET	0x04
#define PORT_8042	0x64
#define I8042_BUSY	0x02
#define I8042_PULSE	0xfe
#define PCI_ADDRESS	0xcf8
#define PCI_DATA	0xcfc
#define PCI_ENABLE	(1u << 31)

/* A register that can be reached; its GAS address is 0 where it cannot. */
struct power_reg {
	struct acpi_gas gas;
	volatile u8 *mem;	/* ACPI_SPACE_MEMORY */
};

/* Owner: machine_power_init(). */
static const struct fadt *fadt;
static struct power_reg reset_reg, sleep_control, pm1a, pm1b;
static struct aml_s5 s5;
static bool has_s5;

/* ---- registers ---- */

static void reg_init(struct power_reg *reg, const struct acpi_gas *gas,
		     const char *name)
{
	bool usable = false;

	*reg = (struct power_reg){ .gas = *gas };
	if (!gas->address)
		return;
	switch (gas->space) {
	case ACPI_SPACE_IO:
		usable = gas->address <= 0xffff;
		break;
	case ACPI_SPACE_MEMORY:
		reg->mem = ioremap(gas->address, 8);
		usable = reg->mem;
		break;
	case ACPI_SPACE_PCI:
		/* Function in 31:16, device above, register below; bus 0. */
		usable = FIELD_GET(GENMASK_ULL(47, 32), gas->address) < 32 &&
			 FIELD_GET(GENMASK_ULL(31, 16), gas->address) < 8 &&
			 FIELD_GET(GENMASK_ULL(15, 0), gas->address) < 256;
		break;
	}
	if (usable)
		return;
	printk("power: %s at %llx of address space %u cannot be reached\n",
	       name, (unsigned long long)gas->address, gas->space);
	reg->gas.address = 0;
}

static void pci_write8(u64 address, u8 val)
{
	u32 dev = (u32)FIELD_GET(GENMASK_ULL(47, 32), address);
	u32 fn = (u32)FIELD_GET(GENMASK_ULL(31, 16), address);
	u32 off = (u32)FIELD_GET(GENMASK_ULL(15, 0), address);

	outl(PCI_ADDRESS, PCI_ENABLE | dev << 11 | fn << 8 | (off & ~3u));
	outb((u16)(PCI_DATA + (off & 3)), val);
}

static void reg_write8(const struct power_reg *reg, u8 val)
{
	if (!reg->gas.address)
		return;
	if (reg->mem)
		*reg->mem = val;
	else if (reg->gas.space == ACPI_SPACE_PCI)
		pci_write8(reg->gas.address, val);
	else
		outb((u16)reg->gas.address, val);
}

/* PM1 control is in ports or memory, of 16 bits. */
static u16 reg_read16(const struct power_reg *reg)
{
	if (reg->mem)
		return *(volatile u16 *)reg->mem;
	return inw((u16)reg->gas.address);
}

static void reg_write16(const struct power_reg *reg, u64 val)
{
	if (!reg->gas.address)
		return;
	if (reg->mem)
		*(volatile u16 *)reg->mem = (u16)val;
	else
		outw((u16)reg->gas.address, (u16)val);
}

/* ---- what there is ---- */

static bool s5_in(const struct acpi_table *table, const char *name)
{
	has_s5 = !aml_find_s5(table->data, table->size, &s5);
	if (has_s5)
		printk("power: _S5_ in the %s: sleep types %u and %u\n", name,
		       s5.typa, s5.typb);
	return has_s5;
}

static void find_s5(void)
{
	struct acpi_table table;

	if (fadt->dsdt && acpi_table_at(fadt->dsdt, &table) &&
	    s5_in(&table, "DSDT"))
		return;
	for (unsigned int i = 0; acpi_find("SSDT", i, &table); i++)
		if (s5_in(&table, "SSDT"))
			return;
	printk("power: no _S5_: soft off by the firmware only\n");
}

void machine_power_init(const struct boot_info *bi)
{
	efi_reset_init(bi);
	fadt = fadt_get();
	if (!fadt) {
		printk("power: no FADT: reset as any PC, soft off by the firmware only\n");
		return;
	}
	reg_init(&reset_reg, &fadt->reset_reg, "reset register");
	reg_init(&sleep_control, &fadt->sleep_control, "SLEEP_CONTROL");
	reg_init(&pm1a, &fadt->pm1a_cnt, "PM1a_CNT");
	reg_init(&pm1b, &fadt->pm1b_cnt, "PM1b_CNT");
	find_s5();
}

/* ---- reset ---- */

static bool reset_acpi(void)
{
	if (!reset_reg.gas.address)
		return false;
	reg_write8(&reset_reg, fadt->reset_value);
	return true;
}

static bool reset_cf9(void)
{
	u8 val = (u8)(inb(PORT_CF9) & ~(CF9_FULL | CF9_RESET));

	outb(PORT_CF9, val | CF9_FULL);
	udelay(50);
	outb(PORT_CF9, val | CF9_FULL | CF9_RESET);
	return true;
}

static bool reset_efi(void)
{
	return efi_reset(EFI_RESET_COLD);
}

/* The keyboard controller's output that pulls the reset line. */
static bool reset_kbd(void)
{
	if (fadt && !fadt->has_8042)
		return false;
	for (unsigned int us = 0; us < RESET_US; us += STEP_US) {
		if (!(inb(PORT_8042) & I8042_BUSY))
			break;
		udelay(STEP_US);
	}
	outb(PORT_8042, I8042_PULSE);
	return true;
}

static bool reset_triple(void)
{
	triple_fault();
	return true;
}

/* In this order: firmware's ResetSystem crashes on many machines. */
static const struct reset_way {
	const char *name;
	bool (*run)(void);	/* false: not there */
} reset_ways[] = {
	{ "acpi", reset_acpi },
	{ "cf9", reset_cf9 },
	{ "efi", reset_efi },
	{ "kbd", reset_kbd },
	{ "triple", reset_triple },
};

static void try_reset(const struct reset_way *way)
{
	printk("power: reset by %s\n", way->name);
	if (way->run())
		udelay(RESET_US);
	else
		printk("power: this machine has none\n");
}

void power_reset(void)
{
	const struct reset_way *first = NULL;
	char name[8];

	if (cmdline_get("reset", name, sizeof(name)) != -ENOENT) {
		for (size_t i = 0; i < ARRAY_SIZE(reset_ways); i++)
			if (!strcmp(name, reset_ways[i].name))
				first = &reset_ways[i];
		if (first)
			try_reset(first);
		else
			cmdline_bad("reset", name, 0,
				    "acpi, cf9, efi, kbd or triple");
	}
	for (size_t i = 0; i < ARRAY_SIZE(reset_ways); i++)
		if (&reset_ways[i] != first)
			try_reset(&reset_ways[i]);
}

/* ---- soft off ---- */

/* PM1 is the SMM firmware's until this. */
static void enable_acpi(void)
{
	if (!fadt->smi_cmd || fadt->smi_cmd > 0xffff || !fadt->acpi_enable ||
	    reg_read16(&pm1a) & PM1_SCI_EN)
		return;
	outb((u16)fadt->smi_cmd, fadt->acpi_enable);
	for (u64 us = 0; us < ENABLE_US; us += STEP_US) {
		if (reg_read16(&pm1a) & PM1_SCI_EN)
			return;
		udelay(STEP_US);
	}
	printk("power: ACPI mode does not come on: tried all the same\n");
}

static u64 pm1_val(const struct power_reg *reg, u8 typ)
{
	u64 old = reg->gas.address ? reg_read16(reg) : 0;

	return (old & ~(PM1_SLP_TYP | PM1_SLP_EN)) |
	       FIELD_PREP(PM1_SLP_TYP, typ);
}

static void off_by_pm1(void)
{
	u64 a, b;

	enable_acpi();
	a = pm1_val(&pm1a, s5.typa);
	b = pm1_val(&pm1b, s5.typb);
	reg_write16(&pm1a, a);
	reg_write16(&pm1b, b);
	reg_write16(&pm1a, a | PM1_SLP_EN);
	reg_write16(&pm1b, b | PM1_SLP_EN);
}

static bool off_by_acpi(void)
{
	if (!fadt || !has_s5)
		return false;
	if (fadt->hw_reduced && sleep_control.gas.address)
		reg_write8(&sleep_control,
			   (u8)(FIELD_PREP(SLEEP_TYP, s5.typa) | SLEEP_EN));
	else if (pm1a.gas.address && pm1a.gas.space != ACPI_SPACE_PCI)
		off_by_pm1();
	else
		return false;
	return true;
}

void power_off(void)
{
	printk("power: off by ACPI S5\n");
	if (off_by_acpi())
		udelay(OFF_US);
	else
		printk("power: this machine has none\n");
	printk("power: off by efi\n");
	if (efi_reset(EFI_RESET_SHUTDOWN))
		udelay(OFF_US);
	else
		printk("power: this machine has none\n");
}
