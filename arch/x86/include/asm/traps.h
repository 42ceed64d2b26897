/* SPDX-License-Identifier: MIT */
/*
 * Exceptions, interrupts and NMIs: the frame, and who is called.
 */
#ifndef ASM_TRAPS_H
#define ASM_TRAPS_H

#include "lib/compiler.h"

/* As arch/x86/entry.asm pushes it; offsets are generated for NASM. */
struct pt_regs {
	u64 r15, r14, r13, r12, rbp, rbx;
	u64 r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi;
	u64 vector;
	u64 error;		/* 0 where the processor pushes none */
	u64 rip, cs, rflags, rsp, ss;
};

static inline bool user_mode(const struct pt_regs *regs)
{
	return (regs->cs & 3) == 3;
}

/* Vectors of our own; 32..47 are left to the masked 8259s. */
enum {
	VECTOR_TIMER = 0x40,
	VECTOR_WAKE = 0x41,	/* an AP has work */
	VECTOR_PT_ROOM = 0x42,	/* self-IPI of pt/: wait for buffer room */
	VECTOR_CALL = 0x43,	/* smp_call() */
	VECTOR_WATCHDOG = 0x44,	/* deadline of the watchdog */
	VECTOR_SPURIOUS = 0xff,
};

typedef void (*irq_handler_t)(struct pt_regs *regs);

/*
 * Handler of a vector 32..255; called with interrupts off, before EOI. NULL
 * gives the vector back; a second owner is a bug.
 */
void irq_set_handler(unsigned int vector, irq_handler_t fn);

/*
 * One NMI handler: returns true when the NMI was its own. Unclaimed NMIs are
 * counted per CPU (nmi_unclaimed()). It runs on the NMI stack: no locks, no
 * allocation, no printing, no user memory.
 */
void nmi_set_handler(bool (*fn)(struct pt_regs *regs));
u64 nmi_unclaimed(unsigned int cpu);

/*
 * A fault of ring-3 code. The handler does not return to the faulting
 * instruction: it ends the user context (asm/user.h: user_exit()).
 */
void user_fault_set_handler(void (*fn)(struct pt_regs *regs, u64 cr2));

/*
 * Called once by a panic, after its text and before the end; interrupts off,
 * perhaps on the stack of #DF, NMI or #MC. For the last words of a subsystem.
 */
void panic_set_hook(void (*fn)(void));

/* Prints registers and a symbolised backtrace, then exits with failure. */
void __noreturn panic(const char *fmt, ...) __printf(1, 2);

#define BUG_ON(cond) \
	do { \
		if (unlikely(cond)) \
			panic("BUG: %s at %s:%d", #cond, __FILE__, __LINE__); \
	} while (0)

#endif /* ASM_TRAPS_H */
