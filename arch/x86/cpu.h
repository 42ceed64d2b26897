/* SPDX-License-Identifier: MIT */
/*
 * What a CPU owns: inside of arch/x86 only.
 *
 * GS.base points here in kernel mode; NASM sees the offsets by asm-offsets.inc.
 */
#ifndef X86_CPU_H
#define X86_CPU_H

#include <asm/percpu.h>
#include <asm/traps.h>
#include "boot/boot_info.h"

#define KERNEL_CS	0x08
#define KERNEL_DS	0x10
#define USER_DS		0x1b
#define USER_CS		0x23
#define TSS_SELECTOR	0x28

/* Stacks by interrupt stack table index; 0 is the thread stack. */
enum {
	STACK_THREAD,
	STACK_DF,
	STACK_NMI,
	STACK_MC,
	STACK_DB,
	NR_STACKS,
};

#define STACK_PAGES	4	/* of each stack; below each is a guard page */
#define STACK_SPAN	((STACK_PAGES + 1) * 4096UL)

struct tss {
	u32 reserved0;
	u64 rsp[3];
	u64 reserved1;
	u64 ist[7];
	u64 reserved2;
	u16 reserved3;
	u16 io_map;
} __packed;
static_assert(sizeof(struct tss) == 104, "TSS of long mode");

/* A call by smp_call(): states and their owners in smp_call.c. */
struct cpu_call {
	u32 state;
	void (*fn)(void *arg);
	void *arg;
};

struct cpu {
	struct cpu *self;	/* offsets 0 and 8 are known to asm/percpu.h */
	u32 id;
	u32 apic_id;
	u64 kernel_rsp;		/* stack of SYSCALL; set by user_run() */
	u64 user_rsp;		/* scratch of the SYSCALL entry */
	u64 run_rsp;		/* where user_exit() returns to */
	struct tss tss;
	u64 gdt[7];
	u64 nmi_unclaimed;
	int node;
	u32 signature;		/* CPUID.1 EAX */
	u32 microcode;		/* 0: not said */
	u8 core_type;		/* CPUID.1A EAX[31:24]; 0: not a hybrid */
	u32 online;
	/* Work from smp_run_on(): fn is set last, cleared when it is done. */
	void (*fn)(void *arg);
	void *arg;
	struct cpu_call call;
} __aligned(64);

extern struct cpu cpus[NR_CPUS];

static inline struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	__asm__ volatile("movq %%gs:0, %0" : "=r"(cpu));
	return cpu;
}

/* Tables and registers of the calling CPU. @stacks: lowest guard page. */
void cpu_init(struct cpu *cpu, u64 stacks);

/* Top of a CPU's stack whose stacks start at @stacks. */
static inline u64 stack_top(u64 stacks, unsigned int index)
{
	return stacks + (index + 1) * STACK_SPAN;
}

void idt_init(void);
void idt_load(void);
void trap_dispatch(struct pt_regs *regs);
void syscall_dispatch(struct pt_regs *regs);

/* Fault at @rip in kernel code that expected it? Return: where to go on, 0. */
u64 extable_find(u64 rip);

/* Prints return addresses with symbols; @rbp may be rubbish. */
void backtrace(u64 rbp, unsigned int max_frames);

/* A fault that nobody handles. */
void __noreturn panic_regs(const struct pt_regs *regs);

extern bool cpu_has_smap;
extern bool cpu_has_avx;
extern bool cpu_has_pat;

/* entry.asm */
extern const u64 trap_stubs[256];
extern void syscall_entry(void);
extern char ap_start[], ap_end[], ap_params[];
void ap_entry(void);
int user_enter(u64 rip, u64 rsp, u64 arg);
void __noreturn user_leave(int status);

/* Parameters at the end of the trampoline page: the same for all CPUs. */
struct ap_params {
	u64 boot_cr3;		/* below 4 GiB: loaded by 32-bit code */
	u64 kernel_cr3;
	u64 entry;		/* ap_entry */
};

/*
 * What waits for an AP: found by the AP itself, by its APIC ID. AP_WAITED to
 * AP_HERE by the AP, or to AP_GIVEN_UP by the boot CPU, whoever is first: an AP
 * that comes later parks itself and touches nothing.
 */
enum ap_state {
	AP_WAITED,
	AP_HERE,		/* runs on its stacks, waits for its struct cpu */
	AP_OTHER_MODE,		/* APIC in another mode than the boot CPU's */
	AP_GIVEN_UP,
};

struct ap_slot {
	u32 apic_id;
	u32 state;		/* enum ap_state */
	u64 stacks;		/* lowest guard page */
	u64 stack;		/* top of the thread stack */
	struct cpu *cpu;	/* set when it is AP_HERE */
} __aligned(128);		/* polled: no two in one pair of cache lines */

/* smp_start.c, for ap_entry */
extern struct ap_slot ap_slots[NR_CPUS];
extern u32 nr_ap_slots;
void ap_main(struct ap_slot *slot);	/* smp.c */
void smp_init(void);		/* smp.c: before any CPU is started */
void smp_call_init(void);	/* smp_call.c: the same */

/* apic.c, for ap_entry: the mode of the boot CPU, and where the xAPIC is. */
extern u8 lapic_x2apic;
extern volatile u8 *lapic_mmio;

/* paging.c */
extern phys_addr_t boot_cr3;	/* the loader's tables, for the trampoline */
u64 stacks_alloc(unsigned int cpu);	/* lowest guard page, or 0 */

/* madt.c */
struct madt {
	u64 lapic_pa;
	unsigned int nr;
	unsigned int nr_skipped;	/* malformed entries */
	unsigned int nr_duplicate;	/* the same CPU named twice */
	unsigned int nr_disabled;
	unsigned int nr_hotplug;	/* slots without a CPU */
	unsigned int nr_too_many;	/* beyond NR_CPUS */
	size_t bad_offset;		/* of the entry that ended the walk; or 0 */
	u32 apic_id[NR_CPUS];
};
struct acpi_table;
/* Return: 0; -EBADMSG when it is no MADT or too short for one. */
int madt_parse(struct madt *madt, const struct acpi_table *table);
extern struct madt acpi_madt;

/* numa.c */
void numa_init(void);
int numa_node_of_apic(u32 apic_id);

#endif /* X86_CPU_H */
