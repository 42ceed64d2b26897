/* SPDX-License-Identifier: MIT */
/*
 * The dump: results for programs, in lines. The format is in trace/README.md.
 */
#ifndef TRACE_DUMP_H
#define TRACE_DUMP_H

#include "lib/printk.h"

#define DUMP_VERSION	1

/* The header line of a dump. */
void dump_begin(struct printer *out);

#endif /* TRACE_DUMP_H */
