/* SPDX-License-Identifier: MIT */
/*
 * Files that the loader read from the boot volume.
 */
#ifndef RUN_MODULES_H
#define RUN_MODULES_H

#include "boot/boot_info.h"
#include "lib/compiler.h"

struct module {
	const char *name;
	const void *data;
	size_t size;
	phys_addr_t pa;		/* page aligned */
};

/* Remembers the modules of the hand-over. Context: boot. */
void modules_init(const struct boot_info *bi);

/* By name: "payload.elf", also "\topaz\payload.elf" and "user:\...". Or NULL. */
const struct module *module_by_name(const char *name);

/* The first module of a type, or NULL. */
const struct module *module_by_type(enum boot_module_type type);

/* The n-th module of type BOOT_MODULE_FILE, or NULL past the last. */
const struct module *module_file(unsigned int n);

#endif /* RUN_MODULES_H */
