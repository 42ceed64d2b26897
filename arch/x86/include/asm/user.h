/* SPDX-License-Identifier: MIT */
/*
 * Ring 3: entering it, leaving it, its system calls.
 *
 * A user context runs on the calling CPU until user_exit() is called for it
 * from its own system call or fault handler; then user_run() returns. SSE (and
 * AVX where the CPU has it) is on in ring 3 and reset at each user_run(); the
 * kernel itself never touches those registers.
 */
#ifndef ASM_USER_H
#define ASM_USER_H

#include <asm/traps.h>

/**
 * user_run() - run ring-3 code in the current address space
 * @rip:	entry point
 * @rsp:	stack; the caller aligned it as the ABI wants
 * @arg:	value of RDI at entry
 *
 * Context: thread; interrupts are on in ring 3. Not nested on one CPU.
 * Return: the status given to user_exit().
 */
int user_run(u64 rip, u64 rsp, u64 arg);

/* Ends this CPU's user context: user_run() returns @status. Does not return. */
void __noreturn user_exit(int status);

/*
 * System calls by SYSCALL: nr = RAX, args = RDI RSI RDX R10 R8 R9, result in
 * RAX. Called with interrupts on.
 */
void syscall_set_handler(long (*fn)(u64 nr, const u64 args[6]));

/**
 * copy_from_user() - read ring-3 memory that may not be there
 *
 * Context: thread; resumes through the exception table. The range must lie
 * below USER_MAX.
 * Return: 0 or -EFAULT (part of @dst may be written).
 */
int __must_check copy_from_user(void *dst, u64 uaddr, size_t n);
int __must_check copy_to_user(u64 uaddr, const void *src, size_t n);

/* The same for any kernel address that may fault. Return: 0 or -EFAULT. */
int __must_check probe_read(void *dst, u64 addr, size_t n);

#endif /* ASM_USER_H */
