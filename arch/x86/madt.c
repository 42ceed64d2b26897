/* SPDX-License-Identifier: MIT */
/*
 * The MADT: which CPUs there are. A pure function over hostile bytes.
 *
 * Source: ACPI specification, "Multiple APIC Description Table".
 */
#include "arch/x86/acpi.h"
#include "arch/x86/cpu.h"
#include "lib/err.h"
#include "lib/string.h"

#define MADT_LAPIC_ADDR		36
#define MADT_ENTRIES		44
#define MADT_ENABLED		1u
#define MADT_ONLINE_CAPABLE	2u
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
	if (has_cpu(madt, apic_id))
		madt->nr_duplicate++;
	else if (madt->nr == NR_CPUS)
		madt->nr_too_many++;
	else
		madt->apic_id[madt->nr++] = apic_id;
}

/* Only enabled ones are there; online capable alone means a free slot. */
static void take_cpu(struct madt *madt, u32 apic_id, u32 none, u32 flags)
{
	if (flags & MADT_ENABLED && apic_id != none)
		add_cpu(madt, apic_id);
	else if (flags & MADT_ONLINE_CAPABLE)
		madt->nr_hotplug++;
	else
		madt->nr_disabled++;
}

static void take_entry(struct madt *madt, const u8 *e, size_t len)
{
	if (e[0] == MADT_LAPIC && len >= 8)
		take_cpu(madt, e[3], MADT_LAPIC_ALL, get_u32(e + 4));
	else if (e[0] == MADT_X2APIC && len >= 16)
		take_cpu(madt, get_u32(e + 4), MADT_X2APIC_ALL,
			 get_u32(e + 8));
	else if (e[0] == MADT_LAPIC_OVERRIDE && len >= 12)
		memcpy(&madt->lapic_pa, e + 4, sizeof(madt->lapic_pa));
	else if (e[0] == MADT_LAPIC || e[0] == MADT_X2APIC)
		madt->nr_skipped++;
}

int madt_parse(struct madt *madt, const struct acpi_table *table)
{
	const u8 *data = table->data;

	memset(madt, 0, sizeof(*madt));
	if (table->size < MADT_ENTRIES || memcmp(data, "APIC", 4))
		return -EBADMSG;
	madt->lapic_pa = get_u32(data + MADT_LAPIC_ADDR);
	for (size_t pos = MADT_ENTRIES; pos < table->size;) {
		size_t left = table->size - pos;
		size_t len = left >= 2 ? data[pos + 1] : 0;

		/* What follows a bad length cannot be found any more. */
		if (len < 2 || len > left) {
			madt->nr_skipped++;
			madt->bad_offset = pos;
			break;
		}
		take_entry(madt, data + pos, len);
		pos += len;
	}
	return 0;
}
