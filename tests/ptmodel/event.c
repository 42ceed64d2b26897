/* SPDX-License-Identifier: MIT */
/*
 * Interrupts, exceptions and the events that are injected, with the packets of
 * event trace in front of them.
 *
 * The SDM's table of packets under different enable conditions, "Event Trace",
 * "Control Flow Event (CFE) Packet" and "Event Data (EVD) Packet". A FUP that
 * the branch trace sends anyway serves CFE too; only where there is none does
 * CFE's IP bit announce one of its own.
 */
#include "internal.h"

enum cfe_type {
	CFE_INTR = 0x01,
	CFE_IRET = 0x02,
	CFE_SMI = 0x03,
	CFE_RSM = 0x04,
	CFE_SIPI = 0x05,
	CFE_INIT = 0x06,
	CFE_VMENTRY = 0x07,
	CFE_VMEXIT = 0x08,
	CFE_VMEXIT_INTR = 0x09,
	CFE_SHUTDOWN = 0x0a,
	CFE_UINTR = 0x0c,
	CFE_UIRET = 0x0d,
};

enum evd_type {
	EVD_CR2 = 0,
	EVD_VMX_QUALIFICATION = 1,
	EVD_VMX_REASON = 2,
};

/*
 * How an event is told. A processor without FRED names a software interrupt
 * like any other.
 */
static const struct {
	uint8_t cfe;		/* 0: none */
	bool vector;
	bool async;		/* FUP, then TIP; else as a far branch */
} kinds[PTM_NR_EVENTS] = {
	[PTM_EVENT_INTR] = { CFE_INTR, true, true },
	[PTM_EVENT_FAULT] = { CFE_INTR, true, true },
	[PTM_EVENT_SWINT] = { CFE_INTR, true, true },
	[PTM_EVENT_SMI] = { CFE_SMI, false, true },
	[PTM_EVENT_RSM] = { CFE_RSM, false, false },
	[PTM_EVENT_INIT] = { CFE_INIT, false, true },
	[PTM_EVENT_SIPI] = { CFE_SIPI, true, false },
	[PTM_EVENT_VMENTRY] = { CFE_VMENTRY, false, false },
	[PTM_EVENT_VMEXIT] = { CFE_VMEXIT, false, true },
	[PTM_EVENT_VMEXIT_INTR] = { CFE_VMEXIT_INTR, true, true },
	[PTM_EVENT_XABORT] = { 0, false, true },
	[PTM_EVENT_SHUTDOWN] = { CFE_SHUTDOWN, false, false },
	[PTM_EVENT_SENTER] = { 0, false, true },
	[PTM_EVENT_VMXON] = { 0, false, true },
	[PTM_EVENT_UINTR] = { CFE_UINTR, true, true },
	[PTM_EVENT_UIRET] = { CFE_UIRET, false, false },
};

/* ---- event trace ---- */

static void evd(struct ptm_cpu *cpu, enum evd_type type, uint64_t payload)
{
	ptm_packet_evd(cpu, type, payload);
	ptm_note_at(cpu, PTM_NOTE_EVD, type, payload);
}

static void event_data(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	switch (event->kind) {
	case PTM_EVENT_FAULT:
		/* The address is told only in context. */
		if (event->has_cr2 && cpu->context_en)
			evd(cpu, EVD_CR2, event->data);
		break;
	case PTM_EVENT_VMEXIT:
	case PTM_EVENT_VMEXIT_INTR:
		evd(cpu, EVD_VMX_QUALIFICATION, event->data);
		evd(cpu, EVD_VMX_REASON, event->reason);
		break;
	default:
		break;
	}
}

/* @fup: the branch trace sends one, which serves CFE too. */
static void control_flow_event(struct ptm_cpu *cpu, uint8_t type,
			       uint8_t vector, uint64_t from, bool fup)
{
	bool own = !fup && cpu->context_en;

	ptm_packet_cfe(cpu, type, vector, own);
	if (own)
		ptm_packet_ip(cpu, PTM_FUP, from);
	if (own || fup)
		ptm_note_at(cpu, PTM_NOTE_CFE, from, type | vector << 8);
	else
		ptm_note(cpu, PTM_NOTE_CFE, type | vector << 8);
}

static void tell_event(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	uint8_t type = kinds[event->kind].cfe;

	if (!(cpu->ctl & PTM_CTL_EVENTEN) || !type)
		return;
	event_data(cpu, event);
	/* SIPI and RSM have no address that they come from. */
	if (event->kind == PTM_EVENT_SIPI || event->kind == PTM_EVENT_RSM) {
		ptm_packet_cfe(cpu, type, event->vector, false);
		ptm_note(cpu, PTM_NOTE_CFE, type | event->vector << 8);
		return;
	}
	control_flow_event(cpu, type, kinds[event->kind].vector ?
			   event->vector : 0, event->from,
			   kinds[event->kind].async && cpu->packet_en);
}

void ptm_event_of_branch(struct ptm_cpu *cpu, const struct ptm_branch *branch)
{
	if (branch->kind != PTM_IRET || !(cpu->ctl & PTM_CTL_EVENTEN))
		return;
	/* IRET's own TIP shows where it was. */
	control_flow_event(cpu, CFE_IRET, 0, branch->from, cpu->packet_en);
}

/* ---- events that clear or set TraceEn ---- */

static void trace_off(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	const struct ptm_at at = { .ip = event->from };

	tell_event(cpu, event);
	ptm_flow_disable(cpu, &at);
	cpu->smm_ctl = event->kind == PTM_EVENT_SMI ? cpu->ctl : 0;
	cpu->ctl &= ~PTM_CTL_TRACEEN;
	ptm_update_trigger(cpu);
}

static void trace_on(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	const struct ptm_at at = { .ip = event->from, .next = event->to };

	if (!(cpu->smm_ctl & PTM_CTL_TRACEEN))
		return;
	cpu->ctl = cpu->smm_ctl;
	cpu->smm_ctl = 0;
	ptm_update_trigger(cpu);
	ptm_flow_enable(cpu, &at);
	if (cpu->trigger_en)
		tell_event(cpu, event);
}

/* ---- INIT and SIPI ---- */

/* The processor waits: no TIP until SIPI says where it goes on. */
static void init(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	tell_event(cpu, event);
	if (cpu->packet_en)
		ptm_packet_ip(cpu, PTM_FUP, event->from);
	ptm_read_context(cpu);
	if (cpu->context_en && (cpu->ctl & PTM_CTL_OS))
		ptm_packet_pip(cpu, &cpu->now);
	cpu->wait_sipi = true;
}

/* ---- events that go somewhere ---- */

static bool changes_cr3(const struct ptm_cpu *cpu, enum ptm_event_kind kind,
			uint64_t before)
{
	switch (kind) {
	case PTM_EVENT_VMENTRY:
	case PTM_EVENT_VMEXIT:
	case PTM_EVENT_VMEXIT_INTR:
		return true;
	default:
		/* By a task gate. */
		return cpu->now.cr3 != before;
	}
}

/* FUP goes in front where control did not leave by an instruction. */
static void source_ip(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	if (event->kind == PTM_EVENT_XABORT && cpu->context_en &&
	    (cpu->ctl & PTM_CTL_BRANCHEN)) {
		/* BDM64: the branch behind it shows, and did not happen. */
		if (cpu->packet_en && ptm_erratum(cpu, PTM_ERRATUM_BDM64))
			ptm_packet_tnt(cpu, true);
		ptm_packet_mode_tsx(cpu, false, true);
		cpu->in_tx = false;
		ptm_note_at(cpu, PTM_NOTE_TSX, event->from, 2);
	}
	if (cpu->packet_en && kinds[event->kind].async)
		ptm_packet_ip(cpu, PTM_FUP, event->from);
}

static void go(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	const struct ptm_landing to = {
		.ip = event->to, .has_ip = true, .tip = true,
	};
	uint64_t cr3 = cpu->now.cr3;

	tell_event(cpu, event);
	source_ip(cpu, event);
	if (event->kind == PTM_EVENT_VMENTRY)
		cpu->non_root = true;
	else if (event->kind == PTM_EVENT_VMEXIT ||
		 event->kind == PTM_EVENT_VMEXIT_INTR)
		cpu->non_root = false;
	ptm_read_context(cpu);
	if (event->kind == PTM_EVENT_VMENTRY && cpu->packet_en &&
	    ptm_erratum(cpu, PTM_ERRATUM_SKD022) &&
	    !(cpu->context_en && ptm_stays_on(cpu, event->to)))
		ptm_packet_ip(cpu, PTM_FUP, event->from);
	if (cpu->context_en && (cpu->ctl & PTM_CTL_OS) &&
	    changes_cr3(cpu, event->kind, cr3))
		ptm_packet_pip(cpu, &cpu->now);
	cpu->wait_sipi = false;
	ptm_land(cpu, &to);
}

static void happen(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	switch (event->kind) {
	case PTM_EVENT_SMI:
	case PTM_EVENT_SENTER:
	case PTM_EVENT_VMXON:
		trace_off(cpu, event);
		return;
	case PTM_EVENT_INIT:
		init(cpu, event);
		return;
	case PTM_EVENT_SHUTDOWN:
		tell_event(cpu, event);
		return;
	default:
		go(cpu, event);
	}
}

unsigned int ptm_event(struct ptm_cpu *cpu, const struct ptm_event *event)
{
	unsigned int was = cpu->packet_en ? PTM_WAS : 0;

	cpu->cycle++;
	if (event->kind == PTM_EVENT_RSM) {
		trace_on(cpu, event);
		return cpu->packet_en ? PTM_IS : 0;
	}
	if (!cpu->trigger_en)
		return 0;
	ptm_bundle_begin(cpu);
	if (!cpu->trigger_en)
		return was;
	happen(cpu, event);
	if (!cpu->trigger_en || cpu->wait_sipi)
		return was | (cpu->packet_en ? PTM_IS : 0);
	return ptm_bundle_end(cpu, was, event->to);
}
