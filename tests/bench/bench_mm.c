/* SPDX-License-Identifier: MIT */
/*
 * Counts the instructions of an order-0 allocate and free pair exactly: the
 * trap flag stops the program after each.
 *
 * mm/ is built with the kernel's flags, less what only a kernel can have
 * (BENCH_CFLAGS in the Makefile), with its checks on and the interrupt flag as
 * tests/bench/include/asm/irqflags.h says.
 */
#include <signal.h>
#include <stdio.h>

#include "mm/page.h"
#include "tests/unit/host_memory.h"

#define LIMIT		100
#define NR_PAIRS	1000
#define TRAP_FLAG	0x100

static volatile unsigned long nr_steps;

/* The stack protector's canary of the kernel's flags. */
extern unsigned long __stack_chk_guard;
unsigned long __stack_chk_guard = 0x5a5a0000;

static void on_trap(int sig)
{
	(void)sig;
	nr_steps++;
}

static ALWAYS_INLINE void step_on(void)
{
	__asm__ volatile("subq $128, %%rsp; pushfq; orq %0, (%%rsp); popfq; addq $128, %%rsp"
			 : : "i"(TRAP_FLAG) : "memory", "cc");
}

static ALWAYS_INLINE void step_off(void)
{
	__asm__ volatile("subq $128, %%rsp; pushfq; andq %0, (%%rsp); popfq; addq $128, %%rsp"
			 : : "i"(~TRAP_FLAG) : "memory", "cc");
}

static unsigned long steps_empty(void)
{
	nr_steps = 0;
	step_on();
	step_off();
	return nr_steps;
}

/* Return: 0 when there was no page. */
static unsigned long steps_pair(void)
{
	struct page *page;

	nr_steps = 0;
	step_on();
	page = alloc_pages(GFP_KERNEL, 0);
	__free_pages(page, 0);
	step_off();
	return page ? nr_steps - steps_empty() : 0;
}

/* Steps are counted at all: a known number of them is found. */
static int counts_right(void)
{
	nr_steps = 0;
	step_on();
	__asm__ volatile(".rept 50; nop; .endr");
	step_off();
	return nr_steps - steps_empty() == 50;
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_trap };
	unsigned long least = ~0ul, most = 0;

	host_pages_init(128u << 20, 0x100000000ULL);
	if (sigaction(SIGTRAP, &action, NULL) || !counts_right()) {
		puts("bench-mm: instructions cannot be counted here");
		return 1;
	}
	for (int i = 0; i < NR_PAIRS; i++) {
		unsigned long steps = steps_pair();

		if (!steps) {
			puts("bench-mm: no page");
			return 1;
		}
		least = min(least, steps);
		most = max(most, steps);
	}
	printf("bench-mm: %d pairs, the longest %lu instructions (it fills the list)\n",
	       NR_PAIRS, most);
	printf("figure: mm_pair_instructions_host = %lu (required <= %d)\n",
	       least, LIMIT);
	return least <= LIMIT ? 0 : 1;
}
