/* SPDX-License-Identifier: MIT */
/*
 * Several CPUs at once, each a thread, under ThreadSanitizer: blocks wander
 * between the CPUs, and a block that two free at the same time is freed once.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <asm/percpu.h>
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/mm_state.h"

#define CPUS		4
#define NR_OPS		2000	/* the lock is fair: a turn may take a time slice */
#define NR_SHARED	256
#define NR_DOUBLE	1000

/* Blocks on their way from one CPU to another; order in private. */
static struct page *shared[NR_SHARED];
static struct page *doubled[NR_DOUBLE];
static pthread_barrier_t barrier_both;

static void free_shared(struct page *page)
{
	unsigned int order = (unsigned int)page->private;
	u64 *mem = page_address(page);

	assert_int_equal(*mem, (uintptr_t)page);
	__free_pages(page, order);
}

static void *exchange(void *arg)
{
	u64 seed = 77 + (uintptr_t)arg;

	host_cpu = (unsigned int)(uintptr_t)arg;
	for (int i = 0; i < NR_OPS; i++) {
		unsigned int order = random_u64(&seed) % 4 ? 0 :
				     (unsigned int)(random_u64(&seed) % 6);
		struct page *page = alloc_pages(NOWARN, order), *old;
		void *obj = i % 8 ? NULL : kmalloc(i % 3000 + 1, NOWARN);

		if (page) {
			page->private = order;
			*(u64 *)page_address(page) = (uintptr_t)page;
		}
		old = __atomic_exchange_n(&shared[random_u64(&seed) %
						  NR_SHARED], page,
					  __ATOMIC_ACQ_REL);
		if (old)
			free_shared(old);
		kfree(obj);
		if (i % 100 == 0)
			mm_stats();
	}
	return NULL;
}

static void run_on_all(void *(*fn)(void *arg), unsigned int nr)
{
	pthread_t thread[CPUS];

	for (uintptr_t cpu = 0; cpu < nr; cpu++)
		assert_int_equal(pthread_create(&thread[cpu], NULL, fn,
						(void *)cpu), 0);
	for (unsigned int cpu = 0; cpu < nr; cpu++)
		pthread_join(thread[cpu], NULL);
}

static void blocks_wander_between_cpus_and_all_come_back(void **state)
{
	static struct mm_state start, end;

	(void)state;
	mm_state_read(&start);
	run_on_all(exchange, CPUS);
	for (unsigned int i = 0; i < NR_SHARED; i++)
		if (shared[i])
			free_shared(shared[i]);
	mm_state_read(&end);
	assert_memory_equal(&start, &end, sizeof(start));
	assert_int_equal(mm_nr_refused(), 0);
}

static void *free_all(void *arg)
{
	host_cpu = (unsigned int)(uintptr_t)arg;
	for (int i = 0; i < NR_DOUBLE; i++) {
		if (i % 10 == 0)
			pthread_barrier_wait(&barrier_both);
		__free_pages(doubled[i], 0);
	}
	return NULL;
}

static void of_two_frees_at_once_one_is_refused(void **state)
{
	static struct mm_state start, end;
	u64 refused = mm_nr_refused();

	(void)state;
	mm_state_read(&start);
	for (int i = 0; i < NR_DOUBLE; i++) {
		doubled[i] = alloc_pages(NOWARN, 0);
		assert_non_null(doubled[i]);
	}
	pthread_barrier_init(&barrier_both, NULL, 2);
	run_on_all(free_all, 2);
	pthread_barrier_destroy(&barrier_both);
	mm_state_read(&end);
	assert_memory_equal(&start, &end, sizeof(start));
	assert_int_equal(mm_nr_refused(), refused + NR_DOUBLE);
}

static void *take_one(void *arg)
{
	host_cpu = (unsigned int)(uintptr_t)arg;
	__free_pages(alloc_pages(NOWARN, 0), 0);
	return NULL;
}

/* Pages that another CPU holds come back when it next frees one. */
static void a_failure_asks_the_other_cpus_for_their_pages(void **state)
{
	struct page *first = NULL, *page;
	u64 nr_pcp;

	(void)state;
	page_drain_all();
	run_on_all(take_one, 3);
	nr_pcp = mm_stats().nr_pcp;
	assert_true(nr_pcp > 0);
	while ((page = alloc_pages(NOWARN, 0))) {
		page->lru.next = (void *)first;
		first = page;
	}
	nr_pcp = mm_stats().nr_pcp;	/* those of CPUs 1 and 2 are left */
	assert_int_equal(mm_stats().nr_free, nr_pcp);
	assert_true(nr_pcp > 0);
	run_on_all(take_one, 3);
	assert_int_equal(mm_stats().nr_pcp, 0);
	while ((page = first)) {
		first = (void *)page->lru.next;
		__free_pages(page, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_wander_between_cpus_and_all_come_back),
		cmocka_unit_test(of_two_frees_at_once_one_is_refused),
		cmocka_unit_test(
			a_failure_asks_the_other_cpus_for_their_pages),
	};

	host_nr_cpus = CPUS;
	host_pages_init(32 << 20, 0x100000000ULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
