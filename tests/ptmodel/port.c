/* SPDX-License-Identifier: MIT */
/*
 * The test port: commands and counters as MSRs; see port.h and inject.h.
 */
#include "vcpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ARG1 of PTM_INJECT_AS_EVENT: the vector, and above it a VM exit's reason. */
#define VECTOR_MASK	0xff
#define REASON_SHIFT	8

static int arm_nmi(struct vcpu *v, const uint64_t arg[3])
{
	struct port *port = &v->port;

	if (!arg[0] || !arg[1])
		return -1;
	port->nmi_every = port->nmi_in = arg[0];
	port->nmis_left = arg[1];
	return 0;
}

static int arm_event(struct vcpu *v, const uint64_t arg[3])
{
	struct port *port = &v->port;

	if (arg[0] >= PTM_NR_EVENTS)
		return -1;
	port->as_event = true;
	port->event = (struct ptm_event){
		.kind = arg[0],
		.vector = arg[1] & VECTOR_MASK,
		.reason = arg[1] >> REASON_SHIFT,
		.has_cr2 = arg[0] == PTM_EVENT_FAULT &&
			   (arg[1] & VECTOR_MASK) == VECTOR_PF,
		.data = arg[2],
	};
	return 0;
}

int port_command(struct vcpu *v, enum ptm_inject what, const uint64_t arg[3],
		 const struct ptm_at *at)
{
	int err;

	switch (what) {
	case PTM_INJECT_NMI:
		err = arm_nmi(v, arg);
		break;
	case PTM_INJECT_AS_EVENT:
		err = arm_event(v, arg);
		break;
	default:
		return ptm_inject(&v->pt, what, arg, at);
	}
	vcpu_update_active(v);
	return err;
}

void port_write(struct vcpu *v, uint32_t msr, uint64_t val,
		const struct ptm_at *at)
{
	struct port *port = &v->port;

	switch (msr) {
	case PTM_PORT_ARG0:
	case PTM_PORT_ARG1:
	case PTM_PORT_ARG2:
		port->arg[msr - PTM_PORT_ARG0] = val;
		return;
	case PTM_PORT_CMD:
		port->waits = false;
		port->refused = val > PTM_INJECT_NON_ROOT ||
				port_command(v, val, port->arg, at);
		return;
	}
}

uint64_t port_read(const struct vcpu *v, uint32_t msr)
{
	const struct ptm_counts *counts = &v->pt.counts;

	switch (msr) {
	case PTM_PORT_ARG0:
	case PTM_PORT_ARG1:
	case PTM_PORT_ARG2:
		return v->port.arg[msr - PTM_PORT_ARG0];
	case PTM_PORT_CMD:
		return v->port.refused;
	case PTM_PORT_MAGIC:
		return PTM_MAGIC;
	case PTM_PORT_PRODUCED:
		return counts->produced;
	case PTM_PORT_STORED:
		return counts->stored;
	case PTM_PORT_DROPPED:
		return counts->dropped;
	case PTM_PORT_REPORTS:
		return counts->reports;
	case PTM_PORT_LAST_REPORT:
		return counts->last_report;
	case PTM_PORT_PMIS:
		return counts->pmis;
	case PTM_PORT_LOST_PMIS:
		return counts->lost_pmis;
	}
	return 0;
}

void port_count(struct vcpu *v)
{
	struct port *port = &v->port;

	if (!port->nmis_left || port->waits || --port->nmi_in)
		return;
	port->nmi_in = port->nmi_every;
	port->nmis_left--;
	vcpu_words(v)->irq |= IRQ_NMI;
	vcpu_update_active(v);
}

bool port_as_event(struct vcpu *v, uint64_t from, uint64_t to,
		   unsigned int *answer)
{
	struct port *port = &v->port;

	if (!port->as_event || port->waits)
		return false;
	port->as_event = false;
	port->event.from = from;
	port->event.to = to;
	*answer = ptm_event(&v->pt, &port->event);
	vcpu_update_active(v);
	return true;
}

static void start_injection(struct vcpu *v, const struct injection *inj)
{
	static const struct ptm_at at;

	if (inj->cpu != ALL_CPUS && inj->cpu != (int)v->index)
		return;
	if (!port_command(v, inj->what, inj->arg, &at))
		return;
	fprintf(stderr, "ptmodel: inject=%s: the model refuses it\n",
		inj->text);
	exit(1);
}

void port_start(struct vcpu *v)
{
	const uint64_t arg[3] = { options.errata };
	static const struct ptm_at at;
	unsigned int i;

	memset(&v->port, 0, sizeof(v->port));
	v->port.waits = true;
	vcpu_update_active(v);
	if (options.errata)
		ptm_inject(&v->pt, PTM_INJECT_ERRATA, arg, &at);
	for (i = 0; i < options.nr_injections; i++)
		start_injection(v, &options.injections[i]);
}
