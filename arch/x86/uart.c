/* SPDX-License-Identifier: MIT */
/*
 * One UART of the 16550 family: found, set up, written to, in bounded time.
 */
#include "arch/x86/uart.h"

enum {
	UART_DATA = 0,		/* DLAB: DLL */
	UART_IER = 1,		/* DLAB: DLM */
	UART_IIR = 2,		/* read; written: FCR */
	UART_FCR = 2,
	UART_LCR = 3,
	UART_MCR = 4,
	UART_LSR = 5,
	UART_MSR = 6,
	UART_SCR = 7,
};

#define IER_ALL		0x0f	/* four sources; the rest reads as 0 */
#define IIR_FIFO	0xc0
#define IIR_FIFO_GOOD	0xc0	/* 16550A */
#define IIR_FIFO_BROKEN	0x80	/* 16550 */
#define FCR_ENABLE	0x07	/* FIFOs on and cleared */
#define LCR_8N1		0x03
#define LCR_DLAB	0x80
#define MCR_DTR_RTS	0x03	/* some remote consoles send only with both */
#define MCR_LOOP_TEST	0x1a	/* loop-back, OUT2, RTS ... */
#define MSR_LOOP_TEST	0x90	/* ... come back as DCD, CTS */
#define LSR_THRE	0x20	/* FIFO, or holding register, empty */
#define LSR_TEMT	0x40	/* and the last bit has gone */

#define FIFO_16550A	16
#define WAIT_READS	0xffff
#define WAIT_BYTE_US	2000
#define LATE_MAX	3
#define RETRY_NS	5000000000ULL

/* Owner: uart_set_clock(). */
static u64 (*clock_ns)(void);

void uart_set_clock(u64 (*now_ns)(void))
{
	clock_ns = now_ns;
}

static u8 reg_read(const struct uart *u, unsigned int reg)
{
	return (u8)u->access.ops->read(&u->access, reg << u->access.shift);
}

static void reg_write(const struct uart *u, unsigned int reg, u8 val)
{
	u->access.ops->write(&u->access, reg << u->access.shift, val);
}

/* ---- waits ---- */

/* Nothing on the bus reads as all ones. */
static bool lsr_has(const struct uart *u, u8 bit)
{
	u8 lsr = reg_read(u, UART_LSR);

	return lsr & bit && lsr != 0xff;
}

/*
 * What @bytes may take. Reads alone bound it before there is a clock, and a
 * clock that stands still.
 */
static bool wait_lsr(const struct uart *u, u8 bit, unsigned int bytes)
{
	u64 byte_us = u->baud ? 20000000 / u->baud : 0;
	u64 limit_ns = bytes * max(byte_us, (u64)WAIT_BYTE_US) * 1000;
	u64 start = clock_ns ? clock_ns() : 0;

	for (u64 reads = 0; reads < (clock_ns ? 16 : 1) * WAIT_READS; reads++) {
		if (lsr_has(u, bit))
			return true;
		if (clock_ns && clock_ns() - start > limit_ns)
			return false;
		cpu_relax();
	}
	return false;
}

/* ---- detection ---- */

static bool all_zero(const struct uart *u)
{
	return !reg_read(u, UART_IER) && !reg_read(u, UART_IIR) &&
	       !reg_read(u, UART_LCR) && !reg_read(u, UART_MCR) &&
	       !reg_read(u, UART_LSR);
}

/* With DLAB off. Some UARTs have more bits than four, under a lock. */
static bool ier_holds(const struct uart *u)
{
	u8 ier = reg_read(u, UART_IER);
	u8 none, all;

	reg_write(u, UART_IER, 0);
	none = reg_read(u, UART_IER) & IER_ALL;
	reg_write(u, UART_IER, IER_ALL);
	all = reg_read(u, UART_IER) & IER_ALL;
	reg_write(u, UART_IER, ier);
	return !none && all == IER_ALL;
}

static bool lcr_holds(const struct uart *u, u8 lcr)
{
	bool holds;

	reg_write(u, UART_LCR, lcr ^ LCR_DLAB);
	holds = reg_read(u, UART_LCR) == (lcr ^ LCR_DLAB);
	reg_write(u, UART_LCR, lcr);
	return holds;
}

enum uart_state uart_detect(struct uart *u)
{
	u8 lcr = reg_read(u, UART_LCR);
	bool there;

	if (reg_read(u, UART_LSR) == 0xff || lcr == 0xff)
		return UART_ABSENT;
	if (!(lcr & LCR_DLAB) && reg_read(u, UART_IER) & ~IER_ALL)
		return UART_ABSENT;
	if (all_zero(u))
		return UART_NOT_NOW;
	reg_write(u, UART_LCR, lcr & (u8)~LCR_DLAB);
	there = ier_holds(u);
	reg_write(u, UART_LCR, lcr);
	return there && lcr_holds(u, lcr) ? UART_THERE : UART_ABSENT;
}

bool uart_loops_back(struct uart *u)
{
	u8 mcr = reg_read(u, UART_MCR);
	bool loops;

	/* Loop-back would eat what is on its way out. */
	wait_lsr(u, LSR_TEMT, FIFO_16550A);
	reg_write(u, UART_MCR, MCR_LOOP_TEST);
	loops = (reg_read(u, UART_MSR) & 0xf0) == MSR_LOOP_TEST;
	reg_write(u, UART_MCR, mcr);
	return loops;
}

/* ---- set-up ---- */

static u32 clock_of(const struct uart *u)
{
	if (u->access.clock)
		return u->access.clock;
	return u->access.space == UART_IO || !u->access.shift ?
	       UART_CLOCK_PC : UART_CLOCK_MMIO;
}

/* Return: the usual rate within 3 % of @baud; 0: there is none. */
static u32 usual_baud(u32 baud)
{
	static const u32 rates[] = {
		1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400,
		460800, 921600, 1000000, 1500000, 3000000,
	};

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (baud > rates[i] - rates[i] / 32 &&
		    baud < rates[i] + rates[i] / 32)
			return rates[i];
	return 0;
}

/* With DLAB on. */
static void set_divisor(struct uart *u, u32 baud)
{
	u64 div = ((u64)clock_of(u) + 8 * (u64)baud) / (16 * (u64)baud);

	div = max(div, (u64)1);
	div = min(div, (u64)0xffff);
	reg_write(u, UART_DATA, (u8)div);
	reg_write(u, UART_IER, (u8)(div >> 8));
	u->baud = (u32)(clock_of(u) / (16 * div));
	if (usual_baud(u->baud))
		u->baud = usual_baud(u->baud);
}

static void set_line(struct uart *u)
{
	bool known = u->access.clock || u->access.space == UART_IO;
	bool usable;
	u32 div;

	reg_write(u, UART_LCR, LCR_DLAB | LCR_8N1);
	div = reg_read(u, UART_DATA) | (u32)reg_read(u, UART_IER) << 8;
	usable = div && div != 0xffff;
	u->baud = usable && known ? usual_baud(clock_of(u) / (16 * div)) : 0;
	if (u->want_baud)
		set_divisor(u, u->want_baud);
	/* A rate that nobody uses is a left-over, unless firmware meant it. */
	else if (!usable || (known && !u->baud && !(u->flags & UART_KEEP)))
		set_divisor(u, UART_BAUD);
	reg_write(u, UART_LCR, LCR_8N1);
}

static bool scr_holds(const struct uart *u)
{
	bool holds;

	reg_write(u, UART_SCR, 0x5a);
	holds = reg_read(u, UART_SCR) == 0x5a;
	reg_write(u, UART_SCR, 0xa5);
	return holds && reg_read(u, UART_SCR) == 0xa5;
}

static void set_fifo(struct uart *u)
{
	reg_write(u, UART_FCR, FCR_ENABLE);
	u->fifo = 1;
	switch (reg_read(u, UART_IIR) & IIR_FIFO) {
	case IIR_FIFO_GOOD:
		u->type = "16550A";
		u->fifo = u->want_fifo ? u->want_fifo : FIFO_16550A;
		return;
	case IIR_FIFO_BROKEN:
		u->type = "16550";
		break;
	default:
		u->type = scr_holds(u) ? "16450" : "8250";
	}
	reg_write(u, UART_FCR, 0);
}

void uart_setup(struct uart *u)
{
	wait_lsr(u, LSR_TEMT, FIFO_16550A);
	reg_write(u, UART_LCR, LCR_8N1);
	reg_write(u, UART_IER, 0);
	set_line(u);
	set_fifo(u);
	reg_write(u, UART_MCR, MCR_DTR_RTS);
	u->in_flight = u->fifo;
	u->nr_late = 0;
	u->dead = false;
}

/* ---- transmission ---- */

bool uart_alive(struct uart *u)
{
	u64 now;

	if (!u->dead)
		return true;
	if (!clock_ns)
		return false;
	now = clock_ns();
	if (now - u->dead_ns < RETRY_NS)
		return false;
	u->dead_ns = now;
	if (uart_detect(u) != UART_THERE || !lsr_has(u, LSR_THRE))
		return false;
	uart_setup(u);
	return true;
}

static void late(struct uart *u)
{
	u->nr_timeouts++;
	if (++u->nr_late < LATE_MAX)
		return;
	u->dead = true;
	u->dead_ns = clock_ns ? clock_ns() : 0;
}

size_t uart_write(struct uart *u, const char *text, size_t n)
{
	size_t sent = 0;

	while (sent < n && uart_alive(u)) {
		if (!wait_lsr(u, LSR_THRE, u->in_flight + 1u)) {
			late(u);
			break;
		}
		u->nr_late = 0;
		for (u->in_flight = 0; u->in_flight < u->fifo && sent < n;
		     u->in_flight++)
			reg_write(u, UART_DATA, (u8)text[sent++]);
	}
	u->nr_dropped += n - sent;
	return sent;
}
