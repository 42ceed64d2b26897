/* SPDX-License-Identifier: MIT */
/*
 * Bringing up the other CPUs: many at a time, each wait with a bound.
 *
 * Sources: SDM "Multiple-Processor Initialization"; the times are those that
 * real machines were seen to need.
 */
#include <asm/smp.h>

#include <asm/apic.h>
#include <asm/page.h>
#include <asm/paging.h>
#include <asm/tsc.h>
#include "arch/x86/cpu.h"
#include "lib/printk.h"
#include "lib/string.h"

#define BATCH		32	/* CPUs that start at the same time */
#define INIT_US		10000	/* from INIT to STARTUP */
#define STARTUP_US	300	/* from the first STARTUP to the second */
#define QUIET_US	1000000	/* without news: the rest will not come */
#define TOTAL_US	10000000	/* for all CPUs together */
#define POLL_US		50

struct ap_slot ap_slots[NR_CPUS];
u32 nr_ap_slots;

/* Owner: smp_start(); constant afterwards. */
static unsigned int nr_running = 1;

unsigned int nr_cpus(void)
{
	return nr_running;
}

/* ---- slots ---- */

static u32 state_of(const struct ap_slot *slot)
{
	return smp_load_acquire(&slot->state);
}

static bool add_slot(u32 apic_id)
{
	struct ap_slot *slot = &ap_slots[nr_ap_slots];
	u64 stacks = stacks_alloc(nr_ap_slots + 1);

	if (!stacks) {
		printk("smp: no memory for the stacks of the CPU with APIC ID %u: it and the rest are left out\n",
		       apic_id);
		return false;
	}
	*slot = (struct ap_slot){
		.apic_id = apic_id,
		.stacks = stacks,
		.stack = stack_top(stacks, STACK_THREAD),
	};
	nr_ap_slots++;
	return true;
}

/* IDs above 254 need x2APIC mode. */
static void choose_mode(const struct madt *madt)
{
	for (unsigned int i = 0; i < madt->nr; i++)
		if (!lapic_can_address(madt->apic_id[i]) &&
		    !lapic_raise_to_x2apic())
			return;
}

static void fill_slots(const struct madt *madt, u32 me)
{
	for (unsigned int i = 0; i < madt->nr; i++) {
		u32 id = madt->apic_id[i];

		if (id == me)
			continue;
		if (!lapic_can_address(id)) {
			printk("smp: APIC ID %u is out of reach in xAPIC mode: left out\n",
			       id);
			continue;
		}
		if (nr_ap_slots == NR_CPUS - 1) {
			printk("smp: more than %u CPUs: the rest is left out\n",
			       NR_CPUS);
			return;
		}
		if (!add_slot(id))
			return;
	}
}

/* ---- starting ---- */

static unsigned int count_waited(const struct ap_slot *slot, unsigned int nr)
{
	unsigned int waited = 0;

	for (unsigned int i = 0; i < nr; i++)
		waited += state_of(&slot[i]) == AP_WAITED;
	return waited;
}

/* Until all are here, or there is no news. @left: of the time for all CPUs. */
static void wait_here(const struct ap_slot *slot, unsigned int nr, u64 *left)
{
	unsigned int waited = count_waited(slot, nr);

	for (u64 quiet = 0; waited && quiet < QUIET_US && *left >= POLL_US;
	     quiet += POLL_US) {
		unsigned int now;

		udelay(POLL_US);
		*left -= POLL_US;
		now = count_waited(slot, nr);
		if (now != waited)
			quiet = 0;
		waited = now;
	}
}

/* One that is given up may still come: it will see that and sleep. */
static void give_up(struct ap_slot *slot)
{
	u32 state = AP_WAITED;

	if (__atomic_compare_exchange_n(&slot->state, &state, AP_GIVEN_UP,
					false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		printk("smp: the CPU with APIC ID %u does not answer: left out\n",
		       slot->apic_id);
	else if (state == AP_OTHER_MODE)
		printk("smp: the CPU with APIC ID %u has its APIC in x2APIC mode, the boot CPU has not: left out\n",
		       slot->apic_id);
}

/* INIT, 10 ms, STARTUP; a second one only where nothing is heard. */
static void start_batch(struct ap_slot *slot, unsigned int nr, u8 page,
			u64 *left)
{
	for (unsigned int i = 0; i < nr; i++)
		lapic_send_init(slot[i].apic_id);
	udelay(INIT_US);
	for (unsigned int i = 0; i < nr; i++)
		lapic_send_startup(slot[i].apic_id, page);
	udelay(STARTUP_US);
	for (unsigned int i = 0; i < nr; i++)
		if (state_of(&slot[i]) == AP_WAITED)
			lapic_send_startup(slot[i].apic_id, page);
	wait_here(slot, nr, left);
	/* The last to come may still be about to say AP_OTHER_MODE. */
	udelay(POLL_US);
	for (unsigned int i = 0; i < nr; i++)
		give_up(&slot[i]);
}

/* ---- taking in ---- */

static bool comes_online(const struct cpu *cpu)
{
	for (u64 us = 0; us < QUIET_US; us += POLL_US) {
		if (smp_load_acquire(&cpu->online))
			return true;
		udelay(POLL_US);
	}
	return false;
}

/* Numbers for those that are here, without holes, in the order of the slots. */
static unsigned int number(struct ap_slot *slot, unsigned int nr)
{
	unsigned int next = nr_running;

	for (unsigned int i = 0; i < nr; i++) {
		struct cpu *cpu = &cpus[next];

		if (state_of(&slot[i]) != AP_HERE)
			continue;
		memset(cpu, 0, sizeof(*cpu));
		cpu->id = next++;
		cpu->node = numa_node_of_apic(slot[i].apic_id);
		smp_store_release(&slot[i].cpu, cpu);
	}
	return next;
}

/* Return: all that were numbered came online. */
static bool take_in(struct ap_slot *slot, unsigned int nr)
{
	unsigned int next = number(slot, nr);

	for (; nr_running < next; nr_running++) {
		if (comes_online(&cpus[nr_running]))
			continue;
		printk("smp: CPU %u started and then stopped: it and those behind it are left out\n",
		       nr_running);
		return false;
	}
	return true;
}

static void fill_trampoline(phys_addr_t trampoline)
{
	char *page = phys_to_virt(trampoline);
	struct ap_params params = {
		.boot_cr3 = boot_cr3,
		.kernel_cr3 = kernel_vm.cr3,
		.entry = (u64)ap_entry,
	};

	memcpy(page, ap_start, (size_t)(ap_end - ap_start));
	memcpy(page + (ap_params - ap_start), &params, sizeof(params));
}

static bool trampoline_usable(phys_addr_t trampoline)
{
	return trampoline && trampoline % PAGE_SIZE == 0 &&
	       trampoline < 0xa0000 && boot_cr3 < 1ULL << 32 &&
	       (size_t)(ap_end - ap_start) <= PAGE_SIZE;
}

unsigned int smp_start(phys_addr_t trampoline)
{
	const struct madt *madt = &acpi_madt;
	u64 left = TOTAL_US;

	smp_init();
	cpus[0].node = numa_node_of_apic(lapic_id());
	if (!madt->nr || (madt->nr == 1 && madt->apic_id[0] == lapic_id()))
		return nr_running;
	if (!trampoline_usable(trampoline)) {
		printk("smp: no usable page below 640 KiB, or page tables above 4 GiB: one CPU only\n");
		return nr_running;
	}
	choose_mode(madt);
	fill_slots(madt, lapic_id());
	fill_trampoline(trampoline);
	for (unsigned int i = 0; i < nr_ap_slots; i += BATCH) {
		unsigned int nr = min(nr_ap_slots - i, (u32)BATCH);

		start_batch(&ap_slots[i], nr, (u8)(trampoline >> PAGE_SHIFT),
			    &left);
		if (!take_in(&ap_slots[i], nr))
			break;
	}
	return nr_running;
}
