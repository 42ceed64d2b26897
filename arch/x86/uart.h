/* SPDX-License-Identifier: MIT */
/*
 * One UART of the 16550 family: found, set up, written to, in bounded time.
 *
 * Knows registers, not where the UART was found (arch/x86/serial.h) and not
 * what is printed. Registers are reached by struct uart_ops, so a host test can
 * play any UART. Source: National Semiconductor PC16550D data sheet.
 */
#ifndef X86_UART_H
#define X86_UART_H

#include "lib/compiler.h"

#define UART_CLOCK_PC	1843200		/* of PC ports: 115200 * 16 */
#define UART_CLOCK_MMIO	48000000	/* a guess where nothing is known */
#define UART_BAUD	115200		/* where nothing was set */
#define UART_REGS	8

enum uart_space {
	UART_IO,
	UART_MMIO,
};

struct uart_access {
	const struct uart_ops *ops;
	enum uart_space space;
	u64 base;		/* I/O port or physical address */
	volatile u8 *regs;	/* MMIO: where that is mapped */
	u8 shift;		/* register n is at n << shift: 0, 1, 2 */
	u8 width;		/* bytes of an access: 1, 2, 4 */
	u32 clock;		/* Hz; 0: not known */
};

/* One access of a->width bytes at byte @off of the registers. */
struct uart_ops {
	u32 (*read)(const struct uart_access *a, unsigned int off);
	void (*write)(const struct uart_access *a, unsigned int off, u32 val);
};

extern const struct uart_ops uart_io_ops;	/* uart_io.c */
extern const struct uart_ops uart_mmio_ops;

enum uart_state {
	UART_ABSENT,
	UART_NOT_NOW,		/* all registers read as 0: held in reset */
	UART_THERE,
};

#define UART_KEEP	0x1u	/* the divisor is the firmware's business */
#define UART_SLEEPS	0x2u	/* may be NOT_NOW for a while and come back */

struct uart {
	struct uart_access access;
	unsigned int flags;
	u32 want_baud;		/* 0: what the firmware set if that can be */
	u8 want_fifo;		/* bytes; 0: as the FIFO says */

	/* Owner of the rest: the functions below. */
	u32 baud;		/* in use; 0: not known */
	u8 fifo;		/* bytes that it takes when it is empty */
	const char *type;	/* "16550A" */
	u8 in_flight;		/* bytes of the last burst */
	u8 nr_late;		/* time-outs without a success between */
	bool dead;
	u64 dead_ns;		/* when it died or was last looked at */
	u64 nr_dropped;		/* bytes */
	u64 nr_timeouts;
};

/**
 * uart_set_clock() - the time that waits are bounded by
 * @now_ns:	nanoseconds that never go back; until then waits are counted in
 *		register reads, and a dead UART stays dead
 */
void uart_set_clock(u64 (*now_ns)(void));

/**
 * uart_detect() - whether a UART answers
 * @u:	access set
 *
 * Looks first and then changes only what it puts back. Return: UART_THERE when
 * IER and LCR hold what is written to them.
 */
enum uart_state uart_detect(struct uart *u);

/* Whether its modem lines loop back: for ports at guessed addresses. */
bool uart_loops_back(struct uart *u);

/**
 * uart_setup() - 8N1, polled, FIFO on
 * @u:	detected
 *
 * Lets what the firmware sent go out first. The divisor stays when
 * @u->want_baud is 0 and it is a usual one, or @u->flags has UART_KEEP.
 */
void uart_setup(struct uart *u);

/**
 * uart_alive() - whether it takes bytes
 *
 * A dead one is looked at again every 5 s and set up anew when it answers.
 */
bool uart_alive(struct uart *u);

/**
 * uart_write() - send bytes as they are
 *
 * Waits for an empty FIFO for at most 2 ms for each byte in it (or twice what
 * the bytes take at a low baud rate); then the rest is dropped. After three such
 * calls without a success the UART is dead.
 *
 * Return: bytes sent; the others are counted in @u->nr_dropped.
 */
size_t uart_write(struct uart *u, const char *text, size_t n);

#endif /* X86_UART_H */
