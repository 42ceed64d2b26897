/* SPDX-License-Identifier: MIT */
/*
 * Payloads: ring-3 programs as workloads.
 *
 *	struct payload (run->priv)
 *	├─ user_vm ──► page tables, pages          until finish: the decoder
 *	├─ entry, rsp                              reads code through them
 *	└─ counters: ticks, unknown calls
 *
 *	slot[cpu] ──► struct payload, cr3          run_read_code() finds the
 *	                                           address space of a CR3 here
 *	struct payload_file ──► symbol table       stays registered for reports
 */
#ifndef RUN_PAYLOAD_H
#define RUN_PAYLOAD_H

#include "lib/symtab.h"
#include "run/user_vm.h"
#include "run/workload.h"

#define PAYLOAD_MAX_UNKNOWN	8

/* A program: its file, which stays in memory, and its symbols. */
struct payload_file {
	const char *name;
	const void *data;
	size_t size;
	struct symtab symtab;
	bool named;		/* symbols were looked for */
};

struct payload {
	struct user_vm uvm;
	struct workload_run *run;
	u64 entry;
	u64 bias;
	u64 rsp;
	u64 ticks;		/* timer interrupts; owner: run/wl_user.c */
	u64 unknown_calls;
	unsigned int nr_unknown;	/* numbers that were logged */
	u64 unknown[PAYLOAD_MAX_UNKNOWN];
};

/**
 * payload_prepare() - load a program into an address space of its own
 * @run:	run->priv becomes the payload; argv is copied to its stack
 * @file:	storage that outlives the reports
 *
 * What is wrong with a file is printed with its offset.
 *
 * Context: thread, on run->cpu.
 * Return: 0; -ENOEXEC; -ENOMEM; -E2BIG for too many arguments; -EBUSY while
 * another payload of this CPU is not finished.
 */
int __must_check payload_prepare(struct workload_run *run,
				 struct payload_file *file);

/* Runs it. Return: 0; -EIO (printed) when its exit status was not 0. */
int __must_check payload_run(struct workload_run *run);

/* Frees it. The trace must have been decoded by then. */
void payload_finish(struct workload_run *run);

/* The payload of the calling CPU, or NULL. Context: any. */
struct payload *payload_current(void);

/* The workload that runs the file of the boot volume that argv[0] names. */
const struct workload *payload_workload(void);

/**
 * run_read_code() - code bytes as the traced CPU executed them
 * @cr3:	address space; matters for ring-3 addresses only
 * @ip:		address of the first byte
 *
 * Context: any CPU, between prepare and finish of what runs in @cr3.
 * Return: bytes read; fewer than @n where executable memory ends.
 */
size_t run_read_code(u64 cr3, u64 ip, u8 *buf, size_t n);

#endif /* RUN_PAYLOAD_H */
