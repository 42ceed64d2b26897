/* SPDX-License-Identifier: MIT */
/*
 * UARTs among the PCI functions: by class, by id, Intel's LPSS.
 *
 * Ids and layouts are those of the makers' data sheets, as far as Xen and Linux
 * have them in use.
 */
#include <asm/io.h>
#include "arch/x86/device_map.h"
#include "arch/x86/pci.h"
#include "arch/x86/serial.h"
#include "lib/err.h"

#define CLASS_SERIAL	0x0700
#define CLASS_MULTIPORT	0x0702

#define VENDOR_INTEL	0x8086
#define PORT_BYTES	8	/* I/O ports of a UART */
#define MAX_PORTS	8

/* A card whose clock or layout is not that of a PC's port. */
struct card {
	u16 vendor, device;
	u8 nr_ports;
	u16 first, spacing;	/* bytes in BAR 0 */
	u8 shift;
	u32 clock;
};

#define OXFORD(id, nr)	{ 0x1415, id, nr, 0x1000, 0x200, 0, 62500000 }
#define PERICOM(id, nr)	{ 0x12d8, id, nr, 0, 8, 0, 14745600 }
#define EXAR_PCI(id, nr)	{ 0x13a8, id, nr, 0, 0x200, 0, 14745600 }
#define EXAR_PCIE(id, nr)	{ 0x13a8, id, nr, 0, 0x400, 0, 125000000 }

static const struct card cards[] = {
	OXFORD(0xc11b, 1), OXFORD(0xc11f, 1), OXFORD(0xc138, 1),
	OXFORD(0xc13d, 1), OXFORD(0xc158, 2), OXFORD(0xc15d, 2),
	OXFORD(0xc208, 4), OXFORD(0xc20d, 4), OXFORD(0xc308, 8),
	OXFORD(0xc30d, 8), OXFORD(0xc40b, 1), OXFORD(0xc40f, 1),
	OXFORD(0xc41b, 1), OXFORD(0xc41f, 1), OXFORD(0xc42b, 1),
	OXFORD(0xc42f, 1), OXFORD(0xc43b, 1), OXFORD(0xc43f, 1),
	OXFORD(0xc44b, 1), OXFORD(0xc44f, 1), OXFORD(0xc45b, 1),
	OXFORD(0xc45f, 1), OXFORD(0xc46b, 1), OXFORD(0xc46f, 1),
	OXFORD(0xc47b, 1), OXFORD(0xc47f, 1), OXFORD(0xc48b, 1),
	OXFORD(0xc48f, 1), OXFORD(0xc49b, 1), OXFORD(0xc49f, 1),
	OXFORD(0xc4ab, 1), OXFORD(0xc4af, 1), OXFORD(0xc4bb, 1),
	OXFORD(0xc4bf, 1), OXFORD(0xc4cb, 1), OXFORD(0xc4cf, 1),
	PERICOM(0x7951, 1), PERICOM(0x7952, 2), PERICOM(0x7954, 4),
	PERICOM(0x7958, 8),
	EXAR_PCI(0x0152, 2), EXAR_PCI(0x0154, 4), EXAR_PCI(0x0158, 8),
	EXAR_PCIE(0x0352, 2), EXAR_PCIE(0x0354, 4), EXAR_PCIE(0x0358, 8),
	{ 0x14e4, 0x160a, 1, 0, 0, 2, 0 },	/* Broadcom TruManage */
	{ 0x1c00, 0x3250, 1, 0xc0, 8, 0, UART_CLOCK_PC },	/* WCH CH382 */
	{ 0x1c00, 0x3253, 2, 0xc0, 8, 0, UART_CLOCK_PC },
	{ 0x1c00, 0x3470, 4, 0xc0, 8, 0, UART_CLOCK_PC },	/* CH384 */
	{ 0x1c00, 0x3853, 8, 0x00, 8, 0, UART_CLOCK_PC },
};

/* The KT function of Intel's management engine: Serial over LAN. */
static const u16 kt_ids[] = {
	0x02e3, 0x06e3, 0x19d5, 0x1c3d, 0x1d3d, 0x1e3d, 0x3b67, 0x43e3, 0x51e3,
	0x7773, 0x7a6b, 0x7aeb, 0x7e73, 0x7f6b, 0x8c3d, 0x8cbd, 0x8d3d, 0x9c3d,
	0x9cbd, 0x9d3d, 0x9de3, 0xa0e3, 0xa13d, 0xa1bd, 0xa23d, 0xa2bd, 0xa363,
	0xa3bd, 0xa873, 0xe373, 0xe473,
};

static const u16 lpss_ids[] = {
	0x02a8, 0x02a9, 0x02c7, 0x06a8, 0x06a9, 0x06c7, 0x31bc, 0x31be, 0x31c0,
	0x31ee, 0x43a7, 0x43a8, 0x43a9, 0x43da, 0x4b28, 0x4b29, 0x4b4d, 0x4d25,
	0x4d26, 0x4d52, 0x4da8, 0x4da9, 0x4dc7, 0x51a8, 0x51a9, 0x51c7, 0x51da,
	0x51db, 0x51dc, 0x51dd, 0x54a8, 0x54a9, 0x54c7, 0x54da, 0x5abc, 0x5abe,
	0x5ac0, 0x5aee, 0x7725, 0x7726, 0x7752, 0x7a28, 0x7a29, 0x7a5c, 0x7a7e,
	0x7aa8, 0x7aa9, 0x7adc, 0x7add, 0x7ade, 0x7adf, 0x7afe, 0x7e25, 0x7e26,
	0x7e52, 0x7f28, 0x7f29, 0x7f5c, 0x7f5d, 0x9d27, 0x9d28, 0x9d66, 0x9da8,
	0x9da9, 0x9dc7, 0xa0a8, 0xa0a9, 0xa0c7, 0xa127, 0xa128, 0xa166, 0xa2a7,
	0xa2a8, 0xa2e6, 0xa328, 0xa329, 0xa347, 0xa825, 0xa826, 0xa852, 0xd325,
	0xd326, 0xd352, 0xe325, 0xe326, 0xe352, 0xe425, 0xe426, 0xe452,
};

/* Haswell and Broadwell: the private registers lie elsewhere. */
static const u16 lpss_old_ids[] = { 0x9c63, 0x9c64, 0x9ce3, 0x9ce4 };

#define LPSS_BYTES	0x1000
#define LPSS_PRIVATE	0x200
#define LPSS_PRIVATE_OLD	0x800
#define LPSS_CLOCK	0x0	/* from the private registers */
#define LPSS_CLOCK_ON	0x1u
#define LPSS_RESET	0x4
#define LPSS_RELEASED	0x3u	/* both of these bits */
#define LPSS_POWER	0x84	/* configuration space */
#define LPSS_POWER_STATE	0x3u
#define LPSS_FIFO	64

struct scan {
	int (*add)(const struct uart_desc *desc, unsigned int how);
};

static bool is_one_of(u16 id, const u16 *ids, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static const struct card *find_card(const struct pci_fn *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(cards); i++)
		if (cards[i].vendor == f->vendor &&
		    cards[i].device == f->device)
			return &cards[i];
	return NULL;
}

static void set_name(struct uart_desc *d, const char *what,
		     const struct pci_fn *f)
{
	scnprintf(d->name, sizeof(d->name), "%s %02x:%02x.%u", what, f->bus,
		  f->dev, f->fn);
}

static void say_skip(const struct pci_fn *f, const char *why)
{
	printk("console: UART %04x:%04x at PCI %02x:%02x.%u: %s: skipped\n",
	       f->vendor, f->device, f->bus, f->dev, f->fn, why);
}

/* ---- cards ---- */

/* Return: false: nothing there to be used, and it is said why. */
static bool open_bar(const struct pci_fn *f, struct pci_bar *bar)
{
	pci_wake(f);
	if (!pci_bar_read(f, 0, bar)) {
		say_skip(f, "firmware gave it no address");
		return false;
	}
	pci_enable(f, bar->io ? PCI_COMMAND_IO : PCI_COMMAND_MEMORY);
	return true;
}

static void card_ports(const struct scan *scan, const struct pci_fn *f,
		       const struct card *card, const struct pci_bar *bar)
{
	for (unsigned int i = 0; i < card->nr_ports; i++) {
		u64 off = card->first + (u64)i * card->spacing;
		struct uart_desc d = {
			.access = {
				.space = bar->io ? UART_IO : UART_MMIO,
				.base = bar->base + off,
				.shift = card->shift,
				.width = 1,
				.clock = card->clock,
			},
			/* The divisor left there is for firmware's clock. */
			.baud = card->clock ? UART_BAUD : 0,
		};

		if (off + ((u64)UART_REGS << card->shift) > bar->size) {
			say_skip(f, "its address range is too small");
			return;
		}
		set_name(&d, "PCI", f);
		if (card->nr_ports > 1)
			scnprintf(d.name, sizeof(d.name),
				  "PCI %02x:%02x.%u/%u", f->bus, f->dev, f->fn,
				  i);
		scan->add(&d, 0);
	}
}

/* No layout is known: PC ports one after the other. */
static void class_ports(const struct scan *scan, const struct pci_fn *f,
			const struct pci_bar *bar)
{
	struct card card = {
		.nr_ports = 1, .spacing = PORT_BYTES, .clock = UART_CLOCK_PC,
	};
	struct uart_desc d = {
		.access = {
			.space = UART_MMIO, .base = bar->base, .shift = 2,
			.width = 4,
		},
	};

	if (bar->io) {
		u64 nr = bar->size / PORT_BYTES;

		card.nr_ports = (u8)min(max(nr, (u64)1), (u64)MAX_PORTS);
		card_ports(scan, f, &card, bar);
		return;
	}
	/* In memory the registers are 32 bits wide more often than not. */
	set_name(&d, "PCI", f);
	if (bar->size < UART_REGS << 2 ||
	    scan->add(&d, SERIAL_QUIET) == -ENODEV)
		card_ports(scan, f, &card, bar);
}

static void kt_port(const struct scan *scan, const struct pci_fn *f,
		    const struct pci_bar *bar)
{
	struct uart_desc d = {
		.access = {
			.space = bar->io ? UART_IO : UART_MMIO,
			.base = bar->base, .width = 1, .clock = UART_CLOCK_PC,
		},
		/* Registers read as 0 while the engine starts anew. */
		.flags = UART_KEEP | UART_SLEEPS,
	};

	set_name(&d, "AMT", f);
	scan->add(&d, 0);
}

/* ---- LPSS ---- */

/* Starting one would drive pins that the board may use otherwise. */
static const char *lpss_not_started(const u8 *regs, unsigned int private)
{
	u32 reset = readl(regs + private + LPSS_RESET);

	if (reset == 0xffffffffu ||
	    (reset & LPSS_RELEASED) != LPSS_RELEASED)
		return "firmware left it in reset";
	if (!(readl(regs + private + LPSS_CLOCK) & LPSS_CLOCK_ON))
		return "firmware left it without a clock";
	return NULL;
}

static void lpss_port(const struct scan *scan, const struct pci_fn *f,
		      unsigned int private)
{
	struct uart_desc d = {
		.access = { .space = UART_MMIO, .shift = 2, .width = 4 },
		.flags = UART_KEEP,
		.fifo = LPSS_FIFO,
	};
	struct pci_bar bar;
	const char *why;
	u8 *regs;

	if (pci_read32(f, LPSS_POWER) & LPSS_POWER_STATE) {
		say_skip(f, "firmware left it without power");
		return;
	}
	if (!pci_bar_read(f, 0, &bar) || bar.io || bar.size < LPSS_BYTES) {
		say_skip(f, "firmware gave it no address");
		return;
	}
	pci_enable(f, PCI_COMMAND_MEMORY);
	regs = device_map(bar.base, LPSS_BYTES);
	why = regs ? lpss_not_started(regs, private) : "no address of registers";
	if (why) {
		say_skip(f, why);
		return;
	}
	d.access.base = bar.base;
	d.access.regs = regs;
	set_name(&d, "LPSS", f);
	scan->add(&d, 0);
}

/* ---- scan ---- */

static bool visit(const struct pci_fn *f, void *arg)
{
	const struct card *card = find_card(f);
	u32 class = f->class >> 8;
	struct pci_bar bar;

	if (f->vendor == VENDOR_INTEL &&
	    is_one_of(f->device, lpss_ids, ARRAY_SIZE(lpss_ids))) {
		lpss_port(arg, f, LPSS_PRIVATE);
		return true;
	}
	if (f->vendor == VENDOR_INTEL &&
	    is_one_of(f->device, lpss_old_ids, ARRAY_SIZE(lpss_old_ids))) {
		lpss_port(arg, f, LPSS_PRIVATE_OLD);
		return true;
	}
	if (!card && class != CLASS_SERIAL && class != CLASS_MULTIPORT)
		return true;
	if (!open_bar(f, &bar))
		return true;
	if (card)
		card_ports(arg, f, card, &bar);
	else if (f->vendor == VENDOR_INTEL &&
		 (is_one_of(f->device, kt_ids, ARRAY_SIZE(kt_ids)) ||
		  (f->dev == 0x16 && f->fn == 3)))
		kt_port(arg, f, &bar);
	else
		class_ports(arg, f, &bar);
	return true;
}

void serial_pci_scan(int (*add)(const struct uart_desc *desc,
				unsigned int how))
{
	struct scan scan = { .add = add };

	pci_scan(visit, &scan);
}
