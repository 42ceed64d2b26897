/* SPDX-License-Identifier: MIT */
/*
 * From trace bytes to the edges that a CPU took.
 *
 * A struct pt_flow decodes one CPU's stream as it comes, in pieces of any
 * size: packets may be cut anywhere. It walks the traced code from decision to
 * decision and counts each edge in its cache of blocks; edges come out when
 * asked for. After an error it goes on at the next PSB.
 *
 * An edge is (from, to): from is the address of the branch instruction, or of
 * the instruction that an interrupt or exception came before or in; to is where
 * control went. Conditional branches not taken count too (to is the next
 * instruction), direct jumps and calls as well. An edge counts only when
 * tracing was on (PacketEn) both before and after it.
 */
#ifndef PT_DECODE_FLOW_H
#define PT_DECODE_FLOW_H

#include "lib/compiler.h"
#include "pt/decode/branch.h"

struct pt_flow;

struct pt_flow_config {
	/*
	 * Reads up to @n code bytes at @ip of address space @cr3 (0 before the
	 * first PIP). Return: bytes read, 0 when nothing is mapped there.
	 */
	size_t (*read_code)(void *ctx, u64 cr3, u64 ip, u8 *buf, size_t n);
	/* Optional: every instruction in order. Slow; for tests and tools. */
	void (*on_insn)(void *ctx, u64 ip);
	/*
	 * Optional: each error as it is counted; @err -EFAULT: no code at @ip.
	 * @offset is where the packet that showed it starts.
	 */
	void (*on_error)(void *ctx, int err, u64 offset, u64 ip);
	void *ctx;
	void *mem;		/* all memory that the flow will ever use */
	size_t mem_size;	/* at least PT_FLOW_MIN_MEM */
};

#define PT_FLOW_MIN_MEM		(256u << 10)

struct pt_flow_stats {
	u64 bytes;		/* fed */
	u64 bytes_decoded;	/* taken as packets in sync, PAD included */
	u64 bytes_skipped;	/* passed over: before the first PSB, and from
				   an error to the next PSB */
	u64 packets;
	u64 psbs;
	u64 overflows;		/* OVF packets */
	u64 errors;		/* packet, code, flow; each led to a resync */
	u64 err_packet;		/* unknown or malformed packet */
	u64 err_code;		/* no code bytes, or no instruction there */
	u64 err_flow;		/* packet that does not fit the code */
	u64 err_memory;		/* cache full: edges of new blocks dropped */
	u64 edges;		/* edge executions counted */
	u64 insns;		/* instructions walked */
	u64 blocks;		/* in the cache */
};

/**
 * pt_flow_create() - set up a decoder in the caller's memory
 *
 * Context: thread. Allocates nothing beyond config->mem.
 * Return: the flow, which lives in config->mem; ERR_PTR(-ENOMEM) when mem_size
 * is below PT_FLOW_MIN_MEM.
 */
struct pt_flow *pt_flow_create(const struct pt_flow_config *config);

/**
 * pt_flow_feed() - decode the next piece of the stream
 * @data:	bytes in stream order; all are taken (a cut packet is kept)
 *
 * Context: thread or interrupt; one feeder per flow at a time. Errors are counted, never returned:
 * whatever comes, decoding resumes at the next PSB.
 */
void pt_flow_feed(struct pt_flow *flow, const u8 *data, size_t n);

/**
 * pt_flow_finish() - the stream has ended
 *
 * A packet cut off by the end counts as skipped bytes, not as an error.
 */
void pt_flow_finish(struct pt_flow *flow);

/* Bytes were lost here: resumes at the next PSB. */
void pt_flow_lost(struct pt_flow *flow);

struct pt_edge {
	u64 from;
	u64 to;
	u64 count;
	u64 cr3;
	enum branch_class class;
};

/**
 * pt_flow_for_each_edge() - all edges with a count, in no order
 *
 * One (from, to) may come in several pieces (cache blocks overlap); the caller
 * adds up. Stops when @fn returns nonzero and returns that.
 */
int pt_flow_for_each_edge(struct pt_flow *flow,
			  int (*fn)(void *ctx, const struct pt_edge *edge),
			  void *ctx);

void pt_flow_stats(const struct pt_flow *flow, struct pt_flow_stats *stats);

#endif /* PT_DECODE_FLOW_H */
