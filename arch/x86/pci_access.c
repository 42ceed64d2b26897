/* SPDX-License-Identifier: MIT */
/*
 * How PCI configuration space is reached: mapped (ECAM), or by two ports.
 */
#include <asm/io.h>
#include <asm/irqflags.h>
#include "arch/x86/acpi.h"
#include "arch/x86/device_map.h"
#include "arch/x86/pci.h"
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/spinlock.h"

#define CONFIG_ADDRESS	0xcf8
#define CONFIG_DATA	0xcfc
#define CONFIG_ENABLE	(1u << 31)
#define CONFIG_MAX	256	/* bytes that the ports reach */
#define ECAM_BUS	(1u << 20)

/* ---- ports ---- */

/* Address and data are two accesses. */
static struct spinlock lock = SPINLOCK_INIT;

static u32 port_address(const struct pci_fn *f, unsigned int off)
{
	return CONFIG_ENABLE | (u32)f->bus << 16 | (u32)f->dev << 11 |
	       (u32)f->fn << 8 | (off & 0xfc);
}

static u32 port_read(const struct pci_fn *f, unsigned int off)
{
	unsigned long flags;
	u32 val;

	if (off >= CONFIG_MAX)
		return 0xffffffffu;
	flags = local_irq_save();
	spin_lock(&lock);
	outl(CONFIG_ADDRESS, port_address(f, off));
	val = inl(CONFIG_DATA);
	spin_unlock(&lock);
	local_irq_restore(flags);
	return val;
}

static void port_write(const struct pci_fn *f, unsigned int off, u32 val,
		       unsigned int width)
{
	unsigned long flags;

	if (off >= CONFIG_MAX)
		return;
	flags = local_irq_save();
	spin_lock(&lock);
	outl(CONFIG_ADDRESS, port_address(f, off));
	if (width == 2)
		outw((u16)(CONFIG_DATA + (off & 2)), (u16)val);
	else
		outl(CONFIG_DATA, val);
	spin_unlock(&lock);
	local_irq_restore(flags);
}

static const struct pci_ops port_ops = {
	.read = port_read,
	.write = port_write,
};

/* ---- ECAM ---- */

/* Owner: pci_init(). Buses are mapped when they are first asked for. */
static struct pci_ecam ecam;
static u8 *ecam_bus[256];
static bool ecam_tried[256];

/* Return: NULL: not reached. */
static u8 *ecam_reg(const struct pci_fn *f, unsigned int off)
{
	if (f->bus < ecam.first_bus || f->bus > ecam.last_bus)
		return NULL;
	if (!ecam_tried[f->bus]) {
		ecam_tried[f->bus] = true;
		ecam_bus[f->bus] = device_map(ecam.base +
					      (u64)f->bus * ECAM_BUS,
					      ECAM_BUS);
	}
	if (!ecam_bus[f->bus])
		return NULL;
	return ecam_bus[f->bus] + ((u32)f->dev << 15 | (u32)f->fn << 12 | off);
}

static u32 ecam_read(const struct pci_fn *f, unsigned int off)
{
	const u8 *reg = ecam_reg(f, off);

	return reg ? readl(reg) : 0xffffffffu;
}

static void ecam_write(const struct pci_fn *f, unsigned int off, u32 val,
		       unsigned int width)
{
	u8 *reg = ecam_reg(f, off);

	if (!reg)
		return;
	if (width == 2)
		writew((u16)val, reg);
	else
		writel(val, reg);
}

static const struct pci_ops ecam_ops = {
	.read = ecam_read,
	.write = ecam_write,
};

/* ---- which ---- */

/* The table may lie: it must show what the ports show. */
static bool ecam_right(void)
{
	struct pci_fn bridge = { 0 };
	u32 by_port = port_read(&bridge, PCI_ID);
	u32 by_ecam = ecam_read(&bridge, PCI_ID);

	return by_ecam != 0xffffffffu && by_ecam &&
	       (by_ecam == by_port || by_port == 0xffffffffu);
}

static bool find_ecam(void)
{
	struct acpi_table table;

	for (unsigned int i = 0; acpi_find("MCFG", i, &table); i++) {
		if (!pci_mcfg_parse(&table, &ecam)) {
			printk("pci: MCFG %u names no buses of segment 0: skipped\n",
			       i);
			continue;
		}
		if (ecam_right())
			return true;
		printk("pci: nothing at the MCFG's address %llx: skipped\n",
		       (unsigned long long)ecam.base);
		return false;	/* what was mapped stays mapped */
	}
	return false;
}

int pci_init(void)
{
	struct pci_fn bridge = { 0 };

	if (find_ecam()) {
		pci_set_ops(&ecam_ops);
		printk("pci: buses %u to %u at %llx\n", ecam.first_bus,
		       ecam.last_bus, (unsigned long long)ecam.base);
		return 0;
	}
	if (port_read(&bridge, PCI_ID) == 0xffffffffu) {
		printk("pci: no configuration space\n");
		return -ENODEV;
	}
	pci_set_ops(&port_ops);
	printk("pci: by the ports CF8 and CFC\n");
	return 0;
}
