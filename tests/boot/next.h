/* SPDX-License-Identifier: MIT */
/*
 * Programs that make the firmware worse, and then start the next one.
 */
#ifndef TESTS_BOOT_NEXT_H
#define TESTS_BOOT_NEXT_H

#include <efi.h>

/* Starts \topaz\next.efi of the volume of @image; says so when it cannot. */
EFI_STATUS start_next(EFI_HANDLE image);

/* Whether the volume of @image has a file of this path. */
int volume_has(EFI_HANDLE image, CHAR16 *name);

#endif /* TESTS_BOOT_NEXT_H */
