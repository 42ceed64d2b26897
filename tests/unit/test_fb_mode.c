/* SPDX-License-Identifier: MIT */
/*
 * What firmware says of a frame buffer: depth, colours, size, text that fits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86/fb_mode.h"

#define MIB(n)	((u64)(n) << 20)

static struct boot_framebuffer fb_of(u32 width, u32 height, u32 pitch,
				     u32 format)
{
	return (struct boot_framebuffer){
		.base = 0x80000000, .width = width, .height = height,
		.pitch = pitch, .format = format,
		.size = (u64)pitch * height * 4,
	};
}

static struct boot_framebuffer masked(u32 red, u32 green, u32 blue, u32 rest)
{
	struct boot_framebuffer fb = fb_of(1024, 768, 1024, BOOT_FB_BITMASK);

	fb.mask[0] = red;
	fb.mask[1] = green;
	fb.mask[2] = blue;
	fb.mask[3] = rest;
	return fb;
}

static void assert_refused(const struct boot_framebuffer *fb, const char *what)
{
	struct fb_mode mode;
	const char *why = fb_mode_init(&mode, fb, FB_ROT_0);

	assert_non_null(why);
	assert_non_null(strstr(why, what));
}

static void depth_is_the_highest_bit_of_all_masks(void **state)
{
	static const struct {
		u32 red, green, blue, rest, pixel, ink;
	} t[] = {
		{ 0xff, 0xff00, 0xff0000, 0xff000000, 4, 0xc8c8c8 },
		{ 0xff0000, 0xff00, 0xff, 0, 3, 0xc8c8c8 },
		{ 0xff0000, 0xff00, 0xff, 0x1000000, 4, 0xc8c8c8 },
		{ 0xf800, 0x7e0, 0x1f, 0, 2, 0xc638 },
		{ 0x7c00, 0x3e0, 0x1f, 0, 2, 0x6318 },
		{ 0xe0, 0x1c, 0x03, 0, 1, 0xb6 },
		{ 0x3ff00000, 0xffc00, 0x3ff, 0, 4, 0x322c8b22 },
		{ 0, 0xff00, 0, 0, 2, 0xc800 },
		{ 0, 0, 1, 0, 1, 1 },
		{ 0x80000000, 0, 0, 0, 4, 0x80000000 },
		{ 0xffffffff, 0, 0, 0, 4, 0xc8c8c8c8 },
		{ 0xff, 0xff00, 0xff0000, 0xffffffff, 4, 0xc8c8c8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct boot_framebuffer fb = masked(t[i].red, t[i].green,
						    t[i].blue, t[i].rest);
		struct fb_mode mode;

		assert_null(fb_mode_init(&mode, &fb, FB_ROT_0));
		assert_int_equal(mode.pixel, t[i].pixel);
		assert_int_equal(mode.ink, t[i].ink);
		assert_int_equal(mode.paper, 0);
		assert_int_equal(mode.pitch, 1024 * t[i].pixel);
	}
}

static void masks_that_make_no_colour_are_refused(void **state)
{
	struct boot_framebuffer fb;

	(void)state;
	fb = masked(0, 0, 0, 0);
	assert_refused(&fb, "no colour");
	fb = masked(0, 0, 0, 0xff000000);
	assert_refused(&fb, "no colour");
	fb = masked(0xff, 0xff, 0xff00, 0);
	assert_refused(&fb, "overlap");
	fb = masked(0xff, 0xff00, 0x80, 0);
	assert_refused(&fb, "overlap");
	fb = masked(0xff, 0x1ff00, 0x10000, 0);
	assert_refused(&fb, "overlap");
	fb = masked(0xff, 0xa000, 0xff0000, 0);
	assert_refused(&fb, "hole");
}

static void sizes_that_cannot_be_are_refused(void **state)
{
	struct boot_framebuffer fb;

	(void)state;
	fb = fb_of(1024, 768, 1023, BOOT_FB_BGR);
	assert_refused(&fb, "shorter");
	fb = fb_of(1024, 768, 0, BOOT_FB_BGR);
	assert_refused(&fb, "shorter");
	fb = fb_of(0, 768, 1024, BOOT_FB_BGR);
	assert_refused(&fb, "no such size");
	fb = fb_of(1024, 0, 1024, BOOT_FB_BGR);
	assert_refused(&fb, "no such size");
	fb = fb_of(0xffffffff, 768, 0xffffffff, BOOT_FB_BGR);
	assert_refused(&fb, "no such size");
	fb = fb_of(1024, 768, 0xffffffff, BOOT_FB_BGR);
	assert_refused(&fb, "no such size");
	fb = fb_of(7, 768, 8, BOOT_FB_BGR);
	assert_refused(&fb, "smaller");
	fb = fb_of(1024, 15, 1024, BOOT_FB_BGR);
	assert_refused(&fb, "smaller");
	fb = fb_of(1024, 768, 1024, BOOT_FB_BGR);
	fb.size = 1024 * 4 * 16 - 1;
	assert_refused(&fb, "too small");
	fb.size = 0;
	assert_refused(&fb, "too small");
	fb = fb_of(1024, 768, 1024, BOOT_FB_NONE);
	assert_refused(&fb, "format");
	fb = fb_of(1024, 768, 1024, 77);
	assert_refused(&fb, "format");
}

static void text_fits_at_every_size_and_turn(void **state)
{
	static const struct {
		u32 width, height, pitch;
		enum fb_rot rot;
		u32 scale, cols, rows;
	} t[] = {
		{ 8, 16, 8, FB_ROT_0, 1, 1, 1 },
		{ 16, 8, 16, FB_ROT_90, 1, 1, 1 },
		{ 640, 480, 640, FB_ROT_0, 1, 80, 30 },
		{ 1366, 768, 1376, FB_ROT_0, 1, 170, 48 },
		{ 1366, 768, 1376, FB_ROT_90, 1, 96, 85 },
		{ 2560, 1599, 2560, FB_ROT_0, 1, 320, 99 },
		{ 2560, 1600, 2560, FB_ROT_0, 2, 160, 50 },
		{ 3840, 2160, 3840, FB_ROT_180, 2, 240, 67 },
		{ 3840, 2799, 3840, FB_ROT_0, 2, 240, 87 },
		{ 5120, 2880, 5120, FB_ROT_0, 3, 213, 60 },
		{ 1200, 1920, 1216, FB_ROT_0, 1, 150, 120 },
		{ 1200, 1920, 1216, FB_ROT_270, 1, 240, 75 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct boot_framebuffer fb = fb_of(t[i].width, t[i].height,
						   t[i].pitch, BOOT_FB_RGB);
		struct fb_mode mode;

		assert_null(fb_mode_init(&mode, &fb, t[i].rot));
		assert_int_equal(mode.scale, t[i].scale);
		assert_int_equal(mode.cols, t[i].cols);
		assert_int_equal(mode.rows, t[i].rows);
		assert_int_equal(mode.pitch, t[i].pitch * 4);
		assert_int_equal(fb_mode_bytes(&mode), fb.size);
	}
}

/* A 3840 pixels wide mode whose last lines were not memory. */
static void lines_without_memory_are_not_used(void **state)
{
	struct boot_framebuffer fb = fb_of(3840, 2160, 3840, BOOT_FB_BGR);
	struct fb_mode mode;

	(void)state;
	fb.size = MIB(16);
	assert_null(fb_mode_init(&mode, &fb, FB_ROT_0));
	assert_int_equal(mode.height, 1092);
	assert_true(fb_mode_bytes(&mode) <= fb.size);
	assert_int_equal(mode.scale, 1);
	assert_int_equal(mode.rows, 68);
}

static const struct boot_mem map[] = {
	{ 0x100000, MIB(127), BOOT_MEM_USABLE },
	{ 0x8000000, MIB(64), BOOT_MEM_RESERVED },
	{ 0xc000000, MIB(1), BOOT_MEM_RUNTIME },
	{ 0xe0000000, MIB(256), BOOT_MEM_MMIO },
};

static const char *place(phys_addr_t base, u64 end)
{
	struct boot_framebuffer fb = fb_of(1024, 768, 1024, BOOT_FB_BGR);
	struct fb_mode mode;

	assert_null(fb_mode_init(&mode, &fb, FB_ROT_0));
	return fb_mode_place(&mode, base, end, map,
			     sizeof(map) / sizeof(map[0]));
}

static void it_may_lie_anywhere_but_in_memory_that_is_in_use(void **state)
{
	(void)state;
	assert_null(place(0x80000000, 1ULL << 36));
	assert_null(place(0xe0000000, 1ULL << 36));
	assert_null(place(0x7000000000, 1ULL << 39));
	assert_null(place(0x8000000, 1ULL << 36));
	assert_null(place(0xc000000 - MIB(3), 1ULL << 36));
	assert_non_null(place(0xc000000 - MIB(3) + 1, 1ULL << 36));
	assert_non_null(place(0xc0fffff, 1ULL << 36));
	assert_null(place(0xc100000, 1ULL << 36));
	assert_non_null(place(0x7ffffff, 1ULL << 36));
	assert_non_null(place(0x200000, 1ULL << 36));
}

static void it_lies_within_the_processors_addresses(void **state)
{
	(void)state;
	assert_non_null(place(0, 1ULL << 36));
	assert_null(place((1ULL << 36) - MIB(3), 1ULL << 36));
	assert_non_null(place((1ULL << 36) - MIB(3) + 1, 1ULL << 36));
	assert_non_null(place(1ULL << 36, 1ULL << 36));
	assert_non_null(place(~0ULL, 1ULL << 52));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_is_the_highest_bit_of_all_masks),
		cmocka_unit_test(masks_that_make_no_colour_are_refused),
		cmocka_unit_test(sizes_that_cannot_be_are_refused),
		cmocka_unit_test(text_fits_at_every_size_and_turn),
		cmocka_unit_test(lines_without_memory_are_not_used),
		cmocka_unit_test(
			it_may_lie_anywhere_but_in_memory_that_is_in_use),
		cmocka_unit_test(it_lies_within_the_processors_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
