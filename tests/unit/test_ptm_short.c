/* SPDX-License-Identifier: MIT */
/*
 * ptm_branch_bit() against ptm_branch(): a processor that is asked the short way
 * first makes the same bytes as one that is not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ptmodel/engine.h"

#define BYTES		(1u << 20)
#define BRANCHES	400000

struct machine {
	struct ptm_cpu cpu;
	uint8_t mem[BYTES];
};

static struct machine machines[2];

static int read_phys(void *opaque, uint64_t pa, void *buf, size_t len)
{
	struct machine *m = opaque;

	if (pa + len > BYTES)
		return -1;
	memcpy(buf, m->mem + pa, len);
	return 0;
}

static int write_phys(void *opaque, uint64_t pa, const void *buf, size_t len)
{
	struct machine *m = opaque;

	if (pa + len > BYTES)
		return -1;
	memcpy(m->mem + pa, buf, len);
	return 0;
}

static void read_state(void *opaque, struct ptm_state *state)
{
	(void)opaque;
	*state = (struct ptm_state){ .cr3 = 0x5000, .cs_l = true };
}

static void raise_pmi(void *opaque)
{
	(void)opaque;
}

static const struct ptm_ops ops = {
	.read_phys = read_phys, .write_phys = write_phys,
	.read_state = read_state, .raise_pmi = raise_pmi,
};

static void power_on(struct machine *m, uint64_t ctl)
{
	static const struct ptm_at at = { .ip = 0x1000, .next = 0x1002 };

	memset(m, 0, sizeof(*m));
	ptm_init(&m->cpu, ptm_profile_find("skylake"), &ops, m);
	assert_int_equal(ptm_wrmsr(&m->cpu, PTM_MSR_RTIT_OUTPUT_MASK_PTRS,
				   BYTES - 1, &at), 0);
	assert_int_equal(ptm_wrmsr(&m->cpu, PTM_MSR_RTIT_CTL, ctl |
				   PTM_CTL_TRACEEN | PTM_CTL_OS, &at), 0);
}

/* Return: did the short way suffice? */
static bool both(const struct ptm_branch *branch)
{
	bool done = branch->kind == PTM_JCC &&
		    ptm_branch_bit(&machines[0].cpu, branch->taken);
	unsigned int answer = ptm_branch(&machines[1].cpu, branch);

	if (done)
		assert_int_equal(answer, PTM_TRACED);
	else
		assert_int_equal(ptm_branch(&machines[0].cpu, branch), answer);
	assert_int_equal(machines[0].cpu.cycle, machines[1].cpu.cycle);
	return done;
}

static unsigned long run(uint64_t ctl)
{
	struct ptm_branch branch = { .kind = PTM_JCC };
	unsigned int i, seed = 1;
	unsigned long nr_short = 0;

	power_on(&machines[0], ctl);
	power_on(&machines[1], ctl);
	for (i = 0; i < BRANCHES; i++) {
		branch.kind = rand_r(&seed) % 8 ? PTM_JCC : PTM_IJMP;
		branch.taken = rand_r(&seed) & 16;
		branch.from = rand_r(&seed);
		branch.next = branch.from + 2;
		branch.to = rand_r(&seed);
		nr_short += both(&branch);
	}
	ptm_flush(&machines[0].cpu);
	ptm_flush(&machines[1].cpu);
	assert_memory_equal(machines[0].mem, machines[1].mem, BYTES);
	return nr_short;
}

static void the_short_way_makes_the_same_bytes(void **state)
{
	(void)state;
	assert_true(run(PTM_CTL_BRANCHEN) > BRANCHES / 4);
	assert_true(run(PTM_CTL_BRANCHEN | PTM_CTL_CYCEN | PTM_CTL_TSCEN) >
		    BRANCHES / 4);
}

static void there_is_no_short_way_without_packets(void **state)
{
	(void)state;
	assert_int_equal(run(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_short_way_makes_the_same_bytes),
		cmocka_unit_test(there_is_no_short_way_without_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
