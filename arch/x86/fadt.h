/* SPDX-License-Identifier: MIT */
/*
 * The Fixed ACPI Description Table: registers of the PM timer, sleep and reset.
 *
 * A field counts only where the table is long enough for it; a 64-bit X_ field
 * only when its address is not 0, else the 32-bit one stands. Source: ACPI
 * specification, "Fixed ACPI Description Table (FADT)".
 */
#ifndef X86_FADT_H
#define X86_FADT_H

#include "arch/x86/acpi.h"

struct fadt {
	u8 revision;
	u64 dsdt;		/* physical; 0: none */
	u32 smi_cmd;		/* port; 0: the machine is always in ACPI mode */
	u8 acpi_enable;		/* value for smi_cmd */
	struct acpi_gas pm1a_cnt, pm1b_cnt;	/* address 0: not there */
	struct acpi_gas pm_tmr;
	bool pm_tmr_32bit;	/* else it wraps at 24 bits */
	bool has_8042;
	bool hw_reduced;	/* no PM1, no PM timer: SLEEP_CONTROL instead */
	struct acpi_gas reset_reg;	/* address 0: no reset register */
	u8 reset_value;
	struct acpi_gas sleep_control;
};

/**
 * fadt_parse() - read the fields
 * @fadt:	filled in
 * @table:	found by acpi_find("FACP")
 *
 * A bad check sum is no reason to refuse it: acpi_init() has reported that.
 *
 * Context: any. Return: 0; -EBADMSG: not a FADT, or too short to have a DSDT.
 */
int __must_check fadt_parse(struct fadt *fadt, const struct acpi_table *table);

/**
 * fadt_get() - the machine's FADT
 *
 * Context: boot, thread; from the start-up step "acpi" on.
 * Return: NULL when there is none.
 */
const struct fadt *fadt_get(void);

#endif /* X86_FADT_H */
