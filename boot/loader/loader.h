/* SPDX-License-Identifier: MIT */
/*
 * The UEFI loader's parts. Its own program: nothing of the kernel is linked.
 */
#ifndef BOOT_LOADER_LOADER_H
#define BOOT_LOADER_LOADER_H

#include <efi.h>
#include <efilib.h>
#include "boot/boot_info.h"

#define PAGE_SIZE	4096ULL
#define PAGES(bytes)	(((bytes) + PAGE_SIZE - 1) / PAGE_SIZE)

/* The kernel image that this program carries (image.asm). */
extern const UINT8 kernel_image[];
extern const UINT8 kernel_image_end[];

/* What is known of the kernel after loading it. */
struct kernel {
	UINT64 base;		/* physical address of KERNEL_BASE */
	UINT64 size;
	UINT64 entry;
	UINT64 file;		/* copy of the file, for its symbols */
	UINT64 file_size;
};

/* ---- main.c ---- */

/* Prints why, and ends: in QEMU with status 35, else back to the firmware. */
void __attribute__((noreturn)) die(const CHAR16 *what, EFI_STATUS status);

/* Pages of EfiLoaderData below @limit (0: anywhere), zeroed; dies without. */
UINT64 alloc_pages(UINTN nr, UINT64 limit, const CHAR16 *what);

/* ---- elf.c ---- */

/* Checks the embedded image and copies its segments; dies when damaged. */
void kernel_load(struct kernel *kernel);

/* Calls @fn for each loadable segment, in file order. */
struct segment {
	UINT64 vaddr;
	UINT64 offset;
	UINT64 filesz;
	UINT64 memsz;
	UINT32 flags;		/* SEGMENT_* */
};
#define SEGMENT_X	1u
#define SEGMENT_W	2u
#define MAX_SEGMENTS	8
UINTN kernel_segments(struct segment *segment);

/* ---- files.c ---- */

/* Reads \topaz.rc and the files of \topaz, where they are there. */
void modules_load(EFI_HANDLE device, struct boot_info *bi);
/* A small file of the volume. Return: its bytes (FreePool), NULL: not there. */
void *file_read(EFI_HANDLE device, const CHAR16 *name, UINTN *size);
void module_add(struct boot_info *bi, UINT64 type, const CHAR16 *name,
		UINT64 base, UINT64 size);

/* ---- memmap.c ---- */

/*
 * Takes the memory map and leaves boot services. No firmware call may follow.
 * The map is turned into struct boot_mem in memory taken before.
 */
void exit_boot_services(EFI_HANDLE image, struct boot_info *bi);

/* ---- paging.c ---- */

/* The hand-over's tables: kernel, direct map, identity. Return: CR3. */
UINT64 paging_build(const struct kernel *kernel);

/* ---- gop.c ---- */
void framebuffers_find(struct boot_info *bi);

/* ---- options.c ---- */

/* Load options of the image, then \topaz.cmdline of its volume. */
void options_find(EFI_HANDLE image, struct boot_info *bi);

/* ---- machine.c ---- */
UINT64 rsdp_find(void);
UINT64 reset_find(void);
int cpu_has_nx(void);
int under_qemu(void);

#endif /* BOOT_LOADER_LOADER_H */
