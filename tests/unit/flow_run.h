/* SPDX-License-Identifier: MIT */
/*
 * What the tests of the flow decoder share: a small program, one stream, one
 * run over it with everything that came out, and what holds of every run.
 */
#ifndef TESTS_UNIT_FLOW_RUN_H
#define TESTS_UNIT_FLOW_RUN_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "lib/err.h"
#include "pt/decode/flow.h"
#include "tests/unit/stream.h"

#define BASE		0x401000ULL
#define NOWHERE		0x900000ULL
#define MAX_EDGES	4096

/* Addresses of the program below. */
enum {
	LOOP = BASE, COND = BASE + 1, FALL = BASE + 3, CALL = BASE + 6,
	AFTER = BASE + 0xb, BACK = BASE + 0x10, JUMP = BASE + 0x11,
	FUNC = BASE + 0x20, RET = BASE + 0x21, SELF = BASE + 0x30,
	ROUND = BASE + 0x38, HANDLER = BASE + 0x40, IRET = BASE + 0x41,
	SPIN = BASE + 0x50, BOTH = BASE + 0x60, NEAR = BASE + 0x70,
};

static const char program[] =
	"\x90\x75\x03\x0f\x1f\x00"		/* LOOP: nop; jne CALL; nop */
	"\xe8\x15\x00\x00\x00\xff\xe0\xcc\xcc\xcc" /* call FUNC; jmp *rax */
	"\x90\xeb\xed\xcc\xcc\xcc\xcc\xcc"	/* BACK: nop; jmp LOOP */
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x90\xc3\xcc\xcc\xcc\xcc\xcc\xcc"	/* FUNC: nop; ret */
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xeb\xfe\xcc\xcc\xcc\xcc\xcc\xcc"	/* SELF: jmp SELF */
	"\xeb\x02\xeb\x00\xeb\xfc\xcc\xcc"	/* ROUND: a loop with a tail */
	"\x90\x48\xcf\xcc\xcc\xcc\xcc\xcc"	/* HANDLER: nop; iretq */
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x75\xfe\x90\xc3\xcc\xcc\xcc\xcc"	/* SPIN: jne SPIN; nop; ret */
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\x40\x75\x00\x90\xc3\xcc\xcc\xcc"	/* BOTH: 40 is REX or inc */
	"\xcc\xcc\xcc\xcc\xcc\xcc\xcc\xcc"
	"\xe8\x00\x00\x00\x00\xc3";		/* NEAR: call to what follows */

struct run {
	const u8 *code;
	size_t code_size;
	u64 last_cr3;
	u64 insns[64];
	size_t nr_insns;
	int err;
	u64 err_offset, err_ip;
	u64 nr_errors;
	struct pt_edge edges[MAX_EDGES];
	size_t nr_edges;
	struct pt_flow_stats stats;
	struct pt_flow *flow;
	bool tell_insns;
	u8 mem[PT_FLOW_MIN_MEM];
};

/* The stream and the run of a test: setup() empties both. */
static struct stream s;
static struct run run;

static inline size_t read_code(void *ctx, u64 cr3, u64 ip, u8 *buf, size_t n)
{
	struct run *r = ctx;

	r->last_cr3 = cr3;
	if (ip < BASE || ip - BASE >= r->code_size)
		return 0;
	n = n < r->code_size - (ip - BASE) ? n : r->code_size - (ip - BASE);
	memcpy(buf, r->code + (ip - BASE), n);
	return n;
}

static inline void on_insn(void *ctx, u64 ip)
{
	struct run *r = ctx;

	assert_true(r->nr_insns < ARRAY_SIZE(r->insns));
	r->insns[r->nr_insns++] = ip;
}

static inline void on_error(void *ctx, int err, u64 offset, u64 ip)
{
	struct run *r = ctx;

	r->nr_errors++;
	r->err = err;
	r->err_offset = offset;
	r->err_ip = ip;
}

/* Edges of equal ends come together. */
static inline int keep_edge(void *ctx, const struct pt_edge *edge)
{
	struct run *r = ctx;

	for (size_t i = 0; i < r->nr_edges; i++) {
		struct pt_edge *e = &r->edges[i];

		if (e->from == edge->from && e->to == edge->to &&
		    e->class == edge->class && e->cr3 == edge->cr3) {
			e->count += edge->count;
			return 0;
		}
	}
	assert_true(r->nr_edges < MAX_EDGES);
	r->edges[r->nr_edges++] = *edge;
	return 0;
}

static inline void begin(struct run *r)
{
	struct pt_flow_config config = {
		.read_code = read_code, .on_error = on_error,
		.on_insn = r->tell_insns ? on_insn : NULL, .ctx = r,
		.mem = r->mem, .mem_size = sizeof(r->mem),
	};

	r->nr_edges = 0;
	r->nr_errors = 0;
	r->err = 0;
	r->nr_insns = 0;
	memset(r->edges, 0, sizeof(r->edges));
	r->flow = pt_flow_create(&config);
	assert_false(IS_ERR(r->flow));
}

/* What holds for every stream, however broken. */
static inline void end(struct run *r)
{
	const struct pt_flow_stats *st = &r->stats;
	u64 edges = 0;

	pt_flow_finish(r->flow);
	pt_flow_stats(r->flow, &r->stats);
	pt_flow_for_each_edge(r->flow, keep_edge, r);
	assert_int_equal(st->bytes, st->bytes_decoded + st->bytes_skipped);
	assert_int_equal(st->errors,
			 st->err_packet + st->err_code + st->err_flow);
	assert_int_equal(st->errors, r->nr_errors);
	for (size_t i = 0; i < r->nr_edges; i++)
		edges += r->edges[i].count;
	assert_int_equal(st->edges, edges);
}

static inline void decode(struct run *r)
{
	begin(r);
	pt_flow_feed(r->flow, s.bytes, s.n);
	end(r);
}

static inline u64 count(u64 from, u64 to, enum branch_class class)
{
	for (size_t i = 0; i < run.nr_edges; i++)
		if (run.edges[i].from == from && run.edges[i].to == to &&
		    run.edges[i].class == class)
			return run.edges[i].count;
	return 0;
}

#define assert_edge(nr, from, to, class) \
	assert_int_equal(count((from), (to), (class)), (nr))

static inline void assert_clean(u64 nr_edges)
{
	assert_int_equal(run.stats.errors, 0);
	assert_int_equal(run.stats.err_memory, 0);
	assert_int_equal(run.stats.bytes_skipped, 0);
	assert_int_equal(run.stats.edges, nr_edges);
}

static inline int setup(void **state)
{
	(void)state;
	memset(&s, 0, sizeof(s));
	memset(&run, 0, sizeof(run));
	run.code = (const u8 *)program;
	run.code_size = sizeof(program) - 1;
	return 0;
}

/* Once round the loop from LOOP on: the last jump waits for a next packet. */
static inline void go_round(const char *results)
{
	stream_tnt(&s, results);
	stream_ip(&s, STREAM_TIP, BACK);
}

#define TEST(name)	cmocka_unit_test_setup(name, setup)

#endif /* TESTS_UNIT_FLOW_RUN_H */
