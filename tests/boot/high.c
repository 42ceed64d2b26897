/* SPDX-License-Identifier: MIT */
/*
 * Firmware with little memory in one piece below 4 GiB, and with a long map:
 * of the free memory there every second 128 KiB are taken, then the next
 * program starts.
 */
#include <efi.h>
#include <efilib.h>

#include "tests/boot/next.h"

#define PIECE	32		/* pages */

static UINTN fragment(EFI_PHYSICAL_ADDRESS base, UINT64 nr)
{
	UINTN taken = 0;

	for (UINT64 i = PIECE; i + PIECE <= nr; i += 2 * PIECE) {
		EFI_PHYSICAL_ADDRESS pa = base + i * 4096;

		if (!EFI_ERROR(uefi_call_wrapper(BS->AllocatePages, 4,
						 AllocateAddress,
						 EfiBootServicesData, PIECE,
						 &pa)))
			taken++;
	}
	return taken;
}

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	EFI_MEMORY_DESCRIPTOR *map;
	UINTN nr = 0, key, stride = 0, taken = 0;
	UINT32 version;

	InitializeLib(image, table);
	map = LibMemoryMap(&nr, &key, &stride, &version);
	for (UINTN i = 0; map && i < nr; i++) {
		const EFI_MEMORY_DESCRIPTOR *d =
			(const void *)((UINT8 *)map + i * stride);

		if (d->Type == EfiConventionalMemory &&
		    d->PhysicalStart < 1ULL << 32)
			taken += fragment(d->PhysicalStart, d->NumberOfPages);
	}
	Print(L"high: %d pieces taken\r\n", (int)taken);
	return start_next(image);
}
