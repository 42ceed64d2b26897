/* SPDX-License-Identifier: MIT */
/*
 * Serial ports that firmware tells of: SPCR and DBG2.
 *
 * Pure functions over hostile bytes; what they skip they say with its offset.
 * Sources: Microsoft "Serial Port Console Redirection Table (SPCR)" and
 * "Microsoft Debug Port Table 2 (DBG2)"; ACPI specification, "Generic Address
 * Structure".
 */
#ifndef X86_SERIAL_TABLE_H
#define X86_SERIAL_TABLE_H

#include "arch/x86/acpi.h"
#include "arch/x86/uart.h"

/* Where a port is and how it wants to be driven; access.ops is not set. */
struct uart_desc {
	char name[24];
	struct uart_access access;
	u32 baud;		/* 0: keep what firmware set */
	unsigned int flags;	/* UART_* */
	u8 fifo;		/* bytes; 0: as the FIFO says */
	bool is_pci;		/* then the function: */
	u8 bus, dev, fn;
	u16 vendor, device;
};

#define TABLE_MAX_PORTS	8

/* What a table gave. */
struct serial_table {
	unsigned int nr;
	struct uart_desc port[TABLE_MAX_PORTS];
	unsigned int nr_skipped;
	/* Of the first thing skipped: where in the table, why. */
	size_t bad_offset;
	const char *why;
};

/**
 * spcr_parse() - the one port of an SPCR
 * @out:	filled in: 0 or 1 port
 *
 * All revisions. A table with a bad check sum is not believed.
 */
void spcr_parse(const struct acpi_table *table, struct serial_table *out);

/* The serial ports (type 8000h) of a DBG2. */
void dbg2_parse(const struct acpi_table *table, struct serial_table *out);

#endif /* X86_SERIAL_TABLE_H */
