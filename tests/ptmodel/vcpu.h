/* SPDX-License-Identifier: MIT */
/*
 * One vCPU of QEMU as the glue sees it: registers, memory, what it executes.
 *
 * Between QEMU's callbacks (qemu.c) and the engine (engine.h). A struct vcpu is
 * touched by its own thread only, but for reset_wanted.
 */
#ifndef TESTS_PTMODEL_VCPU_H
#define TESTS_PTMODEL_VCPU_H

#include "classify.h"
#include "code_image.h"
#include "engine.h"
#include "options.h"
#include "port.h"
#include "ptwrite.h"
#include "qpl.h"
#include "segment.h"
#include "truth.h"

#include <stdatomic.h>

#define VECTOR_PF	14

enum vcpu_reg {
	/* In the order of their numbers in instructions. */
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	REG_RIP, REG_RFLAGS,
	REG_ES, REG_CS, REG_SS, REG_DS, REG_FS, REG_GS,
	REG_FS_BASE, REG_GS_BASE,
	REG_CR0, REG_CR2, REG_CR3, REG_CR4, REG_EFER,
	NR_REGS,
};

/*
 * One instruction that the model must see, as it was translated.
 * @target:	of a direct branch
 * @tells:	a direct branch whose ways differ in the low 12 bits, so that the
 *		next TB shows which one it took
 */
struct insn_rec {
	uint64_t vaddr, target, tb_vaddr;
	struct tb_rec *tb;		/* until all TBs are flushed */
	struct insn_info info;
	enum ptm_kind kind;		/* of a branch, or MOV CR3 */
	uint8_t len;
	bool tells;
	struct code_mode mode;
};

/* One translation block. */
struct tb_rec {
	uint64_t vaddr;
	struct code_mode mode;
	uint64_t noted_at;		/* true address in the code image */
	atomic_bool noted;
	unsigned int clocks;		/* instructions but for a last branch */
	unsigned int len;
	uint8_t bytes[];
};

enum vcpu_post {
	POST_NONE,
	POST_CPUID,
	POST_RDMSR,
	POST_RDTSC,
	POST_IFLAG,
	POST_GP,
};

/*
 * The words that QEMU's generated code tests and stores: a scoreboard.
 * @pending holds the struct insn_rec of a branch that has begun; it is stored
 * even when nothing is traced, because that costs less than to test.
 */
struct vcpu_words {
	uint64_t active;		/* TriggerEn, or the test port watches */
	uint64_t post;			/* enum vcpu_post */
	uint64_t irq;			/* IRQ_*: wait for the end of the TB */
	uint64_t pending;
	uint64_t ptw;			/* ptwrite_undo() waits for a TB */
	uint64_t cs_stale;		/* CS has been loaded: segment.h */
};

#define IRQ_PMI		1U
#define IRQ_NMI		2U		/* a foreign one */

struct vcpu {
	struct ptm_cpu pt;
	struct truth truth;
	struct port port;
	struct ptwrite ptw;
	struct vcpu_words *words;	/* see vcpu_words_find() */
	bool careful;			/* a branch is more than ptm_branch() */
	uint64_t delta;			/* true address - translated address */
	uint64_t tb_end;		/* true address behind the last TB */
	bool sync;			/* next interrupt callback: exception */
	struct code_mode mode;		/* what the engine is told */
	bool flags_known;		/* ... with these; else as they are */
	uint64_t flags;
	bool x2apic;
	unsigned int index;
	uint32_t apic_id, lvtpc;
	uint64_t apic_base;

	const struct insn_rec *insn;	/* begun, not yet known to retire */
	uint64_t insn_pc;

	uint64_t post_pc, post_next, post_value, saved_rcx;
	uint32_t leaf, subleaf;
	uint64_t tsc;			/* last that the guest has read */
	uint64_t cr2;			/* at the last #PF */
	struct segments seg;

	/* Outlive a flush of the TBs. */
	struct insn_rec pending_copy, insn_copy;
	struct qemu_plugin_register *regs[NR_REGS];
	GByteArray *reg_bytes, *mem_bytes;
	atomic_int reset_wanted;	/* enum ptm_reset + 1, or 0 */
};

/* The QEMU process is ending: vCPUs must leave their truth alone. */
extern atomic_bool exiting;

/* Owner: vcpu.c. */
extern struct vcpu vcpus[NR_VCPUS];

void vcpu_init(struct vcpu *v, unsigned int index);
struct qpl_u64 vcpu_word(size_t offset);
/* Once, before any vCPU is there. */
void vcpu_words_init(void);
/*
 * Finds the words of all vCPUs anew. QEMU moves a scoreboard when vCPUs are
 * added; its translated code knows the place, so all TBs are flushed then.
 */
void vcpu_words_find(void);

static inline struct vcpu_words *vcpu_words(const struct vcpu *v)
{
	return v->words;
}

/* The time-stamp counter, as the engine and the truth know it. */
static inline uint64_t vcpu_tsc(const struct vcpu *v)
{
	return v->tsc + v->pt.cycle;
}

uint64_t vcpu_reg(struct vcpu *v, enum vcpu_reg reg);
void vcpu_set_reg(struct vcpu *v, enum vcpu_reg reg, uint64_t val);
/* RFLAGS without the condition codes and DF: QEMU keeps those elsewhere. */
void vcpu_set_flags(struct vcpu *v, uint32_t flags);
unsigned int vcpu_cpl(struct vcpu *v);
/* Is this the frame of an interrupt from @from? Then CS and RFLAGS as saved. */
bool vcpu_saved(struct vcpu *v, uint64_t from, uint16_t *cs, uint64_t *flags);
int vcpu_read_phys(struct vcpu *v, uint64_t pa, void *buf, size_t len);
int vcpu_write_phys(struct vcpu *v, uint64_t pa, const void *buf, size_t len);
bool vcpu_long_mode(struct vcpu *v);

/* The word "active": must branches and events be followed? */
void vcpu_update_active(struct vcpu *v);

/* ---- reset.c ---- */

/* A reset, when another vCPU has seen one begin. */
void vcpu_reset_if_wanted(struct vcpu *v);
/* Callbacks on @insn, the first of @tb, where a reset or SIPI may lead. */
void reset_plant(struct qemu_plugin_insn *insn, struct tb_rec *tb);

/* ---- apic.c ---- */

/* INIT; a reset, which also leaves x2APIC mode. */
void apic_init(struct vcpu *v);
void apic_reset(struct vcpu *v);

/* Where LVTPC is: follows IA32_APIC_BASE and, in x2APIC mode, MSR 834H. */
void apic_wrmsr(struct vcpu *v, uint32_t msr, uint64_t val);
bool apic_rdmsr(const struct vcpu *v, uint32_t msr, uint64_t *val);
/* What LVTPC says is sent; its mask bit is set. */
void apic_deliver_pmi(struct vcpu *v);
/* An NMI that has nothing to do with LVTPC. */
void apic_deliver_nmi(struct vcpu *v);

/* ---- follow.c: callbacks of the executed code ---- */

/* What @rec->info means for following it: kind and tells. */
void follow_prepare(struct insn_rec *rec);

void follow_tb(unsigned int vcpu, void *tb_rec);
void follow_insn(unsigned int vcpu, void *insn_rec);
void follow_discon(unsigned int vcpu, int type, uint64_t from, uint64_t to,
		   void *unused);
/* The WRMSR that clears TraceEn is never in the trace. */
void follow_restart(struct vcpu *v);
/* @insn, at @pc, has set TraceEn: the TB that it is in will be traced. */
void follow_enabled(struct vcpu *v, const struct insn_rec *insn, uint64_t pc);
/* An event that the glue has found out: packets, truth, NMIs to come. */
void follow_event(struct vcpu *v, const struct ptm_event *event);

/* ---- system.c: callbacks of system instructions ---- */

void system_wrmsr(unsigned int vcpu, void *insn_rec);
void system_rdmsr(unsigned int vcpu, void *insn_rec);
void system_cpuid(unsigned int vcpu, void *insn_rec);
void system_rdtsc(unsigned int vcpu, void *insn_rec);
/* CLI, STI, POPF, while branches are followed. */
void system_iflag(unsigned int vcpu, void *insn_rec);
/* On the instruction behind: results are in the registers now. */
void system_post(unsigned int vcpu, void *unused);
/*
 * An interrupt or exception from @from: undoes what led to a #GP, and what has
 * not retired.
 */
void system_discon(struct vcpu *v, bool sync, uint64_t from);

#endif /* TESTS_PTMODEL_VCPU_H */
