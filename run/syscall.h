/* SPDX-License-Identifier: MIT */
/*
 * System calls of ring-3 programs: the ABI of run/topaz.h.
 */
#ifndef RUN_SYSCALL_H
#define RUN_SYSCALL_H

#include "lib/types.h"

/**
 * payload_syscall() - serve one call of the calling CPU's payload
 * @nr:		RAX
 * @args:	RDI RSI RDX R10 R8 R9
 *
 * Context: thread, interrupts on; for syscall_set_handler(). Does not return
 * from the call that ends the program.
 * Return: the call's result; -ENOSYS for an unknown number, which is logged
 * once for each payload.
 */
long payload_syscall(u64 nr, const u64 args[6]);

#endif /* RUN_SYSCALL_H */
