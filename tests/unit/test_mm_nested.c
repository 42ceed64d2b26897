/* SPDX-License-Identifier: MIT */
/*
 * An interrupt between any two instructions: the processor's trap flag stops
 * the program after each, and where interrupts are on, one comes that
 * allocates and frees itself.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <asm/irqflags.h>
#include "tests/unit/host_memory.h"
#include "tests/unit/mm_state.h"

#define TRAP_FLAG	0x100
#define NR_HELD		8

/* Owner: the handler. */
static volatile unsigned long nr_stops, nr_interrupts;
static struct page *held[NR_HELD];
static unsigned int nr_held;
static unsigned int irq_order;

/* Sometimes more is taken than given, so that lists run empty and full. */
static void interrupt(void)
{
	unsigned long n = ++nr_interrupts;
	struct page *page = alloc_pages(GFP_ATOMIC | __GFP_NOWARN, irq_order);
	void *obj = kmalloc(40, GFP_ATOMIC | __GFP_NOWARN);

	kfree(obj);
	if (n / NR_HELD % 2 == 0 && page && nr_held < NR_HELD) {
		held[nr_held++] = page;
		return;
	}
	if (page)
		__free_pages(page, irq_order);
	if (nr_held)
		__free_pages(held[--nr_held], irq_order);
}

static void on_trap(int sig)
{
	(void)sig;
	nr_stops++;
	if (host_irqs_off)
		return;
	host_irqs_off = 1;	/* as an interrupt gate does */
	interrupt();
	host_irqs_off = 0;
}

static inline void step_on(void)
{
	__asm__ volatile("subq $128, %%rsp; pushfq; orq %0, (%%rsp); popfq; addq $128, %%rsp"
			 : : "i"(TRAP_FLAG) : "memory", "cc");
}

static inline void step_off(void)
{
	__asm__ volatile("subq $128, %%rsp; pushfq; andq %0, (%%rsp); popfq; addq $128, %%rsp"
			 : : "i"(~TRAP_FLAG) : "memory", "cc");
}

static void use_pages(unsigned int order, unsigned int nr)
{
	struct page *mine[100];

	for (unsigned int i = 0; i < nr; i++) {
		mine[i] = alloc_pages(NOWARN, order);
		if (mine[i])
			*(u64 *)page_address(mine[i]) = i;
	}
	for (unsigned int i = 0; i < nr; i++) {
		if (!mine[i])
			continue;
		assert_int_equal(*(u64 *)page_address(mine[i]), i);
		__free_pages(mine[i], order);
	}
}

static void step_through(unsigned int order, unsigned int nr)
{
	static struct mm_state start, end;

	nr_stops = nr_interrupts = 0;
	irq_order = order;
	mm_state_read(&start);
	step_on();
	use_pages(order, nr);
	step_off();
	while (nr_held)
		__free_pages(held[--nr_held], irq_order);
	mm_state_read(&end);
	assert_memory_equal(&start, &end, sizeof(start));
	assert_true(nr_stops > 50ul * nr);
	assert_true(nr_interrupts > 10ul * nr);
	assert_true(nr_interrupts < nr_stops);
	assert_int_equal(mm_nr_refused(), 0);
}

static void single_pages_stand_an_interrupt_at_any_instruction(void **state)
{
	(void)state;
	step_through(0, 100);
}

static void blocks_stand_an_interrupt_at_any_instruction(void **state)
{
	(void)state;
	step_through(3, 50);
}

static void objects_stand_an_interrupt_at_any_instruction(void **state)
{
	static struct mm_state start, end;
	u64 *mine[100];

	(void)state;
	mm_state_read(&start);
	nr_interrupts = 0;
	irq_order = 0;
	step_on();
	for (unsigned int i = 0; i < 100; i++) {
		mine[i] = kmalloc(40, GFP_KERNEL);
		mine[i][0] = i;
	}
	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(mine[i][0], i);
		kfree(mine[i]);
	}
	step_off();
	while (nr_held)
		__free_pages(held[--nr_held], irq_order);
	mm_state_read(&end);
	assert_memory_equal(&start, &end, sizeof(start));
	assert_true(nr_interrupts > 1000);
	assert_int_equal(mm_nr_refused(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			single_pages_stand_an_interrupt_at_any_instruction),
		cmocka_unit_test(blocks_stand_an_interrupt_at_any_instruction),
		cmocka_unit_test(objects_stand_an_interrupt_at_any_instruction),
	};
	struct sigaction action = { .sa_handler = on_trap };

	/* A small machine has short lists, which run empty and full. */
	host_pages_init(4 << 20, 0x100000000ULL);
	if (sigaction(SIGTRAP, &action, NULL))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
