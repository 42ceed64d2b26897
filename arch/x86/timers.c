/* SPDX-License-Identifier: MIT */
/*
 * Clocks of the board: PM timer, HPET, PIT channel 2.
 *
 * Sources: ACPI specification, "Power Management Timer"; "IA-PC HPET (High
 * Precision Event Timers) Specification"; 8254 data sheet, mode 0.
 */
#include "arch/x86/timers.h"

#include <asm/io.h>
#include <asm/paging.h>
#include "arch/x86/acpi.h"
#include "arch/x86/fadt.h"
#include "lib/bitfield.h"
#include "lib/printk.h"

#define PM_TIMER_HZ	3579545

#define HPET_TABLE_GAS	40	/* offset in the table HPET */
#define HPET_SIZE	1024
#define HPET_PERIOD	0x04	/* fs per tick */
#define HPET_CONF	0x10
#define HPET_CONF_ENABLE 1u
#define HPET_COUNTER	0xf0
#define HPET_PERIOD_MAX	100000000	/* 100 ns: its specification */
#define FS_PER_S	1000000000000000ULL

#define PIT_HZ		1193182
#define PIT_CHANNEL2	0x42
#define PIT_COMMAND	0x43
#define PIT_CH2_MODE0	0xb0	/* both bytes, counts through 0 and on */
#define PIT_CH2_LATCH	0x80
#define PORT_B		0x61
#define PORT_B_GATE2	1u
#define PORT_B_SPEAKER	2u

/* ---- PM timer ---- */

static u32 pm_read_port(const struct ref_clock *clock)
{
	return inl(clock->port);
}

static u32 pm_read_memory(const struct ref_clock *clock)
{
	return readl(clock->reg);
}

static bool pm_find(struct ref_clock *clock)
{
	const struct fadt *fadt = fadt_get();
	u64 address = fadt ? fadt->pm_tmr.address : 0;

	if (!address)
		return false;
	*clock = (struct ref_clock){
		.name = "PM timer",
		.option = "pm",
		.hz = PM_TIMER_HZ,
		.mask = fadt->pm_tmr_32bit ? GENMASK_ULL(31, 0) :
			GENMASK_ULL(23, 0),
		.read = pm_read_port,
		.port = (u16)address,
	};
	if (fadt->pm_tmr.space == ACPI_SPACE_IO && address <= 0xfffc)
		return true;
	clock->read = pm_read_memory;
	if (fadt->pm_tmr.space == ACPI_SPACE_MEMORY)
		clock->reg = ioremap(address, 4);
	if (!clock->reg)
		printk("time: PM timer at %llx of address space %u cannot be read\n",
		       (unsigned long long)address, fadt->pm_tmr.space);
	return clock->reg;
}

/* ---- HPET ---- */

static u32 hpet_read(const struct ref_clock *clock)
{
	return readl(clock->reg + HPET_COUNTER);
}

static void hpet_stop(const struct ref_clock *clock)
{
	writel(clock->saved, clock->reg + HPET_CONF);
}

static bool hpet_find(struct ref_clock *clock)
{
	struct acpi_table table;
	struct acpi_gas gas;
	volatile u8 *reg;
	u32 period, conf;

	if (!acpi_find("HPET", 0, &table) ||
	    !acpi_gas(&table, HPET_TABLE_GAS, &gas) || !gas.address ||
	    gas.space != ACPI_SPACE_MEMORY)
		return false;
	reg = ioremap(gas.address, HPET_SIZE);
	if (!reg) {
		printk("time: HPET at %llx cannot be mapped: not used\n",
		       (unsigned long long)gas.address);
		return false;
	}
	period = readl(reg + HPET_PERIOD);
	if (!period || period > HPET_PERIOD_MAX) {
		printk("time: HPET at %llx has a period of %u fs: not used\n",
		       (unsigned long long)gas.address, period);
		return false;
	}
	/* It stands still until someone enables it. */
	conf = readl(reg + HPET_CONF);
	writel(conf | HPET_CONF_ENABLE, reg + HPET_CONF);
	*clock = (struct ref_clock){
		.name = "HPET",
		.option = "hpet",
		.hz = FS_PER_S / period,
		.mask = GENMASK_ULL(31, 0),
		.read = hpet_read,
		.stop = conf & HPET_CONF_ENABLE ? NULL : hpet_stop,
		.reg = reg,
		.saved = conf,
	};
	return true;
}

/* ---- PIT ---- */

/* It counts down; the two bytes are held by the latch command. */
static u32 pit_read(const struct ref_clock *clock)
{
	u32 count;

	(void)clock;
	outb(PIT_COMMAND, PIT_CH2_LATCH);
	count = inb(PIT_CHANNEL2);
	count |= (u32)inb(PIT_CHANNEL2) << 8;
	return ~count;
}

static void pit_stop(const struct ref_clock *clock)
{
	outb(PORT_B, (u8)clock->saved);
}

static void pit_start(struct ref_clock *clock)
{
	u8 port_b = inb(PORT_B);

	*clock = (struct ref_clock){
		.name = "PIT",
		.option = "pit",
		.hz = PIT_HZ,
		.mask = GENMASK_ULL(15, 0),
		.read = pit_read,
		.stop = pit_stop,
		.is_pit = true,
		.saved = port_b & (PORT_B_GATE2 | PORT_B_SPEAKER),
	};
	outb(PORT_B, (u8)((port_b & ~PORT_B_SPEAKER) | PORT_B_GATE2));
	outb(PIT_COMMAND, PIT_CH2_MODE0);
	outb(PIT_CHANNEL2, 0xff);
	outb(PIT_CHANNEL2, 0xff);
}

unsigned int ref_clocks_find(struct ref_clock clocks[MAX_REF_CLOCKS])
{
	unsigned int nr = 0;

	if (pm_find(&clocks[nr]))
		nr++;
	if (hpet_find(&clocks[nr]))
		nr++;
	pit_start(&clocks[nr]);
	return nr + 1;
}

void ref_clocks_put(struct ref_clock *clocks, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (clocks[i].stop)
			clocks[i].stop(&clocks[i]);
}
