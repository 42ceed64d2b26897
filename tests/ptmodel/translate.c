/* SPDX-License-Identifier: MIT */
/*
 * What is planted into translated code.
 *
 * For each TB, all conditional on a word of the vCPU's scoreboard, so that code
 * that is not traced runs at nearly full speed:
 *   first instruction	a PTWRITE's #UD to undo; results of the last system
 *			instruction; follow_tb()
 *   branches		an inline store: this branch has begun
 *   last instruction	PMI, NMI: under -icount none may be raised elsewhere
 */
#include "translate.h"
#include "vcpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define INSN_BYTES	15
#define ARENA_BYTES	(1UL << 20)

/* The vCPU of this thread, for its register handles at translation time. */
static _Thread_local struct vcpu *this_vcpu;

void translate_for(struct vcpu *v)
{
	this_vcpu = v;
}

/* ---- records of translated code: live until all TBs are flushed ---- */

struct arena {
	struct arena *next;
	size_t used;
	uint8_t bytes[ARENA_BYTES];
};

static struct arena *arenas;
static pthread_mutex_t arena_lock = PTHREAD_MUTEX_INITIALIZER;

static void *arena_alloc(size_t len)
{
	struct arena *arena;
	void *mem;

	len = (len + 15) & ~15UL;
	pthread_mutex_lock(&arena_lock);
	if (!arenas || arenas->used + len > ARENA_BYTES) {
		arena = malloc(sizeof(*arena));
		if (!arena)
			abort();
		arena->next = arenas;
		arena->used = 0;
		arenas = arena;
	}
	mem = arenas->bytes + arenas->used;
	arenas->used += len;
	pthread_mutex_unlock(&arena_lock);
	memset(mem, 0, len);
	return mem;
}

/* A branch may be pending across the flush: its record moves to the vCPU. */
static void save_records(struct vcpu *v)
{
	struct vcpu_words *words = vcpu_words(v);

	if (words->pending &&
	    (void *)words->pending != (void *)&v->pending_copy)
		v->pending_copy = *(struct insn_rec *)words->pending;
	if (words->pending)
		words->pending = (uint64_t)&v->pending_copy;
	if (v->insn && v->insn != &v->insn_copy) {
		v->insn_copy = *v->insn;
		v->insn = &v->insn_copy;
	}
}

void translate_flush_cb(void *unused)
{
	struct arena *arena;
	unsigned int i;

	(void)unused;
	vcpu_words_find();
	for (i = 0; i < NR_VCPUS; i++)
		if (vcpus[i].reg_bytes) {
			save_records(&vcpus[i]);
			code_view_forget(&vcpus[i].truth.code);
		}
	while (arenas) {
		arena = arenas;
		arenas = arena->next;
		free(arena);
	}
}

/* ---- translation ---- */

#define WORD(name)	vcpu_word(offsetof(struct vcpu_words, name))

static void irq_cb(unsigned int vcpu, void *unused)
{
	struct vcpu *v = &vcpus[vcpu];
	struct vcpu_words *words = vcpu_words(v);
	uint64_t irq = words->irq;

	(void)unused;
	words->irq = 0;
	if (irq & IRQ_PMI)
		apic_deliver_pmi(v);
	if (irq & IRQ_NMI)
		apic_deliver_nmi(v);
}

static struct insn_rec *new_insn_rec(const struct qemu_plugin_insn *insn,
				     struct tb_rec *tb,
				     const struct insn_info *info)
{
	struct insn_rec *rec = arena_alloc(sizeof(*rec));
	uint64_t next;

	rec->vaddr = qemu_plugin_insn_vaddr(insn);
	rec->tb_vaddr = tb->vaddr;
	rec->tb = tb;
	rec->len = qemu_plugin_insn_size(insn);
	rec->info = *info;
	rec->mode = tb->mode;
	next = rec->vaddr + rec->len - tb->mode.cs_base;
	rec->target = code_linear(&tb->mode, tb->mode.cs_base +
				  insn_target(info, next));
	follow_prepare(rec);
	return rec;
}

static struct tb_rec *new_tb_rec(const struct qemu_plugin_tb *tb, size_t nr)
{
	struct tb_rec *rec = arena_alloc(sizeof(*rec) + nr * INSN_BYTES);
	size_t i;

	rec->vaddr = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0));
	rec->clocks = nr;
	segment_mode_at(this_vcpu, rec->vaddr, &rec->mode);
	for (i = 0; i < nr; i++)
		rec->len += qemu_plugin_insn_data(
			qemu_plugin_tb_get_insn(tb, i), rec->bytes + rec->len,
			INSN_BYTES);
	return rec;
}

/* CPUID, RDMSR, RDTSC: their results are looked at on the next instruction. */
static qpl_vcpu_cb system_cb(enum insn_class class)
{
	switch (class) {
	case INSN_WRMSR:
		return system_wrmsr;
	case INSN_RDMSR:
		return system_rdmsr;
	case INSN_CPUID:
		return system_cpuid;
	case INSN_RDTSC:
		return system_rdtsc;
	default:
		return NULL;
	}
}

static bool is_pending_class(enum insn_class class)
{
	return class >= INSN_JCC && class <= INSN_MOV_CR3;
}

static void plant_cond(struct qemu_plugin_insn *insn, qpl_vcpu_cb cb, int regs,
		       struct qpl_u64 word, void *udata)
{
	qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, cb, regs,
						    QPL_COND_NE, word, 0,
						    udata);
}

static void plant_store(struct qemu_plugin_insn *insn, struct qpl_u64 word,
			uint64_t val)
{
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		insn, QPL_OP_STORE_U64, word, val);
}

/* What changes the meaning of CS, or the IDT. */
static void plant_segment(struct qemu_plugin_insn *insn, struct insn_rec *rec)
{
	switch (rec->info.class) {
	case INSN_FAR:
	case INSN_IRET:
		plant_store(insn, WORD(cs_stale), 1);
		break;
	case INSN_MOV_CR0:
		qemu_plugin_register_vcpu_insn_exec_cb(insn, segment_mov_cr0,
						       QPL_R_REGS, NULL);
		break;
	case INSN_LGDT:
		qemu_plugin_register_vcpu_mem_cb(insn, segment_lgdt, QPL_R_REGS,
						 QPL_MEM_R, rec);
		break;
	case INSN_LIDT:
		qemu_plugin_register_vcpu_mem_cb(insn, segment_lidt,
						 QPL_NO_REGS, QPL_MEM_R, rec);
		break;
	default:
		break;
	}
}

/* QEMU, which takes it for illegal, does not fetch all of it. */
static void plant_ptwrite(struct qemu_plugin_insn *insn, struct tb_rec *tb)
{
	struct ptwrite_insn *ptw = arena_alloc(sizeof(*ptw));
	uint8_t bytes[INSN_BYTES];
	unsigned int told = qemu_plugin_insn_size(insn);
	unsigned int len = ptwrite_prepare(this_vcpu, ptw,
					   qemu_plugin_insn_vaddr(insn),
					   tb, bytes);

	if (!len)
		return;
	if (len > told) {
		memcpy(tb->bytes + tb->len, bytes + told, len - told);
		tb->len += len - told;
	}
	qemu_plugin_register_vcpu_insn_exec_cb(insn, ptwrite_begin, QPL_R_REGS,
					       ptw);
}

/* Callbacks of what the instruction is. Returns: look at its results? */
static bool plant_class(struct qemu_plugin_insn *insn, struct tb_rec *tb)
{
	uint8_t bytes[INSN_BYTES];
	struct insn_info info;
	struct insn_rec *rec;
	qpl_vcpu_cb cb;

	insn_classify(&info, code_bits(&tb->mode), bytes,
		      qemu_plugin_insn_data(insn, bytes, sizeof(bytes)));
	if (info.class == INSN_OTHER && !options.insns)
		return false;
	rec = new_insn_rec(insn, tb, &info);
	if (options.insns)
		plant_cond(insn, follow_insn, QPL_NO_REGS, WORD(active), rec);
	cb = system_cb(info.class);
	if (cb)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, cb, QPL_RW_REGS,
						       rec);
	if (is_pending_class(info.class)) {
		plant_store(insn, WORD(pending), (uint64_t)rec);
		tb->clocks--;
	}
	if (info.class == INSN_IFLAG)
		plant_cond(insn, system_iflag, QPL_NO_REGS, WORD(active), rec);
	if (info.class == INSN_PTWRITE && options_have(PTM_EBX_PTWRITE))
		plant_ptwrite(insn, tb);
	plant_segment(insn, rec);
	return cb || info.class == INSN_IFLAG;
}

static void plant_first(struct qemu_plugin_insn *insn, struct tb_rec *tb)
{
	reset_plant(insn, tb);
	if (options_have(PTM_EBX_PTWRITE))
		plant_cond(insn, ptwrite_undo, QPL_RW_REGS_PC, WORD(ptw), tb);
}

void translate_cb(struct qemu_plugin_tb *tb, void *unused)
{
	size_t i, nr = qemu_plugin_tb_n_insns(tb);
	struct tb_rec *rec = new_tb_rec(tb, nr);
	bool post = true;

	(void)unused;
	for (i = 0; i < nr; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (!i)
			plant_first(insn, rec);
		if (post)
			plant_cond(insn, system_post, QPL_RW_REGS, WORD(post),
				   NULL);
		if (!i)
			plant_cond(insn, follow_tb, QPL_R_REGS, WORD(active),
				   rec);
		post = plant_class(insn, rec);
		if (i == nr - 1)
			plant_cond(insn, irq_cb, QPL_NO_REGS, WORD(irq), NULL);
	}
}
