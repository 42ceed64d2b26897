/* SPDX-License-Identifier: MIT */
/*
 * machine/ of the console tree: what this machine consists of.
 */
#ifndef BOOT_MACHINE_TREE_H
#define BOOT_MACHINE_TREE_H

#include "lib/compiler.h"

struct boot_info;

/**
 * machine_tree_init() - register machine/ and its files
 * @bi:	hand-over; kept
 *
 * Context: boot, after shell_init(). Return: 0 or tree_add()'s error.
 */
int __must_check machine_tree_init(const struct boot_info *bi);

#endif /* BOOT_MACHINE_TREE_H */
