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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MSRs and bits as the SDM names them. PTM_ keeps them apart from a kernel's. */
#define PTM_MSR_PERF_GLOBAL_STATUS	0x38e
#define PTM_MSR_PERF_GLOBAL_STATUS_RST	0x390
#define PTM_MSR_RTIT_OUTPUT_BASE	0x560
#define PTM_MSR_RTIT_OUTPUT_MASK_PTRS	0x561
#define PTM_MSR_RTIT_CTL		0x570
#define PTM_MSR_RTIT_STATUS		0x571
#define PTM_MSR_RTIT_CR3_MATCH		0x572
#define PTM_MSR_RTIT_ADDR0_A		0x580
#define PTM_MSR_RTIT_ADDR3_B		0x587

#define PTM_BIT(n)			(1ULL << (n))

#define PTM_CTL_TRACEEN			PTM_BIT(0)
#define PTM_CTL_CYCEN			PTM_BIT(1)
#define PTM_CTL_OS			PTM_BIT(2)
#define PTM_CTL_USER			PTM_BIT(3)
#define PTM_CTL_CR3FILTER		PTM_BIT(7)
#define PTM_CTL_TOPA			PTM_BIT(8)
#define PTM_CTL_TSCEN			PTM_BIT(10)
#define PTM_CTL_DISRETC			PTM_BIT(11)
#define PTM_CTL_BRANCHEN		PTM_BIT(13)
#define PTM_CTL_CYCTHRESH_SHIFT		19
#define PTM_CTL_PSBFREQ_SHIFT		24
#define PTM_CTL_FREQ_MASK		15

#define PTM_STATUS_FILTEREN		PTM_BIT(0)
#define PTM_STATUS_CONTEXTEN		PTM_BIT(1)
#define PTM_STATUS_TRIGGEREN		PTM_BIT(2)
#define PTM_STATUS_ERROR		PTM_BIT(4)
#define PTM_STATUS_STOPPED		PTM_BIT(5)
#define PTM_STATUS_BYTECNT_SHIFT	32
#define PTM_STATUS_BYTECNT_MAX		0x1ffff

#define PTM_GLOBAL_STATUS_TOPA_PMI	PTM_BIT(55)

#define PTM_TOPA_END			PTM_BIT(0)
#define PTM_TOPA_INT			PTM_BIT(2)
#define PTM_TOPA_STOP			PTM_BIT(4)

#define PTM_RET_STACK			64
#define PTM_OUT_BYTES			256

/**
 * struct ptm_state - what the engine must know of the processor, now
 * @cr3:	CR3 as it is
 * @cpl:	current privilege level, 0..3
 * @cs_l:	CS.L and IA32_EFER.LMA: 64-bit code
 * @cs_d:	CS.D
 * @pae:	PAE paging outside of IA-32e mode
 */
struct ptm_state {
	uint64_t cr3;
	uint8_t cpl;
	bool cs_l;
	bool cs_d;
	bool pae;
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
 * @written:	optional: bytes that have just been written to memory
 * @tsc:	optional: time-stamp counter for TSC packets; else 0
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
};

/* A processor to play: what CPUID enumerates, and nothing beyond it. */
struct ptm_profile {
	const char *name;
	uint32_t max_leaf;		/* CPUID leaf 0 is raised to this */
	uint32_t leaf14_0[4];		/* EAX..EDX of leaf 14H */
	uint32_t leaf14_1[4];
	uint32_t leaf15[4];		/* all 0: left as it is */
	unsigned int maxphyaddr;
	unsigned int cbr;		/* core:bus ratio in CBR packets */
	bool branchen_forced;		/* BDM106: BranchEn=0 is a #GP */
};

enum ptm_kind {
	PTM_JCC,		/* conditional, LOOP and JCXZ included */
	PTM_JMP,		/* direct, near */
	PTM_CALL,		/* direct, near */
	PTM_IJMP,		/* indirect, near */
	PTM_ICALL,		/* indirect, near */
	PTM_RET,		/* near */
	PTM_FAR,		/* SYSCALL, IRET, far JMP/CALL/RET, ... */
	PTM_MOV_CR3,		/* no branch, but may change ContextEn */
};

/* A retired branch. @next is the address behind it; @to where control went. */
struct ptm_branch {
	enum ptm_kind kind;
	bool taken;		/* PTM_JCC only */
	uint64_t from, next, to;
};

/* The address of the WRMSR, and of the instruction behind it. */
struct ptm_at {
	uint64_t ip, next;
};

/* One logical processor. All fields are the engine's own. */
struct ptm_cpu {
	const struct ptm_profile *profile;
	const struct ptm_ops *ops;
	void *opaque;

	uint64_t ctl, error_bits, output_base, output_mask, cr3_match;
	uint64_t global_status;
	uint32_t byte_cnt;		/* PacketByteCnt */
	uint32_t psb_period;

	bool trigger_en, context_en, packet_en;
	bool capture_traced;		/* PacketEn was 1 in this capture */
	bool exec_l, exec_d;		/* last MODE.Exec */

	uint64_t last_ip;
	uint8_t tnt_bits, nr_tnt;
	uint64_t tnt_cycle;		/* of the first bit */
	uint64_t ret_stack[PTM_RET_STACK];
	unsigned int ret_top, nr_ret;
	uint64_t cycle, last_cyc;

	uint64_t region, region_size, region_off, entry;
	unsigned int used, room;	/* of out[] */
	uint8_t out[PTM_OUT_BYTES];
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

/** ptm_reset() - cold reset: every MSR 0; what was buffered is lost */
void ptm_reset(struct ptm_cpu *cpu);

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
 * Needed for every one while TriggerEn is 1; harmless else. For PTM_FAR and
 * PTM_MOV_CR3 the state callback must already show the state after it.
 *
 * Return: was PacketEn 1 before the branch and is it still: the branch is in
 * the trace.
 */
bool ptm_branch(struct ptm_cpu *cpu, const struct ptm_branch *branch);

/**
 * ptm_event() - an interrupt, NMI, exception or software interrupt was taken
 * @from:	next instruction of an interrupt; the faulting instruction; the
 *		INT n itself
 * @to:		first instruction of its handler
 *
 * Return: as ptm_branch().
 */
bool ptm_event(struct ptm_cpu *cpu, uint64_t from, uint64_t to);

/** ptm_flush() - write all complete packets that are still buffered. A partial
 * TNT packet stays where it is. */
void ptm_flush(struct ptm_cpu *cpu);

#endif /* TESTS_PTMODEL_ENGINE_H */
