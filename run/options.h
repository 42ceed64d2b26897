/* SPDX-License-Identifier: MIT */
/*
 * The files of the console tree that steer a run.
 */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "lib/compiler.h"

enum run_mode {
	RUN_MODE_AUTO,		/* live where there is a second CPU */
	RUN_MODE_LIVE,
	RUN_MODE_POST,
};

struct run_options {
	u64 buffer_kb;		/* pt/buffer_size_kb */
	u64 region_kb;		/* pt/region_kb */
	u64 map_bits;		/* options/map_bits */
	u64 top;		/* options/top */
	enum run_mode mode;	/* pt/mode */
};

/* Owner: the thread that runs commands. */
extern struct run_options run_options;

/* Whether sibling CPUs decode while the workload runs. */
bool run_options_live(void);

/**
 * run_options_init() - hang the files into the console tree
 *
 * Context: boot. Return: 0 or tree_add()'s error.
 */
int __must_check run_options_init(void);

#endif /* RUN_OPTIONS_H */
