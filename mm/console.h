/* SPDX-License-Identifier: MIT */
/*
 * What the console can see and do of memory: files of the console tree and the
 * command bench-mm.
 */
#ifndef MM_CONSOLE_H
#define MM_CONSOLE_H

#include "lib/compiler.h"

/**
 * mm_console_init() - hang mm/, fail_page_alloc/ and failslab/ into the tree
 *
 * Context: boot, after shell_init(). Return: 0, or the error of tree_add() or
 * command_register().
 */
int __must_check mm_console_init(void);

/* The command bench-mm (mm/bench.c). Return: 0 or -EEXIST. */
int __must_check bench_init(void);

#endif /* MM_CONSOLE_H */
