/* SPDX-License-Identifier: MIT */
/*
 * What was asked for on QEMU's command line; README.md lists the options.
 */
#ifndef TESTS_PTMODEL_OPTIONS_H
#define TESTS_PTMODEL_OPTIONS_H

#include "engine.h"

#define NR_VCPUS	256
#define MAX_INJECTIONS	32
#define ALL_CPUS	(-1)

/* inject=: a command of the test port at power-on and reset. */
struct injection {
	enum ptm_inject what;
	const char *text;		/* as it was given */
	uint64_t arg[3];
	int cpu;			/* or ALL_CPUS */
};

/* at-reset=: MSRs of vCPU 0 before its first instruction. */
struct at_reset {
	bool wanted;
	uint64_t ctl, base, mask;
};

/* Owner: options.c. Read only once vCPUs run. */
struct model_options {
	/* vCPU i plays the i-th, and they come again from the first. */
	const struct ptm_profile *profiles[NR_VCPUS];
	unsigned int nr_profiles;
	const char *truth_dir, *trace_dir, *code_file;
	bool insns, verbose;
	uint64_t errata;
	struct injection injections[MAX_INJECTIONS];
	unsigned int nr_injections;
	struct at_reset at_reset;
	enum ptm_reset reset;		/* what a reset is after power-on */
};

extern struct model_options options;

static inline const struct ptm_profile *options_profile(unsigned int cpu)
{
	return options.profiles[cpu % options.nr_profiles];
}

/* Does any processor of this machine have what CPUID.14H:EBX calls @bit? */
bool options_have(uint32_t bit);

/**
 * options_parse() - all of them, once
 * @max_cpus:	vCPUs that the machine can have
 * Return: 0, or -1: one is wrong, and stderr says which and why.
 */
int options_parse(int argc, char **argv, int max_cpus);

#endif /* TESTS_PTMODEL_OPTIONS_H */
