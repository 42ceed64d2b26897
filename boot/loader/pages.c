/* SPDX-License-Identifier: MIT */
/*
 * Memory that the loader takes: always where the firmware gives it.
 */
#include "boot/loader/loader.h"

/* Above it some firmware keeps its extended BIOS data. */
#define TRAMPOLINE_END	0x9f000ULL

EFI_STATUS try_pages(UINTN nr, UINT64 limit, UINT64 *pages)
{
	EFI_PHYSICAL_ADDRESS pa = limit ? limit - 1 : 0;
	EFI_STATUS status = uefi_call_wrapper(
		BS->AllocatePages, 4,
		limit ? AllocateMaxAddress : AllocateAnyPages, EfiLoaderData,
		nr, &pa);

	if (EFI_ERROR(status))
		return status;
	SetMem((void *)pa, nr * PAGE_SIZE, 0);
	*pages = pa;
	return EFI_SUCCESS;
}

UINT64 alloc_pages(UINTN nr, UINT64 limit, const CHAR16 *what)
{
	UINT64 pages = 0;
	EFI_STATUS status = try_pages(nr, limit, &pages);

	if (EFI_ERROR(status))
		die(what, status);
	return pages;
}

void free_pages(UINT64 pages, UINTN nr)
{
	uefi_call_wrapper(BS->FreePages, 2, pages, nr);
}

UINT64 trampoline_alloc(void)
{
	EFI_PHYSICAL_ADDRESS pa = TRAMPOLINE_END - 1;

	/* Page 0, when it is given at all, is kept and not used. */
	for (int i = 0; i < 2; i++) {
		if (EFI_ERROR(uefi_call_wrapper(BS->AllocatePages, 4,
						AllocateMaxAddress,
						EfiLoaderData, 1, &pa)))
			return 0;
		if (pa)
			return pa;
		pa = TRAMPOLINE_END - 1;
	}
	return 0;
}
