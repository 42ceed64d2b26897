/* SPDX-License-Identifier: MIT */
/*
 * PTWRITE, which QEMU does not have: it raises #UD, and the model undoes that.
 *
 * The operand is read before the instruction. When the #UD has been taken, its
 * frame and handler are noted; on the handler's first instruction, which is not
 * executed, the vCPU is put back behind the PTWRITE. There flags can be kept:
 * QEMU's lazy condition codes are still those of the interrupted code.
 */
#ifndef TESTS_PTMODEL_PTWRITE_H
#define TESTS_PTMODEL_PTWRITE_H

#include "operand.h"
#include "segment.h"

struct tb_rec;
struct vcpu;

/* A PTWRITE as it was translated. */
struct ptwrite_insn {
	uint64_t vaddr, tb_vaddr;
	struct code_mode mode;
	struct operand op;
};

/* Of one vCPU. */
struct ptwrite {
	/* Begun: its #UD comes next. */
	bool begun;
	uint64_t ip, next, operand;
	unsigned int size;
	unsigned int word;		/* bytes of a word of its #UD's frame */

	/* The #UD was taken: the handler is at @handler, its frame at @frame. */
	uint64_t handler, frame;
	uint16_t cs;			/* of the PTWRITE */
	/* An IRET of the guest's leads back; it is no branch. */
	bool returning;
	uint64_t iret;
};

/**
 * ptwrite_prepare() - the true length of the PTWRITE at @vaddr
 * @bytes:	filled with its bytes, 15 at most
 * Return: its length, or 0: it cannot be read.
 */
unsigned int ptwrite_prepare(struct vcpu *v, struct ptwrite_insn *insn,
			     uint64_t vaddr, const struct tb_rec *tb,
			     uint8_t bytes[15]);

/* Callback before the instruction. */
void ptwrite_begin(unsigned int vcpu, void *ptwrite_insn);

/**
 * ptwrite_discon() - is this interrupt the #UD of a PTWRITE?
 * Return: true: it has been executed, and there is no event.
 */
bool ptwrite_discon(struct vcpu *v, bool sync, uint64_t from, uint64_t to);

/* Callback on the first instruction of TBs while a #UD is to be undone. */
void ptwrite_undo(unsigned int vcpu, void *tb_rec);

/* While the detour by #UD handler and IRET lasts the guest is behind PTWRITE. */
uint64_t ptwrite_true_ip(const struct vcpu *v, uint64_t ip);

/* Is the branch at @from the IRET that ptwrite_undo() has borrowed? */
bool ptwrite_is_iret(struct vcpu *v, uint64_t from);

#endif /* TESTS_PTMODEL_PTWRITE_H */
