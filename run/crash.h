/* SPDX-License-Identifier: MIT */
/*
 * Crashes on request: how the tests, and who ports Topaz to a new machine,
 * see that a fault ends in registers, a backtrace and a failure.
 */
#ifndef RUN_CRASH_H
#define RUN_CRASH_H

#include "lib/compiler.h"

/**
 * crash_init() - register the command crash KIND
 *
 * Context: boot. Return: 0 or -EEXIST.
 */
int __must_check crash_init(void);

#endif /* RUN_CRASH_H */
