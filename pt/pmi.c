/* SPDX-License-Identifier: MIT */
/*
 * The ToPA PMI: an NMI that takes the bytes out and starts again.
 *
 * What it may touch: its own CPU's event while event->handle_nmi, the buffer
 * and tables of that event, the RTIT MSRs, GLOBAL_STATUS and LVTPC. SDM "ToPA
 * PMI", "Local Vector Table".
 */
#include <asm/apic.h>
#include <asm/irqflags.h>
#include <asm/msr.h>
#include <asm/percpu.h>
#include <asm/traps.h>
#include "lib/err.h"
#include "pt/event_state.h"
#include "pt/rtit.h"

/* A PMI that comes while one is served is served with it, so often. */
#define PMI_ROUNDS	8

/* Owner: the NMI handler; whether the interrupted code had interrupts on. */
static bool interrupts_on[NR_CPUS];

/*
 * Goes on tracing while that is right, else has the CPU wait for room. The IPI
 * is taken before the interrupted code goes on, unless that has interrupts off:
 * then it is traced into the reserve, and when that is used up as well, what it
 * executes until STI is lost.
 */
static void go_on(struct pt_event *event)
{
	bool irqs = interrupts_on[event->cpu];

	if (!pt_output_room_low(event) && !pt_output_begin(event))
		return;
	if (!irqs && !pt_output_begin(event)) {
		event->low = true;
	} else {
		event->waiting = true;
		event->handle_nmi = false;
		if (!irqs)
			event->stats.lost_stops++;
	}
	lapic_send_self(VECTOR_PT_ROOM);
}

void intel_pt_interrupt(void)
{
	struct pt_event *event = pt_event_current();

	if (!event || !event->handle_nmi)
		return;
	rtit_disable();
	event->stats.pmis++;
	pt_output_end(event);
	go_on(event);
}

static bool pmi_pending(void)
{
	return rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) &
	       PERF_GLOBAL_STATUS_TRACE_TOPA_PMI;
}

static void pmi_ack(void)
{
	wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL,
	      PERF_GLOBAL_STATUS_TRACE_TOPA_PMI);
}

static void serve_once(void)
{
	struct pt_event *event = pt_event_current();

	pmi_ack();
	if (event && event->handle_nmi)
		intel_pt_interrupt();
	else if (event)
		event->stats.spurious++;
	/* Delivery has set the mask bit: rewritten each time. */
	lapic_write_lvtpc(APIC_DM_NMI);
}

static bool pmi_nmi(struct pt_regs *regs)
{
	unsigned int n = 0;

	if (!pmi_pending())
		return false;
	interrupts_on[cpu_id()] = regs->rflags & X86_EFLAGS_IF;
	/* A bit set while LVTPC was masked gave no edge: look again. */
	do {
		serve_once();
	} while (++n < PMI_ROUNDS && pmi_pending());
	return true;
}

/* From tracing into the reserve to waiting. */
static void stop_low(struct pt_event *event)
{
	WRITE_ONCE(event->handle_nmi, false);
	barrier();
	event->low = false;
	/* An NMI in between may have done it already. */
	if (event->waiting)
		return;
	rtit_disable();
	pt_output_end(event);
	event->waiting = true;
}

/* VECTOR_PT_ROOM: tracing is off until the consumer has made room. */
static void wait_for_room(struct pt_regs *regs)
{
	struct pt_event *event = pt_event_current();

	(void)regs;
	if (!event)
		return;
	if (event->low)
		stop_low(event);
	if (!event->waiting)
		return;
	event->stats.room_waits++;
	while (pt_output_room_low(event)) {
		if (!event->room_fn ||
		    !event->room_fn(event, event->room_ctx)) {
			event->stats.lost_stops++;
			return;
		}
	}
	event->waiting = false;
	WRITE_ONCE(event->handle_nmi, true);
	if (!pt_output_begin(event))
		return;
	/* Room was there: only a broken position leads here. */
	WRITE_ONCE(event->handle_nmi, false);
	event->waiting = true;
	event->stats.lost_stops++;
}

void pmi_init(void)
{
	nmi_set_handler(pmi_nmi);
	irq_set_handler(VECTOR_PT_ROOM, wait_for_room);
}

void pmi_enable(void)
{
	pmi_ack();
	lapic_write_lvtpc(APIC_DM_NMI);
}

/* A bit that dangles would look like a PMI of the next capture. */
void pmi_disable(void)
{
	lapic_write_lvtpc(APIC_LVT_MASKED | APIC_DM_NMI);
	pmi_ack();
}
