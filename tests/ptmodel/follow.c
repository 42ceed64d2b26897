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
	return insn->info.class >= INSN_JCC && insn->info.class <= INSN_IRET;
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

	if (v->ptw.returning && pc == v->ptw.iret)
		return;
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
	return insn_jcc_taken(&insn->info, vcpu_reg(v, REG_RFLAGS),
			      vcpu_reg(v, REG_RCX));
}

void follow_prepare(struct insn_rec *rec)
{
	static const enum ptm_kind kinds[] = {
		[INSN_JCC] = PTM_JCC, [INSN_LOOP] = PTM_JCC,
		[INSN_JCXZ] = PTM_JCC, [INSN_JMP] = PTM_JMP,
		[INSN_CALL] = PTM_CALL, [INSN_IJMP] = PTM_IJMP,
		[INSN_ICALL] = PTM_ICALL, [INSN_RET] = PTM_RET,
		[INSN_FAR] = PTM_FAR, [INSN_IRET] = PTM_IRET,
		[INSN_MOV_CR3] = PTM_MOV_CR3,
	};
	enum insn_class class = rec->info.class;

	if (class < INSN_JCC || class > INSN_MOV_CR3)
		return;
	rec->kind = kinds[class];
	rec->tells = class <= INSN_CALL &&
		     !same_in_page(rec->target, rec->vaddr + rec->len);
}

static bool moves(const struct ptm_branch *branch)
{
	return branch->kind != PTM_MOV_CR3 &&
	       (branch->kind != PTM_JCC || branch->taken);
}

/* The log of instructions, and the test port, which looks at it first. */
static unsigned int careful_branch(struct vcpu *v,
				   const struct ptm_branch *branch,
				   enum truth_what *what)
{
	unsigned int answer;

	retire(v);
	if (!v->port.watching)
		return ptm_branch(&v->pt, branch);
	if (moves(branch) &&
	    port_as_event(v, branch->from, branch->to, &answer))
		*what = truth_what_of_event(v->port.event.kind);
	else
		answer = ptm_branch(&v->pt, branch);
	port_count(v);
	return answer;
}

static inline void branch_retired(struct vcpu *v,
				  const struct ptm_branch *branch)
{
	enum truth_what what = truth_what_of_branch(branch->kind,
						    branch->taken);
	unsigned int answer;

	if (v->careful)
		answer = careful_branch(v, branch, &what);
	else
		answer = ptm_branch(&v->pt, branch);
	if (!answer)
		return;
	if (what >= TRUTH_FAR)
		truth_log_state(&v->truth.log, &v->pt.now);
	truth_branch(&v->truth, branch->from, branch->to, what, answer,
		     vcpu_tsc(v));
}

/* The branch @insn has retired, control is at @to. */
static void resolve(struct vcpu *v, const struct insn_rec *insn, uint64_t to)
{
	struct ptm_branch branch = {
		.kind = insn->kind,
		.from = insn->vaddr + v->delta,
		.next = insn->vaddr + v->delta + insn->len,
		.to = to,
	};

	/* INTO that went on; an IRET that the guest did not execute. */
	if (insn->info.class == INSN_INT ||
	    ptwrite_is_iret(v, branch.from)) {
		retire(v);
		return;
	}
	if (branch.kind == PTM_JCC)
		branch.taken = insn->target == insn->vaddr + insn->len ?
			ambiguous_taken(v, insn) : to != branch.next;
	branch_retired(v, &branch);
}

/*
 * What most branches take: of a direct branch's two ways one ends where @tb
 * begins. No branch of this code depends on whether the guest's is taken, since
 * no host could predict it. Return: was that so? Then *@pc is the place.
 */
static inline bool resolve_fast(struct vcpu *v, const struct insn_rec *insn,
				const struct tb_rec *tb, uint64_t *pc)
{
	uint64_t next = insn->vaddr + v->delta + insn->len;
	uint64_t target = insn->target + v->delta;
	bool at_target = same_in_page(tb->vaddr, target);
	bool at_next = same_in_page(tb->vaddr, next) & (insn->kind == PTM_JCC);
	struct ptm_branch branch;

	if (!insn->tells | !(at_target | at_next))
		return false;
	*pc = next ^ ((next ^ target) & -(uint64_t)at_target);
	if (insn->kind == PTM_JCC && !v->careful &&
	    ptm_branch_bit(&v->pt, at_target)) {
		truth_edge(&v->truth, insn->vaddr + v->delta, *pc);
		return true;
	}
	branch = (struct ptm_branch){
		.kind = insn->kind, .taken = at_target,
		.from = insn->vaddr + v->delta, .next = next, .to = *pc,
	};
	branch_retired(v, &branch);
	return true;
}

static uint64_t read_pc(struct vcpu *v, const struct tb_rec *tb)
{
	return code_linear(&tb->mode,
			   vcpu_reg(v, REG_RIP) + tb->mode.cs_base);
}

/* An NMI in the middle of a PTWRITE's detour returns to that, not behind it. */
static void resolve_to(struct vcpu *v, const struct insn_rec *insn, uint64_t pc)
{
	uint64_t to = ptwrite_true_ip(v, pc);

	if (to != pc)
		segment_mode_of(v, v->ptw.cs, &v->mode);
	resolve(v, insn, to);
}

/* Memory that was remapped, or code that changed: code_view.h. */
static void note_code(struct vcpu *v, struct tb_rec *tb, uint64_t pc)
{
	if (!v->pt.packet_en)
		return;
	if (v->truth.log.open)
		code_view_tb(&v->truth.code, &v->truth.log, tb, pc, tb->bytes,
			     tb->len);
	if (!options.code_file)
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

	v->mode = tb->mode;
	words->pending = 0;
	if (!pending) {
		pc = read_pc(v, tb);
	} else if (!resolve_fast(v, pending, tb, &pc)) {
		pc = read_pc(v, tb);
		resolve_to(v, pending, pc);
	}
	v->delta = pc - tb->vaddr;
	v->tb_end = pc + tb->len;
	/* The clock is one of instructions where it shows in packets. */
	if (v->pt.ctl & (PTM_CTL_CYCEN | PTM_CTL_MTCEN))
		ptm_advance(&v->pt, tb->clocks);
	note_code(v, tb, pc);
}

void follow_enabled(struct vcpu *v, const struct insn_rec *insn, uint64_t pc)
{
	note_code(v, insn->tb, pc - insn->vaddr + insn->tb->vaddr);
}

/* ---- events ---- */

/*
 * A far branch retired just before the event: the engine must see the processor
 * as it was between the two, which the frame on the stack tells.
 */
static void resolve_at_event(struct vcpu *v, const struct insn_rec *pending,
			     uint64_t from)
{
	uint16_t cs;

	if (pending->info.class == INSN_FAR || pending->info.class == INSN_IRET)
		v->flags_known = vcpu_saved(v, from, &cs, &v->flags);
	if (v->flags_known)
		segment_mode_of(v, cs, &v->mode);
	resolve_to(v, pending, from);
	v->flags_known = false;
}

static void settle_pending(struct vcpu *v, const struct insn_rec *pending,
			   bool sync, uint64_t from)
{
	if (pending && !(sync && pending->vaddr + v->delta == from)) {
		resolve_at_event(v, pending, from);
		return;
	}
	/* The instruction that begins again, or never ends, has not retired. */
	if (v->insn && v->insn_pc == from &&
	    (sync || v->insn->info.rep || !is_branch(v->insn)))
		v->insn = NULL;
	retire(v);
}

/*
 * Event trace names the vector: the gate that leads to @to has it. INT n may
 * itself fault.
 */
static void name_event(struct vcpu *v, struct ptm_event *event,
		       const struct insn_rec *softint)
{
	uint64_t cr2 = vcpu_reg(v, REG_CR2);
	int vector;

	if (softint && segment_gate_leads(v, softint->info.vector, event->to)) {
		event->vector = softint->info.vector;
		return;
	}
	if (softint)
		event->kind = PTM_EVENT_FAULT;
	vector = segment_vector(v, event->to, event->kind == PTM_EVENT_FAULT,
				cr2 != v->cr2 ? VECTOR_PF : -1);
	event->vector = vector < 0 ? 0 : vector;
	v->cr2 = cr2;
	if (event->kind == PTM_EVENT_FAULT && vector == VECTOR_PF) {
		event->has_cr2 = true;
		event->data = cr2;
	}
}

void follow_event(struct vcpu *v, const struct ptm_event *event)
{
	enum ptm_event_kind kind = event->kind;
	unsigned int answer;

	if (v->port.watching &&
	    port_as_event(v, event->from, event->to, &answer))
		kind = v->port.event.kind;
	else
		answer = ptm_event(&v->pt, event);
	if (answer) {
		truth_log_state(&v->truth.log, &v->pt.now);
		truth_branch(&v->truth, event->from, event->to,
			     truth_what_of_event(kind), answer, vcpu_tsc(v));
	}
	if (v->port.watching)
		port_count(v);
}

static void event_taken(struct vcpu *v, const struct insn_rec *pending,
			bool sync, uint64_t from, uint64_t to)
{
	bool at_pending = pending && sync &&
			  pending->vaddr + v->delta == from;
	bool softint = at_pending && pending->info.class == INSN_INT;
	struct ptm_event event = {
		.kind = softint ? PTM_EVENT_SWINT :
			sync ? PTM_EVENT_FAULT : PTM_EVENT_INTR,
		.from = ptwrite_true_ip(v, from), .to = to,
	};

	settle_pending(v, pending, sync, from);
	segment_mode(v, &v->mode);
	if (v->pt.ctl & PTM_CTL_EVENTEN)
		name_event(v, &event, softint ? pending : NULL);
	follow_event(v, &event);
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
	bool sync = v->sync;

	(void)unused;
	if (type == QPL_DISCON_EXCEPTION) {
		v->sync = true;
		return;
	}
	v->sync = false;
	words->pending = 0;
	words->cs_stale = 1;
	if (ptwrite_discon(v, sync, from, to))
		return;
	system_discon(v, sync, from);
	if (words->active)
		event_taken(v, pending, sync, from, to);
}
