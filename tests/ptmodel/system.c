/* SPDX-License-Identifier: MIT */
/*
 * WRMSR, RDMSR, CPUID and RDTSC as a processor with Intel PT executes them.
 *
 * QEMU's emulator ignores MSRs that it does not know, so nothing need be kept
 * from executing: results are put into the registers on the next instruction.
 * A #GP is made by sending the instruction to an MSR on which it always faults;
 * RCX is put back when the exception is taken.
 */
#include "vcpu.h"

#include <stdio.h>

#define MSR_WRMSR_FAULTS	0x802	/* x2APIC ID: read only */
#define MSR_RDMSR_FAULTS	0x8ff	/* x2APIC: reserved */
#define LEAF_BASIC		1

/* A register in the middle of a TB may be stale, but not by a page. */
static uint64_t true_vaddr(struct vcpu *v, const struct insn_rec *insn)
{
	uint64_t rip;

	rip = vcpu_reg(v, REG_RIP) + insn->mode.cs_base;
	rip = code_linear(&insn->mode, rip);
	return insn->vaddr + ((rip - insn->tb_vaddr) & ~0xfffULL);
}

static void set_post(struct vcpu *v, enum vcpu_post post, uint64_t pc)
{
	v->post_pc = pc;
	vcpu_words(v)->post = post;
}

static void make_gp(struct vcpu *v, uint32_t faulting_msr, uint64_t pc)
{
	v->saved_rcx = vcpu_reg(v, REG_RCX);
	vcpu_set_reg(v, REG_RCX, faulting_msr);
	set_post(v, POST_GP, pc);
}

static void write_pt_msr(struct vcpu *v, const struct insn_rec *insn,
			 uint32_t msr, uint64_t val)
{
	struct ptm_at at = { .ip = true_vaddr(v, insn) };
	int err;

	at.next = at.ip + insn->len;
	v->mode = insn->mode;
	err = ptm_wrmsr(&v->pt, msr, val, &at);
	if (options.verbose)
		fprintf(stderr, "ptmodel: cpu %u %016llx WRMSR %x %016llx%s\n",
			v->index, (unsigned long long)at.ip, msr,
			(unsigned long long)val, err ? " #GP" : "");
	if (err) {
		make_gp(v, MSR_WRMSR_FAULTS, at.ip);
		return;
	}
	if (msr == PTM_MSR_RTIT_CTL) {
		follow_restart(v);
		v->delta = at.ip - insn->vaddr;
		follow_enabled(v, insn, at.ip);
	}
}

static void write_port(struct vcpu *v, const struct insn_rec *insn,
		       uint32_t msr, uint64_t val)
{
	struct ptm_at at = { .ip = true_vaddr(v, insn) };

	at.next = at.ip + insn->len;
	v->mode = insn->mode;
	port_write(v, msr, val, &at);
	if (options.verbose)
		fprintf(stderr, "ptmodel: cpu %u %016llx port %x %016llx%s\n",
			v->index, (unsigned long long)at.ip, msr,
			(unsigned long long)val,
			msr == PTM_PORT_CMD && v->port.refused ?
			" refused" : "");
	v->delta = at.ip - insn->vaddr;
}

void system_wrmsr(unsigned int vcpu, void *insn_rec)
{
	struct vcpu *v = &vcpus[vcpu];
	uint32_t msr;
	uint64_t val;

	vcpu_reset_if_wanted(v);
	if (vcpu_cpl(v))
		return;
	msr = vcpu_reg(v, REG_RCX);
	val = vcpu_reg(v, REG_RDX) << 32 | (uint32_t)vcpu_reg(v, REG_RAX);
	if (ptm_owns_msr(msr))
		write_pt_msr(v, insn_rec, msr, val);
	else if (port_owns_msr(msr))
		write_port(v, insn_rec, msr, val);
	else
		apic_wrmsr(v, msr, val);
}

void system_rdmsr(unsigned int vcpu, void *insn_rec)
{
	struct vcpu *v = &vcpus[vcpu];
	uint64_t pc = true_vaddr(v, insn_rec);
	uint32_t msr;

	vcpu_reset_if_wanted(v);
	if (vcpu_cpl(v))
		return;
	msr = vcpu_reg(v, REG_RCX);
	if (ptm_owns_msr(msr)) {
		if (ptm_rdmsr(&v->pt, msr, &v->post_value)) {
			make_gp(v, MSR_RDMSR_FAULTS, pc);
			return;
		}
	} else if (port_owns_msr(msr)) {
		v->post_value = port_read(v, msr);
	} else if (!apic_rdmsr(v, msr, &v->post_value)) {
		return;
	}
	set_post(v, POST_RDMSR, pc);
}

void system_cpuid(unsigned int vcpu, void *insn_rec)
{
	struct vcpu *v = &vcpus[vcpu];

	v->leaf = vcpu_reg(v, REG_RAX);
	v->subleaf = vcpu_reg(v, REG_RCX);
	set_post(v, POST_CPUID, true_vaddr(v, insn_rec));
}

void system_rdtsc(unsigned int vcpu, void *insn_rec)
{
	struct vcpu *v = &vcpus[vcpu];

	set_post(v, POST_RDTSC, true_vaddr(v, insn_rec));
}

void system_iflag(unsigned int vcpu, void *insn_rec)
{
	struct vcpu *v = &vcpus[vcpu];
	const struct insn_rec *insn = insn_rec;

	if (!(v->pt.ctl & PTM_CTL_EVENTEN))
		return;
	set_post(v, POST_IFLAG, insn->vaddr + v->delta);
	v->post_next = v->post_pc + insn->len;
}

/* ---- after the instruction ---- */

static void post_cpuid(struct vcpu *v)
{
	static const enum vcpu_reg regs[4] = {
		REG_RAX, REG_RBX, REG_RCX, REG_RDX,
	};
	uint32_t vals[4];
	int i;

	for (i = 0; i < 4; i++)
		vals[i] = vcpu_reg(v, regs[i]);
	ptm_cpuid(&v->pt, v->leaf, v->subleaf, vals);
	for (i = 0; i < 4; i++)
		vcpu_set_reg(v, regs[i], vals[i]);
}

static void post_rdtsc(struct vcpu *v)
{
	uint64_t tsc = vcpu_reg(v, REG_RDX) << 32 |
		       (uint32_t)vcpu_reg(v, REG_RAX);

	/* Time in the trace never goes back. */
	if (tsc - v->pt.cycle > v->tsc && tsc > v->pt.cycle)
		v->tsc = tsc - v->pt.cycle;
}

static void post_iflag(struct vcpu *v)
{
	const struct ptm_at at = { .ip = v->post_pc, .next = v->post_next };

	ptm_iflag(&v->pt, &at);
}

void system_post(unsigned int vcpu, void *unused)
{
	struct vcpu *v = &vcpus[vcpu];
	struct vcpu_words *words = vcpu_words(v);
	enum vcpu_post post = words->post;

	(void)unused;
	words->post = POST_NONE;
	switch (post) {
	case POST_NONE:
		break;
	case POST_CPUID:
		post_cpuid(v);
		break;
	case POST_RDMSR:
		vcpu_set_reg(v, REG_RAX, (uint32_t)v->post_value);
		vcpu_set_reg(v, REG_RDX, v->post_value >> 32);
		break;
	case POST_RDTSC:
		post_rdtsc(v);
		break;
	case POST_IFLAG:
		post_iflag(v);
		break;
	case POST_GP:
		vcpu_set_reg(v, REG_RCX, v->saved_rcx);
		fprintf(stderr, "ptmodel: QEMU did not raise the #GP\n");
		break;
	}
}

/* An interrupt right behind CLI, STI or POPF has changed RFLAGS already. */
static void discon_iflag(struct vcpu *v, uint64_t from)
{
	uint16_t cs;

	v->flags_known = vcpu_saved(v, from, &cs, &v->flags);
	post_iflag(v);
	v->flags_known = false;
}

void system_discon(struct vcpu *v, bool sync, uint64_t from)
{
	struct vcpu_words *words = vcpu_words(v);
	enum vcpu_post post = words->post;

	switch (post) {
	case POST_NONE:
		return;
	case POST_GP:
		vcpu_set_reg(v, REG_RCX, v->saved_rcx);
		break;
	case POST_IFLAG:
		if (!sync || from != v->post_pc)
			discon_iflag(v, from);
		break;
	default:
		if (!sync || from != v->post_pc)
			return;
	}
	words->post = POST_NONE;
}
