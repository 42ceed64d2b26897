/* SPDX-License-Identifier: MIT */
/*
 * The cache of blocks: straight code up to its first branch, decoded once.
 */
#include "pt/decode/flow_state.h"

#include "lib/err.h"
#include "lib/string.h"

#define BLOCK_MAX_INSNS	1024	/* longer straight code is split */

int flow_read_insn(struct pt_flow *flow, u64 ip, struct insn *insn)
{
	u8 bytes[INSN_MAX_LEN];
	size_t n = flow->config.read_code(flow->config.ctx, flow->cr3, ip,
					  bytes, sizeof(bytes));

	return insn_decode(insn, flow->mode, ip, bytes,
			   min(n, sizeof(bytes)));
}

static void build(struct pt_flow *flow, struct block *b)
{
	struct insn insn;
	u64 ip = flow->ip;

	memset(b, 0, sizeof(*b));
	b->start = ip;
	b->cr3 = flow->cr3;
	b->mode = (u8)flow->mode;
	for (b->nr_insns = 0; b->nr_insns < BLOCK_MAX_INSNS;) {
		if (flow_read_insn(flow, ip, &insn)) {
			b->class = BLOCK_DEAD;
			b->branch = ip;
			return;
		}
		b->nr_insns++;
		if (insn.class != BRANCH_NONE) {
			b->class = insn.class;
			b->branch = ip;
			b->branch_len = insn.len;
			b->target = insn.target;
			return;
		}
		ip += insn.len;
	}
	b->class = BLOCK_SPLIT;
	b->branch = ip - insn.len;
	b->branch_len = insn.len;
	b->target = ip;
}

static u32 hash_of(const struct pt_flow *flow)
{
	u64 x = flow->ip ^ flow->cr3 << 20 ^ (u64)flow->mode << 62;

	x *= 0x9e3779b97f4a7c15ULL;
	return (u32)(x >> 32) & flow->block_mask;
}

u32 block_at(struct pt_flow *flow)
{
	struct block *b;
	u32 i;

	for (i = hash_of(flow); flow->block_hash[i];
	     i = (i + 1) & flow->block_mask) {
		b = &flow->block[flow->block_hash[i] - 1];
		if (b->start == flow->ip && b->cr3 == flow->cr3 &&
		    b->mode == flow->mode)
			return flow->block_hash[i];
	}
	if (flow->nr_blocks == flow->max_blocks) {
		flow->stats.err_memory++;
		build(flow, &flow->block[0]);
		return 1;
	}
	b = &flow->block[flow->nr_blocks];
	build(flow, b);
	/* Code that is not there now may be mapped later: look again then. */
	if (b->class == BLOCK_DEAD) {
		flow->block[0] = *b;
		return 1;
	}
	b->cached = true;
	flow->block_hash[i] = ++flow->nr_blocks;
	flow->stats.blocks = flow->nr_blocks - 1;
	return flow->nr_blocks;
}
