/* SPDX-License-Identifier: MIT */
/*
 * Walking the traced code as the packets say.
 *
 * flow->ip is where the last packet left off. Direct branches behind it are
 * passed, and counted, only when a later packet proves that they were: an
 * interrupt may have come before them.
 */
#include "pt/decode/flow_state.h"

#include "lib/err.h"

#define WALK_MAX	(1u << 16)	/* blocks passed for one packet */

/* ---- returns ---- */

static void push_return(struct pt_flow *flow, u64 ip)
{
	flow->ret[flow->ret_top] = (struct ret_entry){ .ip = ip };
	flow->ret_top = (flow->ret_top + 1) % PT_RET_STACK;
	if (flow->ret_depth < PT_RET_STACK)
		flow->ret_depth++;
}

static struct ret_entry *pop_return(struct pt_flow *flow)
{
	if (!flow->ret_depth)
		return NULL;
	flow->ret_depth--;
	flow->ret_top = (flow->ret_top + PT_RET_STACK - 1) % PT_RET_STACK;
	return &flow->ret[flow->ret_top];
}

/* ---- leaving a block ---- */

/* Tells each instruction from flow->ip up to, without, @end. */
static void tell_insns(struct pt_flow *flow, u64 end, u32 nr)
{
	struct insn insn;
	u64 ip = flow->ip;

	flow->stats.insns += nr;
	if (!flow->config.on_insn)
		return;
	while (ip != end && nr-- && !flow_read_insn(flow, ip, &insn)) {
		flow->config.on_insn(flow->config.ctx, ip);
		ip += insn.len;
	}
}

/* The block's instructions have run, its branch with them. */
static void retire(struct pt_flow *flow, const struct block *b)
{
	if (flow->config.on_insn)
		tell_insns(flow, b->branch + b->branch_len, b->nr_insns);
	else
		flow->stats.insns += b->nr_insns;
}

/* Moves on to the block at @ip, by the pointer @succ if it is known. */
static void go_to(struct pt_flow *flow, u32 from, u32 *succ, u64 ip)
{
	bool cached = flow->block[from - 1].cached;

	flow->ip = ip;
	if (*succ && cached) {
		flow->cur = *succ;
		return;
	}
	flow->cur = block_at(flow);
	if (cached && flow->block[flow->cur - 1].cached)
		*succ = flow->cur;
}

/* ---- direct branches ---- */

static bool is_passed(const struct block *b)
{
	return b->class == BRANCH_JUMP || b->class == BRANCH_CALL ||
	       b->class == BLOCK_SPLIT;
}

/* Takes the direct jump or call, or the seam of split code, that ends @b. */
static void pass(struct pt_flow *flow, struct block *b)
{
	u64 next = b->branch + b->branch_len;

	retire(flow, b);
	if (b->class != BLOCK_SPLIT) {
		b->nr_taken++;
		if (b->cached)
			flow->stats.edges++;
	}
	/* CALL to the next instruction only reads the IP: never compressed. */
	if (b->class == BRANCH_CALL && b->target != next)
		push_return(flow, next);
	go_to(flow, flow->cur, &b->succ_taken, b->target);
}

/* One packet's way through direct branches: finds out when it goes round. */
struct walk {
	unsigned int nr;	/* blocks passed */
	u64 seen;		/* one address on the way (Brent's method) */
};

/*
 * pass() with a bound. No packet fits a loop of direct branches that does not
 * hold what was looked for: coming back to an address is an error.
 */
static int pass_once(struct pt_flow *flow, struct walk *walk, struct block *b)
{
	if (!(walk->nr & (walk->nr - 1)))
		walk->seen = flow->ip;
	pass(flow, b);
	return flow->ip == walk->seen || ++walk->nr == WALK_MAX ? -EBADMSG : 0;
}

/* Passes direct branches up to one that needs a packet. */
static int walk_to_decision(struct pt_flow *flow, struct block **decision)
{
	struct walk walk = { 0 };
	int err;

	do {
		struct block *b = flow_block(flow);

		if (b->class == BLOCK_DEAD)
			return -EFAULT;
		if (!is_passed(b)) {
			*decision = b;
			return 0;
		}
		err = pass_once(flow, &walk, b);
	} while (!err);
	return err;
}

/* ---- TNT ---- */

static void take_cond(struct pt_flow *flow, struct block *b, bool taken)
{
	retire(flow, b);
	if (b->cached)
		flow->stats.edges++;
	if (taken) {
		b->nr_taken++;
		go_to(flow, flow->cur, &b->succ_taken, b->target);
	} else {
		b->nr_not_taken++;
		go_to(flow, flow->cur, &b->succ_not_taken,
		      b->branch + b->branch_len);
	}
}

static int take_compressed_return(struct pt_flow *flow, struct block *b,
				  bool taken)
{
	struct ret_entry *ret = pop_return(flow);

	if (!taken || !ret)
		return -EBADMSG;
	retire(flow, b);
	indirect_edge_count(flow, b->branch, ret->ip, BRANCH_RETURN);
	flow_set_ip(flow, ret->ip);
	return 0;
}

int walk_tnt(struct pt_flow *flow)
{
	while (flow->nr_tnt) {
		struct block *b;
		bool taken;
		int err = walk_to_decision(flow, &b);

		if (err)
			return err;
		if (b->class != BRANCH_COND && b->class != BRANCH_RETURN)
			return 0;	/* results behind it wait for the TIP */
		taken = flow->tnt >> --flow->nr_tnt & 1;
		if (b->class == BRANCH_COND)
			take_cond(flow, b, taken);
		else
			err = take_compressed_return(flow, b, taken);
		if (err)
			return err;
	}
	return 0;
}

/* ---- TIP ---- */

int walk_tip(struct pt_flow *flow, u64 to)
{
	struct block *b;
	u64 next;
	int err = walk_to_decision(flow, &b);

	if (err)
		return err;
	if (b->class == BRANCH_COND)
		return -EBADMSG;
	retire(flow, b);
	next = b->branch + b->branch_len;
	if (b->class == BRANCH_ICALL)
		push_return(flow, next);
	/* What the hardware compares a RET with is popped either way. */
	if (b->class == BRANCH_RETURN)
		pop_return(flow);
	indirect_edge_count(flow, b->branch, to, b->class);
	flow_set_ip(flow, to);
	return 0;
}

/* ---- asynchronous events and the end of tracing ---- */

/* Whether @ip is an instruction of the block, from flow->ip on. */
static bool block_holds(struct pt_flow *flow, const struct block *b, u64 ip,
			u32 *nr)
{
	struct insn insn;
	u64 at = flow->ip;

	*nr = 0;
	if (ip < at || ip > b->branch)
		return false;
	while (at < ip) {
		if (flow_read_insn(flow, at, &insn))
			return false;
		at += insn.len;
		++*nr;
	}
	return at == ip;
}

int walk_to(struct pt_flow *flow, u64 ip)
{
	struct walk walk = { 0 };
	int err;

	do {
		struct block *b = flow_block(flow);
		u32 nr;

		if (block_holds(flow, b, ip, &nr)) {
			tell_insns(flow, ip, nr);
			if (ip != flow->ip)
				flow_set_ip(flow, ip);
			return 0;
		}
		if (b->class == BLOCK_DEAD)
			return -EFAULT;
		if (!is_passed(b))
			return -EBADMSG;
		err = pass_once(flow, &walk, b);
	} while (!err);
	return err;
}

int walk_to_disable(struct pt_flow *flow, bool has_ip, u64 ip)
{
	struct walk walk = { 0 };
	int err;

	do {
		struct block *b = flow_block(flow);

		if (b->class == BLOCK_DEAD)
			return -EFAULT;
		if (!is_passed(b) || (has_ip && b->class != BLOCK_SPLIT &&
				      b->target == ip)) {
			retire(flow, b);
			return 0;
		}
		err = pass_once(flow, &walk, b);
	} while (!err);
	return err;
}
