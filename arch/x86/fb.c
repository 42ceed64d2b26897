/* SPDX-License-Identifier: MIT */
/*
 * Frame buffer consoles: the text of the run on every screen.
 */
#include <asm/fb.h>

#include <asm/page.h>
#include <asm/paging.h>
#include <asm/physaddr.h>
#include "arch/x86/console.h"
#include "arch/x86/fb_draw.h"
#include "lib/cmdline.h"
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/string.h"

struct fb_console {
	struct console con;
	struct fb_text text;
	struct fb_screen screen;
};

static void fb_write(struct console *con, const char *text, size_t n)
{
	struct fb_console *fb = container_of(con, struct fb_console, con);

	fb_text_write(&fb->text, text, n);
	fb_screen_draw(&fb->screen, &fb->text);
}

static enum fb_rot rot_option(void)
{
	static const char *const values[] = { "0", "90", "180", "270" };
	char value[8];
	int err = cmdline_get("rot", value, sizeof(value));

	if (err == -ENOENT)
		return FB_ROT_0;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (!strcmp(value, values[i]))
			return (enum fb_rot)i;
	cmdline_bad("rot", value, 0, "expected 0, 90, 180 or 270");
	return FB_ROT_0;
}

/* Two descriptions of one buffer would draw over each other. */
static bool is_shared(const struct boot_info *bi, u64 nr)
{
	for (u64 i = 0; i < nr; i++)
		if (bi->fb[i].base == bi->fb[nr].base)
			return true;
	return false;
}

/* Return: NULL, or why there is no console. */
static const char *add(const struct boot_info *bi, u64 nr, enum fb_rot rot,
		       void *(*alloc)(size_t size))
{
	const struct boot_framebuffer *from = &bi->fb[nr];
	struct fb_console *fb;
	struct fb_mode mode;
	const char *why;
	void *base;
	u8 *room, *cell;

	if (is_shared(bi, nr))
		return "the same memory as one above";
	why = fb_mode_init(&mode, from, rot);
	if (!why)
		why = fb_mode_place(&mode, from->base, 1ULL << phys_bits(),
				    phys_to_virt(bi->mem), bi->nr_mem);
	if (why)
		return why;
	fb = alloc(sizeof(*fb));
	room = alloc(fb_screen_room(&mode));
	cell = alloc((size_t)mode.cols * mode.rows);
	base = ioremap_wc(from->base, fb_mode_bytes(&mode));
	if (!fb || !room || !cell || !base)
		return "no memory to map it or for its text";
	fb_text_init(&fb->text, mode.cols, mode.rows, cell);
	fb_screen_init(&fb->screen, &mode, base, room);
	printk(", %u bits, %ux%u characters", mode.pixel * 8, mode.cols,
	       mode.rows);
	if (mode.height < from->height)
		printk(", only %u lines have memory", mode.height);
	if (mode.height > mode.width && rot == FB_ROT_0)
		printk(", upright: rot=90 or rot=270 turns the text");
	printk("\n");
	scnprintf(fb->con.name, sizeof(fb->con.name), "fb%u %ux%u",
		  (unsigned int)nr, from->width, from->height);
	scnprintf(fb->con.detail, sizeof(fb->con.detail),
		  "%ux%u characters at %llx", mode.cols, mode.rows,
		  (unsigned long long)from->base);
	fb->con.write = fb_write;
	console_register(&fb->con);
	return NULL;
}

void fb_init(const struct boot_info *bi, void *(*alloc)(size_t size))
{
	enum fb_rot rot = FB_ROT_0;
	u64 nr = min(bi->nr_fb, (u64)BOOT_MAX_FB);

	if (nr)
		rot = rot_option();
	else
		printk("fb: no frame buffer\n");
	for (u64 i = 0; i < nr; i++) {
		const struct boot_framebuffer *fb = &bi->fb[i];
		const char *why;

		printk("fb%u: %ux%u, pitch %u, at %llx", (unsigned int)i,
		       fb->width, fb->height, fb->pitch,
		       (unsigned long long)fb->base);
		why = add(bi, i, rot, alloc);
		if (why)
			printk(": not used: %s\n", why);
	}
}
