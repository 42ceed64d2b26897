/* SPDX-License-Identifier: MIT */
/*
 * PCI functions: found, read, woken. How registers are reached is in
 * arch/x86/pci_access.c.
 */
#include "arch/x86/pci.h"

#include <asm/tsc.h>
#include "arch/x86/acpi.h"
#include "lib/string.h"

#define PCI_NONE		0xffffu
#define PCI_MULTI_FUNCTION	0x80u
#define PCI_STATUS_CAPS		0x10u
#define PCI_CAP_PM		1
#define PCI_CAP_MAX		48	/* that fit behind the header */
#define PCI_PMCSR		4	/* from the capability */
#define PMCSR_STATE		0x3u
#define PMCSR_PME_STATUS	0x8000u	/* cleared by writing 1 */

#define BAR_IO			0x1u
#define BAR_TYPE		0x6u
#define BAR_64BIT		0x4u

/* 10 ms, also where the TSC's rate is a guess that is five times too low. */
#define WAKE_US			50000

/* Owner: pci_set_ops(). */
static const struct pci_ops *ops;

void pci_set_ops(const struct pci_ops *new_ops)
{
	ops = new_ops;
}

/* ---- registers ---- */

u32 pci_read32(const struct pci_fn *f, unsigned int off)
{
	return ops ? ops->read(f, off & ~3u) : 0xffffffffu;
}

u16 pci_read16(const struct pci_fn *f, unsigned int off)
{
	return (u16)(pci_read32(f, off) >> (off & 2) * 8);
}

u8 pci_read8(const struct pci_fn *f, unsigned int off)
{
	return (u8)(pci_read32(f, off) >> (off & 3) * 8);
}

void pci_write16(const struct pci_fn *f, unsigned int off, u16 val)
{
	if (ops)
		ops->write(f, off & ~1u, val, 2);
}

void pci_write32(const struct pci_fn *f, unsigned int off, u32 val)
{
	if (ops)
		ops->write(f, off & ~3u, val, 4);
}

/* ---- functions ---- */

bool pci_identify(struct pci_fn *f)
{
	u32 id = pci_read32(f, PCI_ID);

	f->vendor = (u16)id;
	f->device = (u16)(id >> 16);
	f->class = pci_read32(f, PCI_CLASS) >> 8;
	/* Zeroes come from bridges that time out. */
	return f->vendor != PCI_NONE && f->vendor;
}

/* Return: false: @visit wants no more. */
static bool scan_device(unsigned int bus, unsigned int dev,
			bool (*visit)(const struct pci_fn *f, void *arg),
			void *arg)
{
	unsigned int nr = 1;

	for (unsigned int fn = 0; fn < nr; fn++) {
		struct pci_fn f = {
			.bus = (u8)bus, .dev = (u8)dev, .fn = (u8)fn,
		};

		if (!pci_identify(&f))
			continue;
		if (!fn && pci_read8(&f, PCI_HEADER_TYPE) & PCI_MULTI_FUNCTION)
			nr = 8;
		if (!visit(&f, arg))
			return false;
	}
	return true;
}

void pci_scan(bool (*visit)(const struct pci_fn *f, void *arg), void *arg)
{
	for (unsigned int bus = 0; ops && bus < 256; bus++)
		for (unsigned int dev = 0; dev < 32; dev++)
			if (!scan_device(bus, dev, visit, arg))
				return;
}

static unsigned int nr_bars(const struct pci_fn *f)
{
	switch (pci_read8(f, PCI_HEADER_TYPE) & ~PCI_MULTI_FUNCTION) {
	case 0:
		return PCI_BARS;
	case 1:
		return 2;
	default:
		return 0;
	}
}

/* All ones, read back, and the old value again. */
static u32 probe_size(const struct pci_fn *f, unsigned int reg)
{
	u32 old = pci_read32(f, reg);
	u32 mask;

	pci_write32(f, reg, 0xffffffffu);
	mask = pci_read32(f, reg);
	pci_write32(f, reg, old);
	return mask;
}

bool pci_bar_read(const struct pci_fn *f, unsigned int index,
		  struct pci_bar *bar)
{
	unsigned int reg = PCI_BAR0 + 4 * index;
	u16 command = pci_read16(f, PCI_COMMAND);
	u64 mask;
	u32 low;

	memset(bar, 0, sizeof(*bar));
	if (index >= nr_bars(f))
		return false;
	low = pci_read32(f, reg);
	bar->io = low & BAR_IO;
	bar->is_64bit = !bar->io && (low & BAR_TYPE) == BAR_64BIT &&
			index + 1 < nr_bars(f);
	bar->base = low & (bar->io ? ~3u : ~15u);
	if (bar->is_64bit)
		bar->base |= (u64)pci_read32(f, reg + 4) << 32;
	if (!bar->base || low == 0xffffffffu)
		return false;

	pci_write16(f, PCI_COMMAND, command & (u16)~(PCI_COMMAND_IO |
						     PCI_COMMAND_MEMORY));
	mask = probe_size(f, reg) & (bar->io ? ~3u : ~15u);
	if (bar->is_64bit)
		mask |= (u64)probe_size(f, reg + 4) << 32;
	pci_write16(f, PCI_COMMAND, command);
	/* Upper bits need not be there: the lowest that can be set counts. */
	bar->size = mask & -mask;
	return bar->size && !(bar->base & (bar->size - 1));
}

/* Return: offset of a capability; 0: not there. */
static unsigned int find_cap(const struct pci_fn *f, u8 id)
{
	unsigned int off;

	if (!(pci_read16(f, PCI_STATUS) & PCI_STATUS_CAPS))
		return 0;
	off = pci_read8(f, PCI_CAPABILITIES) & ~3u;
	for (unsigned int i = 0; off >= 0x40 && i < PCI_CAP_MAX; i++) {
		if (pci_read8(f, off) == id)
			return off;
		off = pci_read8(f, off + 1) & ~3u;
	}
	return 0;
}

void pci_wake(const struct pci_fn *f)
{
	unsigned int cap = find_cap(f, PCI_CAP_PM);
	u16 pmcsr;

	if (!cap)
		return;
	pmcsr = pci_read16(f, cap + PCI_PMCSR);
	if (!(pmcsr & PMCSR_STATE))
		return;
	pci_write16(f, cap + PCI_PMCSR,
		    pmcsr & (u16)~(PMCSR_STATE | PMCSR_PME_STATUS));
	udelay(WAKE_US);
}

void pci_enable(const struct pci_fn *f, u16 bits)
{
	u16 command = pci_read16(f, PCI_COMMAND);

	if ((command & bits) != bits)
		pci_write16(f, PCI_COMMAND, command | bits);
}

/* ---- MCFG ---- */

enum {
	MCFG_ENTRIES = 44,
	MCFG_ENTRY = 16,
	MCFG_SEGMENT = 8,	/* in an entry */
	MCFG_FIRST_BUS = 10,
	MCFG_LAST_BUS = 11,
};

bool pci_mcfg_parse(const struct acpi_table *table, struct pci_ecam *ecam)
{
	for (size_t pos = MCFG_ENTRIES; pos + MCFG_ENTRY <= table->size;
	     pos += MCFG_ENTRY) {
		ecam->base = acpi_u64(table, pos);
		ecam->first_bus = acpi_u8(table, pos + MCFG_FIRST_BUS);
		ecam->last_bus = acpi_u8(table, pos + MCFG_LAST_BUS);
		if (!acpi_u16(table, pos + MCFG_SEGMENT) && ecam->base &&
		    !(ecam->base & 0xfffff) && ecam->base < 1ULL << 52 &&
		    ecam->first_bus <= ecam->last_bus)
			return true;
	}
	memset(ecam, 0, sizeof(*ecam));
	return false;
}
