/* SPDX-License-Identifier: MIT */
/*
 * Serial ports: all that are found are consoles at once.
 *
 * Before any memory exists: what the option serial= names, or COM1 to COM4.
 * Later, when tables can be read and registers mapped: SPCR, DBG2, PCI. The same
 * port found twice is used once. The option dump= takes a port for dumps; no
 * other text goes there.
 */
#ifndef X86_SERIAL_H
#define X86_SERIAL_H

#include "arch/x86/console.h"
#include "arch/x86/serial_table.h"

#define SERIAL_MAX	8

struct boot_info;

/**
 * serial_init() - ports that need no memory and no tables
 *
 * Context: boot, after cmdline_init() and console_init().
 */
void serial_init(void);

/**
 * serial_find() - ports of SPCR, DBG2 and PCI, or the mapped one of serial=
 * @bi:	hand-over
 *
 * Context: boot, after paging_init() and acpi_init().
 */
void serial_find(const struct boot_info *bi);

/* How a port is taken into use. */
#define SERIAL_LOOP	0x1u	/* must loop back: the address is a guess */
#define SERIAL_DUMP	0x2u	/* for dumps: shows no text */
#define SERIAL_QUIET	0x4u	/* that it is not there is not worth a line */

/**
 * serial_add() - take a port into use
 * @desc:	what is known of it; access.ops and access.regs are set here
 *		where they are not
 * @how:	SERIAL_*
 *
 * Context: boot. Return: 0; -EEXIST: in use already, its baud rate is now
 * @desc's if that says one; -ENODEV: no UART answers; -ENOSPC: SERIAL_MAX are
 * in use; -EFAULT: its registers cannot be mapped. All but the first are said.
 */
int serial_add(const struct uart_desc *desc, unsigned int how);

/**
 * serial_pci_scan() - UARTs among the PCI functions
 * @add:	serial_add(), or a test's
 *
 * Class 07/00 and 07/02, cards that are known by their id, Intel LPSS UARTs
 * that firmware started.
 */
void serial_pci_scan(int (*add)(const struct uart_desc *desc,
				unsigned int how));

#endif /* X86_SERIAL_H */
