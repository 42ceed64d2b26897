/* SPDX-License-Identifier: MIT */
/*
 * Firmware that does not end its boot services at once: it refuses five times
 * and its map is 64 entries longer each time, as drivers that stop late do. If
 * the volume has \topaz\never it refuses for ever.
 */
#include <efi.h>
#include <efilib.h>

#include "tests/boot/next.h"

#define REFUSALS	5
#define NEW_ENTRIES	64

static EFI_EXIT_BOOT_SERVICES real_exit;
static UINTN refusals_left;

/* Pages apart from each other: each free one between them is an entry. */
static void lengthen_map(void)
{
	for (UINTN i = 0; i < NEW_ENTRIES / 2; i++) {
		EFI_PHYSICAL_ADDRESS pa = 0;

		if (EFI_ERROR(uefi_call_wrapper(BS->AllocatePages, 4,
						AllocateAnyPages,
						EfiReservedMemoryType, 3,
						&pa)))
			return;
		uefi_call_wrapper(BS->FreePages, 2, pa + 4096, 1);
	}
}

static EFI_STATUS EFIAPI exit_or_not(EFI_HANDLE image, UINTN key)
{
	if (!refusals_left)
		return real_exit(image, key);
	if (refusals_left-- <= REFUSALS)
		lengthen_map();
	return EFI_INVALID_PARAMETER;
}

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	InitializeLib(image, table);
	refusals_left = volume_has(image, L"\\topaz\\never") ? ~0ULL : REFUSALS;
	real_exit = BS->ExitBootServices;
	BS->ExitBootServices = exit_or_not;
	Print(L"stubborn: ready\r\n");
	return start_next(image);
}
