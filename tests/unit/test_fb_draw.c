/* SPDX-License-Identifier: MIT */
/*
 * Drawing: every byte of a frame buffer between guard pages is what a second,
 * simple description of the picture says, and no byte is ever read.
 */
#define _GNU_SOURCE		/* names of registers in a signal's context */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <cmocka.h>

#include "arch/x86/fb_draw.h"
#include "lib/compiler.h"

#define PAGE		4096u
#define ERR_WRITE	2	/* of a page fault's error code: SDM volume 3 */
#define EFLAGS_TF	0x100

/* A screen on memory of the host, and the noise that was there before. */
struct host_fb {
	struct boot_framebuffer fb;
	struct fb_mode mode;
	struct fb_text text;
	struct fb_screen screen;
	u8 *map;		/* guard page, pages, guard page */
	size_t map_size;
	u8 *base;
	u8 *noise;
	u8 *room, *cell;
};

static u64 seed = 88172645463325252ULL;

static u32 rnd(u32 below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)((seed >> 32) % below);
}

static void make_noise(struct host_fb *h)
{
	u64 bytes = fb_mode_bytes(&h->mode);

	for (u64 i = 0; i < bytes; i += sizeof(seed)) {
		rnd(1);
		memcpy(h->noise + i, &seed, min(bytes - i, sizeof(seed)));
	}
	memcpy(h->base, h->noise, bytes);
}

/*
 * At the end of its pages, so that the byte behind it faults, or at the start.
 * Return: false when the mode is refused.
 */
static bool open_fb(struct host_fb *h, const struct boot_framebuffer *fb,
		    enum fb_rot rot, bool at_end)
{
	u64 bytes, pages;

	h->fb = *fb;
	if (fb_mode_init(&h->mode, fb, rot))
		return false;
	bytes = fb_mode_bytes(&h->mode);
	assert_true(bytes <= fb->size);
	pages = (bytes + PAGE - 1) / PAGE * PAGE;
	h->map_size = pages + 2 * PAGE;
	h->map = mmap(NULL, h->map_size, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(h->map != MAP_FAILED);
	assert_int_equal(mprotect(h->map + PAGE, pages,
				  PROT_READ | PROT_WRITE), 0);
	h->base = h->map + PAGE + (at_end ? pages - bytes : 0);
	h->noise = malloc(bytes);
	h->room = malloc(fb_screen_room(&h->mode));
	h->cell = malloc((size_t)h->mode.cols * h->mode.rows);
	assert_true(h->noise && h->room && h->cell);
	make_noise(h);
	fb_text_init(&h->text, h->mode.cols, h->mode.rows, h->cell);
	return true;
}

static void close_fb(struct host_fb *h)
{
	munmap(h->map, h->map_size);
	free(h->noise);
	free(h->room);
	free(h->cell);
}

/* What is at pixel (x, y) of the frame buffer: ink or paper. */
static bool is_ink(const struct host_fb *h, u32 x, u32 y)
{
	u32 w = h->mode.cols * 8 * h->mode.scale;	/* of all text */
	u32 t = h->mode.rows * 16 * h->mode.scale;
	u32 tx = x, ty = y;				/* as it is read */
	u8 c;

	if (h->mode.rot == FB_ROT_90) {
		tx = y;
		ty = t - 1 - x;
	} else if (h->mode.rot == FB_ROT_180) {
		tx = w - 1 - x;
		ty = t - 1 - y;
	} else if (h->mode.rot == FB_ROT_270) {
		tx = w - 1 - y;
		ty = x;
	}
	if (tx >= w || ty >= t)
		return false;
	tx /= h->mode.scale;
	ty /= h->mode.scale;
	c = fb_text_at(&h->text, ty / 16, tx / 8);
	return font[c >= ' ' && c <= '~' ? c - ' ' : 95][ty % 16] >>
	       (7 - tx % 8) & 1;
}

/* Every byte: the picture, and noise between the lines. */
static void assert_picture(const struct host_fb *h, u32 ink)
{
	const struct fb_mode *m = &h->mode;
	u32 values[2] = { 0, ink };

	for (u32 y = 0; y < m->height; y++) {
		const u8 *line = h->base + y * m->pitch;
		u64 used = (u64)m->width * m->pixel;

		for (u32 x = 0; x < m->width; x++)
			if (memcmp(line + (u64)x * m->pixel,
				   &values[is_ink(h, x, y)], m->pixel))
				fail_msg("pixel %u,%u is wrong", x, y);
		if (memcmp(line + used, h->noise + y * m->pitch + used,
			   m->pitch - used))
			fail_msg("line %u: written behind the picture", y);
	}
}

static void write_fb(struct host_fb *h, const char *s, size_t n)
{
	fb_text_write(&h->text, s, n);
	fb_screen_draw(&h->screen, &h->text);
}

static void write_lines(struct host_fb *h, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		char line[120];
		int n = snprintf(line, sizeof(line),
				 "%u: 0123456789 abcXYZ {|}~ \x7f\xe4 %*c\n",
				 i, (int)rnd(80) + 1, '.');

		write_fb(h, line, (size_t)n);
	}
}

static const struct shape {
	u32 width, height, pitch;
	u64 size;			/* 0: what the height needs */
	u32 format;
	u32 mask[4];
	u32 bytes, ink;
} shapes[] = {
	{ 1366, 768, 1376, 0, BOOT_FB_BGR, { 0 }, 4, 0xc8c8c8 },
	{ 2560, 1600, 2560, 0, BOOT_FB_RGB, { 0 }, 4, 0xc8c8c8 },
	{ 3840, 2160, 3840, 0, BOOT_FB_BGR, { 0 }, 4, 0xc8c8c8 },
	{ 5120, 2880, 5120, 0, BOOT_FB_BGR, { 0 }, 4, 0xc8c8c8 },
	{ 1200, 1920, 1216, 0, BOOT_FB_RGB, { 0 }, 4, 0xc8c8c8 },
	{ 800, 600, 800, 0, BOOT_FB_BITMASK,
	  { 0xf800, 0x7e0, 0x1f, 0 }, 2, 0xc638 },
	{ 1024, 768, 1027, 0, BOOT_FB_BITMASK,
	  { 0xff0000, 0xff00, 0xff, 0 }, 3, 0xc8c8c8 },
	{ 641, 480, 643, 0, BOOT_FB_BITMASK, { 0xe0, 0x1c, 3, 0 }, 1, 0xb6 },
	{ 640, 480, 640, 0, BOOT_FB_BITMASK,
	  { 0x3ff00000, 0xffc00, 0x3ff, 0xc0000000 }, 4, 0x322c8b22 },
	{ 640, 480, 640, 0, BOOT_FB_BITMASK, { 0, 0xff00, 0, 0 }, 2, 0xc800 },
	{ 1024, 768, 1024, 1024 * 4 * 100 + 5, BOOT_FB_BGR, { 0 }, 4,
	  0xc8c8c8 },
	{ 17, 19, 23, 0, BOOT_FB_BGR, { 0 }, 4, 0xc8c8c8 },
};

static struct boot_framebuffer describe(const struct shape *s)
{
	struct boot_framebuffer fb = {
		.width = s->width, .height = s->height, .pitch = s->pitch,
		.format = s->format, .size = s->size,
	};

	memcpy(fb.mask, s->mask, sizeof(fb.mask));
	if (!fb.size)
		fb.size = (u64)s->pitch * s->height * s->bytes;
	return fb;
}

static void every_pixel_is_right_in_every_mode_and_turn(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes) * 4; i++) {
		const struct shape *s = &shapes[i / 4];
		struct boot_framebuffer fb = describe(s);
		struct host_fb h;

		/* The largest take their time: one turn of each. */
		if (s->width > 2000 && i % 4 != i / 4)
			continue;
		assert_true(open_fb(&h, &fb, (enum fb_rot)(i % 4), i & 1));
		fb_screen_init(&h.screen, &h.mode, h.base, h.room);
		write_lines(&h, 5);
		assert_picture(&h, s->ink);
		write_lines(&h, h.mode.rows);
		assert_picture(&h, s->ink);
		close_fb(&h);
	}
}

/* Each cell is untouched or drawn whole; drawn ones are those that changed. */
static void only_what_changed_is_drawn(void **state)
{
	struct boot_framebuffer fb = describe(&shapes[0]);
	struct host_fb h;
	u64 before = 0;

	(void)state;
	assert_true(open_fb(&h, &fb, FB_ROT_0, true));
	fb_screen_init(&h.screen, &h.mode, h.base, h.room);
	write_fb(&h, "abc", 3);
	make_noise(&h);
	before = h.screen.nr_bytes;
	write_fb(&h, "\rabXd", 5);
	assert_int_equal(h.screen.nr_bytes - before, 2 * 8 * 16 * 4);
	for (u32 y = 0; y < h.mode.height; y++) {
		for (u32 x = 0; x < h.mode.width; x++) {
			u64 at = y * h.mode.pitch + x * 4;
			u32 want = is_ink(&h, x, y) ? 0xc8c8c8 : 0;
			bool changed = y < 16 && x >= 16 && x < 32;

			assert_memory_equal(h.base + at, changed ?
					    (const void *)&want :
					    h.noise + at, 4);
		}
	}
	before = h.screen.nr_bytes;
	write_fb(&h, "\rabXd", 5);
	assert_int_equal(h.screen.nr_bytes, before);
	close_fb(&h);
}

/*
 * The frame buffer is not mapped: each access faults, is counted by its kind,
 * and is let through alone, in single step.
 */
static struct {
	struct host_fb *fb;
	unsigned long reads, writes;
	u64 page;
} watch;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	u64 at = (u64)info->si_addr;

	(void)sig;
	if (at < (u64)watch.fb->base ||
	    at >= (u64)watch.fb->base + fb_mode_bytes(&watch.fb->mode))
		abort();
	if (uc->uc_mcontext.gregs[REG_ERR] & ERR_WRITE)
		watch.writes++;
	else
		watch.reads++;
	watch.page = at / PAGE * PAGE;
	/* Stores are aligned: none lies across two pages. */
	mprotect((void *)watch.page, PAGE, PROT_READ | PROT_WRITE);
	uc->uc_mcontext.gregs[REG_EFL] |= EFLAGS_TF;
}

static void on_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	mprotect((void *)watch.page, PAGE, PROT_NONE);
	uc->uc_mcontext.gregs[REG_EFL] &= ~EFLAGS_TF;
}

static void start_watch(struct host_fb *h)
{
	struct sigaction fault = { .sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO };
	struct sigaction step = { .sa_sigaction = on_step,
				  .sa_flags = SA_SIGINFO };

	watch.fb = h;
	watch.reads = 0;
	watch.writes = 0;
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGTRAP, &step, NULL);
	mprotect(h->map, h->map_size, PROT_NONE);
}

static void stop_watch(struct host_fb *h)
{
	signal(SIGSEGV, SIG_DFL);
	signal(SIGTRAP, SIG_DFL);
	mprotect(h->map + PAGE, h->map_size - 2 * PAGE,
		 PROT_READ | PROT_WRITE);
}

static void the_frame_buffer_is_never_read(void **state)
{
	static const struct shape small[] = {
		{ 200, 64, 208, 0, BOOT_FB_BGR, { 0 }, 4, 0xc8c8c8 },
		{ 101, 70, 103, 0, BOOT_FB_BITMASK,
		  { 0xff0000, 0xff00, 0xff, 0 }, 3, 0xc8c8c8 },
		{ 99, 70, 99, 0, BOOT_FB_BITMASK,
		  { 0xf800, 0x7e0, 0x1f, 0 }, 2, 0xc638 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(small) * 2; i++) {
		struct boot_framebuffer fb = describe(&small[i / 2]);
		struct host_fb h;
		volatile u8 *byte;

		assert_true(open_fb(&h, &fb, (enum fb_rot)(i % 4), i & 1));
		start_watch(&h);
		fb_screen_init(&h.screen, &h.mode, h.base, h.room);
		write_lines(&h, 4);
		assert_int_equal(watch.reads, 0);
		assert_true(watch.writes >= h.screen.nr_bytes / 8);
		assert_true(watch.writes <= h.screen.nr_bytes);
		byte = h.base;	/* the watch itself sees a read */
		(void)*byte;
		assert_int_equal(watch.reads, 1);
		stop_watch(&h);
		assert_picture(&h, small[i / 2].ink);
		close_fb(&h);
	}
}

/* What a line costs on a full 4K screen; the whole screen is 33 MB. */
static void a_line_of_a_full_4k_screen_stays_in_its_budget(void **state)
{
	enum { LINES = 400, CHARS = 60, BUDGET = 1200000 };
	struct boot_framebuffer fb = describe(&shapes[2]);
	char line[CHARS + 1];
	struct host_fb h;
	u64 before = 0;

	(void)state;
	assert_true(open_fb(&h, &fb, FB_ROT_0, true));
	fb_screen_init(&h.screen, &h.mode, h.base, h.room);
	assert_int_equal(h.screen.nr_bytes, 3840 * 2160 * 4);
	for (unsigned int i = 0; i < LINES + h.mode.rows; i++) {
		if (i == h.mode.rows)
			before = h.screen.nr_bytes;
		for (unsigned int c = 0; c < CHARS; c++)
			line[c] = (char)('!' + rnd('~' - '!' + 1));
		line[CHARS] = '\n';
		write_fb(&h, line, sizeof(line));
	}
	print_message("3840x2160: %llu bytes stored for a line of %u characters\n",
		      (unsigned long long)(h.screen.nr_bytes - before) / LINES,
		      CHARS);
	assert_true((h.screen.nr_bytes - before) / LINES <= BUDGET);
	assert_picture(&h, 0xc8c8c8);
	close_fb(&h);
}

static struct boot_framebuffer random_fb(void)
{
	static const u32 mask_sets[][4] = {
		{ 0xff0000, 0xff00, 0xff, 0xff000000 },
		{ 0xff0000, 0xff00, 0xff, 0 }, { 0xf800, 0x7e0, 0x1f, 0 },
		{ 0xe0, 0x1c, 3, 0 }, { 0, 0, 1, 0 },
	};
	struct boot_framebuffer fb = {
		.width = rnd(400), .height = rnd(300), .format = rnd(5),
	};

	if (!rnd(8))
		fb.width = rnd(2500) + 1;
	fb.pitch = fb.width + rnd(9) - rnd(2);
	fb.size = (u64)fb.pitch * fb.height * (rnd(4) + 1);
	if (!rnd(4))
		fb.size = rnd(1 << 20);
	memcpy(fb.mask, mask_sets[rnd(5)], sizeof(fb.mask));
	if (!rnd(8))
		fb.mask[rnd(4)] = (u32)seed;
	if (!rnd(16))
		fb.width = (u32)seed;
	if (!rnd(16))
		fb.height = (u32)seed;
	if (!rnd(16))
		fb.pitch = (u32)seed;
	return fb;
}

static void random_descriptions_write_nothing_outside(void **state)
{
	unsigned int used = 0;

	(void)state;
	for (unsigned int i = 0; i < 1500; i++) {
		struct boot_framebuffer fb = random_fb();
		struct host_fb h;
		char text[500];

		if (!open_fb(&h, &fb, (enum fb_rot)rnd(4), rnd(2)))
			continue;
		used++;
		fb_screen_init(&h.screen, &h.mode, h.base, h.room);
		for (size_t n = 0; n < sizeof(text); n++)
			text[n] = rnd(8) ? (char)('!' + rnd(94)) :
				  (char)rnd(256);
		write_fb(&h, text, sizeof(text));
		assert_picture(&h, h.mode.ink);
		close_fb(&h);
	}
	print_message("%u of 1500 descriptions were usable\n", used);
	assert_true(used > 300 && used < 1400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pixel_is_right_in_every_mode_and_turn),
		cmocka_unit_test(only_what_changed_is_drawn),
		cmocka_unit_test(the_frame_buffer_is_never_read),
		cmocka_unit_test(
			a_line_of_a_full_4k_screen_stays_in_its_budget),
		cmocka_unit_test(random_descriptions_write_nothing_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
