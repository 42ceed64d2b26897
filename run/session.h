/* SPDX-License-Identifier: MIT */
/*
 * A traced run: workload, capture, live decoding, maps, report, self-test.
 *
 * The commands run, selftest, dump and clear, and the files that steer them.
 */
#ifndef RUN_SESSION_H
#define RUN_SESSION_H

#include "lib/compiler.h"

/**
 * session_init() - register the commands and files
 *
 *	run all | NAME [ARG...] | FILE [ARG...]
 *	selftest	every run's own counts against its maps
 *	dump		all edges of all runs, machine readable
 *	clear		forget the runs
 *	poweroff, reboot
 *
 *	pt/mode			live, post or auto
 *	pt/buffer_size_kb	PT buffer of each traced CPU
 *	pt/region_kb		largest ToPA output region
 *	options/top		rows of each report
 *	options/map_bits	elements of each map, as a power of two
 *
 * Context: boot, after pt_init().
 * Return: 0 or -EEXIST.
 */
int __must_check session_init(void);

#endif /* RUN_SESSION_H */
