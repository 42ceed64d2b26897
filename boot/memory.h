/* SPDX-License-Identifier: MIT */
/*
 * The loader's memory map turned into what the page allocator takes.
 */
#ifndef BOOT_MEMORY_H
#define BOOT_MEMORY_H

#include "boot/boot_info.h"
#include "lib/compiler.h"
#include "lib/printk.h"

/**
 * memory_init() - hand every free page of the map to the page allocator
 * @bi:	hand-over; entries that are unsorted, overlap, wrap around or are not
 *	page granular are left out, printed and counted, and of more than 4096
 *	usable ranges the smallest
 *
 * Context: boot, once.
 * Return: 0; -EBADMSG when less than 16 MiB is usable: the map is printed; else
 * page_init()'s error.
 */
int __must_check memory_init(const struct boot_info *bi);

/* The map, one line for each entry, with the node of its first byte. */
void memory_map_show(const struct boot_info *bi, struct printer *out);

#endif /* BOOT_MEMORY_H */
