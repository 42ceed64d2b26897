/* SPDX-License-Identifier: MIT */
/*
 * Starting CPUs that behave, and CPUs that do not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/fake_cpus.h"

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
	assert_int_equal(said("stacks of the CPU with APIC ID 3"), 1);
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
