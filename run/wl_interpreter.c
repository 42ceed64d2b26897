/* SPDX-License-Identifier: MIT */
/*
 * A bytecode interpreter: one indirect jump for each instruction.
 *
 * The bytecode searches the longest Collatz chain below a limit. Dispatch is
 * one jump at a known address, so that each edge to an instruction's code is
 * counted exactly.
 */
#include "run/builtin.h"
#include "run/count.h"

#include "lib/err.h"
#include "mm/slab.h"

#define COLLATZ_LIMIT	800u	/* starts 1..799 */
#define COLLATZ_START	703u	/* has the longest chain among them */
#define COLLATZ_STEPS	170u

enum opcode {
	OP_LOADI,	/* a = imm */
	OP_MOV,		/* a = b */
	OP_ADDI,	/* a += imm */
	OP_HALVE,	/* a /= 2 */
	OP_TRIPLE,	/* a = 3 * a + 1 */
	OP_JODD,	/* if (a & 1) goto imm */
	OP_JNEI,	/* if (a != b) goto imm */
	OP_JBELOW,	/* if (a < b) goto imm */
	OP_JMP,		/* goto imm */
	OP_HALT,
	NR_OPCODES,
};

struct insn {
	u8 op;
	u8 a;
	u8 b;
	u32 imm;
};

/* Registers of the bytecode. */
enum { R_START, R_X, R_STEPS, R_BEST, R_BEST_START, R_LIMIT, R_ONE, NR_REGS };

static const struct insn collatz[] = {
	/* 0 */ { OP_LOADI, R_START, 0, 1 },
	/* 1 */ { OP_LOADI, R_BEST, 0, 0 },
	/* 2 */ { OP_LOADI, R_LIMIT, 0, COLLATZ_LIMIT },
	/* 3 */ { OP_LOADI, R_ONE, 0, 1 },
	/* 4, next start */ { OP_MOV, R_X, R_START, 0 },
	/* 5 */ { OP_LOADI, R_STEPS, 0, 0 },
	/* 6 */ { OP_JMP, 0, 0, 12 },
	/* 7, step */ { OP_ADDI, R_STEPS, 0, 1 },
	/* 8 */ { OP_JODD, R_X, 0, 11 },
	/* 9 */ { OP_HALVE, R_X, 0, 0 },
	/* 10 */ { OP_JMP, 0, 0, 12 },
	/* 11 */ { OP_TRIPLE, R_X, 0, 0 },
	/* 12, test */ { OP_JNEI, R_X, R_ONE, 7 },
	/* 13 */ { OP_JBELOW, R_STEPS, R_BEST, 16 },
	/* 14 */ { OP_MOV, R_BEST, R_STEPS, 0 },
	/* 15 */ { OP_MOV, R_BEST_START, R_START, 0 },
	/* 16, chain ends */ { OP_ADDI, R_START, 0, 1 },
	/* 17 */ { OP_JBELOW, R_START, R_LIMIT, 4 },
	/* 18 */ { OP_HALT, 0, 0, 0 },
};

static const char *const op_names[NR_OPCODES] = {
	"dispatches of loadi", "dispatches of mov", "dispatches of addi",
	"dispatches of halve", "dispatches of triple", "dispatches of jodd",
	"dispatches of jnei", "dispatches of jbelow", "dispatches of jmp",
	"dispatches of halt",
};

struct interpreter {
	u64 reg[NR_REGS];
	u64 executed[NR_OPCODES];
	struct site_count below;
};

/*
 * The one indirect jump, and where it goes for each opcode. The table is
 * written by the asm goto itself: the compiler may move or merge the code of an
 * opcode, and only what the asm names follows.
 */
extern const struct dispatch {
	u64 branch;
	u64 target[NR_OPCODES];
} interp_dispatch __attribute__((visibility("hidden")));

DECLARE_SITE(interp_below);

static __counted void interpret(struct interpreter *vm, const struct insn *code)
{
	u64 *reg = vm->reg;
	const struct insn *insn;
	u32 pc = 0;

next:
	insn = &code[pc++];
	vm->executed[insn->op]++;
	__asm__ volatile goto(
		"1:\tjmp *%0\n\t"
		".pushsection .data.site, \"aw\", @progbits\n\t"
		".balign 8\n"
		"interp_dispatch:\n\t"
		".quad 1b, %l[op_loadi], %l[op_mov], %l[op_addi]\n\t"
		".quad %l[op_halve], %l[op_triple], %l[op_jodd], %l[op_jnei]\n\t"
		".quad %l[op_jbelow], %l[op_jmp], %l[op_halt]\n\t"
		".popsection"
		: : "r"(interp_dispatch.target[insn->op]) : "memory"
		: op_loadi, op_mov, op_addi, op_halve, op_triple, op_jodd,
		  op_jnei, op_jbelow, op_jmp, op_halt);
op_loadi:
	reg[insn->a] = insn->imm;
	goto next;
op_mov:
	reg[insn->a] = reg[insn->b];
	goto next;
op_addi:
	reg[insn->a] += insn->imm;
	goto next;
op_halve:
	reg[insn->a] /= 2;
	goto next;
op_triple:
	reg[insn->a] = 3 * reg[insn->a] + 1;
	goto next;
op_jodd:
	if (reg[insn->a] & 1)
		pc = insn->imm;
	goto next;
op_jnei:
	if (reg[insn->a] != reg[insn->b])
		pc = insn->imm;
	goto next;
op_jbelow:
	if (site_below(interp_below, reg[insn->a], reg[insn->b])) {
		vm->below.next++;
		pc = insn->imm;
	} else {
		vm->below.taken++;
	}
	goto next;
op_jmp:
	pc = insn->imm;
	goto next;
op_halt:
	return;
}

static int interpreter_prepare(struct workload_run *run)
{
	run->priv = kzalloc(sizeof(struct interpreter), GFP_KERNEL);
	return run->priv ? 0 : -ENOMEM;
}

static int interpreter_run(struct workload_run *run)
{
	struct interpreter *vm = run->priv;

	interpret(vm, collatz);
	return vm->reg[R_BEST_START] == COLLATZ_START &&
	       vm->reg[R_BEST] == COLLATZ_STEPS ? 0 : -EIO;
}

/* Opcodes whose code the compiler merged are one edge. */
static void count_dispatch(struct workload_run *run, unsigned int op)
{
	const struct interpreter *vm = run->priv;
	u64 target = interp_dispatch.target[op];
	u64 count = 0;

	for (unsigned int i = 0; i < NR_OPCODES; i++) {
		if (interp_dispatch.target[i] != target)
			continue;
		if (i < op)
			return;
		count += vm->executed[i];
	}
	count_edge(run, op_names[op], interp_dispatch.branch, target, count);
}

static void interpreter_finish(struct workload_run *run)
{
	struct interpreter *vm = run->priv;

	for (unsigned int op = 0; op < NR_OPCODES; op++)
		count_dispatch(run, op);
	count_site(run, "compare of jbelow", &interp_below, &vm->below);
	count_calls(run, "calls of interpret", fn_addr(interpret), 1);
	kfree(vm);
	run->priv = NULL;
}

const struct workload wl_interpreter = {
	.name = "interpreter",
	.help = "bytecode that searches Collatz chains: indirect jumps",
	.prepare = interpreter_prepare,
	.run = interpreter_run,
	.finish = interpreter_finish,
};
