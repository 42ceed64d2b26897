/* SPDX-License-Identifier: MIT */
/*
 * The local APIC, in xAPIC or x2APIC mode.
 *
 * Which back end is used is read from IA32_APIC_BASE at start, since firmware
 * may hand over in x2APIC mode. Registers: SDM "Advanced Programmable
 * Interrupt Controller".
 */
#ifndef ASM_APIC_H
#define ASM_APIC_H

#include "lib/compiler.h"

#define APIC_LVT_MASKED		(1u << 16)
#define APIC_DM_NMI		(4u << 8)

/* On each CPU: software-enables the APIC, masks every LVT entry. */
void lapic_init(void);
/* Whether lapic_init() ran on the boot CPU: nothing here works before. */
bool lapic_is_ready(void);
u32 lapic_id(void);
bool lapic_is_x2apic(void);

/*
 * On the boot CPU, before others run: to x2APIC mode, which addresses 32-bit
 * IDs. Return: false where the CPU has none.
 */
bool lapic_raise_to_x2apic(void);
/* Whether an IPI can name this CPU in the present mode. */
bool lapic_can_address(u32 apic_id);
void lapic_eoi(void);

/*
 * The performance counter LVT entry, which delivers the ToPA PMI. The
 * processor sets its mask bit at each delivery. Context: any, NMI included.
 */
void lapic_write_lvtpc(u32 val);
u32 lapic_read_lvtpc(void);

/* Fixed interrupt to a CPU (its APIC ID) or to the caller. Context: any. */
void lapic_send_ipi(u32 apic_id, u8 vector);
void lapic_send_self(u8 vector);
void lapic_send_nmi(u32 apic_id);
/* Start of an AP: INIT, then STARTUP with the page of its first code. */
void lapic_send_init(u32 apic_id);
void lapic_send_startup(u32 apic_id, u8 page);

/* Periodic VECTOR_TIMER interrupts about every @us microseconds. */
void lapic_timer_start(u32 us);
/* One interrupt of @vector in about @us, at most a minute. */
void lapic_timer_once(u8 vector, u32 us);
/* The watchdog may use the timer again after it. */
void lapic_timer_stop(void);

#endif /* ASM_APIC_H */
