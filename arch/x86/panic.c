/* SPDX-License-Identifier: MIT */
/*
 * The end: registers, a backtrace with symbols, failure.
 */
#include <asm/apic.h>
#include <asm/irqflags.h>
#include <asm/machine.h>
#include <asm/traps.h>
#include <asm/user.h>
#include "arch/x86/console.h"
#include "arch/x86/cpu.h"
#include "lib/printk.h"

#define MAX_FRAMES	32

static const char *const trap_names[] = {
	"#DE divide error", "#DB debug", "NMI", "#BP breakpoint",
	"#OF overflow", "#BR bound", "#UD invalid opcode",
	"#NM device not available", "#DF double fault", "coprocessor overrun",
	"#TS invalid TSS", "#NP segment not present", "#SS stack fault",
	"#GP general protection", "#PF page fault", "reserved", "#MF x87",
	"#AC alignment check", "#MC machine check", "#XM SIMD",
	"#VE virtualisation", "#CP control protection",
};

static void (*panic_hook)(void);

void panic_set_hook(void (*fn)(void))
{
	WRITE_ONCE(panic_hook, fn);
}

static void __noreturn end_panic(void)
{
	void (*hook)(void) = READ_ONCE(panic_hook);

	if (hook)
		hook();
	machine_exit(1);
}

static const char *trap_name(u64 vector)
{
	return vector < ARRAY_SIZE(trap_names) ? trap_names[vector] :
	       "exception";
}

static void print_regs(const struct pt_regs *r)
{
	u64 cr2, cr3;

	__asm__ volatile("mov %%cr2, %0" : "=r"(cr2));
	__asm__ volatile("mov %%cr3, %0" : "=r"(cr3));
	printk("rip %04llx:%016llx %pS\n", (unsigned long long)r->cs,
	       (unsigned long long)r->rip, (void *)r->rip);
	printk("rsp %04llx:%016llx rflags %08llx\n", (unsigned long long)r->ss,
	       (unsigned long long)r->rsp, (unsigned long long)r->rflags);
	printk("rax %016llx rbx %016llx rcx %016llx rdx %016llx\n",
	       (unsigned long long)r->rax, (unsigned long long)r->rbx,
	       (unsigned long long)r->rcx, (unsigned long long)r->rdx);
	printk("rsi %016llx rdi %016llx rbp %016llx r8  %016llx\n",
	       (unsigned long long)r->rsi, (unsigned long long)r->rdi,
	       (unsigned long long)r->rbp, (unsigned long long)r->r8);
	printk("r9  %016llx r10 %016llx r11 %016llx r12 %016llx\n",
	       (unsigned long long)r->r9, (unsigned long long)r->r10,
	       (unsigned long long)r->r11, (unsigned long long)r->r12);
	printk("r13 %016llx r14 %016llx r15 %016llx\n",
	       (unsigned long long)r->r13, (unsigned long long)r->r14,
	       (unsigned long long)r->r15);
	printk("cr2 %016llx cr3 %016llx\n", (unsigned long long)cr2,
	       (unsigned long long)cr3);
}

static void print_return(u64 addr)
{
	printk("  [%016llx] %pB\n", (unsigned long long)addr, (void *)addr);
}

/* Frame pointers only lead up the stack; anything else ends the walk. */
void backtrace(u64 rbp, unsigned int max_frames)
{
	struct {
		u64 rbp;
		u64 ret;
	} frame;

	for (unsigned int i = 0; i < max_frames && rbp; i++) {
		if (rbp & 7 || probe_read(&frame, rbp, sizeof(frame)))
			break;
		if (!frame.ret)
			break;
		print_return(frame.ret);
		if (frame.rbp <= rbp)
			break;
		rbp = frame.rbp;
	}
}

static void begin_panic(void)
{
	static u32 entered;

	local_irq_disable();
	console_panic();
	/* A panic within a panic, or of a second CPU: no more words. */
	if (__atomic_exchange_n(&entered, 1, __ATOMIC_SEQ_CST))
		machine_exit(1);
}

void panic_regs(const struct pt_regs *regs)
{
	u64 ret;

	begin_panic();
	printk("\ntopaz: panic on cpu %u: %s, error %llx\n", cpu_id(),
	       trap_name(regs->vector), (unsigned long long)regs->error);
	print_regs(regs);
	printk("backtrace:\n");
	printk("  [%016llx] %pS\n", (unsigned long long)regs->rip,
	       (void *)regs->rip);
	/* A jump into nowhere: the caller stands on the stack. */
	if (regs->vector == 14 && regs->error & 16 &&
	    !probe_read(&ret, regs->rsp, sizeof(ret)))
		print_return(ret);
	backtrace(regs->rbp, MAX_FRAMES);
	end_panic();
}

void panic(const char *fmt, ...)
{
	va_list ap;
	u64 rip, rsp;

	begin_panic();
	printk("\ntopaz: panic on cpu %u: ", cpu_id());
	va_start(ap, fmt);
	vpr_to(&console_printer, fmt, ap);
	va_end(ap);
	rip = (u64)__builtin_return_address(0);
	__asm__ volatile("mov %%rsp, %0" : "=r"(rsp));
	printk("\nrip 0008:%016llx %pB\nrsp 0010:%016llx\nbacktrace:\n",
	       (unsigned long long)rip, (void *)rip, (unsigned long long)rsp);
	backtrace((u64)__builtin_frame_address(0), MAX_FRAMES);
	end_panic();
}
