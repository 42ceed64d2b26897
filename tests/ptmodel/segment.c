/* SPDX-License-Identifier: MIT */
/*
 * CS and the IDT; see segment.h.
 *
 * The descriptor is read when CS is first needed after a load, or before what
 * would change its meaning (LGDT, MOV CR0): a processor reads it once, too, so
 * that a GDT which is moved or overwritten later does no harm.
 */
#include "vcpu.h"

#include <string.h>

#define CR0_PE		(1ULL << 0)
#define EFER_LMA	(1ULL << 10)
#define RFLAGS_VM	(1ULL << 17)
#define DESC_L		(1ULL << 53)
#define DESC_D		(1ULL << 54)
#define SEL_INDEX	0xfff8
#define SEL_TI		4
#define BASE_24		0xffffffULL
#define RESET_CS	0xf000
#define RESET_CS_BASE	0xffff0000ULL
#define IDT_VECTORS	256
#define IDT_REAL_LIMIT	0x3ff
#define GATE_TYPE	0xf
#define GATE_TASK	5
#define GATE_PRESENT	0x80
#define NMI_VECTOR	2
#define FIRST_IRQ	32

static void start(struct vcpu *v, uint16_t cs, uint64_t base)
{
	v->seg = (struct segments){
		.idt_limit = IDT_REAL_LIMIT, .cs = cs, .cs_base = base,
	};
	vcpu_words(v)->cs_stale = 0;
}

void segment_reset(struct vcpu *v)
{
	start(v, RESET_CS, RESET_CS_BASE);
}

void segment_init(struct vcpu *v, uint64_t base)
{
	start(v, base >> 4, base);
}

/* ---- CS ---- */

static uint64_t desc_base(uint64_t desc)
{
	return (desc >> 16 & BASE_24) | (desc >> 56 & 0xff) << 24;
}

/* Without a GDT that is known, and in an LDT: flat code of the mode. */
static uint64_t descriptor(struct vcpu *v, uint16_t cs, bool lma)
{
	uint64_t desc = lma ? DESC_L : DESC_D;

	if (!v->seg.gdt_known || (cs & SEL_TI) || !(cs & SEL_INDEX))
		return desc;
	if (!qemu_plugin_read_memory_vaddr(v->seg.gdt_base + (cs & SEL_INDEX),
					   v->mem_bytes, sizeof(desc)))
		return desc;
	memcpy(&desc, v->mem_bytes->data, sizeof(desc));
	return desc;
}

static bool real_or_vm86(struct vcpu *v)
{
	if (!(vcpu_reg(v, REG_CR0) & CR0_PE))
		return true;
	return !vcpu_long_mode(v) && (vcpu_reg(v, REG_RFLAGS) & RFLAGS_VM);
}

uint64_t segment_base_of(struct vcpu *v, uint16_t selector)
{
	if (real_or_vm86(v))
		return (uint64_t)selector << 4;
	return desc_base(descriptor(v, selector, false));
}

static void load_cs(struct vcpu *v, uint16_t cs)
{
	struct segments *seg = &v->seg;
	uint64_t desc;

	seg->cs = cs;
	if (real_or_vm86(v)) {
		seg->cs_base = (uint64_t)cs << 4;
		seg->cs_l = seg->cs_d = false;
		return;
	}
	desc = descriptor(v, cs, vcpu_long_mode(v));
	seg->cs_base = desc_base(desc);
	seg->cs_l = desc & DESC_L;
	seg->cs_d = desc & DESC_D;
}

static void settle_cs(struct vcpu *v)
{
	struct vcpu_words *words = vcpu_words(v);
	uint16_t cs = vcpu_reg(v, REG_CS);

	if (!words->cs_stale && cs == v->seg.cs)
		return;
	words->cs_stale = 0;
	load_cs(v, cs);
}

static void mode_of(struct vcpu *v, const struct segments *seg,
		    struct code_mode *mode)
{
	bool lma = vcpu_long_mode(v);

	mode->cs_l = lma && seg->cs_l;
	mode->cs_d = !mode->cs_l && seg->cs_d;
	mode->cs_base = mode->cs_l ? 0 : seg->cs_base;
	mode->cpl = vcpu_cpl(v);
}

void segment_mode(struct vcpu *v, struct code_mode *mode)
{
	settle_cs(v);
	mode_of(v, &v->seg, mode);
}

void segment_mode_of(struct vcpu *v, uint16_t cs, struct code_mode *mode)
{
	struct segments now = v->seg;

	load_cs(v, cs);
	mode_of(v, &v->seg, mode);
	if (vcpu_reg(v, REG_CR0) & CR0_PE)
		mode->cpl = cs & 3;
	v->seg = now;
}

/* RIP is exact now, and QEMU shares no TB between different bases. */
void segment_mode_at(struct vcpu *v, uint64_t vaddr, struct code_mode *mode)
{
	segment_mode(v, mode);
	if (!mode->cs_l)
		mode->cs_base = (uint32_t)(vaddr - vcpu_reg(v, REG_RIP));
}

/* ---- LGDT, LIDT, MOV CR0 ---- */

/* With a 16-bit operand the base has 24 bits. Return: was it the base? */
static bool read_base(uint32_t info, const struct insn_rec *insn,
		      uint64_t *base, uint16_t *limit)
{
	struct qpl_mem_value value = qemu_plugin_mem_get_value(info);

	switch (value.type) {
	case 1:
		*limit = value.data.u16;
		return false;
	case 2:
		*base = value.data.u32;
		if (!insn->mode.cs_l && insn->info.op_size == 2)
			*base &= BASE_24;
		return true;
	case 3:
		*base = value.data.u64;
		return true;
	}
	return false;
}

void segment_lgdt(unsigned int vcpu, uint32_t info, uint64_t vaddr,
		  void *insn_rec)
{
	struct vcpu *v = &vcpus[vcpu];
	uint16_t limit;
	uint64_t base;

	(void)vaddr;
	if (!read_base(info, insn_rec, &base, &limit))
		return;
	settle_cs(v);
	v->seg.gdt_base = base;
	v->seg.gdt_known = true;
}

void segment_lidt(unsigned int vcpu, uint32_t info, uint64_t vaddr,
		  void *insn_rec)
{
	struct segments *seg = &vcpus[vcpu].seg;
	uint64_t base;

	(void)vaddr;
	if (!read_base(info, insn_rec, &base, &seg->idt_limit_read))
		return;
	seg->idt_base = base;
	seg->idt_limit = seg->idt_limit_read;
}

void segment_mov_cr0(unsigned int vcpu, void *unused)
{
	(void)unused;
	settle_cs(&vcpus[vcpu]);
}

/* ---- the IDT ---- */

struct idt {
	unsigned int gate_bytes;
	unsigned int nr;
	uint8_t bytes[IDT_VECTORS * 16];
};

static bool read_idt(struct vcpu *v, struct idt *idt)
{
	size_t len = v->seg.idt_limit + 1UL;

	idt->gate_bytes = vcpu_long_mode(v) ? 16 :
		vcpu_reg(v, REG_CR0) & CR0_PE ? 8 : 4;
	if (len > IDT_VECTORS * idt->gate_bytes)
		len = IDT_VECTORS * idt->gate_bytes;
	if (!qemu_plugin_read_memory_vaddr(v->seg.idt_base, v->mem_bytes, len))
		return false;
	memcpy(idt->bytes, v->mem_bytes->data, len);
	idt->nr = len / idt->gate_bytes;
	return true;
}

/* Linear address of the handler; bases of code segments are taken for 0. */
static bool gate(const struct idt *idt, unsigned int vector, uint64_t *to)
{
	const uint8_t *at = idt->bytes + vector * idt->gate_bytes;
	uint16_t low, selector, high;
	uint32_t top = 0;

	memcpy(&low, at, 2);
	memcpy(&selector, at + 2, 2);
	if (idt->gate_bytes == 4) {
		*to = ((uint32_t)selector << 4) + low;
		return true;
	}
	if (!(at[5] & GATE_PRESENT) || (at[5] & GATE_TYPE) == GATE_TASK)
		return false;
	memcpy(&high, at + 6, 2);
	if (idt->gate_bytes == 16)
		memcpy(&top, at + 8, 4);
	*to = (uint64_t)top << 32 | (uint32_t)high << 16 | low;
	return true;
}

static bool leads(const struct idt *idt, unsigned int vector, uint64_t to)
{
	uint64_t handler;

	return vector < idt->nr && gate(idt, vector, &handler) && handler == to;
}

bool segment_gate_leads(struct vcpu *v, uint8_t vector, uint64_t to)
{
	struct idt idt;

	return read_idt(v, &idt) && leads(&idt, vector, to);
}

int segment_vector(struct vcpu *v, uint64_t to, bool sync, int likely)
{
	unsigned int vector;
	struct idt idt;
	int found = -1;
	bool fits;

	if (!read_idt(v, &idt))
		return -1;
	if (likely >= 0 && leads(&idt, likely, to))
		return likely;
	for (vector = 0; vector < idt.nr; vector++) {
		if (!leads(&idt, vector, to))
			continue;
		fits = sync ? vector < FIRST_IRQ :
		       vector >= FIRST_IRQ || vector == NMI_VECTOR;
		if (fits)
			return vector;
		if (found < 0)
			found = vector;
	}
	return found;
}
