/* SPDX-License-Identifier: MIT */
/*
 * The hardware model's engine with libipt as referee: random programs run on a
 * small interpreter, branch by branch and event by event; what libipt makes of
 * the packets must be what was executed, instruction by instruction.
 *
 * A program is NR_BLOCKS blocks of real code: some NOPs, then one branch that
 * ends with its block. All choices come from a seed, which a failure prints.
 */
#include "ptm_machine.h"

#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>

#define NR_BLOCKS	64u
#define BLOCK_BYTES	32u
#define CODE_BYTES	(NR_BLOCKS * BLOCK_BYTES)
#define CODE_END	(CODE + 0x100u + CODE_BYTES)
#define START		(CODE + 0x100u)
#define MAX_STEPS	100000u
#define MAX_DEPTH	100u		/* more than return compression keeps */

enum terminator {
	T_JCC, T_JMP, T_CALL, T_IJMP, T_ICALL, T_RET, T_IRET, T_MOV_CR3, NR_T,
};

/* One executed instruction; PacketEn was 1, or its packets were lost. */
struct step {
	uint64_t ip;
	bool traced, lost;
};

struct run {
	uint64_t random;
	uint8_t code[CODE_BYTES];
	struct {
		enum terminator kind;
		unsigned int target;	/* block */
		uint64_t at;		/* address of the branch */
	} block[NR_BLOCKS];
	uint64_t stack[MAX_DEPTH];
	unsigned int depth;

	struct step steps[MAX_STEPS];
	unsigned int nr_steps;
	unsigned int resumes[64], nr_resumes;	/* steps behind each OVF */
	unsigned int seen;		/* of the machine's notes */

	/* What this run has of everything. */
	uint64_t ctl;
	uint64_t range[2][2];
	struct ptm_profile profile;
	bool changes_cpl, changes_cr3, events, overflows;
};

static struct run run;

static unsigned int rnd(unsigned int below)
{
	run.random = run.random * 6364136223846793005ULL +
		     1442695040888963407ULL;
	return (unsigned int)(run.random >> 33) % below;
}

static bool one_in(unsigned int n)
{
	return rnd(n) == 0;
}

static uint64_t block_ip(unsigned int block)
{
	return START + block % NR_BLOCKS * BLOCK_BYTES;
}

/* ---- the program ---- */

static void put_branch(unsigned int i, const uint8_t *opcode, unsigned int len,
		       bool direct)
{
	unsigned int size = len + (direct ? 4 : 0);
	uint8_t *at = run.code + (i + 1) * BLOCK_BYTES - size;
	int32_t disp = (int32_t)(block_ip(run.block[i].target) -
				 block_ip(i) - BLOCK_BYTES);

	run.block[i].at = block_ip(i) + BLOCK_BYTES - size;
	memcpy(at, opcode, len);
	if (direct)
		memcpy(at + len, &disp, sizeof(disp));
}

static bool in_range(unsigned int range, uint64_t ip)
{
	return ip >= run.range[range][0] && ip <= run.range[range][1];
}

/*
 * A conditional branch or compressed RET that leaves sends TIP.PGD without an
 * IP, as the SDM has it, which libipt does not accept there: those rows are in
 * test_ptm_rows.c alone.
 */
static unsigned int jcc_target(void)
{
	bool filter = run.ctl >> 32 & 1, stop = run.ctl >> 36 & 2;
	unsigned int target;

	do {
		target = rnd(NR_BLOCKS);
	} while ((filter && !in_range(0, block_ip(target))) ||
		 (stop && in_range(1, block_ip(target))));
	return target;
}

static void make_block(unsigned int i)
{
	static const struct {
		uint8_t opcode[3];
		uint8_t len;
		bool direct;
	} forms[NR_T] = {
		[T_JCC] = { { 0x0f, 0x84 }, 2, true },
		[T_JMP] = { { 0xe9 }, 1, true },
		[T_CALL] = { { 0xe8 }, 1, true },
		[T_IJMP] = { { 0xff, 0xe0 }, 2, false },
		[T_ICALL] = { { 0xff, 0xd0 }, 2, false },
		[T_RET] = { { 0xc3 }, 1, false },
		[T_IRET] = { { 0x48, 0xcf }, 2, false },
		[T_MOV_CR3] = { { 0x0f, 0x22, 0xd8 }, 3, false },
	};
	/* Conditional branches, calls and returns are most of real code. */
	static const enum terminator mix[] = {
		T_JCC, T_JCC, T_JCC, T_JCC, T_JMP, T_CALL, T_CALL, T_RET, T_RET,
		T_RET, T_IJMP, T_ICALL, T_IRET, T_MOV_CR3,
	};
	enum terminator kind = mix[rnd(sizeof(mix) / sizeof(mix[0]))];

	/*
	 * TIP.PGD without an IP belongs to the next branch or MOV CR3: behind
	 * the PIP of a MOV CR3 libipt gives it to that one.
	 */
	if (kind == T_MOV_CR3 && (run.changes_cpl || run.ctl >> 32))
		kind = T_IRET;
	/* The last block must not run out of the program. */
	if (i == NR_BLOCKS - 1)
		kind = T_IJMP;
	run.block[i].kind = kind;
	/*
	 * Direct branches only go on: in a loop without a packet no decoder
	 * can tell in which lap an interrupt came.
	 */
	if (kind == T_JMP || kind == T_CALL)
		run.block[i].target = i + 1 + rnd(NR_BLOCKS - 1 - i);
	else if (kind == T_JCC)
		run.block[i].target = jcc_target();
	else
		run.block[i].target = rnd(NR_BLOCKS);
	put_branch(i, forms[kind].opcode, forms[kind].len, forms[kind].direct);
}

static void make_program(void)
{
	memset(run.code, 0x90, sizeof(run.code));
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		make_block(i);
}

/* ---- running it ---- */

static void step(uint64_t ip, bool traced)
{
	assert_true(run.nr_steps < MAX_STEPS);
	run.steps[run.nr_steps++] = (struct step){ ip, traced, false };
}

/* The answer tells of the last step, and whether an overflow has ended. */
static void settle(unsigned int said)
{
	if (said & PTM_LOST)
		run.steps[run.nr_steps - 1].lost = true;
	for (; run.seen < machine.nr_notes; run.seen++)
		if (machine.notes[run.seen % MACHINE_NOTES].kind ==
		    PTM_NOTE_OVF_END) {
			assert_true(run.nr_resumes < 64);
			run.resumes[run.nr_resumes++] = run.nr_steps;
		}
}

static uint64_t event(uint64_t ip)
{
	uint64_t to = block_ip(rnd(NR_BLOCKS));

	if (run.changes_cpl)
		machine.state.cpl = one_in(2) ? 3 : 0;
	settle(machine_event(one_in(2) ? PTM_EVENT_INTR : PTM_EVENT_FAULT, ip,
			     to));
	return to;
}

static uint64_t returns_to(void)
{
	if (!run.depth || one_in(10))
		return block_ip(rnd(NR_BLOCKS));
	return run.stack[--run.depth];
}

static void push(uint64_t next)
{
	if (run.depth == MAX_DEPTH)
		memmove(run.stack, run.stack + 1,
			--run.depth * sizeof(run.stack[0]));
	run.stack[run.depth++] = next;
}

static uint64_t branch(unsigned int i)
{
	struct ptm_branch b = { .from = run.block[i].at, .taken = true };
	uint64_t direct = block_ip(run.block[i].target);

	b.next = block_ip(i) + BLOCK_BYTES;
	b.to = block_ip(rnd(NR_BLOCKS));
	switch (run.block[i].kind) {
	case T_JCC:
		b.kind = PTM_JCC;
		b.taken = one_in(2);
		b.to = b.taken ? direct : b.next;
		break;
	case T_JMP:
		b.kind = PTM_JMP;
		b.to = direct;
		break;
	case T_CALL:
		b.kind = PTM_CALL;
		b.to = direct;
		push(b.next);
		break;
	case T_IJMP:
		b.kind = PTM_IJMP;
		break;
	case T_ICALL:
		b.kind = PTM_ICALL;
		push(b.next);
		break;
	case T_RET:
		b.kind = PTM_RET;
		b.to = returns_to();
		break;
	case T_IRET:
		b.kind = PTM_IRET;
		if (run.changes_cpl)
			machine.state.cpl = one_in(2) ? 3 : 0;
		break;
	default:
		b.kind = PTM_MOV_CR3;
		b.to = b.next;
		if (run.changes_cr3)
			machine.state.cr3 ^= 0x3000;
	}
	settle(ptm_branch(&machine.cpu, &b));
	return b.to;
}

/* Runs one block from @ip, or until an event comes. Returns what is next. */
static uint64_t run_block(uint64_t ip)
{
	unsigned int i = (unsigned int)(ip - START) / BLOCK_BYTES;

	for (;; ip++) {
		if (run.events && one_in(200))
			return event(ip);
		ptm_advance(&machine.cpu, 1);
		machine.tsc++;
		step(ip, machine.cpu.packet_en);
		if (ip == run.block[i].at)
			return branch(i);
	}
}

static void execute(void)
{
	uint64_t ip = START;

	for (unsigned int n = 0; n < 2500 && machine.cpu.trigger_en; n++) {
		if (run.overflows && one_in(300))
			machine_inject(PTM_INJECT_OVF, rnd(40), 1 + rnd(20));
		ip = run_block(ip);
		if (machine.len > sizeof(machine.trace) - 4096)
			break;
	}
	if (machine.cpu.trigger_en) {
		const struct ptm_at end = { .ip = ip, .next = ip + 2 };

		assert_int_equal(ptm_wrmsr(&machine.cpu, PTM_MSR_RTIT_CTL, 0,
					   &end), 0);
		settle(0);
	}
}

/* ---- what libipt sees ---- */

struct referee {
	unsigned int at;		/* next step */
	unsigned int nr_resumed;
	unsigned long nr_insns;
	const char *wrong;
	uint64_t ip;
};

static int read_code(uint8_t *buf, size_t len, const struct pt_asid *asid,
		     uint64_t ip, void *context)
{
	(void)asid;
	(void)context;
	if (ip < START || ip >= START + CODE_BYTES)
		return -pte_nomap;
	if (len > START + CODE_BYTES - ip)
		len = START + CODE_BYTES - ip;
	memcpy(buf, run.code + (ip - START), len);
	return (int)len;
}

static void see_insn(struct referee *r, uint64_t ip)
{
	r->nr_insns++;
	while (r->at < run.nr_steps && !run.steps[r->at].traced)
		r->at++;
	if (r->at == run.nr_steps || run.steps[r->at].ip != ip) {
		if (!r->wrong)
			r->ip = ip;
		r->wrong = r->wrong ? r->wrong : "an instruction that was not";
		return;
	}
	r->at++;
}

static void see_event(struct referee *r, const struct pt_event *event)
{
	if (event->type != ptev_overflow)
		return;
	/* Up to here it has followed what no packet was needed for. */
	while (r->at < run.nr_steps && !run.steps[r->at].traced)
		r->at++;
	if (r->nr_resumed == run.nr_resumes)
		r->wrong = "an overflow that was not";
	else
		r->at = run.resumes[r->nr_resumed++];
}

static int decode_on(struct referee *r, struct pt_insn_decoder *decoder,
		     int status)
{
	struct pt_event event;
	struct pt_insn insn;

	while (!r->wrong) {
		while (status >= 0 && (status & pts_event_pending)) {
			status = pt_insn_event(decoder, &event, sizeof(event));
			if (status >= 0)
				see_event(r, &event);
		}
		if (status < 0 || (status & pts_eos))
			break;
		memset(&insn, 0, sizeof(insn));
		status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (insn.iclass != ptic_error)
			see_insn(r, insn.ip);
		r->ip = insn.ip;
		if (status < 0)
			break;
	}
	return status;
}

static void set_filter(struct pt_config *config)
{
	if (run.ctl & 1ULL << PTM_CTL_ADDR0_CFG_SHIFT) {
		config->addr_filter.config.ctl.addr0_cfg = 1;
		config->addr_filter.addr0_a = run.range[0][0];
		config->addr_filter.addr0_b = run.range[0][1];
	}
}

static void decode(struct referee *r, uint32_t errata)
{
	struct pt_insn_decoder *decoder;
	struct pt_config config;
	int status;

	pt_config_init(&config);
	config.begin = machine.trace;
	config.end = machine.trace + machine.len;
	config.errata.bdm70 = !!(errata & PTM_ERRATUM_BDM70);
	config.errata.skl014 = !!(errata & PTM_ERRATUM_SKL014);
	config.errata.skd010 = !!(errata & PTM_ERRATUM_SKD010);
	config.errata.apl11 = !!(errata & PTM_ERRATUM_APL11);
	config.errata.apl12 = !!(errata & PTM_ERRATUM_APL12);
	config.cpuid_0x15_eax = run.profile.leaf15[0];
	config.cpuid_0x15_ebx = run.profile.leaf15[1];
	config.mtc_freq = run.ctl >> PTM_CTL_MTCFREQ_SHIFT & PTM_CTL_FREQ_MASK;
	config.nom_freq = (uint8_t)run.profile.cbr;
	set_filter(&config);
	decoder = pt_insn_alloc_decoder(&config);
	assert_non_null(decoder);
	pt_image_set_callback(pt_insn_get_image(decoder), read_code, NULL);
	status = pt_insn_sync_forward(decoder);
	if (status >= 0)
		status = decode_on(r, decoder, status);
	if (status < 0 && status != -pte_eos && !r->wrong)
		r->wrong = pt_errstr(pt_errcode(status));
	pt_insn_free_decoder(decoder);
}

/* ---- one run ---- */

static void choose(uint64_t seed, uint32_t policy, uint64_t ctl)
{
	memset(&run, 0, sizeof(run));
	run.random = seed * 0x9e3779b97f4a7c15ULL + 1;
	run.profile = machine_all;
	run.profile.policy = policy;
	run.ctl = ctl | PTM_CTL_OS | PTM_CTL_BRANCHEN;
	if (one_in(3) || ctl >> 32)
		run.ctl |= PTM_CTL_DISRETC;
	if (one_in(3))
		run.ctl |= PTM_CTL_TSCEN;
	if (one_in(3))
		run.ctl |= PTM_CTL_CYCEN |
			   (uint64_t)rnd(6) << PTM_CTL_CYCTHRESH_SHIFT;
	if (one_in(3))
		run.ctl |= PTM_CTL_MTCEN |
			   (uint64_t)rnd(8) << PTM_CTL_MTCFREQ_SHIFT;
	for (unsigned int i = 0; i < 2; i++) {
		run.range[i][0] = block_ip(rnd(NR_BLOCKS / 2));
		run.range[i][1] = run.range[i][0] +
				  (1 + rnd(NR_BLOCKS / 2)) * BLOCK_BYTES - 1;
	}
}

static void start(uint32_t errata)
{
	make_program();
	machine_power_on(&run.profile);
	machine.state.cr3 = 0x5000;
	if (errata)
		machine_inject(PTM_INJECT_ERRATA, errata, 0);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_ADDR0_A + i,
					       run.range[i / 2][i % 2]), 0);
	assert_int_equal(machine_wrmsr(PTM_MSR_RTIT_CR3_MATCH, 0x5000), 0);
	/* TIP.PGE names the program's first instruction. */
	machine_trace_at(run.ctl, START);
}

static void referee(uint64_t seed, uint32_t errata)
{
	struct referee r = { 0 };

	start(errata);
	execute();
	decode(&r, errata);
	while (r.at < run.nr_steps && !run.steps[r.at].traced)
		r.at++;
	if (!r.wrong && machine.cpu.status & PTM_STATUS_STOPPED)
		r.at = run.nr_steps;
	if (!r.wrong && r.at != run.nr_steps)
		r.wrong = "the end is missing";
	if (r.wrong)
		fprintf(stderr, "seed %llu, CTL %llx, policy %x: libipt: %s at "
			"%llx, step %u of %u (%llx)\n",
			(unsigned long long)seed, (unsigned long long)run.ctl,
			run.profile.policy, r.wrong, (unsigned long long)r.ip,
			r.at, run.nr_steps,
			(unsigned long long)(r.at < run.nr_steps ?
					     run.steps[r.at].ip : 0));
	assert_null(r.wrong);
}

#define SEEDS	150u

static void plain_programs(void **state)
{
	static const uint32_t policies[] = {
		0, PTM_POLICY_LONG_TNT,
		PTM_POLICY_DEFER_TIP, PTM_POLICY_LONG_TNT | PTM_POLICY_DEFER_TIP,
	};

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		choose(seed, policies[seed % 4], 0);
		referee(seed, 0);
	}
}

static void programs_with_events(void **state)
{
	(void)state;
	for (uint64_t seed = 1000; seed < 1000 + SEEDS; seed++) {
		choose(seed, seed % 2 ? PTM_POLICY_LONG_TNT : 0, 0);
		run.events = run.changes_cpl = true;
		referee(seed, 0);
	}
}

static void programs_under_a_cr3_filter(void **state)
{
	(void)state;
	for (uint64_t seed = 2000; seed < 2000 + SEEDS; seed++) {
		choose(seed, 0, PTM_CTL_CR3FILTER);
		run.events = run.changes_cr3 = true;
		referee(seed, 0);
	}
}

static void programs_under_address_filters(void **state)
{
	(void)state;
	for (uint64_t seed = 3000; seed < 3000 + SEEDS; seed++) {
		choose(seed, seed % 2 ? PTM_POLICY_DEFER_TIP : 0, 1ULL << 32);
		run.events = true;
		referee(seed, 0);
	}
}

static void programs_that_run_into_a_tracestop(void **state)
{
	(void)state;
	for (uint64_t seed = 4000; seed < 4000 + SEEDS; seed++) {
		choose(seed, 0, 2ULL << 36);
		run.range[1][0] = START + BLOCK_BYTES * (1 + rnd(NR_BLOCKS - 1));
		run.range[1][1] = run.range[1][0];
		run.events = true;
		referee(seed, 0);
	}
}

static void programs_with_overflows(void **state)
{
	(void)state;
	for (uint64_t seed = 5000; seed < 5000 + SEEDS; seed++) {
		choose(seed, seed % 2 ? PTM_POLICY_LONG_TNT : 0,
		       seed % 4 < 2 ? 1ULL << 32 : 0);
		run.overflows = run.events = true;
		run.changes_cpl = run.changes_cr3 = seed % 3 == 0;
		referee(seed, 0);
	}
}

static void programs_on_processors_with_errata(void **state)
{
	static const uint32_t errata[] = {
		PTM_ERRATUM_BDM70, PTM_ERRATUM_SKL014,
	};

	(void)state;
	for (uint64_t seed = 6000; seed < 6000 + SEEDS; seed++) {
		choose(seed, 0, 1ULL << 32);
		run.events = true;
		referee(seed, errata[seed % 2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_programs),
		cmocka_unit_test(programs_with_events),
		cmocka_unit_test(programs_under_a_cr3_filter),
		cmocka_unit_test(programs_under_address_filters),
		cmocka_unit_test(programs_that_run_into_a_tracestop),
		cmocka_unit_test(programs_with_overflows),
		cmocka_unit_test(programs_on_processors_with_errata),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
