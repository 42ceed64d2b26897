/* SPDX-License-Identifier: MIT */
/*
 * A watchdog of our own: when a run gives no sign of life for long, it prints
 * where each CPU is and ends the run with failure.
 *
 * Every CPU looks at the deadline by its local APIC's timer, so a CPU that
 * hangs with interrupts off is seen by the others; a single CPU that does is
 * not seen by anyone. The timer is also lapic_timer_start()'s: while that runs,
 * its handler calls watchdog_check().
 */
#ifndef ASM_WATCHDOG_H
#define ASM_WATCHDOG_H

#include "lib/compiler.h"

#define WATCHDOG_DEFAULT_S	120
#define WATCHDOG_EMULATED_S	600	/* in QEMU's emulator, on a busy host */
#define WATCHDOG_MAX_S		86400

struct pt_regs;

/**
 * watchdog_start() - begin to watch, or watch with another bound
 * @seconds:	without a sign of life; 0: do not watch
 *
 * Context: boot CPU, thread; after smp_start(). Other CPUs are asked to arm
 * their timers; one that is busy is left out, and said.
 */
void watchdog_start(unsigned int seconds);

/**
 * watchdog_init() - begin to watch with the bound of the option watchdog=
 *
 * Without one, or with one that is no number (which is said), it is
 * WATCHDOG_DEFAULT_S, in QEMU's emulator WATCHDOG_EMULATED_S.
 *
 * Context: as watchdog_start(); after cmdline_init().
 */
void watchdog_init(void);

/* The bound; 0: nobody watches. */
unsigned int watchdog_seconds(void);

/* No more. Context: any, also NMI. */
void watchdog_stop(void);

/* A sign of life. Context: any. */
void watchdog_pet(void);

/* A sign of life, and what the run does now: for the report. Context: thread. */
void watchdog_doing(const char *what);

/* Fires when the time is over: does not return then. Context: interrupt. */
void watchdog_check(struct pt_regs *regs);

/* The local APIC's timer of this CPU is free again. Context: any but NMI. */
void watchdog_rearm(void);

/*
 * First of all in an NMI: while the watchdog reports, the CPU says where it was
 * and does not go on. Context: NMI.
 */
void watchdog_nmi(const struct pt_regs *regs);

#endif /* ASM_WATCHDOG_H */
