/* SPDX-License-Identifier: MIT */
/*
 * The inside of a flow decoder: shared by flow.c, walk.c, block.c, edges.c.
 */
#ifndef PT_DECODE_FLOW_STATE_H
#define PT_DECODE_FLOW_STATE_H

#include "pt/decode/flow.h"
#include "pt/decode/insn.h"
#include "pt/decode/packet.h"

#define PT_RET_STACK	64	/* SDM "RET Compression": depth of the stack */

/*
 * Straight code from an address to its first branch, with what happened at
 * that branch. One cache line.
 */
struct block {
	u64 start;
	u64 cr3;
	u64 branch;		/* address of the branch; where code ends (DEAD) */
	u64 target;		/* direct branches */
	u64 nr_taken;
	u64 nr_not_taken;
	u32 succ_taken;		/* index + 1 of the block there; 0: not known */
	u32 succ_not_taken;
	u32 nr_insns;		/* up to and with the branch */
	u8 class;		/* enum branch_class, or BLOCK_* */
	u8 mode;		/* enum insn_mode */
	u8 branch_len;
	u8 cached;		/* false for the scratch block */
};
static_assert(sizeof(struct block) == 64, "block fills a cache line");

/* Classes of blocks that end in no branch. */
enum {
	BLOCK_SPLIT = NR_BRANCH_CLASSES,	/* too long: goes on at target */
	BLOCK_DEAD,		/* no code bytes, or no instruction, at branch */
};

/* Edge of an indirect branch, return, far transfer or interrupt. */
struct indirect_edge {
	u64 from;
	u64 to;
	u64 count;		/* 0: free */
	u64 cr3;
	u64 class;
};

enum flow_sync {
	FLOW_UNSYNCED,		/* looking for a PSB */
	FLOW_IN_PSB,		/* between PSB and PSBEND */
	FLOW_SYNCED,
	FLOW_OVERFLOWED,	/* OVF seen: FUP or TIP.PGE says where to resume */
};

struct ret_entry {
	u64 ip;
	u32 block;		/* index + 1, or 0 */
};

struct pt_flow {
	struct pt_flow_config config;
	struct pt_flow_stats stats;

	enum flow_sync sync;
	unsigned int psb_match;	/* bytes of a PSB matched while unsynced */
	u64 found_at;		/* stats.packets when it was found */
	bool enabled;		/* PacketEn */
	bool was_synced;	/* this PSB+ came while in sync */
	bool psb_had_fup;
	bool fup_pending;	/* the IP was set by FUP: TIP is asynchronous */
	bool fup_owned;		/* the next FUP belongs to a PTW, EXSTOP, ... */
	unsigned int in_bip;	/* pt_packet_decode() @in_block */
	enum insn_mode mode;
	enum insn_mode next_mode;	/* takes effect at the next TIP */
	u64 cr3;
	u64 last_ip;
	u64 ip;			/* next instruction that no packet confirmed */
	u32 cur;		/* block at ip: index + 1, 0: not looked up */
	u64 tnt;		/* results that wait for a TIP, oldest highest */
	unsigned int nr_tnt;

	struct ret_entry ret[PT_RET_STACK];
	unsigned int ret_top;	/* next free entry of the ring */
	unsigned int ret_depth;

	u8 carry[2 * PT_PACKET_MAX];	/* start of a cut packet */
	size_t nr_carry;

	struct block *block;	/* cache; index 0 is the scratch block */
	u32 nr_blocks;
	u32 max_blocks;
	u32 *block_hash;	/* index + 1 of a block */
	u32 block_mask;
	struct indirect_edge *edge;
	u32 nr_edges;
	u32 edge_mask;
};

/* ---- block.c ---- */

/**
 * block_at() - the block that starts at the flow's IP
 *
 * Return: index + 1; a full cache gives the scratch block (index 0), whose
 * counters are lost, and counts that.
 */
u32 block_at(struct pt_flow *flow);

/* Reads code and decodes one instruction. Return: 0, -ENODATA, -EINVAL. */
int flow_read_insn(struct pt_flow *flow, u64 ip, struct insn *insn);

/* ---- edges.c ---- */

void indirect_edge_count(struct pt_flow *flow, u64 from, u64 to,
			 enum branch_class class);

/* ---- walk.c: errors are -EBADMSG (does not fit the code), -EFAULT (no
 * code there) ---- */

/* Takes waiting TNT results until none is left or a TIP is needed. */
int __must_check walk_tnt(struct pt_flow *flow);
/* Goes to the next indirect branch and takes it to @to. */
int __must_check walk_tip(struct pt_flow *flow, u64 to);
/* Goes to @ip by direct branches only, without executing it. */
int __must_check walk_to(struct pt_flow *flow, u64 ip);
/* Goes to the branch that tracing ended at; @has_ip: its target is @ip. */
int __must_check walk_to_disable(struct pt_flow *flow, bool has_ip, u64 ip);

static inline struct block *flow_block(struct pt_flow *flow)
{
	if (!flow->cur)
		flow->cur = block_at(flow);
	return &flow->block[flow->cur - 1];
}

static inline void flow_set_ip(struct pt_flow *flow, u64 ip)
{
	flow->ip = ip;
	flow->cur = 0;
}

static inline void flow_clear_returns(struct pt_flow *flow)
{
	flow->ret_top = 0;
	flow->ret_depth = 0;
}

#endif /* PT_DECODE_FLOW_STATE_H */
