/* SPDX-License-Identifier: MIT */
/*
 * Firmware that pages with 5 levels, made of one that does not: switches them
 * on and starts the next program.
 */
#include <efi.h>
#include <efilib.h>

#include "tests/boot/next.h"

#define CPUID_7_LA57	(1u << 16)
#define CR4_LA57	(1u << 12)

/* la57_enter.asm */
void la57_enter(void *low, UINT64 root);

static int has_la57(void)
{
	UINT32 a = 7, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return (c & CPUID_7_LA57) != 0;
}

static UINT64 page_below_4g(EFI_MEMORY_TYPE type)
{
	EFI_PHYSICAL_ADDRESS pa = 0xffffffff;

	if (EFI_ERROR(uefi_call_wrapper(BS->AllocatePages, 4,
					AllocateMaxAddress, type, 1, &pa)))
		return 0;
	SetMem((void *)pa, 4096, 0);
	return pa;
}

static EFI_STATUS enter(void)
{
	UINT64 *root = (UINT64 *)page_below_4g(EfiBootServicesData);
	void *low = (void *)page_below_4g(EfiBootServicesCode);
	UINT64 cr3, cr4;

	if (!has_la57() || !root || !low)
		return EFI_UNSUPPORTED;
	__asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
	root[0] = (cr3 & ~0xfffULL) | 3;
	root[511] = root[0];
	la57_enter(low, (UINT64)root);
	__asm__ volatile("movq %%cr4, %0" : "=r"(cr4));
	return cr4 & CR4_LA57 ? EFI_SUCCESS : EFI_DEVICE_ERROR;
}

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	EFI_STATUS status;

	InitializeLib(image, table);
	status = enter();
	Print(L"la57: 5 levels: %r\r\n", status);
	return EFI_ERROR(status) ? status : start_next(image);
}
