/* SPDX-License-Identifier: MIT */
/*
 * A processor with Intel PT for host tests.
 */
#include "tests/unit/host_pt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <asm/apic.h>
#include <asm/cpuid.h>
#include <asm/machine.h>
#include <asm/msr.h>
#include <asm/page.h>
#include <asm/smp.h>
#include <asm/traps.h>
#include "lib/err.h"
#include "tests/unit/host_memory.h"

#define WRITTEN_MAX	(8u << 20)

/* Owner: the test that runs. */
struct host_pt host_pt;
static u32 lvtpc;
static bool nmi_pending, room_pending;
static unsigned int skid_left;
static u64 ip, random_state;
static bool (*nmi_fn)(struct pt_regs *regs);
static irq_handler_t room_fn;

/* ---- the engine's machine ---- */

static void *at_phys(u64 pa, size_t len)
{
	if (pa < host_phys_base || pa + len > host_phys_base + HOST_GROUP_MEMORY)
		return NULL;
	return phys_to_virt(pa);
}

static int read_phys(void *opaque, uint64_t pa, void *buf, size_t len)
{
	const void *from = at_phys(pa, len);

	(void)opaque;
	if (!from)
		return -1;
	memcpy(buf, from, len);
	return 0;
}

static int write_phys(void *opaque, uint64_t pa, const void *buf, size_t len)
{
	void *to = at_phys(pa, len);

	(void)opaque;
	if (!to)
		return -1;
	memcpy(to, buf, len);
	return 0;
}

static void read_state(void *opaque, struct ptm_state *state)
{
	(void)opaque;
	*state = (struct ptm_state){ .cr3 = 0x1000, .cs_l = true };
}

static void raise_pmi(void *opaque)
{
	(void)opaque;
	if (lvtpc & APIC_LVT_MASKED)
		return;
	lvtpc |= APIC_LVT_MASKED;
	nmi_pending = true;
	skid_left = host_pt.skid;
}

static void written(void *opaque, const void *buf, size_t len)
{
	(void)opaque;
	if (host_pt.nr_written + len > WRITTEN_MAX)
		abort();
	memcpy(host_pt.written + host_pt.nr_written, buf, len);
	host_pt.nr_written += len;
}

static const struct ptm_ops ops = {
	.read_phys = read_phys,
	.write_phys = write_phys,
	.read_state = read_state,
	.raise_pmi = raise_pmi,
	.written = written,
};

void host_pt_init(const char *profile)
{
	memset(&host_pt, 0, sizeof(host_pt));
	host_pt.irqs_on = true;
	host_pt.deliver_pmi = true;
	host_pt.written = malloc(WRITTEN_MAX);
	lvtpc = APIC_LVT_MASKED;
	nmi_pending = room_pending = false;
	ip = 0xffffffff80001000ULL;
	random_state = 1;
	if (!host_pt.written)
		abort();
	ptm_init(&host_pt.cpu, ptm_profile_find(profile), &ops, NULL);
}

void host_pt_fini(void)
{
	free(host_pt.written);
	host_pt.written = NULL;
}

/* ---- time ---- */

static void deliver(void)
{
	struct pt_regs regs = { .rflags = host_pt.irqs_on ? 0x202 : 2 };

	if (nmi_pending && host_pt.deliver_pmi && !skid_left) {
		nmi_pending = false;
		if (!nmi_fn || !nmi_fn(&regs))
			abort();
	}
	if (skid_left)
		skid_left--;
	if (room_pending && host_pt.irqs_on) {
		room_pending = false;
		room_fn(&regs);
	}
}

void host_pt_run(unsigned int n)
{
	while (n--) {
		struct ptm_branch branch = {
			.kind = PTM_IJMP, .taken = true, .from = ip,
			.next = ip + 2,
		};

		random_state = random_state * 6364136223846793005ULL + 1;
		ip = 0xffffffff80000000ULL | (random_state >> 40);
		branch.to = ip;
		ptm_branch(&host_pt.cpu, &branch);
		deliver();
	}
}

/* ---- the kernel's interfaces ---- */

static void general_protection(void)
{
	host_pt.nr_gp++;
	if (!host_pt.gp_allowed)
		abort();
}

u64 rdmsr(u32 msr)
{
	uint64_t val = 0;

	if (ptm_rdmsr(&host_pt.cpu, msr, &val))
		general_protection();
	return val;
}

void wrmsr(u32 msr, u64 val)
{
	struct ptm_at at = { .ip = ip, .next = ip + 2 };

	if (ptm_wrmsr(&host_pt.cpu, msr, val, &at))
		general_protection();
}

struct cpuid_regs cpuid_checked(u32 leaf, u32 subleaf)
{
	uint32_t max[4] = { 0xd, 0, 0, 0 }, regs[4] = { 0, 0, 0, 0 };

	ptm_cpuid(&host_pt.cpu, 0, 0, max);
	if (leaf < 0x80000000u && leaf > max[0])
		return (struct cpuid_regs){ 0, 0, 0, 0 };
	if (leaf == 1)
		regs[0] = 0x506e3;	/* family 6, model 5eh, stepping 3 */
	ptm_cpuid(&host_pt.cpu, leaf, subleaf, regs);
	return (struct cpuid_regs){ regs[0], regs[1], regs[2], regs[3] };
}

void panic(const char *fmt, ...)
{
	fprintf(stderr, "panic: %s\n", fmt);
	abort();
}

void cpu_vendor(char vendor[13])
{
	strcpy(vendor, "GenuineIntel");
}

void lapic_write_lvtpc(u32 val)
{
	lvtpc = val;
}

void lapic_send_self(u8 vector)
{
	if (vector != VECTOR_PT_ROOM)
		abort();
	room_pending = true;
}

void nmi_set_handler(bool (*fn)(struct pt_regs *regs))
{
	nmi_fn = fn;
}

void irq_set_handler(unsigned int vector, irq_handler_t fn)
{
	if (vector != VECTOR_PT_ROOM)
		abort();
	room_fn = fn;
}

int smp_call(unsigned int cpu, void (*fn)(void *arg), void *arg,
	     u64 timeout_us)
{
	(void)timeout_us;
	if (cpu != host_cpu)
		return -EINVAL;
	fn(arg);
	return 0;
}
