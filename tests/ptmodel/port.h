/* SPDX-License-Identifier: MIT */
/*
 * The test port and what it asks of the glue; numbers: inject.h.
 *
 * The engine's commands go to ptm_inject(). Two are the glue's own: a foreign
 * NMI, and a transfer of control that is reported as another event.
 */
#ifndef TESTS_PTMODEL_PORT_H
#define TESTS_PTMODEL_PORT_H

#include "engine.h"

struct vcpu;

/* Of one vCPU. */
struct port {
	uint64_t arg[3];
	uint64_t refused;		/* what reading CMD says */
	bool watching;			/* port_watches(), for the fast path */

	bool waits;			/* until TriggerEn is 1: option inject= */

	/* PTM_INJECT_NMI. Those to be sent wait for the end of the TB. */
	uint64_t nmi_every, nmi_in, nmis_left;

	/* PTM_INJECT_AS_EVENT */
	bool as_event;
	struct ptm_event event;		/* without from and to */
};

static inline bool port_owns_msr(uint32_t msr)
{
	return msr >= PTM_PORT_ARG0 && msr <= PTM_PORT_LAST;
}

/* The port needs to see branches and events, whether traced or not. */
static inline bool port_watches(const struct port *port)
{
	return !port->waits && (port->nmis_left || port->as_event);
}

uint64_t port_read(const struct vcpu *v, uint32_t msr);
void port_write(struct vcpu *v, uint32_t msr, uint64_t val,
		const struct ptm_at *at);

/**
 * port_command() - one command
 * @at:		the instruction that asks for it
 * Return: 0, or -1: no such command or argument.
 */
int port_command(struct vcpu *v, enum ptm_inject what, const uint64_t arg[3],
		 const struct ptm_at *at);

/* A branch or event has been reported: NMIs count them. */
void port_count(struct vcpu *v);

/**
 * port_as_event() - is this transfer of control to be reported as an event?
 * Return: true, when it was, and *@answer: what ptm_event() has said.
 */
bool port_as_event(struct vcpu *v, uint64_t from, uint64_t to,
		   unsigned int *answer);

/*
 * Power-on or reset: armed is what the options errata= and inject= ask for; what
 * counts branches waits for the first one that could be traced, since firmware
 * stands no NMI.
 */
void port_start(struct vcpu *v);

#endif /* TESTS_PTMODEL_PORT_H */
