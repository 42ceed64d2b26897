/* SPDX-License-Identifier: MIT */
/*
 * Power-on, resets, INIT and SIPI, none of which QEMU tells a plugin: their
 * first instruction does.
 */
#include "vcpu.h"

#include <stdio.h>
#include <stdlib.h>

#define RESET_VECTOR	0xfffffff0ULL
#define RFLAGS_AT_RESET	2

void vcpu_reset_if_wanted(struct vcpu *v)
{
	int wanted = atomic_exchange(&v->reset_wanted, 0);

	if (!wanted)
		return;
	truth_end(&v->truth, v->pt.capture_traced);
	ptm_reset(&v->pt, wanted - 1);
	apic_reset(v);
	segment_reset(v);
	follow_restart(v);
	port_start(v);
}

/*
 * QEMU tells a plugin of no reset. The first instruction of one does: then all
 * other CPUs wait for SIPI, so each does its own part when it next runs. The
 * first time it is power-on; later nobody can tell a warm reset from a cold one,
 * so an option does.
 */
static void reset_all(void)
{
	static atomic_bool powered_on;
	enum ptm_reset how = atomic_exchange(&powered_on, true) ?
			     options.reset : PTM_RESET_COLD;
	unsigned int i;

	for (i = 0; i < NR_VCPUS; i++)
		atomic_store(&vcpus[i].reset_wanted, how + 1);
}

/*
 * Where INIT came: at the branch that ends the last TB, which then has not
 * retired, or behind a TB that ended without one (HLT).
 */
static uint64_t init_from(struct vcpu *v)
{
	const struct insn_rec *pending = (void *)vcpu_words(v)->pending;

	return pending ? pending->vaddr + v->delta : v->tb_end;
}

/* The first instruction behind SIPI, which an INIT came before. */
static void sipi(struct vcpu *v, const struct tb_rec *tb)
{
	struct ptm_event event = {
		.kind = PTM_EVENT_INIT, .from = init_from(v), .to = tb->vaddr,
		.vector = tb->vaddr >> 12,
	};

	vcpu_reset_if_wanted(v);
	apic_init(v);
	segment_init(v, tb->vaddr);
	v->mode = tb->mode;
	follow_restart(v);
	if (!v->pt.trigger_en)
		return;
	follow_event(v, &event);
	ptm_reset(&v->pt, PTM_RESET_INIT);
	event.kind = PTM_EVENT_SIPI;
	follow_event(v, &event);
}

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

	reset_all();
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
		sipi(v, tb_rec);
}

void reset_plant(struct qemu_plugin_insn *insn, struct tb_rec *tb)
{
	if (tb->vaddr == RESET_VECTOR)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, reset_cb,
						       QPL_R_REGS, tb);
	if (could_be_sipi(tb))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, sipi_cb,
						       QPL_R_REGS, tb);
}
