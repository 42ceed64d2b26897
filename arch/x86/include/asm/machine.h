/* SPDX-License-Identifier: MIT */
/*
 * The machine as a whole: early set-up, what it runs under, how it ends.
 */
#ifndef ASM_MACHINE_H
#define ASM_MACHINE_H

#include "boot/boot_info.h"
#include "lib/printk.h"
#include "lib/types.h"

/* GDT, TSS with IST stacks, IDT, control registers, GS: for the calling CPU. */
void cpu_init_boot(void);		/* CPU 0, before any memory exists */

/* printk()'s text goes to the log in RAM and the consoles from now on. */
void console_init(void);

/**
 * dump_printer() - where machine-readable dumps go
 *
 * Return: the port of the option dump= when it is there, else the consoles.
 */
struct printer *dump_printer(void);

/**
 * machine_acpi_init() - find the ACPI tables and read the list of CPUs
 * @bi:	hand-over: RSDP, and the memory map that says what is RAM
 *
 * Called before the page allocator (tables in RAM) and again after
 * paging_init() (those elsewhere). What is bad is reported and skipped; without
 * a MADT the boot CPU is the only one.
 *
 * Context: boot. Return: 0; -ENODEV (no RSDP), -EBADMSG (no root table).
 */
int __must_check machine_acpi_init(const struct boot_info *bi);

/* What the machine consists of, for the files in machine/. */
void cpus_show(struct printer *out);
/*
 * Walks all of the kernel's page tables. Return: 0; -EFAULT when something is
 * writable and executable, or otherwise not as it must be: it is printed.
 */
int paging_show(struct printer *out);
void acpi_show(struct printer *out);

/* "GenuineIntel", ...; and the hypervisor's signature, "" on bare metal. */
void cpu_vendor(char vendor[13]);
void hypervisor_signature(char sig[13]);
/* In QEMU's own emulator: all is slower, and not by the same factor. */
bool machine_is_emulated(void);

/**
 * machine_power_init() - how this machine is reset and switched off
 * @bi:	hand-over: the firmware's ResetSystem
 *
 * Reads the FADT and looks for _S5_, maps the registers and says what there is.
 * Before it, and without ACPI, what every PC has is tried.
 *
 * Context: boot; after paging_init() and the ACPI tables.
 */
void machine_power_init(const struct boot_info *bi);

/**
 * machine_exit() - the end of the kernel
 * @status:	0: all was right
 *
 * QEMU's isa-debug-exit gives 33 for 0 and 35 else. Without it the option end=
 * decides: off, reset, or halt, which is the default. What was printed is out by
 * then: consoles are written at once.
 *
 * Context: any, also in a panic and on any CPU.
 */
void __noreturn machine_exit(int status);

/*
 * Switches off: ACPI S5, else the firmware's ResetSystem, else a line that it is
 * safe to do so by hand. QEMU's isa-debug-exit comes first, for @status.
 */
void __noreturn machine_poweroff(int status);

/*
 * Resets: the ACPI reset register, port CF9, the firmware's ResetSystem, the
 * 8042, a triple fault; each has 100 ms. The option reset=acpi, cf9, efi, kbd or
 * triple names the one that is tried first.
 */
void __noreturn machine_reboot(void);

#endif /* ASM_MACHINE_H */
