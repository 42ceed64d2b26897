/* SPDX-License-Identifier: MIT */
/*
 * What the loader hands to the kernel: one page of plain data.
 *
 * The one header that the loader and every layer of the kernel share. No EFI
 * type appears here; all addresses are physical. The kernel refuses a
 * hand-over whose magic, version or size it does not know.
 *
 * The state of the machine at kernel_entry (boot/entry.asm):
 *   - long mode, paging on, interrupts off, DF clear, EFER.NXE and CR0.WP set;
 *   - CR3 = tables in loader memory below 4 GiB:
 *       KERNEL_BASE..      the kernel's segments, W^X as its program headers say
 *       HHDM_BASE + pa     every byte of RAM of the memory map, writable, NX
 *       identity           the low 4 GiB, and above it the loader and every
 *                          runtime services region, writable and executable:
 *                          for the switch, the APs, and calls of the firmware
 *   - RSP = a stack of BOOT_STACK_SIZE bytes in HHDM, RDI = HHDM address of
 *     struct boot_info.
 * The kernel copies what it needs and then builds its own tables.
 *
 * The firmware's ResetSystem (efi_reset) is called on CR3 = cr3, RSP =
 * stack_base + BOOT_STACK_SIZE (below 4 GiB, so it is mapped at its own
 * address), interrupts on, which UEFI allows and a time-out needs, in the
 * Microsoft calling convention: ECX = type, RDX = status, R8 = size, R9 = data,
 * 32 bytes of shadow space. The kernel's segments and the direct map are there
 * too. Memory of boot services is in use by then, so this is the last resort.
 */
#ifndef BOOT_BOOT_INFO_H
#define BOOT_BOOT_INFO_H

#include <stdint.h>

#define BOOT_INFO_MAGIC		0x4f464e495a504f54ULL	/* "TOPZINFO" */
#define BOOT_INFO_VERSION	2

#define HHDM_BASE		0xffff800000000000ULL
#define KERNEL_BASE		0xffffffff80000000ULL
#define BOOT_STACK_SIZE		0x4000
#define BOOT_MAX_MODULES	16
#define BOOT_MODULE_NAME	48
#define BOOT_MAX_FB		8
#define BOOT_CMDLINE		512

enum boot_module_type {
	BOOT_MODULE_KERNEL = 1,	/* the kernel's own ELF file, with .symtab */
	BOOT_MODULE_RC,		/* \topaz.rc */
	BOOT_MODULE_FILE,	/* any file of the folder \topaz */
};

/* A file in memory: page aligned, the rest of its last page is zero. */
struct boot_module {
	uint64_t type;
	uint64_t base;
	uint64_t size;			/* bytes */
	char name[BOOT_MODULE_NAME];	/* name in its folder, NUL terminated */
};

/*
 * Memory types, as far as the kernel treats them apart; from the least
 * restrictive to the most: where entries of the firmware's map overlap, the
 * later in this list wins, but LOADER before all: it is in use already.
 */
enum boot_mem_type {
	BOOT_MEM_USABLE = 1,	/* Conventional, BootServices*: write-back */
	BOOT_MEM_LOADER,	/* Loader*: see below */
	BOOT_MEM_ACPI,		/* ACPI reclaim: free once the tables are read */
	BOOT_MEM_NVS,
	BOOT_MEM_RUNTIME,
	BOOT_MEM_MMIO,
	/* also unaccepted, persistent, specific purpose, without write-back */
	BOOT_MEM_RESERVED,
};

/*
 * One entry of the memory map. Sorted by base, not overlapping, page granular,
 * neighbours of one type merged. BOOT_MEM_LOADER covers the kernel, its
 * modules, the tables, the stack, the trampoline and this structure, and what
 * a loader before this one left: all of it stays in use but for what the
 * kernel frees by name.
 */
struct boot_mem {
	uint64_t base;
	uint64_t size;			/* bytes */
	uint64_t type;			/* enum boot_mem_type */
};

/* Whether the direct map holds memory of this type. */
static inline int boot_mem_is_ram(uint64_t type)
{
	return type == BOOT_MEM_USABLE || type == BOOT_MEM_LOADER ||
	       type == BOOT_MEM_ACPI || type == BOOT_MEM_NVS;
}

enum boot_fb_format {
	BOOT_FB_NONE,
	BOOT_FB_RGB,			/* byte 0 is red */
	BOOT_FB_BGR,			/* byte 0 is blue */
	BOOT_FB_BITMASK,
};

/* In the mode that the firmware set. Only @base, @width, @height are checked. */
struct boot_framebuffer {
	uint64_t base;			/* not 0 */
	uint64_t size;
	uint32_t width;			/* pixels, not 0 */
	uint32_t height;
	uint32_t pitch;			/* pixels per scan line */
	uint32_t format;		/* enum boot_fb_format, not NONE */
	uint32_t mask[4];		/* red, green, blue, reserved (BITMASK) */
};

struct boot_info {
	uint64_t magic;
	uint32_t version;
	uint32_t size;			/* sizeof(struct boot_info) */
	uint64_t mem;			/* array of struct boot_mem */
	uint64_t nr_mem;
	uint64_t mem_skipped;		/* malformed map entries left out */
	uint64_t mem_overlaps;		/* entries that overlapped an earlier */
	uint64_t rsdp;			/* 0: none */
	uint64_t kernel_base;		/* where KERNEL_BASE is in memory */
	uint64_t kernel_size;
	uint64_t trampoline;		/* a page below 640 KiB for AP start-up,
					 * not page 0; 0: there was none */
	uint64_t cr3;			/* the loader's tables */
	uint64_t stack_base;		/* below 4 GiB */
	uint64_t efi_reset;		/* ResetSystem: see above; 0: none */
	uint64_t nr_fb;
	/* Distinct ones; the first is the firmware's console, if any is. */
	struct boot_framebuffer fb[BOOT_MAX_FB];
	/*
	 * Boot options: the load options, then the words of \topaz.cmdline.
	 * Printable ASCII, words apart by one space, NUL terminated.
	 */
	char cmdline[BOOT_CMDLINE];
	uint64_t nr_modules;
	struct boot_module module[BOOT_MAX_MODULES];
};

#endif /* BOOT_BOOT_INFO_H */
