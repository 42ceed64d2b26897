/* SPDX-License-Identifier: MIT */
/*
 * The local APIC, in xAPIC or x2APIC mode.
 */
#include <asm/apic.h>

#include <asm/cpuid.h>
#include <asm/io.h>
#include <asm/irqflags.h>
#include <asm/msr.h>
#include <asm/paging.h>
#include <asm/traps.h>
#include <asm/tsc.h>
#include <asm/watchdog.h>
#include "arch/x86/cpu.h"

/* Register offsets of the xAPIC page. */
#define APIC_ID		0x20
#define APIC_EOI	0xb0
#define APIC_SVR	0xf0
#define APIC_ICR	0x300
#define APIC_ICR_HIGH	0x310
#define APIC_LVT_TIMER	0x320
#define APIC_LVT_THERMAL 0x330
#define APIC_LVT_PC	0x340
#define APIC_LVT_LINT0	0x350
#define APIC_LVT_LINT1	0x360
#define APIC_LVT_ERROR	0x370
#define APIC_TIMER_INIT	0x380
#define APIC_TIMER_NOW	0x390
#define APIC_TIMER_DIV	0x3e0
#define X2APIC_SELF_IPI	0x3f0

#define XAPIC_BROADCAST	0xff

#define CPUID_1_ECX_X2APIC	BIT_ULL(21)

#define SVR_ENABLE	(1u << 8)
#define TIMER_PERIODIC	(1u << 17)
#define TIMER_DIV_16	3u
#define ICR_PENDING	(1u << 12)
#define ICR_ASSERT	(1u << 14)
#define ICR_TO_SELF	(1u << 18)
#define ICR_INIT	(5u << 8)
#define ICR_STARTUP	(6u << 8)
#define ICR_WAIT	100000		/* reads; delivery takes a few */

struct lapic_ops {
	u32 (*read)(u32 reg);
	void (*write)(u32 reg, u32 val);
	void (*icr)(u32 apic_id, u32 low);
	void (*self)(u8 vector);
};

/* Owner: lapic_init() of the boot CPU. */
volatile u8 *lapic_mmio;
u8 lapic_x2apic;
static const struct lapic_ops *ops;
static u64 timer_ticks_per_ms;

static u32 xapic_read(u32 reg)
{
	return readl(lapic_mmio + reg);
}

static void xapic_write(u32 reg, u32 val)
{
	writel(val, lapic_mmio + reg);
}

static void xapic_wait_icr(void)
{
	for (unsigned int i = 0;
	     i < ICR_WAIT && xapic_read(APIC_ICR) & ICR_PENDING; i++)
		cpu_relax();
}

/* The two halves must not be torn by an interrupt that sends one itself. */
static void xapic_icr(u32 apic_id, u32 low)
{
	unsigned long flags = local_irq_save();

	xapic_write(APIC_ICR_HIGH, apic_id << 24);
	xapic_write(APIC_ICR, low);
	xapic_wait_icr();
	local_irq_restore(flags);
}

/*
 * By the shorthand, which leaves the high half alone: an NMI may send this
 * between the two writes of xapic_icr().
 */
static void xapic_self(u8 vector)
{
	xapic_wait_icr();
	xapic_write(APIC_ICR, ICR_ASSERT | ICR_TO_SELF | vector);
}

static u32 x2apic_read(u32 reg)
{
	return (u32)rdmsr(MSR_IA32_X2APIC_BASE + (reg >> 4));
}

static void x2apic_write(u32 reg, u32 val)
{
	wrmsr(MSR_IA32_X2APIC_BASE + (reg >> 4), val);
}

static void x2apic_icr(u32 apic_id, u32 low)
{
	/* WRMSR to the x2APIC does not wait for earlier stores: SDM. */
	__asm__ volatile("mfence; lfence" : : : "memory");
	wrmsr(MSR_IA32_X2APIC_BASE + (APIC_ICR >> 4),
	      (u64)apic_id << 32 | low);
}

static void x2apic_self(u8 vector)
{
	x2apic_write(X2APIC_SELF_IPI, vector);
}

static const struct lapic_ops xapic_ops = {
	xapic_read, xapic_write, xapic_icr, xapic_self,
};
static const struct lapic_ops x2apic_ops = {
	x2apic_read, x2apic_write, x2apic_icr, x2apic_self,
};

bool lapic_is_x2apic(void)
{
	return lapic_x2apic;
}

static void use_x2apic(void)
{
	ops = &x2apic_ops;
	lapic_x2apic = 1;
}

/* As the firmware left it: there is no way back from x2APIC mode. */
static void choose_ops(void)
{
	u64 base = rdmsr(MSR_IA32_APICBASE);

	if (base & APICBASE_EXTD) {
		use_x2apic();
		return;
	}
	lapic_mmio = ioremap(base & APICBASE_ADDR, PAGE_SIZE);
	if (!lapic_mmio)
		panic("no address space for the local APIC");
	ops = &xapic_ops;
}

/*
 * SDM "x2APIC State Transitions": from xAPIC mode in one write; the registers
 * keep their values but for the ICR.
 */
bool lapic_raise_to_x2apic(void)
{
	u64 base = rdmsr(MSR_IA32_APICBASE);

	if (lapic_is_x2apic())
		return true;
	if (!(cpuid(1, 0).ecx & CPUID_1_ECX_X2APIC))
		return false;
	wrmsr(MSR_IA32_APICBASE, base | APICBASE_EXTD);
	use_x2apic();
	this_cpu()->apic_id = lapic_id();
	return true;
}

bool lapic_can_address(u32 apic_id)
{
	return lapic_is_x2apic() || apic_id < XAPIC_BROADCAST;
}

/* The 8259s stay off: their vectors would look like exceptions. */
static void mask_8259(void)
{
	outb(0x21, 0xff);
	outb(0xa1, 0xff);
}

static void calibrate_timer(void)
{
	ops->write(APIC_TIMER_DIV, TIMER_DIV_16);
	ops->write(APIC_TIMER_INIT, 0xffffffff);
	udelay(5000);
	timer_ticks_per_ms = (0xffffffffu - ops->read(APIC_TIMER_NOW)) / 5;
	ops->write(APIC_TIMER_INIT, 0);
}

bool lapic_is_ready(void)
{
	return ops;
}

void lapic_init(void)
{
	static const u32 lvts[] = {
		APIC_LVT_TIMER, APIC_LVT_THERMAL, APIC_LVT_PC, APIC_LVT_LINT0,
		APIC_LVT_LINT1, APIC_LVT_ERROR,
	};
	bool first = !ops;

	if (first) {
		mask_8259();
		choose_ops();
	}
	ops->write(APIC_SVR, SVR_ENABLE | VECTOR_SPURIOUS);
	for (size_t i = 0; i < ARRAY_SIZE(lvts); i++)
		ops->write(lvts[i], APIC_LVT_MASKED);
	this_cpu()->apic_id = lapic_id();
	if (first)
		calibrate_timer();
}

u32 lapic_id(void)
{
	u32 id = ops->read(APIC_ID);

	return lapic_is_x2apic() ? id : id >> 24;
}

void lapic_eoi(void)
{
	ops->write(APIC_EOI, 0);
}

void lapic_write_lvtpc(u32 val)
{
	ops->write(APIC_LVT_PC, val);
}

u32 lapic_read_lvtpc(void)
{
	return ops->read(APIC_LVT_PC);
}

void lapic_send_ipi(u32 apic_id, u8 vector)
{
	ops->icr(apic_id, ICR_ASSERT | vector);
}

void lapic_send_self(u8 vector)
{
	ops->self(vector);
}

void lapic_send_nmi(u32 apic_id)
{
	ops->icr(apic_id, ICR_ASSERT | APIC_DM_NMI);
}

void lapic_send_init(u32 apic_id)
{
	ops->icr(apic_id, ICR_ASSERT | ICR_INIT);
}

void lapic_send_startup(u32 apic_id, u8 page)
{
	ops->icr(apic_id, ICR_ASSERT | ICR_STARTUP | page);
}

/* At least one tick: 0 would stop it. */
static void timer_set(u32 lvt, u32 us)
{
	u64 ticks = timer_ticks_per_ms * us / 1000 + 1;

	ops->write(APIC_TIMER_DIV, TIMER_DIV_16);
	ops->write(APIC_LVT_TIMER, lvt);
	ops->write(APIC_TIMER_INIT, (u32)min(ticks, 0xffffffffULL));
}

void lapic_timer_start(u32 us)
{
	timer_set(TIMER_PERIODIC | VECTOR_TIMER, us);
}

void lapic_timer_once(u8 vector, u32 us)
{
	timer_set(vector, us);
}

void lapic_timer_stop(void)
{
	ops->write(APIC_LVT_TIMER, APIC_LVT_MASKED);
	ops->write(APIC_TIMER_INIT, 0);
	watchdog_rearm();
}
