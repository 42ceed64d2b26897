/* SPDX-License-Identifier: MIT */
/*
 * The built-in workloads, one file each: run/wl_NAME.c.
 *
 * Deterministic input, a checked result, all state in run->priv: the same
 * workload runs on several CPUs at once. Each makes between 300 KiB and 2 MiB
 * of trace.
 */
#ifndef RUN_BUILTIN_H
#define RUN_BUILTIN_H

#include "run/workload.h"

extern const struct workload wl_quicksort;	/* data-dependent branches */
extern const struct workload wl_fibonacci;	/* calls and returns */
extern const struct workload wl_interpreter;	/* indirect jumps */
extern const struct workload wl_tree;		/* indirect calls */
extern const struct workload wl_sha256;		/* loops, few decisions */
extern const struct workload wl_user;		/* ring 3, SYSCALL, timer */

#endif /* RUN_BUILTIN_H */
