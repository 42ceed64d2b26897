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
void acpi_show(struct printer *out);

/* "GenuineIntel", ...; and the hypervisor's signature, "" on bare metal. */
void cpu_vendor(char vendor[13]);
void hypervisor_signature(char sig[13]);

/* How the kernel ends. QEMU's isa-debug-exit gives 33 for 0 and 35 else. */
void __noreturn machine_exit(int status);
void __noreturn machine_reboot(void);

#endif /* ASM_MACHINE_H */
