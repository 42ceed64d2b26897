/* SPDX-License-Identifier: MIT */
/*
 * For host tests: the registers of a UART, healthy or not.
 *
 * An access that does not fit shift and width ends the test.
 */
#ifndef TESTS_UNIT_FAKE_UART_H
#define TESTS_UNIT_FAKE_UART_H

#include <string.h>
#include "arch/x86/uart.h"

enum fake_mode {
	FAKE_HEALTHY,
	FAKE_ONES,		/* nothing there */
	FAKE_ZEROES,		/* held in reset */
	FAKE_STUCK,		/* never empty */
	FAKE_SLOW,		/* empty after some looks */
	FAKE_MEMORY,		/* eight bytes of RAM */
};

struct fake_uart {
	struct uart_access access;
	enum fake_mode mode;
	bool no_scr;		/* an 8250 */
	bool no_dlab;		/* something else than a UART */
	u8 iir_fifo;		/* 0xc0: 16550A */
	u8 reg[8];
	u8 dll, dlm, fcr;
	unsigned int looks;	/* at LSR since the last byte */
	unsigned int slow;	/* looks until it is empty */
	unsigned int in_fifo;
	unsigned int most_in_fifo;
	unsigned int nr_writes;	/* of any register */
	size_t n;
	char out[8192];
};

static inline struct fake_uart *fake_of(const struct uart_access *a)
{
	/* Found by its base: the driver keeps a copy of the access. */
	return (struct fake_uart *)(uintptr_t)a->base;
}

static inline unsigned int fake_reg(const struct uart_access *a,
				    unsigned int off)
{
	const struct uart_access *want = &fake_of(a)->access;

	assert_int_equal(a->width, want->width);
	assert_int_equal(off & ((1u << want->shift) - 1), 0);
	assert_true(off >> want->shift < 8);
	return off >> want->shift;
}

static inline u8 fake_lsr(struct fake_uart *f)
{
	f->looks++;
	if (f->mode == FAKE_STUCK || (f->mode == FAKE_SLOW &&
				      f->looks < f->slow))
		return 0;
	f->in_fifo = 0;
	return 0x60;
}

static inline u8 fake_msr(const struct fake_uart *f)
{
	u8 mcr = f->reg[4];

	if (!(mcr & 0x10))
		return 0xb0;
	return (u8)((mcr & 8) << 4 | (mcr & 4) << 4 | (mcr & 2) << 3 |
		    (mcr & 1) << 5);
}

static inline u32 fake_read(const struct uart_access *a, unsigned int off)
{
	struct fake_uart *f = fake_of(a);
	unsigned int reg = fake_reg(a, off);
	bool dlab = f->reg[3] & 0x80;
	/* What a wider access finds besides the register is anything. */
	u32 rest = a->width > 1 ? 0xa5 << 8 : 0;

	if (f->mode == FAKE_ONES)
		return 0xffffffffu;
	if (f->mode == FAKE_ZEROES)
		return 0;
	if (f->mode == FAKE_MEMORY)
		return f->reg[reg];
	switch (reg) {
	case 0: return rest | (dlab ? f->dll : 0);
	case 1: return rest | (dlab ? f->dlm : f->reg[1]);
	case 2: return rest | 1 | (f->fcr & 1 ? f->iir_fifo : 0);
	case 5: return rest | fake_lsr(f);
	case 6: return rest | fake_msr(f);
	case 7: return rest | (f->no_scr ? 0xff : f->reg[7]);
	default: return rest | f->reg[reg];
	}
}

static inline void fake_write(const struct uart_access *a, unsigned int off,
			      u32 val)
{
	struct fake_uart *f = fake_of(a);
	unsigned int reg = fake_reg(a, off);
	bool dlab = f->reg[3] & 0x80;

	f->nr_writes++;
	if (f->mode == FAKE_ONES || f->mode == FAKE_ZEROES)
		return;
	if (f->mode == FAKE_MEMORY) {
		f->reg[reg] = (u8)val;
	} else if (reg == 0 && dlab) {
		f->dll = (u8)val;
	} else if (reg == 1 && dlab) {
		f->dlm = (u8)val;
	} else if (reg == 1) {
		f->reg[1] = val & 0x0f;
	} else if (reg == 2) {
		f->fcr = (u8)val;
	} else if (reg != 0) {
		f->reg[reg] = (u8)(reg == 3 && f->no_dlab ? val & 0x7f : val);
	} else if (!(f->reg[4] & 0x10)) {
		assert_true(f->n < sizeof(f->out) - 1);
		f->out[f->n++] = (char)val;
		f->out[f->n] = '\0';
		f->looks = 0;
		f->in_fifo++;
		f->most_in_fifo = max(f->most_in_fifo, f->in_fifo);
	}
}

static const struct uart_ops fake_ops = {
	.read = fake_read,
	.write = fake_write,
};

/* A healthy 16550A at 9600 baud, as firmware may leave one. */
static inline void fake_init(struct fake_uart *f, u8 shift, u8 width)
{
	memset(f, 0, sizeof(*f));
	f->access = (struct uart_access){
		.ops = &fake_ops, .space = UART_IO, .base = (uintptr_t)f,
		.shift = shift, .width = width, .clock = UART_CLOCK_PC,
	};
	f->iir_fifo = 0xc0;
	f->reg[3] = 0x03;
	f->dll = 12;
}

#endif /* TESTS_UNIT_FAKE_UART_H */
