/* SPDX-License-Identifier: MIT */
/*
 * Files that the loader read from the boot volume.
 */
#include "run/modules.h"

#include <asm/page.h>
#include "lib/string.h"

/* Owner: modules_init(); constant after it. */
static struct {
	enum boot_module_type type;
	struct module module;
	char name[BOOT_MODULE_NAME];
} modules[BOOT_MAX_MODULES];
static unsigned int nr_modules;

void modules_init(const struct boot_info *bi)
{
	nr_modules = 0;
	for (u64 i = 0; i < min(bi->nr_modules, (u64)BOOT_MAX_MODULES); i++) {
		const struct boot_module *from = &bi->module[i];
		struct module *to = &modules[nr_modules].module;

		strscpy(modules[nr_modules].name, from->name, BOOT_MODULE_NAME);
		modules[nr_modules].type = (enum boot_module_type)from->type;
		to->name = modules[nr_modules].name;
		to->pa = from->base;
		to->data = phys_to_virt(from->base);
		to->size = from->size;
		nr_modules++;
	}
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* As FAT compares names. */
static bool same_name(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return lower(*a) == lower(*b);
}

/* The name in its folder: without "user:" and "\topaz\". */
static const char *base_name(const char *name)
{
	const char *base = name;

	for (; *name; name++)
		if (*name == '\\' || *name == '/' || *name == ':')
			base = name + 1;
	return base;
}

const struct module *module_by_name(const char *name)
{
	name = base_name(name);
	for (unsigned int i = 0; i < nr_modules; i++)
		if (modules[i].type == BOOT_MODULE_FILE &&
		    same_name(modules[i].name, name))
			return &modules[i].module;
	return NULL;
}

const struct module *module_by_type(enum boot_module_type type)
{
	for (unsigned int i = 0; i < nr_modules; i++)
		if (modules[i].type == type)
			return &modules[i].module;
	return NULL;
}

const struct module *module_file(unsigned int n)
{
	for (unsigned int i = 0; i < nr_modules; i++)
		if (modules[i].type == BOOT_MODULE_FILE && !n--)
			return &modules[i].module;
	return NULL;
}
