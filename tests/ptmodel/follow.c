/* SPDX-License-Identifier: MIT */
/*
 * Follows the executed code: which branch went where, which event came.
 *
 * A branch is only known to have retired, and its target only known, when the
 * next TB begins or an event arrives. Until then it is "pending". An exception
 * whose address is that of the pending branch cancels it.
 *
 * True addresses: QEMU shares the code of a TB between virtual aliases of one
 * page, so the addresses seen at translation may be those of another alias. All
 * aliases agree in the low 12 bits; each TB's delta to the truth is found when
 * it begins.
 */
#include "vcpu.h"

#define PAGE_MASK	0xfffULL

static bool same_in_page(uint64_t a, uint64_t b)
{
	return !((a ^ b) & PAGE_MASK);
}

/* ---- retired instructions ---- */

static void retire(struct vcpu *v)
{
	if (v->insn && v->pt.packet_en)
		truth_insn(&v->truth, v->insn_pc);
	v->insn = NULL;
}

static bool is_branch(const struct insn_rec *insn)
{
	return insn->info.class >= INSN_JCC && insn->info.class <= INSN_FAR;
}

/*
 * A REP iteration, and a store that changed its own TB, come again with no
 * branch between: still the same instruction.
 */
void follow_insn(unsigned int vcpu, void *insn_rec)
{
	struct vcpu *v = &vcpus[vcpu];
	const struct insn_rec *insn = insn_rec;
	uint64_t pc = insn->vaddr + v->delta;

	if (v->insn && v->insn_pc == pc && !is_branch(v->insn)) {
		v->insn = insn;
		return;
	}
	retire(v);
	v->insn = insn;
	v->insn_pc = pc;
}

void follow_restart(struct vcpu *v)
{
	v->insn = NULL;
	vcpu_words(v)->pending = 0;
}

/* ---- branches ---- */

/*
 * For a branch to the next instruction the target tells nothing. No branch
 * changes flags, and at the start of a TB they are up to date.
 */
static bool ambiguous_taken(struct vcpu *v, const struct insn_rec *insn)
{
	uint64_t count = vcpu_reg(v, REG_RCX);

	return insn_jcc_taken(&insn->info, vcpu_reg(v, REG_RFLAGS),
			      insn->long_mode ? count : (uint32_t)count);
}

static enum ptm_kind kind_of(enum insn_class class)
{
	static const enum ptm_kind kinds[] = {
		[INSN_JCC] = PTM_JCC, [INSN_LOOP] = PTM_JCC,
		[INSN_JCXZ] = PTM_JCC, [INSN_JMP] = PTM_JMP,
		[INSN_CALL] = PTM_CALL, [INSN_IJMP] = PTM_IJMP,
		[INSN_ICALL] = PTM_ICALL, [INSN_RET] = PTM_RET,
		[INSN_FAR] = PTM_FAR, [INSN_MOV_CR3] = PTM_MOV_CR3,
	};

	return kinds[class];
}

static bool moves(const struct ptm_branch *branch)
{
	return branch->kind != PTM_MOV_CR3 &&
	       (branch->kind != PTM_JCC || branch->taken);
}

/* The branch @insn has retired, control is at @to. */
static void resolve(struct vcpu *v, const struct insn_rec *insn, uint64_t to)
{
	struct ptm_branch branch = {
		.kind = kind_of(insn->info.class),
		.from = insn->vaddr + v->delta,
		.to = to,
	};
	unsigned int answer;

	branch.next = branch.from + insn->len;
	if (branch.kind == PTM_JCC)
		branch.taken = insn->target == insn->vaddr + insn->len ?
			ambiguous_taken(v, insn) : to != branch.next;
	retire(v);
	if (!moves(&branch) || !port_as_event(v, branch.from, to, &answer))
		answer = ptm_branch(&v->pt, &branch);
	if (answer == PTM_TRACED && branch.kind != PTM_MOV_CR3)
		truth_edge(&v->truth, branch.from, to);
	port_count(v);
}

/*
 * The true address of a TB that begins. A pending direct branch can only have
 * gone to two places, often told apart by their low bits; else ask, which costs
 * ten times as much.
 */
static uint64_t true_pc(struct vcpu *v, const struct tb_rec *tb,
			const struct insn_rec *pending)
{
	uint64_t next, target;
	bool at_next, at_target;

	if (!tb->long_mode)
		return tb->vaddr;
	if (!pending || pending->info.class > INSN_CALL)
		return vcpu_reg(v, REG_RIP);
	next = pending->vaddr + v->delta + pending->len;
	target = pending->target + v->delta;
	at_next = same_in_page(tb->vaddr, next);
	at_target = same_in_page(tb->vaddr, target);
	if (pending->info.class >= INSN_JMP)
		return at_target ? target : vcpu_reg(v, REG_RIP);
	if (at_next != at_target)
		return at_next ? next : target;
	return vcpu_reg(v, REG_RIP);
}

static void note_code(struct vcpu *v, struct tb_rec *tb, uint64_t pc)
{
	if (!v->pt.packet_en || !(options.trace_dir || options.code_file))
		return;
	if (atomic_load_explicit(&tb->noted, memory_order_relaxed) &&
	    tb->noted_at == pc)
		return;
	code_image_add(pc, tb->bytes, tb->len);
	tb->noted_at = pc;
	atomic_store_explicit(&tb->noted, true, memory_order_relaxed);
}

void follow_tb(unsigned int vcpu, void *tb_rec)
{
	struct vcpu *v = &vcpus[vcpu];
	struct vcpu_words *words = vcpu_words(v);
	const struct insn_rec *pending = (void *)words->pending;
	struct tb_rec *tb = tb_rec;
	uint64_t pc;

	if (atomic_load_explicit(&exiting, memory_order_relaxed))
		return;
	pc = true_pc(v, tb, pending);
	if (pending) {
		words->pending = 0;
		resolve(v, pending, pc);
	}
	v->delta = pc - tb->vaddr;
	note_code(v, tb, pc);
}

/* ---- events ---- */

static void settle_pending(struct vcpu *v, const struct insn_rec *pending,
			   bool sync, uint64_t from)
{
	if (pending && !(sync && pending->vaddr + v->delta == from)) {
		resolve(v, pending, from);
		return;
	}
	/* The instruction that begins again, or never ends, has not retired. */
	if (v->insn && v->insn_pc == from &&
	    (sync || v->insn->info.rep || !is_branch(v->insn)))
		v->insn = NULL;
	retire(v);
}

/*
 * Every event ends in the interrupt callback, with exact addresses; one before
 * it says that the event is an exception or INT n.
 */
void follow_discon(unsigned int vcpu, int type, uint64_t from, uint64_t to,
		   void *unused)
{
	struct vcpu *v = &vcpus[vcpu];
	struct vcpu_words *words = vcpu_words(v);
	const struct insn_rec *pending = (void *)words->pending;
	struct ptm_event event = { .from = from, .to = to };
	bool sync = v->sync;
	unsigned int answer;

	(void)unused;
	if (type == QPL_DISCON_EXCEPTION) {
		v->sync = true;
		return;
	}
	v->sync = false;
	words->pending = 0;
	system_discon(v, sync, from);
	if (!words->active ||
	    atomic_load_explicit(&exiting, memory_order_relaxed))
		return;
	settle_pending(v, pending, sync, from);
	event.kind = sync ? PTM_EVENT_FAULT : PTM_EVENT_INTR;
	if (!port_as_event(v, from, to, &answer))
		answer = ptm_event(&v->pt, &event);
	if (answer == PTM_TRACED)
		truth_edge(&v->truth, from, to);
	port_count(v);
}
