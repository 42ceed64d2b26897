/* SPDX-License-Identifier: MIT */
/*
 * From trace bytes to the edges that a CPU took: bytes, packets, state.
 *
 * What a packet means for the traced code is in walk.c.
 */
#include "pt/decode/flow.h"

#include "lib/err.h"
#include "lib/string.h"
#include "pt/decode/flow_state.h"

#define MODE_TSX_ABORT	2	/* MODE.TSX: TXAbort */

/* ---- set-up ---- */

static u32 floor_power_of_2(u64 n)
{
	return 1u << ilog2(min(n, (u64)1 << 31));
}

/* Half of the memory for blocks, an eighth for their hash, the rest edges. */
static void divide_memory(struct pt_flow *flow, u8 *mem, size_t size)
{
	u32 nr_hash = floor_power_of_2(size / 8 / sizeof(u32));
	u32 nr_edges = floor_power_of_2(size / 4 / sizeof(struct indirect_edge));

	flow->block_hash = (u32 *)mem;
	flow->block_mask = nr_hash - 1;
	mem += nr_hash * sizeof(u32);
	flow->edge = (struct indirect_edge *)mem;
	flow->edge_mask = nr_edges - 1;
	mem += nr_edges * sizeof(struct indirect_edge);
	flow->block = (struct block *)mem;
	/* The hash stays at most half full. */
	flow->max_blocks = (u32)min((u64)(size / 2 / sizeof(struct block)),
				    (u64)nr_hash / 2);
	memset(flow->block_hash, 0, nr_hash * sizeof(u32));
	memset(flow->edge, 0, nr_edges * sizeof(struct indirect_edge));
	memset(flow->block, 0, sizeof(struct block));
	flow->nr_blocks = 1;
}

struct pt_flow *pt_flow_create(const struct pt_flow_config *config)
{
	struct pt_flow *flow;
	uintptr_t start = ((uintptr_t)config->mem + 63) & ~(uintptr_t)63;
	uintptr_t end = (uintptr_t)config->mem + config->mem_size;
	size_t head = (sizeof(*flow) + 63) & ~(size_t)63;

	if (config->mem_size < PT_FLOW_MIN_MEM)
		return ERR_PTR(-ENOMEM);
	flow = (struct pt_flow *)start;
	memset(flow, 0, sizeof(*flow));
	flow->config = *config;
	divide_memory(flow, (u8 *)start + head, end - start - head);
	return flow;
}

/* ---- losing and finding synchronisation ---- */

static void forget_position(struct pt_flow *flow)
{
	flow->enabled = false;
	flow->fup_pending = false;
	flow->fup_owned = false;
	flow->nr_tnt = 0;
	flow->in_bip = 0;
	flow_clear_returns(flow);
}

static void lose_sync(struct pt_flow *flow)
{
	forget_position(flow);
	flow->sync = FLOW_UNSYNCED;
	flow->psb_match = 0;
}

static void count_error(struct pt_flow *flow, int err, u64 *kind)
{
	flow->stats.errors++;
	++*kind;
	if (flow->config.on_error)
		flow->config.on_error(flow->config.ctx, err,
				      flow->stats.bytes_decoded +
				      flow->stats.bytes_skipped, flow->ip);
	lose_sync(flow);
}

static void flow_error(struct pt_flow *flow, int err)
{
	count_error(flow, err, err == -EFAULT ? &flow->stats.err_code :
		    &flow->stats.err_flow);
}

static void begin_psb(struct pt_flow *flow, bool was_synced)
{
	flow->stats.psbs++;
	flow->sync = FLOW_IN_PSB;
	flow->was_synced = was_synced;
	flow->psb_had_fup = false;
	flow->last_ip = 0;
}

/* PSBEND, or OVF that cuts the block short. */
static void end_psb(struct pt_flow *flow)
{
	flow->sync = FLOW_SYNCED;
	flow_clear_returns(flow);
	if (!flow->psb_had_fup)
		flow->enabled = false;
}

/*
 * Looks for a PSB byte by byte. Return: bytes passed over, the last of a
 * found PSB included.
 */
static size_t find_psb(struct pt_flow *flow, const u8 *data, size_t n)
{
	size_t i = 0;

	while (i < n && flow->psb_match < PT_PSB_SIZE) {
		u8 want = flow->psb_match & 1 ? 0x82 : 0x02;
		u8 byte = data[i++];

		if (byte == want)
			flow->psb_match++;
		else
			flow->psb_match = byte == 0x02;
	}
	flow->stats.bytes_skipped += i;
	if (flow->psb_match == PT_PSB_SIZE) {
		flow->stats.bytes_skipped -= PT_PSB_SIZE;
		flow->stats.bytes_decoded += PT_PSB_SIZE;
		flow->found_at = ++flow->stats.packets;
		begin_psb(flow, false);
	}
	return i;
}

/*
 * A payload that ends like a PSB begins, right before a PSB, makes find_psb()
 * end early: the rest of the PSB is then all that was found wrong. Return:
 * bytes of it to pass over.
 */
static size_t rest_of_psb(struct pt_flow *flow, const u8 *data, size_t n)
{
	if (flow->sync != FLOW_IN_PSB || n < 2 ||
	    flow->found_at != flow->stats.packets)
		return 0;
	return data[0] == 0x02 && data[1] == 0x82 ? 2 : 0;
}

/* ---- packets ---- */

static enum insn_mode exec_mode(u64 bits)
{
	return bits & 1 ? INSN_MODE_64 : bits & 2 ? INSN_MODE_32 :
	       INSN_MODE_16;
}

static void set_mode(struct pt_flow *flow)
{
	if (flow->mode == flow->next_mode)
		return;
	flow->mode = flow->next_mode;
	flow->cur = 0;
}

static int on_tnt(struct pt_flow *flow, const struct pt_packet *p)
{
	if (flow->sync != FLOW_SYNCED || !flow->enabled)
		return -EBADMSG;
	if (flow->nr_tnt + p->nr_tnt > 64)
		return -EBADMSG;
	flow->fup_pending = false;
	flow->tnt = p->nr_tnt == 64 ? p->value :
		    flow->tnt << p->nr_tnt | p->value;
	flow->nr_tnt += p->nr_tnt;
	return walk_tnt(flow);
}

/* The TIP of an interrupt or exception that FUP has announced. */
static int take_async(struct pt_flow *flow, u64 to)
{
	flow->fup_pending = false;
	indirect_edge_count(flow, flow->ip, to, BRANCH_INTERRUPT);
	set_mode(flow);
	flow_set_ip(flow, to);
	return 0;
}

static int on_tip(struct pt_flow *flow, const struct pt_packet *p)
{
	bool has_ip = pt_last_ip_update(&flow->last_ip, p);
	int err;

	if (flow->sync != FLOW_SYNCED || !flow->enabled || !has_ip)
		return -EBADMSG;
	if (flow->fup_pending)
		return take_async(flow, flow->last_ip);
	err = walk_tip(flow, flow->last_ip);
	if (err)
		return err;
	set_mode(flow);
	return walk_tnt(flow);
}

static int on_pge(struct pt_flow *flow, const struct pt_packet *p)
{
	bool has_ip = pt_last_ip_update(&flow->last_ip, p);

	if (flow->sync == FLOW_IN_PSB || flow->enabled || !has_ip)
		return -EBADMSG;
	forget_position(flow);
	flow->sync = FLOW_SYNCED;
	flow->enabled = true;
	set_mode(flow);
	flow_set_ip(flow, flow->last_ip);
	return 0;
}

static int on_pgd(struct pt_flow *flow, const struct pt_packet *p)
{
	bool has_ip = pt_last_ip_update(&flow->last_ip, p);
	int err = 0;

	if (flow->sync == FLOW_IN_PSB)
		return -EBADMSG;
	if (flow->sync == FLOW_SYNCED && !flow->enabled)
		return -EBADMSG;
	if (flow->enabled && !flow->fup_pending)
		err = walk_to_disable(flow, has_ip, flow->last_ip);
	/* After OVF: tracing was on and has ended, where is not known. */
	forget_position(flow);
	flow->sync = FLOW_SYNCED;
	return err;
}

static int on_psb_fup(struct pt_flow *flow)
{
	int err = 0;

	flow->psb_had_fup = true;
	if (flow->was_synced && flow->enabled && !flow->nr_tnt)
		err = walk_to(flow, flow->last_ip);
	else
		flow_set_ip(flow, flow->last_ip);
	set_mode(flow);
	flow->enabled = true;
	return err;
}

static int on_fup(struct pt_flow *flow, const struct pt_packet *p)
{
	bool has_ip = pt_last_ip_update(&flow->last_ip, p);

	if (!has_ip)
		return flow->sync == FLOW_SYNCED ? -EBADMSG : 0;
	switch (flow->sync) {
	case FLOW_IN_PSB:
		return on_psb_fup(flow);
	case FLOW_OVERFLOWED:
		flow->sync = FLOW_SYNCED;
		flow->enabled = true;
		set_mode(flow);
		flow_set_ip(flow, flow->last_ip);
		return 0;
	default:
		break;
	}
	if (flow->fup_owned || !flow->enabled) {
		flow->fup_owned = false;
		return 0;
	}
	if (flow->nr_tnt)
		return -EBADMSG;
	flow->fup_pending = true;
	return walk_to(flow, flow->last_ip);
}

static int on_ovf(struct pt_flow *flow)
{
	flow->stats.overflows++;
	if (flow->sync == FLOW_IN_PSB)
		end_psb(flow);
	forget_position(flow);
	flow->sync = FLOW_OVERFLOWED;
	return 0;
}

static int on_pip(struct pt_flow *flow, const struct pt_packet *p)
{
	if (flow->cr3 != p->value)
		flow->cur = 0;
	flow->cr3 = p->value;
	return 0;
}

static int on_mode(struct pt_flow *flow, const struct pt_packet *p)
{
	flow->next_mode = exec_mode(p->value);
	return 0;
}

/* Outside of PSB+ a FUP follows, which announces a TIP only on an abort. */
static int on_tsx(struct pt_flow *flow, const struct pt_packet *p)
{
	if (flow->sync == FLOW_SYNCED && !(p->value & MODE_TSX_ABORT))
		flow->fup_owned = true;
	return 0;
}

static int on_psb(struct pt_flow *flow)
{
	begin_psb(flow, flow->sync == FLOW_SYNCED);
	return 0;
}

static int on_psbend(struct pt_flow *flow)
{
	if (flow->sync != FLOW_IN_PSB)
		return -EBADMSG;
	end_psb(flow);
	return 0;
}

static int handle(struct pt_flow *flow, const struct pt_packet *p)
{
	if (p->with_fup)
		flow->fup_owned = true;
	switch (p->type) {
	case PT_TNT:
		return on_tnt(flow, p);
	case PT_TIP:
		return on_tip(flow, p);
	case PT_TIP_PGE:
		return on_pge(flow, p);
	case PT_TIP_PGD:
		return on_pgd(flow, p);
	case PT_FUP:
		return on_fup(flow, p);
	case PT_OVF:
		return on_ovf(flow);
	case PT_PIP:
		return on_pip(flow, p);
	case PT_MODE_EXEC:
		return on_mode(flow, p);
	case PT_MODE_TSX:
		return on_tsx(flow, p);
	case PT_PSB:
		return on_psb(flow);
	case PT_PSBEND:
		return on_psbend(flow);
	case PT_BBP:
		flow->in_bip = p->value & 0x80 ? 3 : 1;
		return 0;
	case PT_BEP:
		flow->in_bip = 0;
		return 0;
	default:
		return 0;
	}
}

/* ---- bytes ---- */

/*
 * Decodes whole packets. Return: bytes taken; what is left begins a packet
 * that goes on behind @n.
 */
static size_t decode_packets(struct pt_flow *flow, const u8 *data, size_t n)
{
	struct pt_packet p;
	size_t pos = 0;

	while (pos < n) {
		int err;

		if (flow->sync == FLOW_UNSYNCED) {
			pos += find_psb(flow, data + pos, n - pos);
			continue;
		}
		err = pt_packet_decode(&p, data + pos, n - pos, flow->in_bip);
		if (err == -ENODATA)
			break;
		if (err) {
			size_t rest = rest_of_psb(flow, data + pos, n - pos);

			pos += rest;
			flow->stats.bytes_skipped += rest;
			if (!rest)
				count_error(flow, err,
					    &flow->stats.err_packet);
			continue;
		}
		pos += p.size;
		flow->stats.packets++;
		err = handle(flow, &p);
		if (err)
			flow_error(flow, err);
		flow->stats.bytes_decoded += p.size;
	}
	return pos;
}

/* Completes the packet that the last piece left cut. Return: bytes taken. */
static size_t feed_carry(struct pt_flow *flow, const u8 *data, size_t n)
{
	size_t old = flow->nr_carry;
	size_t add = min(n, sizeof(flow->carry) - old);
	size_t used;

	memcpy(flow->carry + old, data, add);
	used = decode_packets(flow, flow->carry, old + add);
	if (used >= old) {
		flow->nr_carry = 0;
		return used - old;
	}
	/* Still cut: then all of @data is in the carry, it was shorter. */
	memmove(flow->carry, flow->carry + used, old + add - used);
	flow->nr_carry = old + add - used;
	return add;
}

void pt_flow_feed(struct pt_flow *flow, const u8 *data, size_t n)
{
	size_t used;

	flow->stats.bytes += n;
	while (flow->nr_carry && n) {
		used = feed_carry(flow, data, n);
		data += used;
		n -= used;
	}
	if (!n)
		return;
	used = decode_packets(flow, data, n);
	memcpy(flow->carry, data + used, n - used);
	flow->nr_carry = n - used;
}

static void drop_carry(struct pt_flow *flow)
{
	flow->stats.bytes_skipped += flow->nr_carry;
	flow->nr_carry = 0;
}

void pt_flow_finish(struct pt_flow *flow)
{
	drop_carry(flow);
}

void pt_flow_lost(struct pt_flow *flow)
{
	drop_carry(flow);
	lose_sync(flow);
}

void pt_flow_stats(const struct pt_flow *flow, struct pt_flow_stats *stats)
{
	*stats = flow->stats;
}
