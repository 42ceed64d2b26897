/* SPDX-License-Identifier: MIT */
/*
 * The MADT: which CPUs there are. A pure function over hostile bytes.
 *
 * Source: ACPI specification, "Multiple APIC Description Table".
 */
#include "arch/x86/cpu.h"
#include "lib/err.h"
#include "lib/string.h"

#define MADT_LAPIC_ADDR		36
#define MADT_ENTRIES		44
#define MADT_ENABLED		1u
/* IDs that name no CPU: an INIT sent there would reach every CPU. */
#define MADT_LAPIC_ALL		0xffu
#define MADT_X2APIC_ALL		0xffffffffu

enum {
	MADT_LAPIC = 0,			/* 8 bytes: id at 3, flags at 4 */
	MADT_LAPIC_OVERRIDE = 5,	/* 12 bytes: address at 4 */
	MADT_X2APIC = 9,		/* 16 bytes: id at 4, flags at 8 */
};

static u32 get_u32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static bool has_cpu(const struct madt *madt, u32 apic_id)
{
	for (unsigned int i = 0; i < madt->nr; i++)
		if (madt->apic_id[i] == apic_id)
			return true;
	return false;
}

/* Types 0 and 9 may both name a CPU. */
static void add_cpu(struct madt *madt, u32 apic_id)
{
	if (madt->nr == NR_CPUS || has_cpu(madt, apic_id))
		madt->nr_skipped++;
	else
		madt->apic_id[madt->nr++] = apic_id;
}

static void take_entry(struct madt *madt, const u8 *e, size_t len)
{
	if (e[0] == MADT_LAPIC && len >= 8) {
		if (get_u32(e + 4) & MADT_ENABLED &&
		    e[3] != MADT_LAPIC_ALL)
			add_cpu(madt, e[3]);
	} else if (e[0] == MADT_X2APIC && len >= 16) {
		if (get_u32(e + 8) & MADT_ENABLED &&
		    get_u32(e + 4) != MADT_X2APIC_ALL)
			add_cpu(madt, get_u32(e + 4));
	} else if (e[0] == MADT_LAPIC_OVERRIDE && len >= 12) {
		memcpy(&madt->lapic_pa, e + 4, sizeof(madt->lapic_pa));
	} else if (e[0] == MADT_LAPIC || e[0] == MADT_X2APIC) {
		madt->nr_skipped++;
	}
}

int madt_parse(struct madt *madt, const u8 *table, size_t size)
{
	u8 sum = 0;

	memset(madt, 0, sizeof(*madt));
	if (size < MADT_ENTRIES || get_u32(table + 4) != size)
		return -EBADMSG;
	for (size_t i = 0; i < size; i++)
		sum = (u8)(sum + table[i]);
	if (sum || memcmp(table, "APIC", 4))
		return -EBADMSG;
	madt->lapic_pa = get_u32(table + MADT_LAPIC_ADDR);
	for (size_t pos = MADT_ENTRIES; pos < size;) {
		size_t len = size - pos >= 2 ? table[pos + 1] : 0;

		/* What follows a bad length cannot be found any more. */
		if (len < 2 || len > size - pos) {
			madt->nr_skipped++;
			break;
		}
		take_entry(madt, table + pos, len);
		pos += len;
	}
	return 0;
}
