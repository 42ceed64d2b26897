/* SPDX-License-Identifier: MIT */
/*
 * Reset and soft off. The policy, when to do which, is in machine.c.
 */
#ifndef X86_POWER_H
#define X86_POWER_H

#include "lib/compiler.h"

struct boot_info;

/* Tries everything that resets. Return: nothing did. Context: interrupts off. */
void power_reset(void);

/* Tries everything that switches off. Return: nothing did. As above. */
void power_off(void);

/* The processor's shut-down, which boards answer with a reset. machine.c */
void triple_fault(void);

/* efi_reset.c */
enum efi_reset_type {
	EFI_RESET_COLD = 0,
	EFI_RESET_WARM = 1,
	EFI_RESET_SHUTDOWN = 2,
};

/* Keeps what boot/boot_info.h says of ResetSystem. */
void efi_reset_init(const struct boot_info *bi);

/**
 * efi_reset() - call the firmware's ResetSystem
 *
 * On the loader's page tables and stack. The firmware may fault, or loop: then
 * the call is given up, after 2 s by the local APIC's timer.
 *
 * Context: interrupts off; the end of the machine: nothing else runs meanwhile.
 * Return: false: there is none. True: it was called, and did nothing.
 */
bool efi_reset(enum efi_reset_type type);

/* Called for each exception of the kernel. Does not return from one of EFI's. */
void efi_reset_fault(void);

#endif /* X86_POWER_H */
