/* SPDX-License-Identifier: MIT */
/*
 * Starts the next program of the volume.
 */
#include "tests/boot/next.h"

#include <efilib.h>

static EFI_STATUS load_and_start(EFI_HANDLE image)
{
	EFI_LOADED_IMAGE *self = NULL, *loaded = NULL;
	EFI_DEVICE_PATH *path;
	EFI_HANDLE next = NULL;
	EFI_STATUS status = uefi_call_wrapper(BS->HandleProtocol, 3, image,
					      &LoadedImageProtocol,
					      (void **)&self);

	if (EFI_ERROR(status))
		return status;
	path = FileDevicePath(self->DeviceHandle, L"\\topaz\\next.efi");
	status = uefi_call_wrapper(BS->LoadImage, 6, FALSE, image, path, NULL,
				   0, &next);
	if (EFI_ERROR(status))
		return status;
	status = uefi_call_wrapper(BS->HandleProtocol, 3, next,
				   &LoadedImageProtocol, (void **)&loaded);
	if (EFI_ERROR(status))
		return status;
	Print(L"next: loaded %a 4 GiB\r\n",
	      (UINT64)loaded->ImageBase >> 32 ? "above" : "below");
	return uefi_call_wrapper(BS->StartImage, 3, next, NULL, NULL);
}

EFI_STATUS start_next(EFI_HANDLE image)
{
	EFI_STATUS status = load_and_start(image);

	Print(L"next: %r\r\n", status);
	return status;
}

int volume_has(EFI_HANDLE image, CHAR16 *name)
{
	EFI_LOADED_IMAGE *self = NULL;
	EFI_FILE_HANDLE root, file;

	if (EFI_ERROR(uefi_call_wrapper(BS->HandleProtocol, 3, image,
					&LoadedImageProtocol,
					(void **)&self)))
		return 0;
	root = LibOpenRoot(self->DeviceHandle);
	return root && !EFI_ERROR(uefi_call_wrapper(root->Open, 5, root, &file,
						    name, EFI_FILE_MODE_READ,
						    0));
}
