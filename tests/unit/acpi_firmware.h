/* SPDX-License-Identifier: MIT */
/*
 * For the test of the ACPI index: RSDP, root tables and others by hand.
 */
#ifndef TESTS_UNIT_ACPI_FIRMWARE_H
#define TESTS_UNIT_ACPI_FIRMWARE_H

#include "tests/unit/acpi_memory.h"

#define RSDP	0xe0010ULL
#define XSDT	0xe0103ULL	/* unaligned */
#define RSDT	0xe8101ULL
#define LOW	0xe0000ULL
#define LOW_END	0x100000ULL
#define TABLES	0xf0000ULL
#define HIGH	0x1234567000ULL
#define LATE	0xfed00000ULL

static inline void put(phys_addr_t pa, u64 v, size_t n)
{
	memcpy(memory_at(pa), &v, n);
}

/* @size: what its length field says; the sum is made right over @there. */
static inline void put_table(phys_addr_t pa, const char *sig, u32 size,
			     size_t there)
{
	memcpy(memory_at(pa), sig, 4);
	put(pa + 4, size, 4);
	memory_sum(memory_at(pa), there, 9);
}

static inline void put_rsdp(u8 revision, u64 xsdt, u32 rsdt)
{
	u8 *p = memory_at(RSDP);

	memcpy(p, "RSD PTR ", 8);
	p[15] = revision;
	put(RSDP + 16, rsdt, 4);
	memory_sum(p, 20, 8);
	if (revision >= 2) {
		put(RSDP + 20, 36, 4);
		put(RSDP + 24, xsdt, 8);
		memory_sum(p, 36, 32);
	}
}

static inline void put_root(phys_addr_t pa, const u64 *entry, size_t nr)
{
	size_t width = pa == RSDT ? 4 : 8;
	size_t size = ACPI_HEADER + nr * width;

	for (size_t i = 0; i < nr; i++)
		put(pa + ACPI_HEADER + i * width, entry[i], width);
	put_table(pa, pa == RSDT ? "RSDT" : "XSDT", (u32)size, size);
}

#define put_xsdt(...) \
	put_root(XSDT, (u64[]){ __VA_ARGS__ }, \
		 sizeof((u64[]){ __VA_ARGS__ }) / sizeof(u64))

#endif /* TESTS_UNIT_ACPI_FIRMWARE_H */
