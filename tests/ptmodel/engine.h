/* SPDX-License-Identifier: MIT */
/*
 * Intel PT hardware model: the engine.
 *
 * What a logical processor with Intel PT does, in plain C: the RTIT MSRs with
 * their #GP rules, the enable conditions, packet generation, ToPA and single
 * range output, the ToPA PMI's status bit. Knows no QEMU: memory, processor
 * state and the PMI are reached through callbacks, so that host unit tests can
 * link it as it is. Does not execute, decode or classify instructions: who
 * embeds it says which branch or event has just happened.
 *
 * Independent of the kernel under test: shares no file or table with it.
 */
#ifndef TESTS_PTMODEL_ENGINE_H
#define TESTS_PTMODEL_ENGINE_H

#include "inject.h"
#include "regs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTM_RET_STACK			64
#define PTM_OUT_BYTES			256
#define PTM_MAX_TIPS			8	/* deferred behind TNT bits */

/**
 * struct ptm_state - what the engine must know of the processor, now
 * @cr3:	CR3 as it is
 * @cs_base:	base of CS; 0 in 64-bit code
 * @cpl:	current privilege level, 0..3
 * @cs_l:	CS.L and IA32_EFER.LMA: 64-bit code
 * @cs_d:	CS.D
 * @pae:	PAE paging outside of IA-32e mode
 * @intr:	RFLAGS.IF
 */
struct ptm_state {
	uint64_t cr3, cs_base;
	uint8_t cpl;
	bool cs_l;
	bool cs_d;
	bool pae;
	bool intr;
};

/* What has just happened to the trace, for who writes down the truth. */
enum ptm_note_kind {
	PTM_NOTE_ENABLED,	/* PacketEn 0 to 1; ip: where */
	PTM_NOTE_DISABLED,	/* PacketEn 1 to 0; ip: the last address known */
	PTM_NOTE_OVF_BEGIN,	/* packets are being lost from here on */
	PTM_NOTE_OVF_END,	/* OVF was sent; ip: where tracing resumes */
	PTM_NOTE_TRACESTOP,	/* IP in a TraceStop range */
	PTM_NOTE_STOPPED,	/* by a ToPA STOP */
	PTM_NOTE_ERROR,		/* operational error */
	PTM_NOTE_PSB,
	PTM_NOTE_PIP,		/* payload: CR3 | NR */
	PTM_NOTE_MODE_EXEC,	/* payload: the packet's payload byte */
	PTM_NOTE_TSX,		/* payload: bit 0 InTX, bit 1 abort; ip */
	PTM_NOTE_PTW,		/* payload; ip */
	PTM_NOTE_CBR,		/* payload: ratio */
	PTM_NOTE_MNT,		/* payload */
	PTM_NOTE_MWAIT,		/* payload: hints | extensions << 32; ip */
	PTM_NOTE_PWRE,		/* payload */
	PTM_NOTE_EXSTOP,	/* ip, when it has one */
	PTM_NOTE_PWRX,		/* payload */
	PTM_NOTE_CFE,		/* payload: type | vector << 8; ip */
	PTM_NOTE_EVD,		/* payload; ip: type */
};

struct ptm_note {
	enum ptm_note_kind kind;
	bool has_ip;
	uint64_t ip, payload;
};

/**
 * struct ptm_ops - how the engine reaches the machine
 * @read_phys:	read physical memory; 0, or -1 when there is none
 * @write_phys:	write physical memory; 0, or -1 when there is none
 * @read_state:	processor state after the instruction or event just reported
 * @raise_pmi:	a ToPA PMI: bit 55 of GLOBAL_STATUS has been set; deliver what
 *		LVTPC says, and set its mask bit
 * @triggered:	optional: TriggerEn has become @on; while it is off the engine
 *		needs no ptm_branch() and ptm_event()
 * @capture:	optional: a new capture begins: TraceEn 0 to 1 with
 *		PacketByteCnt 0, before its first byte; capture_traced is still
 *		that of the last one (a processor without the field: after
 *		STATUS was written)
 * @written:	optional: bytes that have just left the processor: to memory, or
 *		to the trace transport subsystem (FabricEn)
 * @tsc:	optional: time-stamp counter for TSC packets; else core cycles
 * @note:	optional: what happened, in order with ptm_branch()'s answers
 * @report:	optional: the software under test has done what a processor
 *		would punish silently; @addr: physical address, or 0
 */
struct ptm_ops {
	int (*read_phys)(void *opaque, uint64_t pa, void *buf, size_t len);
	int (*write_phys)(void *opaque, uint64_t pa, const void *buf,
			  size_t len);
	void (*read_state)(void *opaque, struct ptm_state *state);
	void (*raise_pmi)(void *opaque);
	void (*triggered)(void *opaque, bool on);
	void (*capture)(void *opaque);
	void (*written)(void *opaque, const void *buf, size_t len);
	uint64_t (*tsc)(void *opaque);
	void (*note)(void *opaque, const struct ptm_note *note);
	void (*report)(void *opaque, enum ptm_report what, uint64_t addr);
};

/* Where the SDM leaves a choice that processors have made differently. */
#define PTM_POLICY_LONG_TNT	PTM_BIT(0)	/* TNT packets of up to 47 bits */
#define PTM_POLICY_DEFER_TIP	PTM_BIT(1)	/* TIPs wait for TNT bits */
#define PTM_POLICY_KVM		PTM_BIT(2)	/* KVM's stricter #GP rules */

/* A processor to play: what CPUID enumerates, and nothing beyond it. */
struct ptm_profile {
	const char *name;
	uint32_t signature;		/* CPUID.1:EAX; 0: left as it is */
	uint32_t max_leaf;		/* CPUID leaf 0 is raised to this */
	uint32_t leaf14_0[4];		/* EAX..EDX of leaf 14H */
	uint32_t leaf14_1[4];
	uint32_t leaf15[4];		/* all 0: left as it is */
	uint32_t core_type;		/* CPUID.1AH:EAX; 0: no hybrid part */
	unsigned int maxphyaddr;
	unsigned int cbr;		/* core:bus ratio in CBR packets */
	uint32_t policy;		/* PTM_POLICY_* */
	uint32_t errata;		/* PTM_ERRATUM_*, always in force */
};

enum ptm_kind {
	PTM_JCC,		/* conditional, LOOP and JCXZ included */
	PTM_JMP,		/* direct, near */
	PTM_CALL,		/* direct, near */
	PTM_IJMP,		/* indirect, near */
	PTM_ICALL,		/* indirect, near */
	PTM_RET,		/* near */
	PTM_FAR,		/* SYSCALL, SYSRET, far JMP/CALL/RET, ... */
	PTM_IRET,		/* a far transfer that event trace names */
	PTM_MOV_CR3,		/* no branch, but may change ContextEn */
};

/* A retired branch. @next is the address behind it; @to where control went. */
struct ptm_branch {
	enum ptm_kind kind;
	bool taken;		/* PTM_JCC only */
	uint64_t from, next, to;
};

/**
 * struct ptm_event - an interrupt, exception, or an event that is injected
 * @from:	by kind, see enum ptm_event_kind
 * @to:		first instruction behind it; none for INIT, SHUTDOWN, SENTER
 * @vector:	INTR, FAULT, SWINT, VMEXIT_INTR, UINTR; SIPI's own vector
 * @has_cr2:	a page fault: @data is CR2
 * @data:	CR2; VM exit: qualification; XABORT: its status
 * @reason:	VM exit reason
 */
struct ptm_event {
	enum ptm_event_kind kind;
	uint64_t from, to;
	uint8_t vector;
	bool has_cr2;
	uint64_t data, reason;
};

/* What ptm_branch() and ptm_event() answer. */
#define PTM_WAS		1U		/* PacketEn was 1 before */
#define PTM_IS		2U		/* PacketEn is 1 now */
#define PTM_LOST	4U		/* its packets were lost in an overflow */
/* In the trace, from both ends. */
#define PTM_TRACED	(PTM_WAS | PTM_IS)

/* The address of an instruction, and of the one behind it. */
struct ptm_at {
	uint64_t ip, next;
};

/* Since cold reset. produced = stored + dropped + what is still inside. */
struct ptm_counts {
	uint64_t produced, stored, dropped;
	uint64_t reports, pmis, lost_pmis;
	enum ptm_report last_report;
};

/* One logical processor. All fields are the engine's own. */
struct ptm_cpu {
	const struct ptm_profile *profile;
	const struct ptm_ops *ops;
	void *opaque;

	/* MSRs: msr.c. status: Error, Stopped, PendPSB, PendToPAPMI. */
	uint64_t ctl, status, output_base, output_mask, cr3_match;
	uint64_t addr[PTM_NR_RANGES][2];
	uint64_t global_status;
	uint32_t byte_cnt;		/* PacketByteCnt */
	uint32_t psb_period;
	uint64_t smm_ctl;		/* CTL as SMI found it */

	/* Enable conditions: flow.c. */
	bool trigger_en, context_en, filter_en, packet_en;
	bool capture_traced;		/* PacketEn was 1 in this capture */
	bool non_root;			/* VMX: PIP.NR */
	bool wait_sipi;
	struct ptm_state now;		/* as last read */
	bool exec_known;		/* last MODE.Exec: exec_mode */
	uint8_t exec_mode;
	bool tsx_known, in_tx;		/* last MODE.TSX */
	bool after_c6;			/* erratum SKL062 */
	/* PTM_SLOW_*: why ptm_branch() must leave its short path. */
	uint32_t slow;

	/* Packets: packet.c. */
	uint64_t last_ip;
	bool whole_ip;			/* behind OVF */
	uint64_t tnt_bits;
	unsigned int nr_tnt, max_tnt;
	uint64_t tnt_cycle;		/* of the first bit */
	uint64_t tips[PTM_MAX_TIPS];	/* deferred */
	unsigned int nr_tips;
	uint64_t ret_stack[PTM_RET_STACK];
	unsigned int ret_top, nr_ret;

	/* Time: time.c. */
	uint64_t cycle, last_cyc, last_mtc;
	unsigned int cbr;
	bool lose_cyc, lose_mtc;	/* erratum SKL168 */

	/* Output: output.c. */
	uint64_t region, region_size, region_off, entry;
	unsigned int used, room;	/* of out[] */
	uint8_t out[PTM_OUT_BYTES];
	struct ptm_table *table;	/* PTM_INJECT_CACHE_TOPA */
	struct ptm_held *held;		/* PTM_INJECT_HOLD */

	/* Faults to come: inject.c. -1: none. */
	uint32_t errata;
	int64_t ovf_in, error_in, pmi_in;	/* bytes */
	uint64_t ovf_for;			/* branches and events */
	bool ovf_due;			/* begins with the next bundle */
	bool overflow;			/* packets are being lost */
	uint64_t ovf_last_ip, ovf_cr3;	/* as it began */
	int ovf_exec;
	uint64_t pmi_skid, lose_pmis;
	bool cache_topa;
	uint64_t restricted, restricted_size;
	struct ptm_counts counts;
};

/**
 * ptm_profile_find() - a processor by name
 * Return: the profile, or NULL when there is none of that name.
 */
const struct ptm_profile *ptm_profile_find(const char *name);

/** ptm_profile_names() - all names, separated by blanks */
const char *ptm_profile_names(void);

/**
 * ptm_init() - a processor as after power-on
 * @cpu:	storage; no other call before this one
 * @profile:	what to play; kept
 * @ops:	kept; the mandatory ones are set
 * @opaque:	handed to every callback
 */
void ptm_init(struct ptm_cpu *cpu, const struct ptm_profile *profile,
	      const struct ptm_ops *ops, void *opaque);

/** ptm_owns_msr() - is this MSR the engine's, so that RDMSR and WRMSR of it
 * must be asked here? */
bool ptm_owns_msr(uint32_t msr);

/**
 * ptm_rdmsr() - RDMSR at CPL 0
 * Return: 0 and *@val, or -1: #GP(0).
 */
int ptm_rdmsr(struct ptm_cpu *cpu, uint32_t msr, uint64_t *val);

/**
 * ptm_wrmsr() - WRMSR at CPL 0
 * @at:		where that WRMSR is: packets carry it
 *
 * May call every callback. Setting TraceEn emits PSB+ (PacketByteCnt 0) and
 * TIP.PGE; clearing it emits FUP, TIP.PGD and writes all that is buffered.
 *
 * Return: 0, or -1: #GP(0), and nothing has changed.
 */
int ptm_wrmsr(struct ptm_cpu *cpu, uint32_t msr, uint64_t val,
	      const struct ptm_at *at);

/**
 * ptm_cpuid() - what CPUID really returns
 * @regs:	EAX, EBX, ECX, EDX as without Intel PT; changed for the leaves
 *		0, 7, 14H and 15H
 */
void ptm_cpuid(const struct ptm_cpu *cpu, uint32_t leaf, uint32_t subleaf,
	       uint32_t regs[4]);

/**
 * ptm_branch() - a branch (or MOV CR3) has retired
 *
 * Needed for every one while TriggerEn is 1; harmless else. For PTM_FAR,
 * PTM_IRET and PTM_MOV_CR3 the state callback must already show the state after
 * it.
 *
 * Return: PTM_WAS, PTM_IS, PTM_LOST; 0 while TriggerEn is 0.
 */
unsigned int ptm_branch(struct ptm_cpu *cpu, const struct ptm_branch *branch);

/**
 * ptm_branch_bit() - the short path of ptm_branch(): a conditional branch that
 * only adds a bit to a TNT packet in the making
 * Return: true: done, and ptm_branch() would have answered PTM_TRACED; false:
 * nothing has happened, ask ptm_branch().
 */
static inline bool ptm_branch_bit(struct ptm_cpu *cpu, bool taken)
{
	if (cpu->slow || !cpu->packet_en || !cpu->nr_tnt ||
	    cpu->nr_tnt + 1 >= cpu->max_tnt || cpu->byte_cnt >= cpu->psb_period)
		return false;
	cpu->cycle++;
	cpu->tnt_bits = cpu->tnt_bits << 1 | taken;
	cpu->nr_tnt++;
	return true;
}

/**
 * ptm_event() - an interrupt, exception or injected event was taken
 *
 * As ptm_branch().
 */
unsigned int ptm_event(struct ptm_cpu *cpu, const struct ptm_event *event);

/**
 * ptm_ptwrite() - PTWRITE has retired
 * @at:		where it is
 * @size:	4 or 8: bytes of the operand
 */
void ptm_ptwrite(struct ptm_cpu *cpu, const struct ptm_at *at, uint64_t operand,
		 unsigned int size);

/**
 * ptm_iflag() - RFLAGS.IF may have changed without a branch: CLI, STI, POPF
 * @at:		where that instruction is
 */
void ptm_iflag(struct ptm_cpu *cpu, const struct ptm_at *at);

/** ptm_advance() - so many core clocks have passed; a branch counts one more */
static inline void ptm_advance(struct ptm_cpu *cpu, uint64_t cycles)
{
	cpu->cycle += cycles;
}

/**
 * ptm_inject() - makes something happen; see inject.h
 * @what:	one of the engine's own: up to PTM_INJECT_PWRX, without NMI, and
 *		PTM_INJECT_NON_ROOT
 * @arg:	three arguments
 * @at:		the instruction that asks for it
 *
 * Return: 0, or -1: not the engine's, or an argument that it does not know.
 */
int ptm_inject(struct ptm_cpu *cpu, enum ptm_inject what, const uint64_t arg[3],
	       const struct ptm_at *at);

/** enum ptm_reset - what an INIT, a warm and a cold reset leave of the MSRs */
enum ptm_reset {
	PTM_RESET_COLD,		/* power-on: nothing */
	PTM_RESET_WARM,		/* TraceEn becomes 0; the rest stays where IP
				 * filtering is enumerated */
	PTM_RESET_INIT,		/* all of them, tracing included */
};

/**
 * ptm_reset() - a reset; what is buffered and not kept is lost, and counted
 */
void ptm_reset(struct ptm_cpu *cpu, enum ptm_reset how);

/** ptm_fini() - frees what ptm_init() and ptm_inject() have allocated */
void ptm_fini(struct ptm_cpu *cpu);

/**
 * ptm_held_overlaps() - a load reads guest memory: is output for it still held
 *
 * For PTM_INJECT_HOLD. Reports PTM_REPORT_HELD_READ when it is.
 */
bool ptm_held_overlaps(struct ptm_cpu *cpu, uint64_t pa, size_t len);

/** ptm_flush() - write all complete packets that are still buffered. A partial
 * TNT packet stays where it is, and so does what PTM_INJECT_HOLD holds. */
void ptm_flush(struct ptm_cpu *cpu);

#endif /* TESTS_PTMODEL_ENGINE_H */
