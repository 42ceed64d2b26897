/* SPDX-License-Identifier: MIT */
/*
 * Memory on the console: what the files say and take.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/err.h"
#include "lib/shell.h"
#include "mm/console.h"
#include "mm/fault.h"
#include "tests/unit/collect.h"
#include "tests/unit/host_memory.h"
#include "tests/unit/mm_state.h"

static struct collector out;

static int run(const char *line)
{
	struct shell sh = { .out = &out.printer, .name = "test" };

	collect_reset(&out);
	return shell_run_line(&sh, line);
}

static void fault_injection_is_switched_by_files(void **state)
{
	(void)state;
	assert_int_equal(run("echo 2 > fail_page_alloc/nth"), 0);
	assert_int_equal(run("cat fail_page_alloc/nth"), 0);
	assert_string_equal(out.text, "2\n");
	__free_pages(alloc_pages(NOWARN, 0), 0);
	assert_null(alloc_pages(NOWARN, 0));
	__free_pages(alloc_pages(NOWARN, 0), 0);

	assert_int_equal(run("echo 100 > failslab/probability"), 0);
	assert_int_equal(run("echo -1 > failslab/times"), 0);
	assert_int_equal(run("cat failslab/times"), 0);
	assert_string_equal(out.text, "-1\n");
	for (int i = 0; i < 10; i++)
		assert_null(kmalloc(8, NOWARN));
	assert_int_equal(run("echo 0 > failslab/probability"), 0);
	kfree(kmalloc(8, NOWARN));
	assert_int_equal(run("echo 9 > failslab/seed"), 0);
	assert_int_equal(fault_get(&failslab, FAULT_SEED), 9);
	fault_reset(&failslab);
}

static void values_that_cannot_be_are_refused(void **state)
{
	(void)state;
	assert_int_equal(run("echo 101 > fail_page_alloc/probability"),
			 -ERANGE);
	assert_int_equal(run("echo many > fail_page_alloc/nth"), -EINVAL);
	assert_int_equal(run("echo -1 > fail_page_alloc/nth"), -EINVAL);
	assert_int_equal(run("echo > fail_page_alloc/seed"), -EINVAL);
	assert_int_equal(fault_get(&fail_page_alloc, FAULT_NTH), 0);
	assert_int_equal(fault_get(&fail_page_alloc, FAULT_PROBABILITY), 0);
}

static void the_files_of_mm_say_what_there_is(void **state)
{
	struct page_stats stats;
	char line[64];

	(void)state;
	page_drain_all();
	page_stats_read(&stats);
	assert_int_equal(run("cat mm/stats"), 0);
	scnprintf(line, sizeof(line), "pages %llu\nfree %llu\n",
		  (unsigned long long)stats.nr_total,
		  (unsigned long long)stats.nr_free);
	assert_memory_equal(out.text, line, strlen(line));

	assert_int_equal(run("cat mm/buddyinfo"), 0);
	assert_memory_equal(out.text, "Node 0, zone   Normal ", 22);
	assert_null(strstr(out.text, "DMA32"));
	assert_int_equal(strchr(out.text, '\n') - out.text, 22 + 16 * 7);

	assert_int_equal(run("cat mm/leaks"), 0);
	assert_non_null(strstr(out.text, "not a debug build"));
}

static void bench_mm_measures_a_pair(void **state)
{
	(void)state;
	assert_int_equal(run("bench-mm"), 0);
	assert_non_null(strstr(out.text, "ticks a pair"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fault_injection_is_switched_by_files),
		cmocka_unit_test(values_that_cannot_be_are_refused),
		cmocka_unit_test(the_files_of_mm_say_what_there_is),
		cmocka_unit_test(bench_mm_measures_a_pair),
	};

	if (shell_init() || mm_console_init())
		return 1;
	return cmocka_run_group_tests(tests, host_pages_group_setup,
				      host_pages_group_teardown);
}
