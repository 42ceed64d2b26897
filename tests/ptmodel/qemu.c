/* SPDX-License-Identifier: MIT */
/*
 * The plugin: its start and end, and what is planted into translated code.
 *
 * For each TB, all conditional on a word of the vCPU's scoreboard, so that code
 * that is not traced runs at nearly full speed:
 *   first instruction	results of the last system instruction; follow_tb()
 *   branches		an inline store: this branch has begun
 *   last instruction	PMI, NMI: under -icount none may be raised elsewhere
 */
#include "vcpu.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INSN_BYTES	15
#define RESET_VECTOR	0xfffffff0ULL
#define RFLAGS_AT_RESET	2
#define ARENA_BYTES	(1UL << 20)

QPL_EXPORT extern int qemu_plugin_version;
int qemu_plugin_version = QPL_ABI;

atomic_bool exiting;

/* The vCPU of this thread, for its register handles at translation time. */
static _Thread_local struct vcpu *this_vcpu;

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

static void flush_cb(void *unused)
{
	struct arena *arena;
	unsigned int i;

	(void)unused;
	vcpu_words_find();
	for (i = 0; i < NR_VCPUS; i++)
		if (vcpus[i].reg_bytes)
			save_records(&vcpus[i]);
	while (arenas) {
		arena = arenas;
		arenas = arena->next;
		free(arena);
	}
}

/* ---- translation ---- */

#define WORD(name)	vcpu_word(offsetof(struct vcpu_words, name))

/* MSRs that at-reset= asks for, as by a WRMSR before the first instruction. */
static void trace_from_reset(struct vcpu *v, const struct tb_rec *tb)
{
	const struct at_reset *want = &options.at_reset;
	const struct ptm_at at = { .ip = tb->vaddr, .next = tb->vaddr };

	v->mode = tb->mode;
	if (!ptm_wrmsr(&v->pt, PTM_MSR_RTIT_OUTPUT_BASE, want->base, &at) &&
	    !ptm_wrmsr(&v->pt, PTM_MSR_RTIT_OUTPUT_MASK_PTRS, want->mask, &at) &&
	    !ptm_wrmsr(&v->pt, PTM_MSR_RTIT_CTL, want->ctl, &at))
		return;
	fprintf(stderr, "ptmodel: at-reset=: the processor refuses it (#GP)\n");
	exit(1);
}

static void reset_cb(unsigned int vcpu, void *tb_rec)
{
	struct vcpu *v = &vcpus[vcpu];
	const struct tb_rec *tb = tb_rec;

	vcpu_reset_all();
	vcpu_reset_if_wanted(v);
	if (options.at_reset.wanted && !vcpu)
		trace_from_reset(v, tb);
}

static bool could_be_sipi(const struct tb_rec *tb)
{
	return !(tb->vaddr & 0xfff) && tb->vaddr < 0x100000 &&
	       code_bits(&tb->mode) == INSN_16 && !tb->mode.cpl &&
	       tb->mode.cs_base == tb->vaddr;
}

/* A far jump to such a place does not leave all registers as INIT does. */
static void sipi_cb(unsigned int vcpu, void *tb_rec)
{
	static const enum vcpu_reg zero[] = {
		REG_RAX, REG_RCX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_DS, REG_ES, REG_SS, REG_CR3, REG_CR4, REG_EFER,
	};
	struct vcpu *v = &vcpus[vcpu];
	size_t i;

	for (i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
		if (vcpu_reg(v, zero[i]))
			return;
	if (vcpu_reg(v, REG_RFLAGS) == RFLAGS_AT_RESET)
		vcpu_sipi(v, tb_rec);
}

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
				     const struct tb_rec *tb,
				     const struct insn_info *info)
{
	struct insn_rec *rec = arena_alloc(sizeof(*rec));
	uint64_t next;

	rec->vaddr = qemu_plugin_insn_vaddr(insn);
	rec->tb_vaddr = tb->vaddr;
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
	if (tb->vaddr == RESET_VECTOR)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, reset_cb,
						       QPL_R_REGS, tb);
	if (could_be_sipi(tb))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, sipi_cb,
						       QPL_R_REGS, tb);
	if (options_have(PTM_EBX_PTWRITE))
		plant_cond(insn, ptwrite_undo, QPL_RW_REGS_PC, WORD(ptw), tb);
}

static void translate_cb(struct qemu_plugin_tb *tb, void *unused)
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

/* ---- start and end ---- */

static void vcpu_init_cb(unsigned int vcpu, void *unused)
{
	(void)unused;
	if (vcpu >= NR_VCPUS) {
		fprintf(stderr, "ptmodel: at most %d vCPUs\n", NR_VCPUS);
		exit(1);
	}
	vcpu_init(&vcpus[vcpu], vcpu);
	this_vcpu = &vcpus[vcpu];
}

static void exit_cb(void *unused)
{
	unsigned int i;

	(void)unused;
	/*
	 * Other vCPU threads may still run. Code that is translated looks at
	 * the word "active", which stays 0 from here on; the time is for the
	 * one callback that each may be in.
	 */
	atomic_store(&exiting, true);
	for (i = 0; i < NR_VCPUS; i++)
		if (vcpus[i].reg_bytes)
			vcpu_words(&vcpus[i])->active = 0;
	usleep(20000);
	for (i = 0; i < NR_VCPUS; i++)
		if (vcpus[i].reg_bytes)
			truth_end(&vcpus[i].truth, vcpus[i].pt.capture_traced);
	if (options.code_file && code_image_write(options.code_file))
		fprintf(stderr, "ptmodel: %s: %s\n", options.code_file,
			strerror(errno));
	if (code_image_changed())
		fprintf(stderr, "ptmodel: traced code has changed (%lu bytes): "
			"the code image has its last version only\n",
			code_image_changed());
}

QPL_EXPORT int qemu_plugin_install(qpl_id id, const struct qpl_info *info,
				   int argc, char **argv);

int qemu_plugin_install(qpl_id id, const struct qpl_info *info, int argc,
			char **argv)
{
	if (argc == 1 && !strcmp(argv[0], "probe=on")) {
		printf("ptmodel: QEMU offers plugin ABI %d to %d\n",
		       info->version.min, info->version.cur);
		fflush(stdout);
		_exit(0);
	}
	if (strcmp(info->target_name, "x86_64") || !info->system_emulation) {
		fprintf(stderr, "ptmodel: for qemu-system-x86_64 only\n");
		return -1;
	}
	if (options_parse(argc, argv, info->system.max_vcpus))
		return -1;
	vcpu_words_init();
	qemu_plugin_register_vcpu_init_cb(id, vcpu_init_cb, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate_cb, NULL);
	qemu_plugin_register_vcpu_discon_cb(id, QPL_DISCON_INTERRUPT |
					    QPL_DISCON_EXCEPTION,
					    follow_discon, NULL);
	qemu_plugin_register_flush_cb(id, flush_cb, NULL);
	qemu_plugin_register_atexit_cb(id, exit_cb, NULL);
	return 0;
}
