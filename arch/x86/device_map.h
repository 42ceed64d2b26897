/* SPDX-License-Identifier: MIT */
/*
 * Registers at addresses that firmware names: checked, then mapped.
 */
#ifndef X86_DEVICE_MAP_H
#define X86_DEVICE_MAP_H

#include "lib/compiler.h"

struct boot_info;

/* @bi: hand-over; its memory map says what is RAM. */
void device_map_init(const struct boot_info *bi);

/**
 * device_map() - map registers, uncached, for good
 *
 * An address of RAM is refused, and one that the CPU's page tables cannot
 * hold: a bit too many in an entry is a page fault.
 *
 * Context: boot, after paging_init(). Return: the registers, or NULL.
 */
void *device_map(phys_addr_t pa, size_t size);

#endif /* X86_DEVICE_MAP_H */
