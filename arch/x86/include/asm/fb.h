/* SPDX-License-Identifier: MIT */
/*
 * Frame buffer consoles: the text of the run on every screen.
 */
#ifndef ASM_FB_H
#define ASM_FB_H

#include "lib/types.h"

struct boot_info;

/**
 * fb_init() - make each usable frame buffer of the hand-over a console
 * @bi:		hand-over: frame buffers, memory map, the option rot=
 * @alloc:	gives cleared memory for good, aligned to 16, or NULL
 *
 * The modes stay as firmware set them. A line for each: how much text it
 * shows, or why it is not used. None at all is not an error.
 *
 * Context: boot, after paging_init().
 */
void fb_init(const struct boot_info *bi, void *(*alloc)(size_t size));

#endif /* ASM_FB_H */
