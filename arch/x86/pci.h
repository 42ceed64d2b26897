/* SPDX-License-Identifier: MIT */
/*
 * PCI configuration space of segment 0: what there is, and its registers.
 *
 * Moves nothing: BARs stay where firmware put them. Sources: PCI Local Bus
 * Specification 3.0 "Configuration Space"; PCI Firmware Specification, "MCFG
 * Table Description"; PCI Power Management Interface Specification.
 */
#ifndef X86_PCI_H
#define X86_PCI_H

#include "lib/compiler.h"

struct acpi_table;

#define PCI_BARS	6

enum {
	PCI_ID = 0x00,
	PCI_COMMAND = 0x04,
	PCI_STATUS = 0x06,
	PCI_CLASS = 0x08,
	PCI_HEADER_TYPE = 0x0e,
	PCI_BAR0 = 0x10,
	PCI_CAPABILITIES = 0x34,
};

#define PCI_COMMAND_IO		0x1u
#define PCI_COMMAND_MEMORY	0x2u

struct pci_fn {
	u8 bus, dev, fn;
	u16 vendor, device;
	u32 class;		/* base << 16 | sub << 8 | interface */
};

struct pci_bar {
	bool io;
	bool is_64bit;		/* takes the next BAR too */
	u64 base;
	u64 size;
};

/* How registers are reached; @off is below 4096. */
struct pci_ops {
	u32 (*read)(const struct pci_fn *f, unsigned int off); /* dword */
	/* @width: 2 or 4, @off a multiple of it. */
	void (*write)(const struct pci_fn *f, unsigned int off, u32 val,
		      unsigned int width);
};

/* The way of access: pci_init()'s choice, or a test's. NULL: there is no PCI. */
void pci_set_ops(const struct pci_ops *ops);

/**
 * pci_init() - find the way to configuration space
 *
 * ECAM of the MCFG table where it shows the same host bridge as the ports
 * CF8h and CFCh (or those show none), else the ports.
 *
 * Context: boot, after paging_init() and acpi_init(). Return: 0; -ENODEV:
 * there is no PCI.
 */
int __must_check pci_init(void);

/* ECAM of segment 0. */
struct pci_ecam {
	u64 base;		/* of bus 0; 0: not there */
	u8 first_bus, last_bus;
};

/* Return: false: no entry of segment 0 that can be one; *ecam is zero then. */
bool pci_mcfg_parse(const struct acpi_table *table, struct pci_ecam *ecam);

/*
 * Registers of a function (bus, dev, fn set). What is not there reads as all
 * ones. Context: any but NMI.
 */
u8 pci_read8(const struct pci_fn *f, unsigned int off);
u16 pci_read16(const struct pci_fn *f, unsigned int off);
u32 pci_read32(const struct pci_fn *f, unsigned int off);
void pci_write16(const struct pci_fn *f, unsigned int off, u16 val);
void pci_write32(const struct pci_fn *f, unsigned int off, u32 val);

/* Reads ids and class. Return: false: there is no function. */
bool pci_identify(struct pci_fn *f);

/**
 * pci_scan() - visit every function of all 256 buses
 * @visit:	return false to end the scan
 */
void pci_scan(bool (*visit)(const struct pci_fn *f, void *arg), void *arg);

/**
 * pci_bar_read() - where a BAR is and how large
 * @index:	0..5
 *
 * To learn the size decoding is off for a moment and the BAR is written to and
 * put back: nothing else may use the function meanwhile.
 *
 * Return: false: no such BAR, or it is 0: firmware gave it no place.
 */
bool pci_bar_read(const struct pci_fn *f, unsigned int index,
		  struct pci_bar *bar);

/**
 * pci_wake() - power state D0
 *
 * Waits the 10 ms that the specification gives a function that slept.
 */
void pci_wake(const struct pci_fn *f);

/* Sets bits of the command register: PCI_COMMAND_*. */
void pci_enable(const struct pci_fn *f, u16 bits);

#endif /* X86_PCI_H */
