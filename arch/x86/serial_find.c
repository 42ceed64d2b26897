/* SPDX-License-Identifier: MIT */
/*
 * Where serial ports are looked for, and in which order.
 */
#include "arch/x86/device_map.h"
#include "arch/x86/pci.h"
#include "arch/x86/serial.h"
#include "arch/x86/serial_option.h"
#include "lib/cmdline.h"
#include "lib/err.h"

#define NR_COM	4

/* Owner: serial_init(). What the options said. */
static struct serial_option console_option;
static struct serial_option dump_option;

/* Return: false: no such option, or nothing that it can mean. */
static bool read_option(const char *name, struct serial_option *opt)
{
	char value[64];
	int err = cmdline_get(name, value, sizeof(value));

	if (err == -ENOENT)
		return false;
	if (err != -E2BIG && !serial_option_parse(value, opt))
		return true;
	cmdline_bad(name, value, err == -E2BIG ? sizeof(value) - 1 :
		    opt->bad_pos, err == -E2BIG ? "too long" : opt->why);
	opt->mode = SERIAL_AUTO;
	return false;
}

/* Return: false: an option of this space, and no port is there. */
static bool add_option(const struct serial_option *opt,
		       enum uart_space space, unsigned int how)
{
	int err = 0;

	if (opt->mode == SERIAL_PLACE && opt->desc.access.space == space)
		err = serial_add(&opt->desc, how);
	return !err || err == -EEXIST;
}

/* A wrong address must not leave the machine without a word. */
static void add_console(enum uart_space space)
{
	if (add_option(&console_option, space, 0))
		return;
	printk("option serial: no port there: all others are looked for\n");
	console_option.mode = SERIAL_AUTO;
}

static void add_com_ports(void)
{
	for (unsigned int i = 0; i < NR_COM; i++) {
		struct uart_desc com = serial_com(i);

		if (dump_option.mode == SERIAL_PLACE &&
		    dump_option.desc.access.base == com.access.base)
			continue;	/* taken, or looked for and not there */
		serial_add(&com, SERIAL_LOOP | SERIAL_QUIET);
	}
}

void serial_init(void)
{
	read_option("serial", &console_option);
	if (read_option("dump", &dump_option))
		add_option(&dump_option, UART_IO, SERIAL_DUMP);
	add_console(UART_IO);
	if (console_option.mode == SERIAL_AUTO)
		add_com_ports();
}

/* Firmware may have put the function to sleep, or moved it. */
static void wake(const struct uart_desc *d)
{
	struct pci_fn f = { .bus = d->bus, .dev = d->dev, .fn = d->fn };

	if (!d->is_pci)
		return;
	if (!pci_identify(&f) || f.vendor != d->vendor ||
	    f.device != d->device) {
		printk("console: %s names PCI %02x:%02x.%u as %04x:%04x, which is not there\n",
		       d->name, d->bus, d->dev, d->fn, d->vendor, d->device);
		return;
	}
	pci_wake(&f);
	pci_enable(&f, PCI_COMMAND_IO | PCI_COMMAND_MEMORY);
}

static void add_tables(const char *sig,
		       void (*parse)(const struct acpi_table *table,
				     struct serial_table *out))
{
	static struct serial_table out;	/* large for a stack */
	struct acpi_table table;

	for (unsigned int i = 0; acpi_find(sig, i, &table); i++) {
		parse(&table, &out);
		if (out.nr_skipped)
			printk("acpi: %s, offset %zu: %s; %u of its entries skipped\n",
			       sig, out.bad_offset, out.why, out.nr_skipped);
		for (unsigned int n = 0; n < out.nr; n++) {
			wake(&out.port[n]);
			serial_add(&out.port[n], 0);
		}
	}
}

void serial_find(const struct boot_info *bi)
{
	bool auto_before = console_option.mode == SERIAL_AUTO;
	bool pci;

	device_map_init(bi);
	pci = !pci_init();
	add_option(&dump_option, UART_MMIO, SERIAL_DUMP);
	add_console(UART_MMIO);
	if (console_option.mode != SERIAL_AUTO)
		return;
	/* The option has just proved wrong: their turn did not come yet. */
	if (!auto_before)
		add_com_ports();
	add_tables("SPCR", spcr_parse);
	add_tables("DBG2", dbg2_parse);
	if (pci)
		serial_pci_scan(serial_add);
}
