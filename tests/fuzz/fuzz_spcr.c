/* SPDX-License-Identifier: MIT */
/*
 * SPCR and DBG2 of any bytes: nothing is read past their end, and what comes
 * out can be used as it is.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/x86/serial_table.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* No table is looked for by address here. */
const u8 *acpi_map(phys_addr_t pa, size_t n)
{
	(void)pa;
	(void)n;
	return NULL;
}

static void check(const struct serial_table *out)
{
	if (out->nr > TABLE_MAX_PORTS || (out->nr_skipped && !out->why))
		abort();
	for (unsigned int i = 0; i < out->nr; i++) {
		const struct uart_access *a = &out->port[i].access;

		if (a->shift > 2 || !a->base || !a->width ||
		    a->width > 1u << a->shift || a->base % a->width ||
		    (a->space == UART_IO && a->base > 0xffff - 32))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct serial_table out;
	struct acpi_table table;
	u8 *copy = malloc(size + 1);

	/* Past the signature and the sum, which random bytes seldom have. */
	memcpy(copy, data, size);
	table = acpi_table_of(copy, size);
	table.sum_good |= size > 9 && copy[9] & 1;
	if (size >= 4)
		memcpy(copy, "SPCR", 4);
	spcr_parse(&table, &out);
	check(&out);
	if (size >= 4)
		memcpy(copy, "DBG2", 4);
	dbg2_parse(&table, &out);
	check(&out);
	free(copy);
	return 0;
}
