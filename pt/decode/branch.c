/* SPDX-License-Identifier: MIT */
/*
 * Names of branch classes.
 */
#include "pt/decode/branch.h"

static const char *const names[NR_BRANCH_CLASSES] = {
	[BRANCH_NONE] = "none",
	[BRANCH_COND] = "cond",
	[BRANCH_JUMP] = "jump",
	[BRANCH_IJUMP] = "ijump",
	[BRANCH_CALL] = "call",
	[BRANCH_ICALL] = "icall",
	[BRANCH_RETURN] = "return",
	[BRANCH_SYSCALL] = "syscall",
	[BRANCH_SYSRET] = "sysret",
	[BRANCH_INTERRUPT] = "interrupt",
	[BRANCH_EXCEPTION] = "exception",
	[BRANCH_IRET] = "iret",
	[BRANCH_FAR] = "far",
};

const char *branch_class_name(enum branch_class class)
{
	return (unsigned int)class < NR_BRANCH_CLASSES ? names[class] : "?";
}
