/* SPDX-License-Identifier: MIT */
/*
 * Serial ports that firmware tells of: SPCR and DBG2.
 */
#include "arch/x86/serial_table.h"

#include "lib/printk.h"
#include "lib/string.h"

enum {
	SPCR_TYPE = 36,
	SPCR_GAS = 40,
	SPCR_BAUD = 58,
	SPCR_PCI_DEVICE = 64,
	SPCR_PCI_VENDOR = 66,
	SPCR_PCI_BUS = 68,
	SPCR_PCI_DEV = 69,
	SPCR_PCI_FN = 70,
	SPCR_PCI_SEGMENT = 75,
	SPCR_CLOCK = 76,
	SPCR_SIZE = 80,			/* of revisions 1 to 3 */
	SPCR_PRECISE_BAUD = 80,		/* from revision 4 */
};

#define SPCR_REV_CLOCK		3
#define SPCR_REV_PRECISE	4
#define SPCR_NO_PCI		0xffffu
#define TABLE_REVISION		8

enum {
	DBG2_FIRST = 36,
	DBG2_COUNT = 40,
	DBG2_HEADER = 44,
	/* from the start of a device */
	DBG2_DEV_LENGTH = 1,
	DBG2_DEV_REGS = 3,
	DBG2_DEV_TYPE = 12,
	DBG2_DEV_SUBTYPE = 14,
	DBG2_DEV_GAS_OFF = 18,
	DBG2_DEV_SIZE = 22,
};

#define DBG2_SERIAL	0x8000u

/* Interface types of both tables; SPCR revision 1 has the first two. */
enum {
	TYPE_16550 = 0x00,
	TYPE_16550_SUBSET = 0x01,
	TYPE_16550_NVIDIA = 0x05,
	TYPE_16550_GAS = 0x12,
	TYPE_LPSS = 0x14,
};

#define LPSS_FIFO	64

static void skip(struct serial_table *out, size_t off, const char *why)
{
	if (!out->nr_skipped++) {
		out->bad_offset = off;
		out->why = why;
	}
}

static bool is_16550(unsigned int type)
{
	return type == TYPE_16550 || type == TYPE_16550_SUBSET ||
	       type == TYPE_16550_NVIDIA || type == TYPE_16550_GAS ||
	       type == TYPE_LPSS;
}

/* ---- Generic Address Structure ---- */

/*
 * Bytes from one register to the next: type 12h says it in the width, the
 * others only when all is 32 bits wide. Widths of 0 are old tables' bytes.
 */
static bool set_io(struct uart_access *a, const struct acpi_gas *gas,
		   unsigned int type)
{
	bool wide = type == TYPE_16550_GAS;

	if (gas->address > 0xffff - 8 * 4)
		return false;
	a->space = UART_IO;
	a->shift = wide && gas->bit_width == 32 ? 2 :
		   wide && gas->bit_width == 16 ? 1 : 0;
	a->width = 1;
	return true;
}

static bool set_mmio(struct uart_access *a, const struct acpi_gas *gas,
		     unsigned int type)
{
	unsigned int bits = gas->bit_width ? gas->bit_width : 8;

	if (type == TYPE_LPSS || (type != TYPE_16550_GAS && gas->access == 3))
		bits = 32;
	else if (type != TYPE_16550_GAS && gas->access == 2 && bits < 16)
		bits = 16;
	if ((bits != 8 && bits != 16 && bits != 32) || gas->access > 3)
		return false;
	a->space = UART_MMIO;
	a->shift = bits == 32 ? 2 : bits == 16 ? 1 : 0;
	a->width = gas->access ? (u8)(1u << (gas->access - 1)) :
		   (u8)(bits / 8);
	if (type == TYPE_LPSS)
		a->width = 4;
	/* A wide access must not reach the next register, or be unaligned. */
	return a->width <= 1u << a->shift && !(gas->address % a->width);
}

static const char *set_access(struct uart_desc *d, const struct acpi_gas *gas,
			      unsigned int type)
{
	bool good;

	d->access.base = gas->address;
	if (!gas->address)
		return "the address is 0: switched off";
	if (gas->address + 0x1000 < gas->address)
		return "the address is no address";
	if (gas->space == ACPI_SPACE_IO)
		good = set_io(&d->access, gas, type);
	else if (gas->space == ACPI_SPACE_MEMORY)
		good = set_mmio(&d->access, gas, type);
	else
		return "neither memory nor I/O space";
	if (type == TYPE_LPSS) {
		d->fifo = LPSS_FIFO;
		d->flags |= UART_KEEP;
	}
	return good ? NULL : "no such access width or address";
}

/* ---- SPCR ---- */

/* Return: false: a code without a meaning. */
static bool spcr_baud(const struct acpi_table *t, struct uart_desc *d)
{
	static const struct {
		u8 code;
		u32 baud;
	} codes[] = {
		{ 0, 0 }, { 3, 9600 }, { 4, 19200 }, { 6, 57600 },
		{ 7, 115200 },
	};
	u32 precise = acpi_u8(t, TABLE_REVISION) >= SPCR_REV_PRECISE ?
		      acpi_u32(t, SPCR_PRECISE_BAUD) : 0;

	d->baud = precise;
	if (precise)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		if (codes[i].code != acpi_u8(t, SPCR_BAUD))
			continue;
		d->baud = codes[i].baud;
		return true;
	}
	return false;
}

static void spcr_clock(const struct acpi_table *t, struct uart_desc *d)
{
	u32 hz = acpi_u8(t, TABLE_REVISION) >= SPCR_REV_CLOCK ?
		 acpi_u32(t, SPCR_CLOCK) : 0;

	if (hz >= 16 * 9600)
		d->access.clock = hz;
	else if (d->access.space == UART_IO)
		d->access.clock = UART_CLOCK_PC;
}

static void spcr_pci(const struct acpi_table *t, struct uart_desc *d)
{
	d->device = acpi_u16(t, SPCR_PCI_DEVICE);
	d->vendor = acpi_u16(t, SPCR_PCI_VENDOR);
	d->bus = acpi_u8(t, SPCR_PCI_BUS);
	d->dev = acpi_u8(t, SPCR_PCI_DEV) & 31;
	d->fn = acpi_u8(t, SPCR_PCI_FN) & 7;
	/* Some firmware leaves zeroes where FFFF is meant. */
	d->is_pci = d->device != SPCR_NO_PCI && d->vendor != SPCR_NO_PCI &&
		    d->vendor && !acpi_u8(t, SPCR_PCI_SEGMENT);
}

/* Return: false: not to be read at all, and why is noted. */
static bool table_usable(const struct acpi_table *t, const char *sig,
			 size_t size, struct serial_table *out)
{
	memset(out, 0, sizeof(*out));
	if (t->size < size)
		skip(out, t->size, "the table is too short");
	else if (memcmp(t->data, sig, 4))
		skip(out, 0, "not the table's signature");
	else if (!t->sum_good)
		skip(out, 9, "the check sum is bad");
	return !out->nr_skipped;
}

void spcr_parse(const struct acpi_table *t, struct serial_table *out)
{
	struct uart_desc *d = &out->port[0];
	struct acpi_gas gas;
	const char *why;

	if (!table_usable(t, "SPCR", SPCR_SIZE, out))
		return;
	if (!is_16550(acpi_u8(t, SPCR_TYPE))) {
		skip(out, SPCR_TYPE, "no UART of the 16550 family");
		return;
	}
	acpi_gas(t, SPCR_GAS, &gas);
	why = set_access(d, &gas, acpi_u8(t, SPCR_TYPE));
	if (why) {
		skip(out, SPCR_GAS, why);
		return;
	}
	if (!spcr_baud(t, d))
		skip(out, SPCR_BAUD, "no such baud rate: the one set is kept");
	if (!d->baud)
		d->flags |= UART_KEEP;
	spcr_clock(t, d);
	spcr_pci(t, d);
	scnprintf(d->name, sizeof(d->name), "SPCR");
	out->nr = 1;
}

/* ---- DBG2 ---- */

/* @dev: the bytes of one device, @off: where they are in the table. */
static void dbg2_device(const struct acpi_table *dev, size_t off,
			struct serial_table *out)
{
	struct uart_desc *d = &out->port[out->nr];
	unsigned int type = acpi_u16(dev, DBG2_DEV_SUBTYPE);
	struct acpi_gas gas;
	const char *why;

	if (acpi_u16(dev, DBG2_DEV_TYPE) != DBG2_SERIAL)
		return;		/* USB, network, ...: not ours, not wrong */
	if (!is_16550(type)) {
		skip(out, off + DBG2_DEV_SUBTYPE,
		     "no UART of the 16550 family");
		return;
	}
	if (!acpi_u8(dev, DBG2_DEV_REGS) ||
	    !acpi_gas(dev, acpi_u16(dev, DBG2_DEV_GAS_OFF), &gas)) {
		skip(out, off + DBG2_DEV_GAS_OFF,
		     "no address within the device");
		return;
	}
	if (out->nr == TABLE_MAX_PORTS) {
		skip(out, off, "too many ports");
		return;
	}
	memset(d, 0, sizeof(*d));
	why = set_access(d, &gas, type);
	if (why) {
		skip(out, off + acpi_u16(dev, DBG2_DEV_GAS_OFF), why);
		return;
	}
	if (d->access.space == UART_IO)
		d->access.clock = UART_CLOCK_PC;
	d->flags |= UART_KEEP;
	scnprintf(d->name, sizeof(d->name), "DBG2.%u", out->nr);
	out->nr++;
}

void dbg2_parse(const struct acpi_table *t, struct serial_table *out)
{
	size_t pos;
	u32 count;

	if (!table_usable(t, "DBG2", DBG2_HEADER, out))
		return;
	pos = acpi_u32(t, DBG2_FIRST);
	count = acpi_u32(t, DBG2_COUNT);
	for (u32 i = 0; i < count; i++) {
		struct acpi_table dev = { .sum_good = true };

		/* What follows a bad length cannot be found any more. */
		if (pos < DBG2_HEADER || pos >= t->size ||
		    t->size - pos < DBG2_DEV_SIZE) {
			skip(out, pos, "a device past the table's end");
			return;
		}
		dev.data = t->data + pos;
		dev.size = acpi_u16(t, pos + DBG2_DEV_LENGTH);
		if (dev.size < DBG2_DEV_SIZE || dev.size > t->size - pos) {
			skip(out, pos + DBG2_DEV_LENGTH,
			     "no such length of a device");
			return;
		}
		dbg2_device(&dev, pos, out);
		pos += dev.size;
	}
}
