/* SPDX-License-Identifier: MIT */
/*
 * Setting up a CPU: the same for the boot CPU and all others.
 */
#include "arch/x86/cpu.h"

#include <asm/cpuid.h>
#include <asm/machine.h>
#include <asm/msr.h>
#include <asm/page.h>
#include <asm/tsc.h>
#include "lib/string.h"

#define CR0_MP		BIT_ULL(1)
#define CR0_EM		BIT_ULL(2)
#define CR0_TS		BIT_ULL(3)
#define CR0_NE		BIT_ULL(5)
#define CR0_WP		BIT_ULL(16)
#define CR4_OSFXSR	BIT_ULL(9)
#define CR4_OSXMMEXCPT	BIT_ULL(10)
#define CR4_UMIP	BIT_ULL(11)
#define CR4_OSXSAVE	BIT_ULL(18)
#define CR4_SMEP	BIT_ULL(20)
#define CR4_SMAP	BIT_ULL(21)

#define CPUID_1_EDX_PAT		BIT_ULL(16)
#define CPUID_1_ECX_XSAVE	BIT_ULL(26)
#define CPUID_1_ECX_AVX		BIT_ULL(28)
#define CPUID_1_ECX_RDRAND	BIT_ULL(30)
#define CPUID_7_EBX_SMEP	BIT_ULL(7)
#define CPUID_7_EBX_SMAP	BIT_ULL(20)
#define CPUID_7_ECX_UMIP	BIT_ULL(2)

/* IF, DF, TF, NT, AC: cleared by SYSCALL. */
#define SYSCALL_MASK	0x44700ULL

struct cpu cpus[NR_CPUS];
bool cpu_has_smap;
bool cpu_has_avx;
bool cpu_has_pat;

/* Checked by code that the compiler adds; set before any such function ends. */
u64 __stack_chk_guard = 0x595e9fbd94fda766ULL;
void __stack_chk_fail(void);

extern char boot_stacks[];

void __stack_chk_fail(void)
{
	panic("stack smashed below %pB", __builtin_return_address(0));
}

static void fill_gdt(struct cpu *cpu)
{
	u64 tss = (u64)&cpu->tss;

	cpu->gdt[0] = 0;
	cpu->gdt[1] = 0x00af9b000000ffffULL;	/* KERNEL_CS */
	cpu->gdt[2] = 0x00cf93000000ffffULL;	/* KERNEL_DS */
	cpu->gdt[3] = 0x00cff3000000ffffULL;	/* USER_DS */
	cpu->gdt[4] = 0x00affb000000ffffULL;	/* USER_CS */
	cpu->gdt[5] = (sizeof(cpu->tss) - 1) | (tss & 0xffffff) << 16 |
		      0x89ULL << 40 | (tss >> 24 & 0xff) << 56;
	cpu->gdt[6] = tss >> 32;
}

static void load_gdt(struct cpu *cpu)
{
	struct {
		u16 limit;
		u64 base;
	} __packed gdtr = { sizeof(cpu->gdt) - 1, (u64)cpu->gdt };

	__asm__ volatile(
		"lgdt %[gdtr]\n\t"
		"pushq %[cs]\n\t"
		"leaq 1f(%%rip), %%rax\n\t"
		"pushq %%rax\n\t"
		"lretq\n"
		"1:\tmovl %[ds], %%eax\n\t"
		"movl %%eax, %%ds\n\t"
		"movl %%eax, %%es\n\t"
		"movl %%eax, %%ss\n\t"
		"xorl %%eax, %%eax\n\t"
		"movl %%eax, %%fs\n\t"
		"movl %%eax, %%gs\n\t"
		"ltr %w[tss]"
		: : [gdtr] "m"(gdtr), [cs] "i"(KERNEL_CS), [ds] "i"(KERNEL_DS),
		    [tss] "r"(TSS_SELECTOR)
		: "rax", "memory");
}

static void fill_tss(struct cpu *cpu, u64 stacks)
{
	memset(&cpu->tss, 0, sizeof(cpu->tss));
	cpu->tss.rsp[0] = stack_top(stacks, STACK_THREAD);
	for (unsigned int i = STACK_DF; i < NR_STACKS; i++)
		cpu->tss.ist[i - 1] = stack_top(stacks, i);
	cpu->tss.io_map = sizeof(cpu->tss);
}

static u64 read_cr0(void)
{
	u64 val;

	__asm__ volatile("mov %%cr0, %0" : "=r"(val));
	return val;
}

static u64 read_cr4(void)
{
	u64 val;

	__asm__ volatile("mov %%cr4, %0" : "=r"(val));
	return val;
}

static void write_cr4(u64 val)
{
	__asm__ volatile("mov %0, %%cr4" : : "r"(val) : "memory");
}

/* SSE and, where it is, AVX: for ring 3; the kernel has no use for them. */
static u64 vector_bits(void)
{
	u64 ecx = cpuid(1, 0).ecx;
	u64 cr4 = CR4_OSFXSR | CR4_OSXMMEXCPT;

	cpu_has_avx = ecx & CPUID_1_ECX_XSAVE && ecx & CPUID_1_ECX_AVX;
	return ecx & CPUID_1_ECX_XSAVE ? cr4 | CR4_OSXSAVE : cr4;
}

static void set_xcr0(void)
{
	u32 xcr0 = cpu_has_avx ? 7 : 3;

	__asm__ volatile("xsetbv" : : "c"(0), "a"(xcr0), "d"(0));
}

static void set_control_registers(void)
{
	struct cpuid_regs leaf7 = cpuid_checked(7, 0);
	u64 cr0 = (read_cr0() & ~(CR0_EM | CR0_TS)) | CR0_MP | CR0_NE | CR0_WP;
	u64 cr4 = read_cr4() | vector_bits();

	__asm__ volatile("mov %0, %%cr0" : : "r"(cr0) : "memory");
	if (leaf7.ebx & CPUID_7_EBX_SMEP)
		cr4 |= CR4_SMEP;
	if (leaf7.ebx & CPUID_7_EBX_SMAP)
		cr4 |= CR4_SMAP;
	if (leaf7.ecx & CPUID_7_ECX_UMIP)
		cr4 |= CR4_UMIP;
	cpu_has_smap = cr4 & CR4_SMAP;
	write_cr4(cr4);
	if (cr4 & CR4_OSXSAVE)
		set_xcr0();
}

/*
 * Entries 0..3 as after reset, as firmware and PTEs without the PAT bit have
 * them; entry 4 is ours. The same on all CPUs: SDM "Programming the PAT".
 */
static void set_pat(void)
{
	cpu_has_pat = cpuid(1, 0).edx & CPUID_1_EDX_PAT;
	if (cpu_has_pat)
		wrmsr(MSR_IA32_CR_PAT, PAT_ENTRIES(PAT_WB, PAT_WT, PAT_UC_MINUS,
						   PAT_UC) |
		      PAT_ENTRIES(PAT_WC, PAT_WT, PAT_UC_MINUS, PAT_UC) << 32);
}

static void set_syscall(void)
{
	wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SCE);
	wrmsr(MSR_STAR, (u64)KERNEL_DS << 48 | (u64)KERNEL_CS << 32);
	wrmsr(MSR_LSTAR, (u64)syscall_entry);
	wrmsr(MSR_SYSCALL_MASK, SYSCALL_MASK);
}

/* SDM "Determining the Signature": write 0, CPUID, read. */
static u32 microcode_revision(void)
{
	u64 val;

	if (wrmsr_safe(MSR_IA32_BIOS_SIGN_ID, 0))
		return 0;
	cpuid(1, 0);
	return rdmsr_safe(MSR_IA32_BIOS_SIGN_ID, &val) ? 0 : (u32)(val >> 32);
}

static void identify(struct cpu *cpu)
{
	cpu->signature = cpuid(1, 0).eax;
	cpu->core_type = (u8)(cpuid_checked(0x1a, 0).eax >> 24);
	cpu->microcode = microcode_revision();
}

static const char *core_type_name(u8 type)
{
	return type == 0x40 ? " Core" : type == 0x20 ? " Atom" : "";
}

void cpus_show(struct printer *out)
{
	char vendor[13];

	cpu_vendor(vendor);
	pr_to(out, "%s, %u running\n", vendor, nr_cpus());
	for (unsigned int i = 0; i < nr_cpus(); i++)
		pr_to(out, "cpu %u: APIC ID %u node %d signature %05x microcode %x%s\n",
		      i, cpus[i].apic_id, cpus[i].node, cpus[i].signature,
		      cpus[i].microcode, core_type_name(cpus[i].core_type));
}

void cpu_init(struct cpu *cpu, u64 stacks)
{
	cpu->self = cpu;
	fill_gdt(cpu);
	fill_tss(cpu, stacks);
	load_gdt(cpu);
	wrmsr(MSR_GS_BASE, (u64)cpu);
	wrmsr(MSR_KERNEL_GS_BASE, 0);
	idt_load();
	set_control_registers();
	set_pat();
	set_syscall();
	identify(cpu);
}

static u64 random_canary(void)
{
	u64 val = rdtsc() * 0x9e3779b97f4a7c15ULL;

	if (cpuid(1, 0).ecx & CPUID_1_ECX_RDRAND)
		__asm__ volatile("rdrand %0" : "+r"(val) : : "cc");
	/* A zero byte stops strings that run over the end. */
	return val << 8;
}

__attribute__((no_stack_protector)) void cpu_init_boot(void)
{
	__stack_chk_guard = random_canary();
	idt_init();
	cpu_init(&cpus[0], (u64)boot_stacks);
	cpus[0].online = 1;
}
