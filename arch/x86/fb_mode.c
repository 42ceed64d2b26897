/* SPDX-License-Identifier: MIT */
/*
 * What a frame buffer is like: bytes of a pixel, colours, how text fits on it.
 *
 * UEFI specification, "Graphics Output Protocol": pixel formats, pixels per
 * scan line.
 */
#include "arch/x86/fb_mode.h"

#include "arch/x86/font.h"
#include "lib/compiler.h"

#define FB_MAX_SIDE	16384u	/* pixels */
#define FB_MAX_PITCH	65536u	/* pixels */
#define FB_INK		0xc8u	/* of 0xff, for each colour: light grey */

#define MASK_ALPHA	3	/* index of the reserved mask */

static bool is_contiguous(u32 mask)
{
	u32 low = mask & -mask;

	return !(mask & (mask + low));
}

/* A mask may be 0: that colour is not there. */
static const char *check_masks(const u32 *mask)
{
	if (!(mask[0] | mask[1] | mask[2]))
		return "no colour has a mask";
	if (mask[0] & mask[1] || mask[1] & mask[2] || mask[0] & mask[2])
		return "masks of colours overlap";
	for (unsigned int i = 0; i < MASK_ALPHA; i++)
		if (!is_contiguous(mask[i]))
			return "a mask has a hole";
	return NULL;
}

/* @level of 0xff, rounded to the bits that the mask has. */
static u32 colour(u32 mask, u32 level)
{
	u64 top;

	if (!mask)
		return 0;
	top = mask / (mask & -mask);
	return (u32)((top * level + 0x7f) / 0xff) * (mask & -mask);
}

static const char *set_pixel(struct fb_mode *mode,
			     const struct boot_framebuffer *fb)
{
	static const u32 rgb[4] = { 0xff, 0xff00, 0xff0000, 0xff000000 };
	const u32 *mask = fb->mask;
	const char *why;

	switch (fb->format) {
	case BOOT_FB_RGB:
	case BOOT_FB_BGR:
		mask = rgb;	/* grey: the order of the bytes is the same */
		break;
	case BOOT_FB_BITMASK:
		why = check_masks(mask);
		if (why)
			return why;
		break;
	default:
		return "unknown pixel format";
	}
	mode->pixel = ilog2(mask[0] | mask[1] | mask[2] | mask[MASK_ALPHA]) /
		      8 + 1;
	mode->paper = 0;
	mode->ink = 0;
	for (unsigned int i = 0; i < MASK_ALPHA; i++)
		mode->ink |= colour(mask[i], FB_INK);
	return NULL;
}

static u32 scale_for(u32 lines)
{
	if (lines >= 2800)
		return 3;
	return lines >= 1600 ? 2 : 1;
}

const char *fb_mode_init(struct fb_mode *mode,
			 const struct boot_framebuffer *fb, enum fb_rot rot)
{
	bool upright = rot == FB_ROT_0 || rot == FB_ROT_180;
	const char *why = set_pixel(mode, fb);

	if (why)
		return why;
	if (!fb->width || !fb->height || fb->width > FB_MAX_SIDE ||
	    fb->height > FB_MAX_SIDE || fb->pitch > FB_MAX_PITCH)
		return "no such size";
	if (fb->pitch < fb->width)
		return "scan lines shorter than the picture is wide";
	mode->pitch = (u64)fb->pitch * mode->pixel;
	mode->width = fb->width;
	mode->height = (u32)min((u64)fb->height, fb->size / mode->pitch);
	mode->scale = scale_for(min(mode->width, mode->height));
	mode->rot = rot;
	mode->cols = (upright ? mode->width : mode->height) /
		     (FONT_WIDTH * mode->scale);
	mode->rows = (upright ? mode->height : mode->width) /
		     (FONT_HEIGHT * mode->scale);
	if (!mode->cols || !mode->rows)
		return mode->height < fb->height ?
		       "its memory is too small" : "smaller than a character";
	return NULL;
}

/* Types that the kernel or the firmware keeps something in. */
static bool is_in_use(u64 type)
{
	return boot_mem_is_ram(type) || type == BOOT_MEM_RUNTIME;
}

const char *fb_mode_place(const struct fb_mode *mode, phys_addr_t base_pa,
			  phys_addr_t end_pa, const struct boot_mem *mem,
			  u64 nr_mem)
{
	u64 bytes = fb_mode_bytes(mode);

	if (!base_pa || base_pa >= end_pa || bytes > end_pa - base_pa)
		return "beyond the processor's addresses";
	for (u64 i = 0; i < nr_mem; i++) {
		u64 last = mem[i].base + mem[i].size - 1;

		if (mem[i].size && is_in_use(mem[i].type) &&
		    base_pa <= last && mem[i].base < base_pa + bytes)
			return "in memory that is in use";
	}
	return NULL;
}
