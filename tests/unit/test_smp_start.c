/* SPDX-License-Identifier: MIT */
/*
 * Starting CPUs that behave, and CPUs that do not, on a clock that only
 * udelay() moves.
 *
 * smp_start() runs once in the life of a kernel; its file is included, so that
 * each test starts with a fresh one.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
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
static struct fake *target(u32 apic_id)
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
static void find_slot(struct fake *f)
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
static void play(struct fake *f)
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
static u64 next_step(const struct fake *f)
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

static void to_console(const char *s, size_t n)
{
	collect_write(&console.printer, s, n);
}

static unsigned int said(const char *text)
{
	unsigned int nr = 0;

	for (const char *p = console.text; (p = strstr(p, text)); p++)
		nr++;
	return nr;
}

static int start(void **state)
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

static int end(void **state)
{
	(void)state;
	free(host_memory);
	return 0;
}

static void add_me(void)
{
	acpi_madt.apic_id[acpi_madt.nr++] = my_id;
}

static struct fake *add(u32 apic_id, enum manner manner)
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
static void assert_running(unsigned int nr)
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

/* ---- CPUs that come ---- */

static void cpus_are_numbered_in_the_order_of_the_table(void **state)
{
	(void)state;
	my_id = 6;
	add(16, PROMPT);
	add(3, PROMPT);
	add_me();
	add(254, PROMPT);
	add(0, PROMPT);
	assert_int_equal(smp_start(PAGE), 5);
	assert_running(5);
	assert_int_equal(cpus[0].node, 6);
	assert_int_equal(nr_init_calls, 1);
	assert_true(now < 20000);
	assert_string_equal(console.text, "");
	for (unsigned int i = 0; i < nr_fake; i++)
		assert_int_equal(fake[i].nr_startup, 1);
}

static void the_slowest_of_a_batch_may_answer_first(void **state)
{
	(void)state;
	add_me();
	for (u32 i = 1; i < 20; i++)
		add(i, PROMPT)->takes = 40000 - i * 1000;
	assert_int_equal(smp_start(PAGE), 20);
	assert_running(20);
	assert_true(now < 100000);
}

static void one_that_misses_the_first_startup_gets_a_second(void **state)
{
	(void)state;
	add_me();
	add(1, PROMPT);
	add(2, SECOND);
	assert_int_equal(smp_start(PAGE), 3);
	assert_running(3);
	assert_int_equal(fake[0].nr_startup, 1);
	assert_int_equal(fake[1].nr_startup, 2);
	assert_true(now < 20000);
}

static void a_full_machine_starts_in_16_batches(void **state)
{
	(void)state;
	has_x2apic = true;
	add_me();
	for (u32 i = 1; i < NR_CPUS; i++)
		add(i * 3, PROMPT);
	assert_int_equal(smp_start(PAGE), NR_CPUS);
	assert_running(NR_CPUS);
	assert_true(now < 16 * 12000);
	for (u32 i = 1; i < NR_CPUS - 1; i++)
		assert_int_equal(fake[i].init_at == fake[i - 1].init_at,
				 i % BATCH != 0);
	for (u32 i = 0; i < nr_fake; i++) {
		u64 stacks = fake[i].slot->stacks;

		assert_int_equal(stacks, STACKS + (i + 1) * NR_STACKS *
				 STACK_SPAN);
		assert_int_equal(fake[i].slot->stack, stacks + STACK_SPAN);
	}
}

static void the_boot_cpu_may_be_missing_in_a_full_table(void **state)
{
	(void)state;
	has_x2apic = true;
	my_id = 1000;
	for (u32 i = 0; i < NR_CPUS; i++) {
		if (i < NR_CPUS - 1)
			add(i, PROMPT);
		else
			acpi_madt.apic_id[acpi_madt.nr++] = i;
	}
	assert_int_equal(smp_start(PAGE), NR_CPUS);
	assert_running(NR_CPUS);
	assert_int_equal(said("smp: more than 512 CPUs"), 1);
}

static void the_only_entry_may_be_of_another_cpu(void **state)
{
	(void)state;
	my_id = 4;
	add(0, PROMPT);
	assert_int_equal(smp_start(PAGE), 2);
	assert_running(2);
}

static void one_cpu_or_no_table_needs_no_trampoline(void **state)
{
	(void)state;
	assert_int_equal(smp_start(0), 1);
	add_me();
	assert_int_equal(smp_start(0), 1);
	assert_int_equal(now, 0);
	assert_string_equal(console.text, "");
}

/* ---- CPUs that do not ---- */

static void one_that_never_answers_is_said_and_left_out(void **state)
{
	(void)state;
	add_me();
	add(1, PROMPT);
	add(2, SILENT);
	add(3, PROMPT);
	assert_int_equal(smp_start(PAGE), 3);
	assert_running(3);
	assert_int_equal(said("smp: the CPU with APIC ID 2 does not answer"),
			 1);
	assert_int_equal(said("\n"), 1);
	assert_int_equal(ap_slots[1].state, AP_GIVEN_UP);
	assert_null(ap_slots[1].cpu);
	assert_true(now < 2 * SECOND_US);
}

static void one_that_comes_late_stays_asleep(void **state)
{
	static const u64 takes[] = { 1020000, 20000000 };

	for (u32 i = 0; i < ARRAY_SIZE(takes); i++) {
		start(state);
		add_me();
		add(1, PROMPT)->takes = takes[i];
		for (u32 id = 2; id < 40; id++)
			add(id, PROMPT);
		assert_int_equal(smp_start(PAGE), 39);
		udelay(30 * SECOND_US);
		assert_int_equal(fake[0].nr_startup, 2);
		assert_ptr_equal(fake[0].slot, &ap_slots[0]);
		assert_true(fake[0].parked);
		assert_int_equal(ap_slots[0].state, AP_GIVEN_UP);
		assert_null(ap_slots[0].cpu);
		assert_int_equal(nr_cpus(), 39);
		assert_running(39);
		end(state);
	}
}

static void news_of_others_keeps_the_wait_alive(void **state)
{
	(void)state;
	add_me();
	for (u32 i = 1; i < 6; i++)
		add(i, PROMPT)->takes = i * 900000;
	assert_int_equal(smp_start(PAGE), 6);
	assert_running(6);
	assert_string_equal(console.text, "");
}

static void another_apic_mode_is_said(void **state)
{
	(void)state;
	add_me();
	/* The last one says so just after it came. */
	add(1, OTHER_MODE);
	add(2, PROMPT);
	add(3, OTHER_MODE)->takes = 5000;
	for (u32 i = 4; i < 40; i++)
		add(i, PROMPT);
	assert_int_equal(smp_start(PAGE), 38);
	assert_running(38);
	assert_int_equal(said("1 has its APIC in x2APIC mode"), 1);
	assert_int_equal(said("3 has its APIC in x2APIC mode"), 1);
	assert_int_equal(said("\n"), 2);
	assert_null(ap_slots[0].cpu);
	assert_null(ap_slots[2].cpu);
	assert_true(now < 100000);
}

static void one_that_comes_and_is_never_online_ends_it(void **state)
{
	(void)state;
	add_me();
	add(1, PROMPT);
	add(2, STUCK);
	for (u32 i = 3; i < 40; i++)
		add(i, PROMPT);
	assert_int_equal(smp_start(PAGE), 2);
	assert_int_equal(nr_cpus(), 2);
	assert_int_equal(said("smp: CPU 2 started and then stopped"), 1);
	assert_true(now < 2 * SECOND_US);
	/* Those of later batches were not even woken. */
	assert_int_equal(fake[BATCH].init_at, NEVER);
	assert_int_equal(cpus[1].apic_id, 1);
}

static void a_machine_of_silent_cpus_takes_bounded_time(void **state)
{
	(void)state;
	has_x2apic = true;
	add_me();
	for (u32 i = 1; i < NR_CPUS; i++)
		add(i, SILENT);
	assert_int_equal(smp_start(PAGE), 1);
	assert_running(1);
	assert_true(now <= BOUND_US);
	for (u32 i = 0; i < nr_ap_slots; i++)
		assert_int_equal(ap_slots[i].state, AP_GIVEN_UP);
	assert_int_equal(nr_ap_slots, NR_CPUS - 1);
}

/* One more in each second, so that there are always news. */
static void a_machine_of_slow_cpus_takes_bounded_time(void **state)
{
	(void)state;
	has_x2apic = true;
	add_me();
	for (u32 i = 1; i < NR_CPUS; i++)
		add(i, PROMPT)->takes = i % BATCH * 900000;
	smp_start(PAGE);
	assert_true(now <= BOUND_US);
	assert_running(nr_cpus());
	assert_true(nr_cpus() > 16);
	udelay(60 * SECOND_US);
	assert_running(nr_cpus());
}

/* ---- modes, memory, trampoline ---- */

static void wide_ids_raise_the_mode(void **state)
{
	(void)state;
	has_x2apic = true;
	add_me();
	add(1, PROMPT);
	add(255, PROMPT);
	add(0x12345, PROMPT);
	assert_int_equal(smp_start(PAGE), 4);
	assert_true(x2apic);
	assert_running(4);
}

static void small_ids_leave_the_mode(void **state)
{
	(void)state;
	has_x2apic = true;
	add_me();
	add(254, PROMPT);
	assert_int_equal(smp_start(PAGE), 2);
	assert_false(x2apic);
}

static void wide_ids_without_x2apic_are_said_and_left_out(void **state)
{
	(void)state;
	add_me();
	add(1, PROMPT);
	add(255, PROMPT);
	add(2, PROMPT);
	add(256, PROMPT);
	assert_int_equal(smp_start(PAGE), 3);
	assert_running(3);
	assert_int_equal(said("APIC ID 255 is out of reach"), 1);
	assert_int_equal(said("APIC ID 256 is out of reach"), 1);
	assert_int_equal(fake[1].init_at, NEVER);
	assert_int_equal(fake[3].init_at, NEVER);
}

static void without_memory_for_stacks_the_rest_is_left_out(void **state)
{
	(void)state;
	stacks_left = 2;
	add_me();
	for (u32 i = 1; i < 6; i++)
		add(i, PROMPT);
	assert_int_equal(smp_start(PAGE), 3);
	assert_running(3);
	assert_int_equal(said("no memory for the stacks of the CPU with APIC ID 3"),
			 1);
	assert_int_equal(fake[2].init_at, NEVER);

	end(state);
	start(state);
	stacks_left = 0;
	add_me();
	add(1, PROMPT);
	assert_int_equal(smp_start(PAGE), 1);
	assert_int_equal(now, 0);
}

static void an_unusable_trampoline_means_one_cpu(void **state)
{
	static const phys_addr_t bad[] = {
		0, 0x8001, 0xa0000, 0x100000, 1ULL << 32, ~0ULL << 12,
	};

	for (u32 i = 0; i <= ARRAY_SIZE(bad); i++) {
		start(state);
		add_me();
		add(1, PROMPT);
		if (i == ARRAY_SIZE(bad))
			boot_cr3 = 1ULL << 32;
		assert_int_equal(smp_start(i == ARRAY_SIZE(bad) ? PAGE :
					   bad[i]), 1);
		assert_int_equal(said("one CPU only\n"), 1);
		assert_int_equal(now, 0);
		end(state);
	}
}

static void the_trampoline_gets_code_and_parameters(void **state)
{
	struct ap_params params;

	(void)state;
	add_me();
	add(1, PROMPT);
	assert_int_equal(smp_start(PAGE), 2);
	for (u32 i = 0; i < 100; i++)
		assert_int_equal(host_memory[i], 0xf4);
	memcpy(&params, host_memory + 100, sizeof(params));
	assert_int_equal(params.boot_cr3, 0x1000);
	assert_int_equal(params.kernel_cr3, 0x123456000);
	assert_int_equal(params.entry, (u64)ap_entry);
}

#define test(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(cpus_are_numbered_in_the_order_of_the_table),
		test(the_slowest_of_a_batch_may_answer_first),
		test(one_that_misses_the_first_startup_gets_a_second),
		test(a_full_machine_starts_in_16_batches),
		test(the_boot_cpu_may_be_missing_in_a_full_table),
		test(the_only_entry_may_be_of_another_cpu),
		test(one_cpu_or_no_table_needs_no_trampoline),
		test(one_that_never_answers_is_said_and_left_out),
		cmocka_unit_test(one_that_comes_late_stays_asleep),
		test(news_of_others_keeps_the_wait_alive),
		test(another_apic_mode_is_said),
		test(one_that_comes_and_is_never_online_ends_it),
		test(a_machine_of_silent_cpus_takes_bounded_time),
		test(a_machine_of_slow_cpus_takes_bounded_time),
		test(wide_ids_raise_the_mode),
		test(small_ids_leave_the_mode),
		test(wide_ids_without_x2apic_are_said_and_left_out),
		test(without_memory_for_stacks_the_rest_is_left_out),
		cmocka_unit_test(an_unusable_trampoline_means_one_cpu),
		test(the_trampoline_gets_code_and_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
