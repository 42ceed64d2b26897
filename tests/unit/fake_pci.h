/* SPDX-License-Identifier: MIT */
/*
 * For host tests: a configuration space of functions that the test made up.
 */
#ifndef TESTS_UNIT_FAKE_PCI_H
#define TESTS_UNIT_FAKE_PCI_H

#include <string.h>
#include "arch/x86/pci.h"

#define MAX_FN	16

struct function {
	u8 bus, dev, fn;
	u32 reg[64];
	u32 size[PCI_BARS];	/* writable bits of each BAR */
	bool decoding_off;	/* seen while a BAR was sized */
};

static struct function functions[MAX_FN];
static unsigned int nr_functions;
static u64 nr_reads;

static inline struct function *find(const struct pci_fn *f)
{
	for (unsigned int i = 0; i < nr_functions; i++)
		if (functions[i].bus == f->bus && functions[i].dev == f->dev &&
		    functions[i].fn == f->fn)
			return &functions[i];
	return NULL;
}

static inline u32 space_read(const struct pci_fn *f, unsigned int off)
{
	struct function *fn = find(f);

	nr_reads++;
	assert_true(off < 256 && off % 4 == 0);
	return fn ? fn->reg[off / 4] : 0xffffffffu;
}

static inline void bar_write(struct function *fn, unsigned int bar, u32 val)
{
	u32 *reg = &fn->reg[4 + bar];
	u32 kind = *reg & (*reg & 1 ? 3 : 15);

	if (val == 0xffffffffu)
		fn->decoding_off = !(fn->reg[1] & 3);
	if (fn->size[bar])
		*reg = (val & fn->size[bar]) | kind;
	else if (bar && fn->size[bar - 1])
		*reg = val;		/* upper half */
}

static inline void space_write(const struct pci_fn *f, unsigned int off, u32 val,
			unsigned int width)
{
	struct function *fn = find(f);

	assert_true(width == 2 || width == 4);
	assert_true(off % width == 0);
	if (!fn)
		return;
	if (off >= PCI_BAR0 && off < PCI_BAR0 + 4 * PCI_BARS) {
		bar_write(fn, (off - PCI_BAR0) / 4, val);
		return;
	}
	memcpy((u8 *)fn->reg + off, &val, width);
}

static const struct pci_ops space = {
	.read = space_read,
	.write = space_write,
};

static inline struct function *add_fn(u8 bus, u8 dev, u8 fn, u32 id, u32 class)
{
	struct function *f = &functions[nr_functions++];

	assert_true(nr_functions <= MAX_FN);
	f->bus = bus;
	f->dev = dev;
	f->fn = fn;
	f->reg[0] = id;		/* device << 16 | vendor */
	f->reg[2] = class << 8;
	return f;
}

static inline void set_bar(struct function *f, unsigned int bar, u32 val, u32 size)
{
	f->reg[4 + bar] = val;
	f->size[bar] = -size;
}

/* An empty space, and the way to it. */
static inline void space_init(void)
{
	memset(functions, 0, sizeof(functions));
	nr_functions = 0;
	nr_reads = 0;
	pci_set_ops(&space);
}

#endif /* TESTS_UNIT_FAKE_PCI_H */
