/* SPDX-License-Identifier: MIT */
/*
 * Registers and memory of a vCPU, and the engine's callbacks; see vcpu.h.
 */
#include "vcpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CR0_PE		(1ULL << 0)
#define CR0_PG		(1ULL << 31)
#define CR4_PAE		(1ULL << 5)
#define EFER_LMA	(1ULL << 10)
#define RFLAGS_VM	(1ULL << 17)
#define DESC_L		(1ULL << 53)
#define DESC_D		(1ULL << 54)
#define SEL_INDEX	0xfff8
#define SEL_TI		4

#define LVT_MASKED	0x10000
#define APIC_BASE	0xfee00000

struct vcpu vcpus[NR_VCPUS];
static struct qemu_plugin_scoreboard *scoreboard;

/* ---- scoreboard ---- */

void vcpu_words_init(void)
{
	scoreboard = qemu_plugin_scoreboard_new(sizeof(struct vcpu_words));
}

struct vcpu_words *vcpu_words(const struct vcpu *v)
{
	/* The scoreboard moves when a vCPU is added: no pointer is kept. */
	return qemu_plugin_scoreboard_find(scoreboard, v->index);
}

struct qpl_u64 vcpu_word(size_t offset)
{
	return (struct qpl_u64){ .score = scoreboard, .offset = offset };
}

/* ---- registers and memory ---- */

uint64_t vcpu_reg(struct vcpu *v, enum vcpu_reg reg)
{
	GByteArray *bytes = v->reg_bytes;
	uint64_t val = 0;

	g_byte_array_set_size(bytes, 0);
	if (qemu_plugin_read_register(v->regs[reg], bytes))
		memcpy(&val, bytes->data, bytes->len < sizeof(val) ?
		       bytes->len : sizeof(val));
	return val;
}

void vcpu_set_reg(struct vcpu *v, enum vcpu_reg reg, uint64_t val)
{
	g_byte_array_set_size(v->reg_bytes, sizeof(val));
	memcpy(v->reg_bytes->data, &val, sizeof(val));
	qemu_plugin_write_register(v->regs[reg], v->reg_bytes);
}

unsigned int vcpu_cpl(struct vcpu *v)
{
	if (!(vcpu_reg(v, REG_CR0) & CR0_PE))
		return 0;
	return vcpu_reg(v, REG_CS) & 3;
}

bool vcpu_long_mode(struct vcpu *v)
{
	return vcpu_reg(v, REG_EFER) & EFER_LMA;
}

int vcpu_read_phys(struct vcpu *v, uint64_t pa, void *buf, size_t len)
{
	g_byte_array_set_size(v->mem_bytes, len);
	if (qemu_plugin_read_memory_hwaddr(pa, v->mem_bytes, len))
		return -1;
	memcpy(buf, v->mem_bytes->data, len);
	return 0;
}

int vcpu_write_phys(struct vcpu *v, uint64_t pa, const void *buf, size_t len)
{
	g_byte_array_set_size(v->mem_bytes, len);
	memcpy(v->mem_bytes->data, buf, len);
	return qemu_plugin_write_memory_hwaddr(pa, v->mem_bytes) ? -1 : 0;
}

/* ---- what the engine asks ---- */

static int read_phys(void *opaque, uint64_t pa, void *buf, size_t len)
{
	return vcpu_read_phys(opaque, pa, buf, len);
}

static int write_phys(void *opaque, uint64_t pa, const void *buf, size_t len)
{
	return vcpu_write_phys(opaque, pa, buf, len);
}

/*
 * The code segment's descriptor. The plugin ABI shows only the selector, so the
 * GDT's base is noted at LGDT; without it flat code of the mode is assumed.
 */
static uint64_t cs_descriptor(struct vcpu *v, uint64_t cs, bool lma)
{
	uint64_t desc = lma ? DESC_L : DESC_D;

	if (!v->gdt_known || (cs & SEL_TI) || !(cs & SEL_INDEX))
		return desc;
	if (!qemu_plugin_read_memory_vaddr(v->gdt_base + (cs & SEL_INDEX),
					   v->mem_bytes, sizeof(desc)))
		return desc;
	memcpy(&desc, v->mem_bytes->data, sizeof(desc));
	return desc;
}

static void read_state(void *opaque, struct ptm_state *state)
{
	struct vcpu *v = opaque;
	uint64_t cr0 = vcpu_reg(v, REG_CR0);
	uint64_t cs = vcpu_reg(v, REG_CS);
	bool lma = vcpu_long_mode(v);
	uint64_t desc;

	memset(state, 0, sizeof(*state));
	state->cr3 = vcpu_reg(v, REG_CR3);
	if (!(cr0 & CR0_PE))
		return;
	if (!lma && (vcpu_reg(v, REG_RFLAGS) & RFLAGS_VM)) {
		state->cpl = 3;
		return;
	}
	state->cpl = cs & 3;
	desc = cs_descriptor(v, cs, lma);
	state->cs_l = lma && (desc & DESC_L);
	state->cs_d = !state->cs_l && (desc & DESC_D);
	state->pae = !lma && (cr0 & CR0_PG) &&
		     (vcpu_reg(v, REG_CR4) & CR4_PAE);
}

/* Delivered from the last instruction of the TB: see irq_cb in qemu.c. */
static void raise_pmi(void *opaque)
{
	vcpu_words(opaque)->irq |= IRQ_PMI;
}

/* What began before is not known: pending is stored even when nobody looks. */
void vcpu_update_active(struct vcpu *v)
{
	struct vcpu_words *words = vcpu_words(v);
	bool active = v->pt.trigger_en || port_watches(&v->port);

	if (active && !words->active)
		follow_restart(v);
	words->active = active;
}

static void triggered(void *opaque, bool on)
{
	struct vcpu *v = opaque;

	if (on)
		v->port.waits = false;
	vcpu_update_active(v);
}

static void capture(void *opaque)
{
	struct vcpu *v = opaque;

	truth_end(&v->truth, v->pt.capture_traced);
	truth_begin(&v->truth);
}

static void written(void *opaque, const void *buf, size_t len)
{
	struct vcpu *v = opaque;

	truth_bytes(&v->truth, buf, len);
}

/*
 * QEMU shows no TSC to a plugin: what the guest itself read last, and one tick
 * for each branch since. Monotonic, and deterministic under -icount.
 */
static uint64_t tsc(void *opaque)
{
	struct vcpu *v = opaque;

	return v->tsc + v->pt.cycle;
}

static const struct ptm_ops engine_ops = {
	.read_phys = read_phys,
	.write_phys = write_phys,
	.read_state = read_state,
	.raise_pmi = raise_pmi,
	.triggered = triggered,
	.capture = capture,
	.written = written,
	.tsc = tsc,
};

/* ---- life ---- */

static void find_regs(struct vcpu *v)
{
	static const char *const names[NR_REGS] = {
		"rax", "rbx", "rcx", "rdx", "rip", "eflags", "cs",
		"cr0", "cr3", "cr4", "efer",
	};
	GArray *array = qemu_plugin_get_registers();
	const struct qpl_reg *regs = (const struct qpl_reg *)array->data;
	unsigned int i, k;

	for (i = 0; i < array->len; i++)
		for (k = 0; k < NR_REGS; k++)
			if (!strcmp(regs[i].name, names[k]))
				v->regs[k] = regs[i].handle;
	for (k = 0; k < NR_REGS; k++) {
		if (v->regs[k])
			continue;
		fprintf(stderr, "ptmodel: QEMU has no register %s\n", names[k]);
		exit(1);
	}
}

void vcpu_init(struct vcpu *v, unsigned int index)
{
	memset(v, 0, sizeof(*v));
	v->index = index;
	v->reg_bytes = g_byte_array_new();
	v->mem_bytes = g_byte_array_new();
	v->apic_id = index;
	v->apic_base = APIC_BASE;
	v->lvtpc = LVT_MASKED;
	find_regs(v);
	ptm_init(&v->pt, options_profile(index), &engine_ops, v);
	port_start(v);
	truth_init(&v->truth, index, options.truth_dir, options.trace_dir,
		   options.insns);
}

void vcpu_reset_if_wanted(struct vcpu *v)
{
	if (!atomic_exchange(&v->reset_wanted, false))
		return;
	truth_end(&v->truth, v->pt.capture_traced);
	ptm_reset(&v->pt, PTM_RESET_COLD);
	port_start(v);
	v->x2apic = false;
	v->apic_base = APIC_BASE;
	v->lvtpc = LVT_MASKED;
	v->gdt_known = false;
}

/*
 * QEMU tells a plugin of no reset. The first instruction of one does: then all
 * other CPUs wait for SIPI, so each does its own part when it next runs.
 */
void vcpu_reset_all(void)
{
	unsigned int i;

	for (i = 0; i < NR_VCPUS; i++)
		atomic_store(&vcpus[i].reset_wanted, true);
}
