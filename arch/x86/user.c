/* SPDX-License-Identifier: MIT */
/*
 * Ring 3: its vector registers, its system calls.
 */
#include <asm/user.h>

#include "arch/x86/cpu.h"
#include "lib/err.h"

/* Owner: syscall_set_handler(). */
static long (*syscall_handler)(u64 nr, const u64 args[6]);

void syscall_set_handler(long (*fn)(u64 nr, const u64 args[6]))
{
	syscall_handler = fn;
}

void syscall_dispatch(struct pt_regs *regs)
{
	const u64 args[6] = { regs->rdi, regs->rsi, regs->rdx,
			      regs->r10, regs->r8, regs->r9 };

	regs->rax = (u64)(syscall_handler ?
			  syscall_handler(regs->rax, args) : -ENOSYS);
}

/* The state that a new program finds; the kernel itself has none. */
static void reset_vector_state(void)
{
	const u32 mxcsr = 0x1f80;

	__asm__ volatile("fninit");
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
	if (cpu_has_avx)
		__asm__ volatile("vzeroall");
	else
		__asm__ volatile("xorps %xmm0, %xmm0; xorps %xmm1, %xmm1;"
				 "xorps %xmm2, %xmm2; xorps %xmm3, %xmm3;"
				 "xorps %xmm4, %xmm4; xorps %xmm5, %xmm5;"
				 "xorps %xmm6, %xmm6; xorps %xmm7, %xmm7;"
				 "xorps %xmm8, %xmm8; xorps %xmm9, %xmm9;"
				 "xorps %xmm10, %xmm10; xorps %xmm11, %xmm11;"
				 "xorps %xmm12, %xmm12; xorps %xmm13, %xmm13;"
				 "xorps %xmm14, %xmm14; xorps %xmm15, %xmm15");
}

int user_run(u64 rip, u64 rsp, u64 arg)
{
	reset_vector_state();
	return user_enter(rip, rsp, arg);
}

void user_exit(int status)
{
	user_leave(status);
}
