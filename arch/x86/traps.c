/* SPDX-License-Identifier: MIT */
/*
 * Exceptions, interrupts and NMIs: who gets them.
 */
#include <asm/traps.h>

#include <asm/apic.h>
#include <asm/watchdog.h>
#include "arch/x86/cpu.h"
#include "arch/x86/power.h"

#define VECTOR_DB	1
#define VECTOR_NMI	2
#define VECTOR_DF	8
#define VECTOR_PF	14
#define VECTOR_MC	18
#define FIRST_IRQ	32

struct idt_entry {
	u16 offset_low;
	u16 selector;
	u8 ist;
	u8 type;
	u16 offset_mid;
	u32 offset_high;
	u32 reserved;
};
static_assert(sizeof(struct idt_entry) == 16, "IDT entry of long mode");

/* Owner: idt_init(). */
static struct idt_entry idt[256] __aligned(16);
/* Owners: the setters below; read in interrupt context. */
static irq_handler_t irq_handlers[256];
static bool (*nmi_handler)(struct pt_regs *regs);
static void (*user_fault)(struct pt_regs *regs, u64 cr2);

static u8 ist_of(unsigned int vector)
{
	switch (vector) {
	case VECTOR_DF:
		return STACK_DF;
	case VECTOR_NMI:
		return STACK_NMI;
	case VECTOR_MC:
		return STACK_MC;
	case VECTOR_DB:
		return STACK_DB;
	}
	return STACK_THREAD;
}

void idt_init(void)
{
	for (unsigned int v = 0; v < 256; v++) {
		u64 stub = trap_stubs[v];

		idt[v] = (struct idt_entry){
			.offset_low = (u16)stub,
			.selector = KERNEL_CS,
			.ist = ist_of(v),
			.type = 0x8e,	/* present interrupt gate, DPL 0 */
			.offset_mid = (u16)(stub >> 16),
			.offset_high = (u32)(stub >> 32),
		};
	}
}

void idt_load(void)
{
	struct {
		u16 limit;
		u64 base;
	} __packed idtr = { sizeof(idt) - 1, (u64)idt };

	__asm__ volatile("lidt %0" : : "m"(idtr));
}

void irq_set_handler(unsigned int vector, irq_handler_t fn)
{
	if (vector < FIRST_IRQ || vector >= 256)
		return;
	/* Two owners of one vector: a slip in the list of vectors. */
	BUG_ON(fn && irq_handlers[vector] && irq_handlers[vector] != fn);
	WRITE_ONCE(irq_handlers[vector], fn);
}

void nmi_set_handler(bool (*fn)(struct pt_regs *regs))
{
	WRITE_ONCE(nmi_handler, fn);
}

u64 nmi_unclaimed(unsigned int cpu)
{
	return READ_ONCE(cpus[cpu].nmi_unclaimed);
}

void user_fault_set_handler(void (*fn)(struct pt_regs *regs, u64 cr2))
{
	user_fault = fn;
}

static u64 read_cr2(void)
{
	u64 val;

	__asm__ volatile("mov %%cr2, %0" : "=r"(val));
	return val;
}

/*
 * The handler may take a fault that is fixed up. CR2 is kept, for the page
 * fault handler that the NMI may have stopped before it read it.
 */
static void dispatch_nmi(struct pt_regs *regs)
{
	bool (*handler)(struct pt_regs *regs) = READ_ONCE(nmi_handler);
	u64 cr2 = read_cr2();

	watchdog_nmi(regs);
	if (!handler || !handler(regs))
		this_cpu()->nmi_unclaimed++;
	if (read_cr2() != cr2)
		__asm__ volatile("mov %0, %%cr2" : : "r"(cr2));
}

static void dispatch_irq(struct pt_regs *regs)
{
	irq_handler_t handler = READ_ONCE(irq_handlers[regs->vector]);

	if (handler)
		handler(regs);
	/* A spurious interrupt has no bit in service. */
	if (regs->vector != VECTOR_SPURIOUS)
		lapic_eoi();
}

static void dispatch_exception(struct pt_regs *regs)
{
	u64 fixup;

	if (user_mode(regs) && user_fault && regs->vector != VECTOR_MC) {
		user_fault(regs, read_cr2());
		return;
	}
	efi_reset_fault();
	fixup = extable_find(regs->rip);
	if (!fixup)
		panic_regs(regs);
	regs->rip = fixup;
}

void trap_dispatch(struct pt_regs *regs)
{
	if (regs->vector == VECTOR_NMI)
		dispatch_nmi(regs);
	else if (regs->vector >= FIRST_IRQ)
		dispatch_irq(regs);
	else
		dispatch_exception(regs);
}
