/* SPDX-License-Identifier: MIT */
/*
 * What a frame buffer is like: bytes of a pixel, colours, how text fits on it.
 *
 * Pure functions over what firmware claims; nothing is drawn or mapped here.
 */
#ifndef X86_FB_MODE_H
#define X86_FB_MODE_H

#include "boot/boot_info.h"
#include "lib/types.h"

/* How far the picture is turned clockwise, in quarters: option rot=90. */
enum fb_rot {
	FB_ROT_0,
	FB_ROT_90,
	FB_ROT_180,
	FB_ROT_270,
};

struct fb_mode {
	u32 width, height;	/* pixels that may be written */
	u64 pitch;		/* bytes from one line to the next */
	u32 pixel;		/* bytes of a pixel, 1 to 4 */
	u32 ink, paper;		/* values of a pixel */
	u32 scale;		/* pixels for one of the font's, each way */
	enum fb_rot rot;
	u32 cols, rows;		/* characters, as they are read; not 0 */
};

/**
 * fb_mode_init() - judge a frame buffer and lay text out on it
 * @mode:	filled in when it can be used
 * @fb:		as firmware described it; hostile
 * @rot:	enum fb_rot
 *
 * The lines that fit into its size count, not those that it claims. Characters
 * are doubled from 1600 lines on and tripled from 2800; on a picture that is
 * higher than wide its width counts.
 *
 * Return: NULL, or the reason why it cannot be used.
 */
const char *fb_mode_init(struct fb_mode *mode,
			 const struct boot_framebuffer *fb, enum fb_rot rot);

/* Bytes from the first pixel that are written at most. */
static inline u64 fb_mode_bytes(const struct fb_mode *mode)
{
	return mode->pitch * mode->height;
}

/**
 * fb_mode_place() - whether a frame buffer may lie where it does
 * @mode:	of the frame buffer
 * @base_pa:	its first byte
 * @end_pa:	the end of the processor's physical address space
 * @mem:	memory map; drawing on memory that is in use would destroy it
 * @nr_mem:	entries of @mem
 *
 * Return: NULL, or the reason why not.
 */
const char *fb_mode_place(const struct fb_mode *mode, phys_addr_t base_pa,
			  phys_addr_t end_pa, const struct boot_mem *mem,
			  u64 nr_mem);

#endif /* X86_FB_MODE_H */
