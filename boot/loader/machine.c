/* SPDX-License-Identifier: MIT */
/*
 * What the firmware knows of the machine: ACPI, reset, processor.
 */
#include "boot/loader/loader.h"

static void cpuid(UINT32 leaf, UINT32 *a, UINT32 *b, UINT32 *c, UINT32 *d)
{
	__asm__ volatile("cpuid" : "=a"(*a), "=b"(*b), "=c"(*c), "=d"(*d)
			 : "a"(leaf), "c"(0));
}

int cpu_has_nx(void)
{
	UINT32 a, b, c, d;

	cpuid(0x80000000, &a, &b, &c, &d);
	if (a < 0x80000001)
		return 0;
	cpuid(0x80000001, &a, &b, &c, &d);
	return d >> 20 & 1;
}

int cpu_has_la57_on(void)
{
	UINT64 cr4;

	__asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
	return cr4 >> 12 & 1;
}

/* The exit port means something else on a real board. */
int under_qemu(void)
{
	UINT32 a, sig[3], d;

	cpuid(1, &a, &sig[0], &sig[1], &d);
	if (!(sig[1] >> 31))
		return 0;
	cpuid(0x40000000, &a, &sig[0], &sig[1], &sig[2]);
	return !CompareMem(sig, "TCGTCGTCGTCG", 12) ||
	       !CompareMem(sig, "KVMKVMKVM\0\0\0", 12);
}

UINT64 rsdp_find(void)
{
	EFI_GUID acpi2 = ACPI_20_TABLE_GUID;
	EFI_GUID acpi1 = ACPI_TABLE_GUID;
	void *rsdp = NULL;

	if (EFI_ERROR(LibGetSystemConfigurationTable(&acpi2, &rsdp)))
		LibGetSystemConfigurationTable(&acpi1, &rsdp);
	return (UINT64)rsdp;
}

UINT64 reset_find(void)
{
	return RT ? (UINT64)RT->ResetSystem : 0;
}
