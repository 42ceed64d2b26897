/* SPDX-License-Identifier: MIT */
/*
 * The text of the options serial= and dump=.
 */
#include "arch/x86/serial_option.h"

#include "lib/err.h"
#include "lib/printk.h"
#include "lib/string.h"

#define BAUD_MIN	50
#define BAUD_MAX	4000000
#define CLOCK_MIN	100000
#define IO_MAX		(0xffff - UART_REGS + 1)
#define MMIO_MAX	((1ULL << 52) - 0x1000)

static const u16 com_ports[] = { 0x3f8, 0x2f8, 0x3e8, 0x2e8 };

struct uart_desc serial_com(unsigned int n)
{
	struct uart_desc d = {
		.access = {
			.space = UART_IO, .base = com_ports[n], .width = 1,
			.clock = UART_CLOCK_PC,
		},
	};

	scnprintf(d.name, sizeof(d.name), "COM%u", n + 1);
	return d;
}

/* What is still to be read. */
struct cursor {
	const char *text;
	size_t pos;
};

static bool take(struct cursor *c, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(c->text + c->pos, word, n))
		return false;
	c->pos += n;
	return true;
}

static int digit(char c, unsigned int base)
{
	int v = c >= '0' && c <= '9' ? c - '0' :
		c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;

	return v < (int)base ? v : -1;
}

/* Return: false: no digit, or out of range; then the cursor is at its start. */
static bool take_number(struct cursor *c, unsigned int base, u64 low, u64 high,
			u64 *val)
{
	size_t start = c->pos;

	*val = 0;
	for (; digit(c->text[c->pos], base) >= 0; c->pos++) {
		*val = *val * base + (u64)digit(c->text[c->pos], base);
		if (*val > high) {
			c->pos = start;
			return false;
		}
	}
	if (c->pos > start && *val >= low)
		return true;
	c->pos = start;
	return false;
}

static const char *take_address(struct cursor *c, struct uart_desc *d,
				enum uart_space space, u8 shift)
{
	u64 max_base = space == UART_IO ? IO_MAX : MMIO_MAX;

	take(c, "0x");
	if (!take_number(c, 16, 1, max_base, &d->access.base))
		return "a hexadecimal address is expected";
	d->access.space = space;
	d->access.shift = shift;
	d->access.width = (u8)(1u << shift);
	if (space == UART_IO)
		d->access.clock = UART_CLOCK_PC;
	scnprintf(d->name, sizeof(d->name), "serial");
	return NULL;
}

static const char *take_place(struct cursor *c, struct uart_desc *d)
{
	u64 n;

	if (take(c, "io:"))
		return take_address(c, d, UART_IO, 0);
	if (take(c, "mmio:"))
		return take_address(c, d, UART_MMIO, 0);
	if (take(c, "mmio16:"))
		return take_address(c, d, UART_MMIO, 1);
	if (take(c, "mmio32:"))
		return take_address(c, d, UART_MMIO, 2);
	if (!take(c, "com"))
		return "none, auto, comN, io:, mmio:, mmio16: or mmio32: is expected";
	if (!take_number(c, 10, 1, ARRAY_SIZE(com_ports), &n))
		return "a number from 1 to 4 is expected";
	*d = serial_com((unsigned int)n - 1);
	return NULL;
}

static const char *parse(struct cursor *c, struct serial_option *opt)
{
	const char *why;
	u64 n;

	if (take(c, "none") || take(c, "auto")) {
		opt->mode = c->text[0] == 'n' ? SERIAL_NONE : SERIAL_AUTO;
		return NULL;
	}
	why = take_place(c, &opt->desc);
	if (why)
		return why;
	opt->mode = SERIAL_PLACE;
	if (!take(c, ","))
		return NULL;
	if (take(c, "0"))
		n = 0;
	else if (!take_number(c, 10, BAUD_MIN, BAUD_MAX, &n))
		return "a baud rate, 0 or 50 to 4000000, is expected";
	opt->desc.baud = (u32)n;
	if (!take(c, ","))
		return NULL;
	if (!take_number(c, 10, CLOCK_MIN, 0xffffffffu, &n))
		return "a clock of at least 100000 Hz is expected";
	opt->desc.access.clock = (u32)n;
	return NULL;
}

int serial_option_parse(const char *text, struct serial_option *opt)
{
	struct cursor c = { .text = text };

	memset(opt, 0, sizeof(*opt));
	opt->why = parse(&c, opt);
	if (!opt->why && text[c.pos])
		opt->why = "a comma or the end is expected";
	if (!opt->why)
		return 0;
	opt->bad_pos = c.pos;
	opt->mode = SERIAL_AUTO;
	return -EINVAL;
}
