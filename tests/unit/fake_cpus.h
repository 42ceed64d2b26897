/* SPDX-License-Identifier: MIT */
/*
 * For the test of smp_start(): CPUs of every manner on a clock that only
 * udelay() moves.
 *
 * smp_start() runs once in the life of a kernel; its file is included, so that
 * each test starts with a fresh one. Included after cmocka.h.
 */
#ifndef TESTS_UNIT_FAKE_CPUS_H
#define TESTS_UNIT_FAKE_CPUS_H

#include <stdlib.h>

#include "arch/x86/smp_start.c"
#include "tests/unit/collect.h"

#define PAGE		0x8000ULL
#define STACKS		0xffffd00000000000ULL
#define NEVER		(~0ULL)
#define SECOND_US	1000000ULL

/* Until all is given up, for CPUs that say nothing at all. */
#define BOUND_US	(TOTAL_US + QUIET_US + \
			 NR_CPUS / BATCH * (INIT_US + STARTUP_US + POLL_US))

enum manner {
	PROMPT,			/* answers to the first STARTUP */
	SECOND,			/* to the second one only */
	SILENT,
	OTHER_MODE,		/* comes, and finds its APIC in another mode */
	STUCK,			/* comes, and is never online */
};

struct fake {
	u32 apic_id;
	enum manner manner;
	u64 takes;		/* microseconds from STARTUP to AP_HERE */
	u64 init_at;
	u64 start_at;		/* when it looks for its slot */
	unsigned int nr_startup;
	bool parked;		/* found that nobody waits for it */
	struct ap_slot *slot;
	struct cpu *cpu;
};

static struct fake fake[NR_CPUS];
static unsigned int nr_fake;
static u64 now;
static u32 my_id;
static bool x2apic, has_x2apic;
static unsigned int stacks_left;
static unsigned int nr_init_calls;
static struct collector console;

/* ---- what smp_start.c uses ---- */

__asm__(".section .rodata\n"
	".globl ap_start, ap_params, ap_end\n"
	"ap_start: .fill 100, 1, 0xf4\n"
	"ap_params: .fill 24, 1, 0\n"
	"ap_end:\n"
	".text");

unsigned char *host_memory;
phys_addr_t host_phys_base = PAGE;
struct cpu cpus[NR_CPUS];
struct madt acpi_madt;
struct vm kernel_vm = { .cr3 = 0x123456000 };
phys_addr_t boot_cr3;

void ap_entry(void)
{
}

void smp_init(void)
{
	nr_init_calls++;
}

u64 stacks_alloc(unsigned int cpu)
{
	if (!stacks_left)
		return 0;
	stacks_left--;
	return STACKS + cpu * NR_STACKS * STACK_SPAN;
}

int numa_node_of_apic(u32 apic_id)
{
	return (int)(apic_id % 7);
}

u32 lapic_id(void)
{
	return my_id;
}

bool lapic_can_address(u32 apic_id)
{
	return x2apic || apic_id < 255;
}

bool lapic_raise_to_x2apic(void)
{
	x2apic = x2apic || has_x2apic;
	return x2apic;
}

/* An IPI to an ID that the MADT does not name is one to a stranger. */
static inline struct fake *target(u32 apic_id)
{
	assert_int_not_equal(apic_id, my_id);
	assert_true(x2apic || apic_id < 255);
	for (unsigned int i = 0; i < nr_fake; i++)
		if (fake[i].apic_id == apic_id)
			return &fake[i];
	fail_msg("IPI to APIC ID %u", apic_id);
	return NULL;
}

void lapic_send_init(u32 apic_id)
{
	struct fake *f = target(apic_id);

	assert_int_equal(f->init_at, NEVER);
	f->init_at = now;
}

void lapic_send_startup(u32 apic_id, u8 page)
{
	struct fake *f = target(apic_id);

	assert_int_equal(page, PAGE >> PAGE_SHIFT);
	assert_int_not_equal(f->init_at, NEVER);
	assert_true(now - f->init_at >= INIT_US);
	assert_true(++f->nr_startup <= 2);
	/* Not to one that runs. */
	assert_null(f->slot);
	if (f->start_at == NEVER && f->manner != SILENT &&
	    (f->manner != SECOND || f->nr_startup == 2))
		f->start_at = now + f->takes;
}

/* As ap_entry and ap_main do. */
static inline void find_slot(struct fake *f)
{
	u32 state = AP_WAITED;

	for (u32 i = 0; i < nr_ap_slots && !f->slot; i++)
		if (ap_slots[i].apic_id == f->apic_id)
			f->slot = &ap_slots[i];
	assert_non_null(f->slot);
	f->parked = !__atomic_compare_exchange_n(&f->slot->state, &state,
						 AP_HERE, false,
						 __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE);
}

/* One step, for a CPU whose time it is. */
static inline void play(struct fake *f)
{
	if (!f->slot) {
		find_slot(f);
		return;
	}
	if (f->manner == OTHER_MODE) {
		smp_store_release(&f->slot->state, AP_OTHER_MODE);
		f->parked = true;
		return;
	}
	if (!f->cpu)
		f->cpu = smp_load_acquire(&f->slot->cpu);
	if (f->cpu && f->manner != STUCK) {
		f->cpu->apic_id = f->apic_id;
		smp_store_release(&f->cpu->online, 1);
	}
}

/* When it does something next; its steps are 10 microseconds apart. */
static inline u64 next_step(const struct fake *f)
{
	if (f->parked || f->cpu)
		return NEVER;
	if (f->slot && f->manner != OTHER_MODE && !f->slot->cpu)
		return NEVER;
	return max(f->start_at, now + 10);
}

void udelay(u64 us)
{
	u64 end = now + us, next = now;

	while (next < end) {
		next = end;
		for (unsigned int i = 0; i < nr_fake; i++)
			next = min(next, next_step(&fake[i]));
		now = next;
		for (unsigned int i = 0; i < nr_fake; i++)
			if (!fake[i].parked && !fake[i].cpu &&
			    fake[i].start_at <= now)
				play(&fake[i]);
	}
}

/* ---- making machines ---- */

static inline void to_console(const char *s, size_t n)
{
	collect_write(&console.printer, s, n);
}

static inline unsigned int said(const char *text)
{
	return collect_count(&console, text);
}

static inline int start(void **state)
{
	(void)state;
	memset(ap_slots, 0, sizeof(ap_slots));
	memset(cpus, 0, sizeof(cpus));
	memset(&acpi_madt, 0, sizeof(acpi_madt));
	nr_ap_slots = 0;
	nr_running = 1;
	nr_fake = 0;
	now = 0;
	my_id = 0;
	x2apic = has_x2apic = false;
	stacks_left = NR_CPUS;
	boot_cr3 = 0x1000;
	nr_init_calls = 0;
	host_memory = malloc(PAGE_SIZE);
	collect_reset(&console);
	printk_set_sink(to_console);
	return 0;
}

static inline int end(void **state)
{
	(void)state;
	free(host_memory);
	return 0;
}

static inline void add_me(void)
{
	acpi_madt.apic_id[acpi_madt.nr++] = my_id;
}

static inline struct fake *add(u32 apic_id, enum manner manner)
{
	struct fake *f = &fake[nr_fake++];

	acpi_madt.apic_id[acpi_madt.nr++] = apic_id;
	*f = (struct fake){
		.apic_id = apic_id,
		.manner = manner,
		.takes = 100,
		.init_at = NEVER,
		.start_at = NEVER,
	};
	return f;
}

/* Those of @fake that came online are the CPUs 1.., in the same order. */
static inline void assert_running(unsigned int nr)
{
	unsigned int next = 1;

	assert_int_equal(nr_cpus(), nr);
	for (unsigned int i = 0; i < nr_fake; i++) {
		struct cpu *cpu = &cpus[next];

		if (!fake[i].cpu || !fake[i].cpu->online)
			continue;
		assert_ptr_equal(fake[i].cpu, cpu);
		assert_int_equal(cpu->id, next);
		assert_int_equal(cpu->apic_id, fake[i].apic_id);
		assert_int_equal(cpu->node, fake[i].apic_id % 7);
		next++;
	}
	assert_int_equal(next, nr);
}

#endif /* TESTS_UNIT_FAKE_CPUS_H */
