/* SPDX-License-Identifier: MIT */
/*
 * The Fixed ACPI Description Table, field by field.
 */
#include "arch/x86/fadt.h"

#include "lib/bitfield.h"
#include "lib/err.h"
#include "lib/string.h"

/* Offsets. */
#define HEADER_REVISION	8
#define DSDT		40
#define SMI_CMD		48
#define ACPI_ENABLE	52
#define PM1A_CNT	64
#define PM1B_CNT	68
#define PM_TMR		76
#define IAPC_BOOT_ARCH	109
#define FLAGS		112
#define RESET_REG	116
#define RESET_VALUE	128
#define X_DSDT		140
#define X_PM1A_CNT	172
#define X_PM1B_CNT	184
#define X_PM_TMR	208
#define SLEEP_CONTROL	244

#define BOOT_ARCH_8042		(1u << 1)
#define FLAG_TMR_VAL_EXT	(1u << 8)
#define FLAG_RESET_REG_SUP	(1u << 10)
#define FLAG_HW_REDUCED		(1u << 20)

/* IAPC_BOOT_ARCH is reserved before ACPI 2.0. */
#define REVISION_ACPI_2		3

/* The X_ register where it is one, else the port of @bits bits at @legacy. */
static struct acpi_gas reg(const struct acpi_table *table, size_t x,
			   size_t legacy, u8 bits)
{
	struct acpi_gas gas;

	if (acpi_gas(table, x, &gas) && gas.address)
		return gas;
	return (struct acpi_gas){
		.space = ACPI_SPACE_IO,
		.bit_width = bits,
		.address = acpi_u32(table, legacy),
	};
}

int fadt_parse(struct fadt *fadt, const struct acpi_table *table)
{
	u32 flags;

	memset(fadt, 0, sizeof(*fadt));
	if (table->size < DSDT + 4 || memcmp(table->data, "FACP", 4))
		return -EBADMSG;
	flags = acpi_u32(table, FLAGS);
	fadt->revision = acpi_u8(table, HEADER_REVISION);
	fadt->dsdt = acpi_u64(table, X_DSDT);
	if (!fadt->dsdt)
		fadt->dsdt = acpi_u32(table, DSDT);
	fadt->hw_reduced = flags & FLAG_HW_REDUCED;
	if (flags & FLAG_RESET_REG_SUP &&
	    acpi_gas(table, RESET_REG, &fadt->reset_reg))
		fadt->reset_value = acpi_u8(table, RESET_VALUE);
	if (fadt->hw_reduced) {
		/* The fixed hardware is not there, whatever the fields say. */
		acpi_gas(table, SLEEP_CONTROL, &fadt->sleep_control);
		return 0;
	}
	fadt->smi_cmd = acpi_u32(table, SMI_CMD);
	fadt->acpi_enable = acpi_u8(table, ACPI_ENABLE);
	fadt->pm1a_cnt = reg(table, X_PM1A_CNT, PM1A_CNT, 16);
	fadt->pm1b_cnt = reg(table, X_PM1B_CNT, PM1B_CNT, 16);
	fadt->pm_tmr = reg(table, X_PM_TMR, PM_TMR, 32);
	fadt->pm_tmr_32bit = flags & FLAG_TMR_VAL_EXT;
	fadt->has_8042 = fadt->revision < REVISION_ACPI_2 ||
			 acpi_u16(table, IAPC_BOOT_ARCH) & BOOT_ARCH_8042;
	return 0;
}

const struct fadt *fadt_get(void)
{
	static struct fadt fadt;	/* owner: this function */
	static bool found;
	struct acpi_table table;

	for (unsigned int i = 0; !found && acpi_find("FACP", i, &table); i++)
		found = !fadt_parse(&fadt, &table);
	return found ? &fadt : NULL;
}
