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
#define RFLAGS_IF	(1ULL << 9)
#define RFLAGS_VM	(1ULL << 17)

struct vcpu vcpus[NR_VCPUS];
static struct qemu_plugin_scoreboard *scoreboard;

/* ---- scoreboard ---- */

void vcpu_words_init(void)
{
	scoreboard = qemu_plugin_scoreboard_new(sizeof(struct vcpu_words));
}

void vcpu_words_find(void)
{
	unsigned int i;

	for (i = 0; i < NR_VCPUS; i++)
		if (vcpus[i].reg_bytes)
			vcpus[i].words = qemu_plugin_scoreboard_find(
				scoreboard, i);
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

void vcpu_set_flags(struct vcpu *v, uint32_t flags)
{
	g_byte_array_set_size(v->reg_bytes, sizeof(flags));
	memcpy(v->reg_bytes->data, &flags, sizeof(flags));
	qemu_plugin_write_register(v->regs[REG_RFLAGS], v->reg_bytes);
}

unsigned int vcpu_cpl(struct vcpu *v)
{
	if (!(vcpu_reg(v, REG_CR0) & CR0_PE))
		return 0;
	if (!vcpu_long_mode(v) && (vcpu_reg(v, REG_RFLAGS) & RFLAGS_VM))
		return 3;
	return vcpu_reg(v, REG_CS) & 3;
}

bool vcpu_long_mode(struct vcpu *v)
{
	return vcpu_reg(v, REG_EFER) & EFER_LMA;
}

/* Three words of @size bytes, @skip words below the top of the stack. */
static bool read_stack(struct vcpu *v, unsigned int skip, unsigned int size,
		       uint64_t words[3])
{
	uint64_t top = vcpu_reg(v, REG_RSP);
	unsigned int i;

	if (size == 2)
		top = (vcpu_reg(v, REG_SS) << 4) + (uint16_t)top;
	if (!qemu_plugin_read_memory_vaddr(top + skip * size, v->mem_bytes,
					   3 * size))
		return false;
	for (i = 0; i < 3; i++) {
		words[i] = 0;
		memcpy(&words[i], v->mem_bytes->data + i * size, size);
	}
	return true;
}

/*
 * Above the saved RIP there may be an error code. Stacks with a base are taken
 * for flat.
 */
bool vcpu_saved(struct vcpu *v, uint64_t from, uint16_t *cs, uint64_t *flags)
{
	bool real = !(vcpu_reg(v, REG_CR0) & CR0_PE);
	unsigned int skip, size = real ? 2 : vcpu_long_mode(v) ? 8 : 4;
	uint64_t words[3];

	for (skip = 0; skip < 2; skip++) {
		if (!read_stack(v, skip, size, words))
			return false;
		if (words[0] == from ||
		    (real && words[0] + ((words[1] & 0xffff) << 4) == from)) {
			*cs = words[1];
			*flags = words[2];
			return true;
		}
	}
	return false;
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

static void read_state(void *opaque, struct ptm_state *state)
{
	struct vcpu *v = opaque;
	uint64_t flags = v->flags_known ? v->flags : vcpu_reg(v, REG_RFLAGS);

	memset(state, 0, sizeof(*state));
	state->cr3 = vcpu_reg(v, REG_CR3);
	state->cs_base = v->mode.cs_base;
	state->cpl = v->mode.cpl;
	state->cs_l = v->mode.cs_l;
	state->cs_d = v->mode.cs_d;
	state->pae = !vcpu_long_mode(v) &&
		     (vcpu_reg(v, REG_CR0) & CR0_PG) &&
		     (vcpu_reg(v, REG_CR4) & CR4_PAE);
	state->intr = flags & RFLAGS_IF;
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
	bool active;

	v->port.watching = port_watches(&v->port);
	v->careful = v->port.watching || options.insns;
	active = (v->pt.trigger_en || v->port.watching) &&
		 !atomic_load(&exiting);
	if (active && !words->active)
		follow_restart(v);
	words->active = active;
}

static void triggered(void *opaque, bool on)
{
	struct vcpu *v = opaque;

	if (on) {
		v->port.waits = false;
		truth_log_config(&v->truth.log, &v->pt);
	}
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
	return vcpu_tsc(opaque);
}

static void note(void *opaque, const struct ptm_note *note)
{
	struct vcpu *v = opaque;

	truth_log_note(&v->truth.log, note, &v->pt.now, vcpu_tsc(v));
}

/* Once for each kind: a driver's mistake comes again and again. */
static void report(void *opaque, enum ptm_report what, uint64_t addr)
{
	static const char *const texts[] = {
		[PTM_REPORT_TOPA_EDIT] = "a ToPA table was changed while "
			"TraceEn was 1",
		[PTM_REPORT_HELD_READ] = "trace output was read before it was "
			"flushed",
		[PTM_REPORT_MODEL] = "the model cannot do what is asked of it",
	};
	static atomic_uint seen;
	struct vcpu *v = opaque;

	if (atomic_fetch_or(&seen, 1U << what) & 1U << what)
		return;
	fprintf(stderr, "ptmodel: cpu %u: %s, at %llx; told only once, the "
		"test port counts\n", v->index, texts[what],
		(unsigned long long)addr);
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
	.note = note,
	.report = report,
};

/* ---- life ---- */

static void find_regs(struct vcpu *v)
{
	static const char *const names[NR_REGS] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
		"rip", "eflags", "es", "cs", "ss", "ds", "fs", "gs",
		"fs_base", "gs_base", "cr0", "cr2", "cr3", "cr4", "efer",
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
	v->words = qemu_plugin_scoreboard_find(scoreboard, index);
	v->apic_id = index;
	apic_reset(v);
	segment_reset(v);
	find_regs(v);
	ptm_init(&v->pt, options_profile(index), &engine_ops, v);
	port_start(v);
	truth_init(&v->truth, index, v->pt.profile, options.truth_dir,
		   options.trace_dir, options.insns);
}
