/* SPDX-License-Identifier: MIT */
/*
 * The UEFI loader's parts. Its own program: of the kernel only lib/sort.c is
 * linked.
 */
#ifndef BOOT_LOADER_LOADER_H
#define BOOT_LOADER_LOADER_H

#include <efi.h>
#include <efilib.h>
#include "boot/boot_info.h"

#define PAGE_SIZE	4096ULL
#define PAGES(bytes)	(((bytes) + PAGE_SIZE - 1) / PAGE_SIZE)
#define BELOW_4G	(1ULL << 32)

struct memmap;

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

/* This program for the firmware. Owner: efi_start(). */
extern EFI_HANDLE this_image;

/* ---- say.c ---- */

/* One line by ConOut->OutputString, where there is one; never after EBS. */
void say(const CHAR16 *format, ...);

/* Says why, and ends: in QEMU with status 35, else back to the firmware. */
void __attribute__((noreturn)) die(const CHAR16 *what, EFI_STATUS status);

/* The same without the firmware but ResetSystem: boot services may be gone. */
void __attribute__((noreturn)) die_alone(const char *what);

/* ---- pages.c ---- */

/*
 * Cleared pages of EfiLoaderData.
 * @limit:	below this address; 0: anywhere
 * Return: EFI_SUCCESS, or why there are none.
 */
EFI_STATUS try_pages(UINTN nr, UINT64 limit, UINT64 *pages);
UINT64 alloc_pages(UINTN nr, UINT64 limit, const CHAR16 *what);	/* or dies */
void free_pages(UINT64 pages, UINTN nr);

/*
 * A page for the other CPUs' first instructions: below 640 KiB, not page 0.
 * To be called before any other memory is taken. Return: 0: there is none.
 */
UINT64 trampoline_alloc(void);

/* ---- elf.c ---- */

/* Checks the embedded image and copies its segments; dies when damaged. */
void kernel_load(struct kernel *kernel);

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

/* The loadable segments, in file order; dies when damaged. Return: how many. */
UINTN kernel_segments(struct segment *segment);

/* ---- files.c ---- */

/* Reads \topaz.rc and the files of \topaz, where they are there. */
void modules_load(EFI_HANDLE device, struct boot_info *bi);
/* A small file of the volume. Return: its bytes (FreePool), NULL: not there. */
void *file_read(EFI_HANDLE device, const CHAR16 *name, UINTN *size);
void module_add(struct boot_info *bi, UINT64 type, const CHAR16 *name,
		UINT64 base, UINT64 size);

/* ---- leave.c ---- */

/* All memory that the map and leaving need: before paging_build(). */
void map_take(void);

/* The memory map as it is now; dies without. Valid until the next call. */
const struct memmap *map_read(void);

/*
 * Leaves boot services; the memory map goes into @bi. No firmware call may
 * follow. Does not return when the firmware does not let go.
 */
void leave_firmware(struct boot_info *bi);

/* ---- paging.c ---- */

/*
 * The hand-over's tables: kernel, RAM, identity of the low 4 GiB, of the
 * firmware's run-time regions and of the loader itself. The direct map holds
 * what is RAM now: all that the kernel reaches by it was taken before.
 * Return: CR3.
 */
UINT64 paging_build(const struct kernel *kernel, const EFI_LOADED_IMAGE *self);

/* A root above @cr3 for as long as the processor pages with 5 levels. */
UINT64 paging_root_5(UINT64 cr3);

/* ---- gop.c ---- */
void framebuffers_find(struct boot_info *bi);

/* ---- options.c ---- */

/* Load options of the image, then \topaz.cmdline of its volume. */
void options_find(const EFI_LOADED_IMAGE *self, struct boot_info *bi);

/* ---- machine.c ---- */
UINT64 rsdp_find(void);
UINT64 reset_find(void);
int cpu_has_nx(void);
int cpu_has_la57_on(void);
int under_qemu(void);

/* ---- switch.asm ---- */

struct switch_args {
	UINT64 cr3;		/* 4 levels, below 4 GiB */
	UINT64 cr3_5;		/* 5 levels, below 4 GiB; 0: 4 are in use */
	UINT64 low;		/* a page below 4 GiB; only with @cr3_5 */
	UINT64 stack;		/* initial RSP */
	UINT64 entry;
	UINT64 bi;		/* its RDI */
	UINT64 efer;		/* bits to be set */
};

/* Interrupts off, the kernel's tables and stack, its entry. */
void __attribute__((noreturn)) switch_to_kernel(const struct switch_args *args);

#endif /* BOOT_LOADER_LOADER_H */
