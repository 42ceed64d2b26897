/* SPDX-License-Identifier: MIT */
/*
 * Classes of control transfers, as the events of the trace layer name them.
 */
#ifndef PT_DECODE_BRANCH_H
#define PT_DECODE_BRANCH_H

enum branch_class {
	BRANCH_NONE,		/* not a change of flow */
	BRANCH_COND,
	BRANCH_JUMP,
	BRANCH_IJUMP,
	BRANCH_CALL,
	BRANCH_ICALL,
	BRANCH_RETURN,
	BRANCH_SYSCALL,		/* SYSCALL, SYSENTER */
	BRANCH_SYSRET,		/* SYSRET, SYSEXIT */
	BRANCH_INTERRUPT,	/* any asynchronous event, INT n included */
	BRANCH_EXCEPTION,
	BRANCH_IRET,
	BRANCH_FAR,		/* other far transfers */
	NR_BRANCH_CLASSES,
};

/* "cond", "jump", ...: the symbolic values of field class. */
const char *branch_class_name(enum branch_class class);

#endif /* PT_DECODE_BRANCH_H */
