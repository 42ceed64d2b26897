/* SPDX-License-Identifier: MIT */
/*
 * The console registry and its log.
 *
 * One registry for the whole program: each test goes on from the last one, and
 * a panic cannot be taken back.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <asm/machine.h>
#include "arch/x86/console.h"
#include "lib/printk.h"
#include "tests/unit/collect.h"

#define MAX	(2 * CONSOLE_LOG)

/* A console that keeps what it is given. */
struct screen {
	struct console con;
	size_t n;
	char text[MAX];
};

static void screen_write(struct console *con, const char *text, size_t n)
{
	struct screen *s = container_of(con, struct screen, con);

	assert_true(n < sizeof(s->text) - s->n);
	memcpy(s->text + s->n, text, n);
	s->n += n;
	s->text[s->n] = '\0';
}

static struct screen early, late, wrapped, in_panic;

static void screen_add(struct screen *s, const char *name)
{
	snprintf(s->con.name, sizeof(s->con.name), "%s", name);
	s->con.write = screen_write;
	console_register(&s->con);
}

static bool shows(const struct screen *s, const char *text)
{
	return strstr(s->text, text);
}

static void text_before_any_console_is_kept(void **state)
{
	char buf[64];
	u64 pos = 0;
	size_t n;

	(void)state;
	console_init();
	printk("first line\n");
	printk("second %d\n", 2);
	n = console_log_read(&pos, buf, sizeof(buf));
	assert_int_equal(n, 20);
	assert_memory_equal(buf, "first line\nsecond 2\n", 20);
	assert_int_equal(console_log_read(&pos, buf, sizeof(buf)), 0);
	assert_int_equal(printk_dropped(), 0);
}

static void a_console_gets_the_log_so_far_first(void **state)
{
	(void)state;
	screen_add(&early, "early");
	assert_int_equal(early.n, 20);
	assert_memory_equal(early.text, "first line\nsecond 2\n", 20);
	printk("third\n");
	screen_add(&late, "late");
	assert_int_equal(late.n, early.n);
	assert_memory_equal(late.text, early.text, early.n);
}

static void all_consoles_get_the_same_text(void **state)
{
	(void)state;
	printk("for both\n");
	assert_int_equal(late.n, early.n);
	assert_memory_equal(late.text, early.text, early.n);
	assert_true(shows(&late, "third\nfor both\n"));
}

static void registering_twice_changes_nothing(void **state)
{
	size_t n = early.n;

	(void)state;
	console_register(&early.con);
	assert_int_equal(early.n, n);
	printk("once\n");
	assert_int_equal(early.n, n + 5);
}

static void what_consoles_dropped_is_listed(void **state)
{
	struct collector c;

	(void)state;
	collect_reset(&c);
	consoles_show_dropped(&c.printer);
	assert_string_equal(c.text, "");
	late.con.nr_dropped = 7;
	snprintf(late.con.detail, sizeof(late.con.detail), "9600 baud");
	consoles_show_dropped(&c.printer);
	assert_string_equal(c.text, "console late: 7 bytes dropped\n");
	collect_reset(&c);
	consoles_show(&c.printer);
	assert_string_equal(c.text, "early: 0 bytes dropped\n"
			    "late: 9600 baud, 7 bytes dropped\n"
			    "log: 40 bytes kept, 0 dropped\n");
}

/* What a fault in a console's driver would do. */
static void screen_crash(struct console *con, const char *text, size_t n)
{
	con->write = screen_write;
	screen_write(con, text, n);
	console_panic();
	printk("oops\n");
}

static void a_panic_prints_though_the_lock_is_held(void **state)
{
	(void)state;
	screen_add(&in_panic, "panic");
	in_panic.con.write = screen_crash;
	printk("bad luck\n");
	assert_true(shows(&early, "oops\n"));
	assert_true(shows(&in_panic, "bad luck\noops\n"));
	printk("after\n");
	assert_true(shows(&late, "after\n"));
}

static void the_log_keeps_the_last_bytes_counts_the_rest(void **state)
{
	static char all[MAX];
	size_t n = 0;
	u64 pos = 0;

	(void)state;
	early.n = late.n = in_panic.n = 0;
	while (n < CONSOLE_LOG + 1000) {
		char line[32];

		n += (size_t)snprintf(line, sizeof(line), "line %zu\n", n);
		printk("%s", line);
	}
	screen_add(&wrapped, "wrapped");
	assert_true(!strncmp(wrapped.text, "[the first ", 11));
	n = early.n;
	assert_memory_equal(wrapped.text + wrapped.n - CONSOLE_LOG,
			    early.text + n - CONSOLE_LOG, CONSOLE_LOG);
	for (size_t len = 0, got = 1; got; len += got) {
		got = console_log_read(&pos, all + len, 1000);
		if (!got)
			assert_int_equal(len, CONSOLE_LOG);
	}
	assert_memory_equal(all, early.text + n - CONSOLE_LOG, CONSOLE_LOG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_before_any_console_is_kept),
		cmocka_unit_test(a_console_gets_the_log_so_far_first),
		cmocka_unit_test(all_consoles_get_the_same_text),
		cmocka_unit_test(registering_twice_changes_nothing),
		cmocka_unit_test(what_consoles_dropped_is_listed),
		cmocka_unit_test(a_panic_prints_though_the_lock_is_held),
		cmocka_unit_test(the_log_keeps_the_last_bytes_counts_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
