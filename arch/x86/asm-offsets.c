/* SPDX-License-Identifier: MIT */
/*
 * Offsets and constants for NASM: compiled to assembly, never linked. The
 * Makefile turns the marked lines into build/include/asm-offsets.inc.
 */
#include "arch/x86/cpu.h"

#define DEFINE(name, value) \
	__asm__ volatile("\n->%%define " #name " %c0" : : "i"(value))

void asm_offsets(void);

void asm_offsets(void)
{
	DEFINE(CPU_KERNEL_RSP, offsetof(struct cpu, kernel_rsp));
	DEFINE(CPU_USER_RSP, offsetof(struct cpu, user_rsp));
	DEFINE(CPU_RUN_RSP, offsetof(struct cpu, run_rsp));
	DEFINE(CPU_TSS_RSP0, offsetof(struct cpu, tss) +
	       offsetof(struct tss, rsp));
	DEFINE(REGS_CS_FROM_VECTOR, offsetof(struct pt_regs, cs) -
	       offsetof(struct pt_regs, vector));
	DEFINE(REGS_RIP, offsetof(struct pt_regs, rip));
	DEFINE(AP_BOOT_CR3, offsetof(struct ap_params, boot_cr3));
	DEFINE(AP_KERNEL_CR3, offsetof(struct ap_params, kernel_cr3));
	DEFINE(AP_ENTRY, offsetof(struct ap_params, entry));
	DEFINE(AP_PARAMS_SIZE, sizeof(struct ap_params));
	DEFINE(AP_SLOT_ID, offsetof(struct ap_slot, apic_id));
	DEFINE(AP_SLOT_STATE, offsetof(struct ap_slot, state));
	DEFINE(AP_SLOT_STACK, offsetof(struct ap_slot, stack));
	DEFINE(AP_SLOT_SIZE, sizeof(struct ap_slot));
	DEFINE(AP_HERE, AP_HERE);
	DEFINE(AP_WAITED, AP_WAITED);
	DEFINE(STACK_SPAN, STACK_SPAN);
	DEFINE(NR_STACKS, NR_STACKS);
	DEFINE(KERNEL_CS, KERNEL_CS);
	DEFINE(KERNEL_DS, KERNEL_DS);
	DEFINE(USER_CS, USER_CS);
	DEFINE(USER_DS, USER_DS);
}
