/* SPDX-License-Identifier: MIT */
/*
 * The machine of the hardware model's tests; see ptm_machine.h.
 */
#include "ptm_machine.h"

#include <stdio.h>

struct machine machine;

const struct ptm_profile machine_all = {
	.name = "all",
	.max_leaf = 0x15,
	.leaf14_0 = { 1, 0x1ff, PTM_ECX_TOPA | PTM_ECX_TOPA_MULTI |
		      PTM_ECX_SINGLE_RANGE | PTM_ECX_FABRIC |
		      PTM_ECX_LIP, 0 },
	.leaf14_1 = { 0xffff0004, 0xffffffff, 0, 0 },
	/* One crystal tick is four of the TSC's. */
	.leaf15 = { 1, 4, 0, 0 },
	.maxphyaddr = 40,
	.cbr = 10,
};

/* ---- what the engine asks ---- */

static int read_phys(void *opaque, uint64_t pa, void *buf, size_t len)
{
	(void)opaque;
	if (pa + len > MACHINE_MEM)
		return -1;
	memcpy(buf, machine.mem + pa, len);
	return 0;
}

static int write_phys(void *opaque, uint64_t pa, const void *buf, size_t len)
{
	(void)opaque;
	if (pa + len > MACHINE_MEM)
		return -1;
	memcpy(machine.mem + pa, buf, len);
	return 0;
}

static void read_state(void *opaque, struct ptm_state *state)
{
	(void)opaque;
	*state = machine.state;
}

static void raise_pmi(void *opaque)
{
	(void)opaque;
	machine.nr_pmis++;
}

static void written(void *opaque, const void *buf, size_t len)
{
	(void)opaque;
	if (machine.len + len > sizeof(machine.trace))
		machine.len = 0;
	memcpy(machine.trace + machine.len, buf, len);
	machine.len += len;
}

static void note(void *opaque, const struct ptm_note *what)
{
	(void)opaque;
	machine.notes[machine.nr_notes++ % MACHINE_NOTES] = *what;
}

static uint64_t tsc(void *opaque)
{
	(void)opaque;
	return machine.tsc;
}

static const struct ptm_ops ops = {
	.read_phys = read_phys, .write_phys = write_phys,
	.read_state = read_state, .raise_pmi = raise_pmi, .written = written,
	.note = note, .tsc = tsc,
};

/* ---- life ---- */

void machine_power_on(const struct ptm_profile *profile)
{
	ptm_fini(&machine.cpu);
	memset(&machine, 0, sizeof(machine));
	machine.state = (struct ptm_state){ .cr3 = 0x5000, .cs_l = true };
	ptm_init(&machine.cpu, profile, &ops, NULL);
}

int machine_wrmsr(uint32_t msr, uint64_t val)
{
	const struct ptm_at at = { .ip = CODE, .next = CODE + WRMSR_LEN };

	return ptm_wrmsr(&machine.cpu, msr, val, &at);
}

void machine_trace_at(uint64_t ctl, uint64_t next)
{
	const struct ptm_at at = { .ip = next - WRMSR_LEN, .next = next };
	/* Size 7: 512 KiB. */
	const uint64_t table[] = { MACHINE_REGION | 7 << 6,
				   MACHINE_TABLE | PTM_TOPA_END };

	memcpy(machine.mem + MACHINE_TABLE, table, sizeof(table));
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_OUTPUT_BASE,
				       MACHINE_TABLE), 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_OUTPUT_MASK_PTRS, 0x7f), 0);
	assert_int_equal(ptm_wrmsr(&machine.cpu, PTM_MSR_RTIT_CTL,
				   PTM_CTL_TRACEEN | PTM_CTL_TOPA | ctl, &at),
			 0);
}

void machine_trace_from_start(uint64_t ctl)
{
	machine_trace_at(ctl, CODE + WRMSR_LEN);
	assert_true(machine.cpu.trigger_en);
}

void machine_trace(uint64_t ctl)
{
	machine_trace_from_start(ctl);
	ptm_flush(&machine.cpu);
	machine.len = 0;
	machine.nr_notes = 0;
}

/* ---- what it executes ---- */

static unsigned int branch(enum ptm_kind kind, bool taken, uint64_t from,
			   uint64_t to)
{
	const struct ptm_branch branch = {
		.kind = kind, .taken = taken, .from = from, .next = from + 5,
		.to = taken ? to : from + 5,
	};

	return ptm_branch(&machine.cpu, &branch);
}

unsigned int machine_branch(enum ptm_kind kind, uint64_t from, uint64_t to)
{
	return branch(kind, true, from, to);
}

unsigned int machine_jcc(bool taken, uint64_t from, uint64_t to)
{
	return branch(PTM_JCC, taken, from, to);
}

unsigned int machine_event(enum ptm_event_kind kind, uint64_t from, uint64_t to)
{
	const struct ptm_event event = {
		.kind = kind, .from = from, .to = to, .vector = 0x2e,
	};

	return ptm_event(&machine.cpu, &event);
}

void machine_inject(enum ptm_inject what, uint64_t arg0, uint64_t arg1)
{
	const uint64_t arg[3] = { arg0, arg1, 0 };
	const struct ptm_at at = { .ip = CODE, .next = CODE + WRMSR_LEN };

	assert_int_equal(ptm_inject(&machine.cpu, what, arg, &at), 0);
}

/* ---- what its trace says ---- */

static void show(const char *who, const uint8_t *bytes, size_t len)
{
	size_t i;

	fprintf(stderr, "%s:", who);
	for (i = 0; i < len; i++)
		fprintf(stderr, " %02x", bytes[i]);
	fputc('\n', stderr);
}

void machine_expect(const char *file, int line, const uint8_t *want, size_t len)
{
	bool same;

	ptm_flush(&machine.cpu);
	same = machine.len == len &&
	       (!len || !memcmp(machine.trace, want, len));
	if (!same) {
		show("want", want, len);
		show("have", machine.trace, machine.len);
	}
	_assert_true(same, "the packets are those of the SDM", file, line);
	machine.len = 0;
}
