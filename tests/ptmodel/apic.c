/* SPDX-License-Identifier: MIT */
/*
 * The PMI's way through the local APIC: LVTPC, its mask bit, fixed or NMI; and
 * foreign NMIs.
 *
 * In xAPIC mode LVTPC is read from QEMU's own APIC. In x2APIC mode QEMU hides
 * the page and MSR 834H has no register behind that a plugin can read, so the
 * MSR is shadowed.
 */
#include "vcpu.h"

#include <stdio.h>

#define MSR_APIC_BASE		0x1b
#define MSR_X2APIC_LVTPC	0x834
#define APIC_BASE_EXTD		(1ULL << 10)
#define APIC_BASE_EN		(1ULL << 11)
#define APIC_BASE_ADDR		0xffffff000ULL

#define APIC_ID			0x020
#define APIC_LVTPC		0x340
#define LVT_MASKED		(1U << 16)
#define LVT_MODE		0x700
#define LVT_MODE_FIXED		0x000
#define LVT_MODE_NMI		0x400
#define LVT_MSI_BITS		0x7ff	/* vector and delivery mode */

#define APIC_BASE_DEFAULT	0xfee00000ULL
#define MSI_BASE		0xfee00000ULL
#define MSI_DEST_SHIFT		12

void apic_init(struct vcpu *v)
{
	v->lvtpc = LVT_MASKED;
}

void apic_reset(struct vcpu *v)
{
	v->x2apic = false;
	v->apic_base = APIC_BASE_DEFAULT;
	apic_init(v);
}

static void read_id(struct vcpu *v)
{
	uint32_t id;

	if (!vcpu_read_phys(v, v->apic_base + APIC_ID, &id, sizeof(id)))
		v->apic_id = id >> 24;
}

void apic_wrmsr(struct vcpu *v, uint32_t msr, uint64_t val)
{
	bool x2apic = (val & APIC_BASE_EXTD) && (val & APIC_BASE_EN);

	if (msr == MSR_X2APIC_LVTPC && v->x2apic) {
		v->lvtpc = val;
		return;
	}
	if (msr != MSR_APIC_BASE)
		return;
	if (x2apic && !v->x2apic) {
		/* The last moment at which the page can be read. */
		read_id(v);
		vcpu_read_phys(v, v->apic_base + APIC_LVTPC, &v->lvtpc,
			       sizeof(v->lvtpc));
	}
	v->x2apic = x2apic;
	v->apic_base = val & APIC_BASE_ADDR;
}

bool apic_rdmsr(const struct vcpu *v, uint32_t msr, uint64_t *val)
{
	if (msr != MSR_X2APIC_LVTPC || !v->x2apic)
		return false;
	*val = v->lvtpc;
	return true;
}

static uint32_t read_lvtpc(struct vcpu *v)
{
	uint32_t lvtpc = LVT_MASKED;

	if (v->x2apic)
		return v->lvtpc;
	vcpu_read_phys(v, v->apic_base + APIC_LVTPC, &lvtpc, sizeof(lvtpc));
	return lvtpc;
}

/* To itself, by a message as a device would send it. */
static void send(struct vcpu *v, uint32_t msi)
{
	if (!v->x2apic)
		read_id(v);
	vcpu_write_phys(v, MSI_BASE | (uint64_t)(v->apic_id & 0xff) <<
			MSI_DEST_SHIFT, &msi, sizeof(msi));
}

void apic_deliver_nmi(struct vcpu *v)
{
	send(v, LVT_MODE_NMI);
}

void apic_deliver_pmi(struct vcpu *v)
{
	uint32_t lvtpc = read_lvtpc(v);
	uint32_t mode = lvtpc & LVT_MODE;

	if (lvtpc & LVT_MASKED)
		return;
	if (mode == LVT_MODE_FIXED || mode == LVT_MODE_NMI)
		send(v, lvtpc & LVT_MSI_BITS);
	else
		fprintf(stderr, "ptmodel: LVTPC %x: no such delivery mode\n",
			lvtpc);
	lvtpc |= LVT_MASKED;
	v->lvtpc = lvtpc;
	vcpu_write_phys(v, v->apic_base + APIC_LVTPC, &lvtpc, sizeof(lvtpc));
}
