/* SPDX-License-Identifier: MIT */
/*
 * Offsets of struct switch_args for switch.asm: compiled to text, not linked.
 */
#include <stddef.h>

#include "boot/loader/loader.h"

#define DEFINE(name, value) \
	__asm__ volatile("\n->%%define " #name " %c0" : : "i"(value))

void offsets(void);

void offsets(void)
{
	DEFINE(SWITCH_CR3, offsetof(struct switch_args, cr3));
	DEFINE(SWITCH_CR3_5, offsetof(struct switch_args, cr3_5));
	DEFINE(SWITCH_LOW, offsetof(struct switch_args, low));
	DEFINE(SWITCH_STACK, offsetof(struct switch_args, stack));
	DEFINE(SWITCH_ENTRY, offsetof(struct switch_args, entry));
	DEFINE(SWITCH_BI, offsetof(struct switch_args, bi));
	DEFINE(SWITCH_EFER, offsetof(struct switch_args, efer));
	DEFINE(SWITCH_SIZE, sizeof(struct switch_args));
}
