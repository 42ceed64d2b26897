/* SPDX-License-Identifier: MIT */
/*
 * PTWRITE executed by undoing its #UD; see ptwrite.h.
 */
#include "vcpu.h"

#include <stdio.h>
#include <string.h>

#define MAX_BYTES	15
#define PAGE_BYTES	4096UL
#define SEARCH_PAGES	16
#define RPL		3
/* CF, PF, AF, ZF, SF, DF, OF: still in QEMU's lazy form. RF: not kept. */
#define FLAGS_KEPT	0x10cd5ULL
#define FLAGS_ONE	2ULL

/* RIP, CS, RFLAGS, and, always in 64-bit mode, RSP and SS. */
enum frame_word { FRAME_IP, FRAME_CS, FRAME_FLAGS, FRAME_SP, FRAME_SS };

unsigned int ptwrite_prepare(struct vcpu *v, struct ptwrite_insn *insn,
			     uint64_t vaddr, const struct tb_rec *tb,
			     uint8_t bytes[15])
{
	size_t len = MAX_BYTES;

	/* The page behind it may be missing. */
	while (len && !qemu_plugin_read_memory_vaddr(vaddr, v->mem_bytes, len))
		len--;
	if (!len)
		return 0;
	memcpy(bytes, v->mem_bytes->data, len);
	insn->vaddr = vaddr;
	insn->tb_vaddr = tb->vaddr;
	insn->mode = tb->mode;
	if (operand_decode(&insn->op, code_bits(&tb->mode), bytes, len))
		return 0;
	return insn->op.len;
}

/* ---- the operand ---- */

static uint64_t segment_base(struct vcpu *v, const struct ptwrite_insn *insn)
{
	enum operand_seg seg = insn->op.seg;

	if (insn->mode.cs_l) {
		if (seg < SEG_FS)
			return 0;
		return vcpu_reg(v, seg == SEG_FS ? REG_FS_BASE : REG_GS_BASE);
	}
	return segment_base_of(v, vcpu_reg(v, REG_ES + seg));
}

static bool read_operand(struct vcpu *v, const struct ptwrite_insn *insn,
			 struct ptwrite *ptw)
{
	const struct operand *op = &insn->op;
	uint64_t regs[16], at;
	unsigned int i;

	ptw->operand = 0;
	if (!op->memory) {
		ptw->operand = vcpu_reg(v, REG_RAX + op->base);
		if (ptw->size == 4)
			ptw->operand = (uint32_t)ptw->operand;
		return true;
	}
	for (i = 0; i < 16; i++)
		regs[i] = vcpu_reg(v, REG_RAX + i);
	at = segment_base(v, insn) +
	     operand_offset(op, regs, ptw->next - insn->mode.cs_base);
	at = code_linear(&insn->mode, at);
	if (!qemu_plugin_read_memory_vaddr(at, v->mem_bytes, ptw->size))
		return false;
	memcpy(&ptw->operand, v->mem_bytes->data, ptw->size);
	return true;
}

void ptwrite_begin(unsigned int vcpu, void *ptwrite_insn)
{
	struct vcpu *v = &vcpus[vcpu];
	const struct ptwrite_insn *insn = ptwrite_insn;
	struct ptwrite *ptw = &v->ptw;
	uint64_t rip;

	ptw->begun = false;
	if (!(v->pt.profile->leaf14_0[1] & PTM_EBX_PTWRITE) ||
	    code_bits(&insn->mode) == INSN_16)
		return;
	/* Stale in the middle of a TB, but not by a page. */
	rip = vcpu_reg(v, REG_RIP) + insn->mode.cs_base;
	ptw->ip = insn->vaddr + ((rip - insn->tb_vaddr) & ~(PAGE_BYTES - 1));
	ptw->next = ptw->ip + insn->op.len;
	ptw->size = insn->op.rex_w ? 8 : 4;
	ptw->word = vcpu_long_mode(v) ? 8 : 4;
	ptw->begun = read_operand(v, insn, ptw);
	if (!ptw->begun)
		fprintf(stderr, "ptmodel: PTWRITE at %llx: its operand is not "
			"mapped: #UD in place of #PF\n",
			(unsigned long long)ptw->ip);
}

/* ---- the #UD ---- */

static bool read_frame(struct vcpu *v, uint64_t words[5])
{
	struct ptwrite *ptw = &v->ptw;
	unsigned int i;

	if (!qemu_plugin_read_memory_vaddr(ptw->frame, v->mem_bytes,
					   5 * ptw->word))
		return false;
	for (i = 0; i < 5; i++) {
		words[i] = 0;
		memcpy(&words[i], v->mem_bytes->data + i * ptw->word,
		       ptw->word);
	}
	return true;
}

bool ptwrite_discon(struct vcpu *v, bool sync, uint64_t from, uint64_t to)
{
	struct ptwrite *ptw = &v->ptw;
	const struct ptm_at at = { .ip = ptw->ip, .next = ptw->next };
	bool begun = ptw->begun;
	uint64_t words[5];

	ptw->begun = false;
	if (!begun || !sync || from != ptw->ip)
		return false;
	ptw->frame = vcpu_reg(v, REG_RSP);
	if (!read_frame(v, words))
		return false;
	ptw->handler = to;
	ptw->cs = words[FRAME_CS];
	vcpu_words(v)->ptw = 1;
	ptm_ptwrite(&v->pt, &at, ptw->operand, ptw->size);
	return true;
}

/* ---- and back ---- */

/* IRET or IRETQ in the handler's pages: every handler has one. */
static uint64_t find_iret(struct vcpu *v)
{
	uint64_t page = v->ptw.handler & ~(PAGE_BYTES - 1);
	bool wide = v->ptw.word == 8;
	unsigned int i;
	size_t k;

	for (i = 0; i < SEARCH_PAGES; i++, page += PAGE_BYTES) {
		if (!qemu_plugin_read_memory_vaddr(page, v->mem_bytes,
						   PAGE_BYTES))
			return 0;
		for (k = 0; k + 1 < PAGE_BYTES; k++) {
			const uint8_t *at = v->mem_bytes->data + k;

			if (wide ? at[0] == 0x48 && at[1] == 0xcf :
			    at[0] == 0xcf)
				return page + k;
		}
	}
	return 0;
}

static void write_ip(struct vcpu *v, uint64_t ip)
{
	g_byte_array_set_size(v->mem_bytes, v->ptw.word);
	memcpy(v->mem_bytes->data, &ip, v->ptw.word);
	qemu_plugin_write_memory_vaddr(v->ptw.frame, v->mem_bytes);
}

/*
 * Same CS: the frame is popped by hand. Another one can only be loaded by an
 * IRET: one of the guest's is borrowed.
 */
static void back(struct vcpu *v, const uint64_t words[5])
{
	struct ptwrite *ptw = &v->ptw;
	uint64_t next = words[FRAME_IP] + (ptw->next - ptw->ip);

	if (words[FRAME_CS] == vcpu_reg(v, REG_CS)) {
		vcpu_set_reg(v, REG_RSP, ptw->word == 8 ? words[FRAME_SP] :
			     ptw->frame + 3 * ptw->word);
		vcpu_set_flags(v, (words[FRAME_FLAGS] & ~FLAGS_KEPT) |
			       FLAGS_ONE);
		qemu_plugin_set_pc(next);
	}
	ptw->iret = find_iret(v);
	if (!ptw->iret) {
		fprintf(stderr, "ptmodel: PTWRITE at %llx: no IRET near the "
			"#UD handler: #UD\n", (unsigned long long)ptw->ip);
		return;
	}
	write_ip(v, next);
	ptw->returning = true;
	qemu_plugin_set_pc(ptw->iret);
}

void ptwrite_undo(unsigned int vcpu, void *tb_rec)
{
	struct vcpu *v = &vcpus[vcpu];
	const struct tb_rec *tb = tb_rec;
	struct ptwrite *ptw = &v->ptw;
	uint64_t pc = vcpu_reg(v, REG_RIP) + tb->mode.cs_base;
	uint64_t words[5];

	if (code_linear(&tb->mode, pc) != ptw->handler ||
	    vcpu_reg(v, REG_RSP) != ptw->frame)
		return;
	vcpu_words(v)->ptw = 0;
	if (read_frame(v, words))
		back(v, words);
}

uint64_t ptwrite_true_ip(const struct vcpu *v, uint64_t ip)
{
	const struct ptwrite *ptw = &v->ptw;

	if ((vcpu_words(v)->ptw && ip == ptw->handler) ||
	    (ptw->returning && ip == ptw->iret))
		return ptw->next;
	return ip;
}

bool ptwrite_is_iret(struct vcpu *v, uint64_t from)
{
	if (!v->ptw.returning || from != v->ptw.iret)
		return false;
	v->ptw.returning = false;
	return true;
}
