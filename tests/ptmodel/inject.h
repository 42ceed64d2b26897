/* SPDX-License-Identifier: MIT */
/*
 * What can be made to happen that does not happen by itself in an emulator:
 * faults, losses, errata, and the events that QEMU cannot execute.
 *
 * One numbering for ptm_inject() (engine.h), for the option inject= (README.md)
 * and for the test port: model specific registers of the model itself, which a
 * guest drives by WRMSR and RDMSR at CPL 0. A guest may include this header; it
 * needs nothing else of the model.
 */
#ifndef TESTS_PTMODEL_INJECT_H
#define TESTS_PTMODEL_INJECT_H

/*
 * The test port. A write to CMD (an enum ptm_inject) takes the arguments last
 * written; reading CMD says whether it was accepted: 0, or 1: no such command
 * or argument. The counters are of this vCPU since reset; writes are ignored.
 */
#define PTM_PORT_ARG0		0x50544d00
#define PTM_PORT_ARG1		0x50544d01
#define PTM_PORT_ARG2		0x50544d02
#define PTM_PORT_CMD		0x50544d03
#define PTM_PORT_MAGIC		0x50544d04	/* reads as PTM_MAGIC */
#define PTM_PORT_PRODUCED	0x50544d05	/* bytes of packets made */
#define PTM_PORT_STORED		0x50544d06	/* ... that reached memory */
#define PTM_PORT_DROPPED	0x50544d07	/* ... lost by OVF, STOP, Error */
#define PTM_PORT_REPORTS	0x50544d08	/* misuse seen: enum ptm_report */
#define PTM_PORT_LAST_REPORT	0x50544d09
#define PTM_PORT_PMIS		0x50544d0a	/* sent */
#define PTM_PORT_LOST_PMIS	0x50544d0b	/* PTM_INJECT_LOSE_PMI */
#define PTM_PORT_LAST		0x50544d0b
#define PTM_MAGIC		0x4c45444f4d4d5450	/* "PTMMODEL" */

enum ptm_inject {
	PTM_INJECT_NONE,

	/* Faults. */
	PTM_INJECT_OVF,		/* after ARG0 more bytes lose the packets of
				 * ARG1 (1 or more) branches and events */
	PTM_INJECT_PMI_SKID,	/* each PMI comes ARG0 bytes late; 0: off */
	PTM_INJECT_LATE_ERROR,	/* STATUS.Error after ARG0 more bytes */
	PTM_INJECT_LOSE_PMI,	/* the next ARG0 PMIs set bit 55 only */
	PTM_INJECT_SPURIOUS,	/* sets bit 55 now; ARG0 1: and sends a PMI */
	PTM_INJECT_NMI,		/* a foreign NMI after ARG0 branches and
				 * events, ARG1 times */
	PTM_INJECT_ZERO_MSRS,	/* all RTIT MSRs become 0, without packets */
	PTM_INJECT_HOLD,	/* up to ARG0 bytes stay in the processor until
				 * TraceEn is cleared; 0: off */
	PTM_INJECT_CACHE_TOPA,	/* ARG0 1: a table is read whole when it is
				 * reached; edits are reported, not seen */
	PTM_INJECT_ERRATA,	/* ARG0: the errata in force, PTM_ERRATUM_* */
	PTM_INJECT_RESTRICT,	/* ARG0, ARG1: base and size of memory that
				 * output must not reach (SMRR); size 0: none */

	/* Packets of what QEMU cannot execute, at the next instruction. */
	PTM_INJECT_MNT = 32,	/* ARG0: payload */
	PTM_INJECT_CBR,		/* ARG0: the core:bus ratio changes to it */
	PTM_INJECT_TSX,		/* ARG0: 1 XBEGIN, 0 XEND */
	PTM_INJECT_MWAIT,	/* ARG0: hints, ARG1: extensions */
	PTM_INJECT_PWRE,	/* ARG0: the payload's two bytes */
	PTM_INJECT_EXSTOP,	/* ARG0 1: with an IP */
	PTM_INJECT_PWRX,	/* ARG0: the payload's five bytes */

	/*
	 * The next transfer of control (branch, interrupt or exception) is
	 * reported as the event ARG0, an enum ptm_event_kind, from the address
	 * of the branch. ARG1: vector, and above bit 7 a VM exit's reason; ARG2:
	 * CR2 or a VM exit's qualification.
	 */
	PTM_INJECT_AS_EVENT = 64,
	/* VMX non-root operation begins (ARG0 1) or ends (0): PIP.NR */
	PTM_INJECT_NON_ROOT,
};

/* Errata of processors, by Intel's numbers: what to do wrong. */
#define PTM_ERRATUM_BDM70	(1UL << 0)  /* PSB+ with FUP before TIP.PGE */
#define PTM_ERRATUM_BDM64	(1UL << 1)  /* branch before a TSX abort */
#define PTM_ERRATUM_BDM106	(1UL << 2)  /* BranchEn=0 is a #GP */
#define PTM_ERRATUM_SKD007	(1UL << 3)  /* OVF behind half of a CYC */
#define PTM_ERRATUM_SKD010	(1UL << 4)  /* no FUP behind OVF */
#define PTM_ERRATUM_SKD022	(1UL << 5)  /* VM entry: FUP, TIP.PGD */
#define PTM_ERRATUM_SKL014	(1UL << 6)  /* direct branch: TIP.PGD, no IP */
#define PTM_ERRATUM_APL11	(1UL << 7)  /* OVF, then TIP.PGD */
#define PTM_ERRATUM_APL12	(1UL << 8)  /* OVF, stray FUP while off */
#define PTM_ERRATUM_SKL168	(1UL << 9)  /* CYC, MTC lost around PSB */
#define PTM_ERRATUM_SKZ84	(1UL << 10) /* TMA wrong, one stray byte */
#define PTM_ERRATUM_TGL052	(1UL << 11) /* single range beyond 4 KiB */
#define PTM_ERRATUM_SKL042	(1UL << 12) /* OVF lost before TraceStop */
#define PTM_ERRATUM_SKL062	(1UL << 13) /* PGE, PGD lost after C6 */
#define PTM_ERRATA_ALL		((1UL << 14) - 1)

enum ptm_event_kind {
	PTM_EVENT_INTR,		/* interrupt or NMI; from: the next IP */
	PTM_EVENT_FAULT,	/* exception; from: the instruction */
	PTM_EVENT_SWINT,	/* INT n, INT3, INTO, INT1; from: itself */
	/* QEMU shows none of these: they are injected. */
	PTM_EVENT_SMI,		/* TraceEn is cleared, kept for RSM */
	PTM_EVENT_RSM,
	PTM_EVENT_INIT,		/* no target: SIPI brings it */
	PTM_EVENT_SIPI,
	PTM_EVENT_VMENTRY,
	PTM_EVENT_VMEXIT,
	PTM_EVENT_VMEXIT_INTR,	/* VM exit by an interrupt, with vector */
	PTM_EVENT_XABORT,	/* TSX abort; to: its fallback */
	PTM_EVENT_SHUTDOWN,
	PTM_EVENT_SENTER,	/* clears TraceEn for good */
	PTM_EVENT_VMXON,	/* with VMX_MISC[14] 0 clears TraceEn */
	PTM_EVENT_UINTR,
	PTM_EVENT_UIRET,
	PTM_NR_EVENTS,
};

/* What a driver did that a processor would punish silently. */
enum ptm_report {
	PTM_REPORT_NONE,
	PTM_REPORT_TOPA_EDIT,	/* a table was changed while TraceEn was 1 */
	PTM_REPORT_HELD_READ,	/* output was read before it was flushed */
	PTM_REPORT_NO_MEMORY,	/* output went to where there is none */
	PTM_REPORT_MODEL,	/* the model cannot do what is asked of it */
};

#endif /* TESTS_PTMODEL_INJECT_H */
