/* SPDX-License-Identifier: MIT */
/*
 * Host stand-in for asm/msr.h: the MSRs are those of the hardware model's
 * engine (tests/unit/host_pt.c). A #GP ends the test.
 */
#ifndef ASM_MSR_H
#define ASM_MSR_H

#include <asm/msr-index.h>
#include "lib/compiler.h"

u64 rdmsr(u32 msr);
void wrmsr(u32 msr, u64 val);

#endif /* ASM_MSR_H */
