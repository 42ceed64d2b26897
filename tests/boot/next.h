/* SPDX-License-Identifier: MIT */
/*
 * Programs that make the firmware worse, and then start the next one.
 */
#ifndef TESTS_BOOT_NEXT_H
#define TESTS_BOOT_NEXT_H

#include <efi.h>

/* Starts \topaz\next.efi of the volume of @image; says so when it cannot. */
EFI_STATUS start_next(EFI_HANDLE image);

#endif /* TESTS_BOOT_NEXT_H */
