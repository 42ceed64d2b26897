/* SPDX-License-Identifier: MIT */
/*
 * Firmware without a free page below 1 MiB.
 */
#include <efi.h>
#include <efilib.h>

#include "tests/boot/next.h"

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	EFI_STATUS status = EFI_SUCCESS;
	UINTN taken = 0;

	InitializeLib(image, table);
	while (taken < 256 && !EFI_ERROR(status)) {
		EFI_PHYSICAL_ADDRESS pa = 0xfffff;

		status = uefi_call_wrapper(BS->AllocatePages, 4,
					   AllocateMaxAddress,
					   EfiReservedMemoryType, 1, &pa);
		taken += !EFI_ERROR(status);
	}
	Print(L"nolow: %d pages taken\r\n", (int)taken);
	return start_next(image);
}
