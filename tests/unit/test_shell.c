/* SPDX-License-Identifier: MIT */
/*
 * The rc language over a small console tree, and its error log.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lib/err.h"
#include "lib/errlog.h"
#include "lib/shell.h"
#include "lib/tree.h"
#include "tests/unit/collect.h"

static struct collector out;
static struct shell sh = { .out = &out.printer, .name = "test.rc" };

/* The file "file" keeps what was written; '!' in it is refused. */
static char value[SHELL_MAX_LINE + 1];
static bool appended;

static int file_read(struct node *node, struct printer *p)
{
	pr_to(p, "%s holds %s\n", node->name, value);
	return 0;
}

static int file_write(struct node *node, const char *val, bool append,
		      struct write_error *err)
{
	const char *bad = strchr(val, '!');

	(void)node;
	if (!strcmp(val, "nothing to say"))
		return -EBUSY;
	if (bad) {
		err->text = "No '!' here";
		err->pos = (unsigned int)(bad - val);
		return -EINVAL;
	}
	strcpy(value, val);
	appended = append;
	return 0;
}

static int failing_read(struct node *node, struct printer *p)
{
	(void)node;
	(void)p;
	return -EIO;
}

static const struct node_ops file_ops = { file_read, file_write };
static const struct node_ops read_ops = { file_read, NULL };
static const struct node_ops write_ops = { NULL, file_write };
static const struct node_ops failing_ops = { failing_read, NULL };
static struct node dir = { .name = "dir" };
static struct node file = { .name = "file", .ops = &file_ops };
static struct node ro = { .name = "ro", .ops = &read_ops };
static struct node wo = { .name = "wo", .ops = &write_ops };
static struct node failing = { .name = "broken", .ops = &failing_ops };

static u64 test_clock(void)
{
	return 1234567890;
}

/* Prints each word with its offset in the line. */
static int cmd_args(struct shell *shell, struct shell_args *args)
{
	for (int i = 1; i < args->argc; i++)
		pr_to(shell->out, "%s@%u\n", args->argv[i], args->pos[i]);
	return 0;
}

static int cmd_stop(struct shell *shell, struct shell_args *args)
{
	(void)args;
	shell->exit = true;
	return 0;
}

static int cmd_guilty(struct shell *shell, struct shell_args *args)
{
	(void)shell;
	return shell_fail(args, 2, "Not this", -ERANGE);
}

static struct command commands[] = {
	{ .name = "args", .usage = "args", .help = "", .run = cmd_args },
	{ .name = "stop", .usage = "stop", .help = "", .run = cmd_stop },
	{ .name = "guilty", .usage = "guilty", .help = "", .run = cmd_guilty },
};

static int build_tree(void **state)
{
	(void)state;
	errlog_set_clock(test_clock);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (command_register(&commands[i]))
			return -1;
	return shell_init() || errlog_init() || tree_add(NULL, &dir) ||
	       tree_add(&dir, &wo) || tree_add(&dir, &file) ||
	       tree_add(&dir, &failing) || tree_add(&dir, &ro);
}

static int start(void **state)
{
	(void)state;
	collect_reset(&out);
	errlog_clear();
	strcpy(value, "unwritten");
	sh.line = 1;
	sh.nr_errors = 0;
	sh.exit = false;
	return 0;
}

static unsigned int run(const char *text)
{
	return shell_run_script(&sh, text, strlen(text));
}

static void prints(const char *line, const char *want)
{
	start(NULL);
	assert_int_equal(shell_run_line(&sh, line), 0);
	assert_string_equal(out.text, want);
}

static void prints_log(const char *want)
{
	char *text = out.text;

	collect_reset(&out);
	errlog_print(&out.printer);
	assert_string_equal(text, want);
	collect_reset(&out);
	assert_int_equal(shell_run_line(&sh, "cat error_log"), 0);
	assert_string_equal(text, want);
}

/* @line fails; the caret stands under its byte @pos. */
static void fails(const char *line, int err, unsigned int pos,
		  const char *text)
{
	char want[2048];

	start(NULL);
	assert_int_equal(shell_run_line(&sh, line), err);
	snprintf(want, sizeof(want),
		 "[    1.234567] test.rc:1: error: %s\n"
		 "  Command: %s\n"
		 "           %*s^\n", text, line, (int)pos, "");
	assert_string_equal(out.text, want);
	assert_int_equal(sh.nr_errors, 1);
	assert_string_equal(value, "unwritten");
}

static void blanks_split_words_and_quotes_keep_them(void **state)
{
	(void)state;
	prints("echo", "\n");
	prints("  echo\ta   b ", "a b\n");
	prints("echo 'a   b' \"c  'd'\" '\"'", "a   b c  'd' \"\n");
	prints("echo a'b c'd", "ab cd\n");
	prints("echo '' x", " x\n");
	prints("echo '>' \"# no comment\"", "> # no comment\n");
	prints("args  'b c'\td", "b c@6\nd@12\n");
	fails("echo a 'b c", -EINVAL, 7, "Quote is not closed");
	fails("echo \"a'", -EINVAL, 5, "Quote is not closed");
}

static void comments_and_empty_lines_do_nothing(void **state)
{
	(void)state;
	prints("", "");
	prints("  \t ", "");
	prints("# echo a", "");
	prints("echo a # b", "a\n");
	prints("echo a#b", "a#b\n");
	prints("echo a > dir/file # b", "");
	assert_string_equal(value, "a");
}

static void echo_writes_its_words_to_a_file(void **state)
{
	(void)state;
	prints("echo a  'b  c' > dir/file", "");
	assert_string_equal(value, "a b  c");
	assert_false(appended);
	prints("echo d>>/dir/file", "");
	assert_string_equal(value, "d");
	assert_true(appended);
	prints("echo > dir/file", "");
	assert_string_equal(value, "");
	prints("echo wo > dir/wo", "");
	assert_string_equal(value, "wo");
}

static void a_redirection_has_one_value_and_one_path(void **state)
{
	(void)state;
	fails("> dir/file", -EINVAL, 0, "Nothing to write");
	fails("echo a >", -EINVAL, 8, "Path is missing");
	fails("echo a > dir/file b", -EINVAL, 18, "More than one path");
	fails("echo a > dir/file > b", -EINVAL, 18, "A second redirection");
	fails("ls > dir/file", -EINVAL, 0, "Only echo writes to files");
}

static void files_that_cannot_be_written_say_why(void **state)
{
	(void)state;
	fails("echo a > dir/none", -ENOENT, 9, "No such file");
	fails("echo a > dir/file/x", -ENOENT, 9, "No such file");
	fails("echo a > dir", -EISDIR, 9, "Is a directory");
	fails("echo a > dir/ro", -EPERM, 9, "File is read-only");
	fails("echo nothing to say > dir/file", -EBUSY, 22, "EBUSY");
}

static void the_caret_stands_under_what_a_write_refused(void **state)
{
	(void)state;
	fails("echo !x > dir/file", -EINVAL, 5, "No '!' here");
	fails("echo ab  c!d > dir/file", -EINVAL, 10, "No '!' here");
	fails("echo a 'b  !' > dir/file", -EINVAL, 11, "No '!' here");
	fails("echo a'b'\"'\"c! > dir/file", -EINVAL, 13, "No '!' here");
}

static void ls_lists_by_name_and_marks_directories(void **state)
{
	(void)state;
	prints("ls", "dir/\nerror_log\n");
	prints("ls /", "dir/\nerror_log\n");
	prints("ls dir", "broken\nfile\nro\nwo\n");
	prints("ls //dir//file", "dir/file\n");
	fails("ls dir/none", -ENOENT, 3, "No such file");
}

static void cat_prints_files_up_to_the_first_error(void **state)
{
	(void)state;
	prints("cat dir/file dir/ro",
	       "file holds unwritten\nro holds unwritten\n");
	fails("cat", -EINVAL, 0, "cat what? A path is needed");
	fails("cat dir", -EISDIR, 4, "Is a directory");
	fails("cat dir/wo", -EPERM, 4, "File is write-only");
	fails("cat dir/broken dir/ro", -EIO, 4, "EIO");
	start(state);
	assert_int_equal(shell_run_line(&sh, "cat dir/file x"), -ENOENT);
	assert_ptr_equal(strstr(out.text, "file holds"), out.text);
	assert_non_null(strstr(out.text, "cat dir/file x\n"));
}

static void commands_are_found_and_may_name_the_guilty(void **state)
{
	static struct command again = { .name = "stop" };

	(void)state;
	fails("frobnicate now", -ENOENT, 0, "No such command");
	fails("  lss", -ENOENT, 2, "No such command");
	fails("guilty a  b", -ERANGE, 10, "Not this");
	fails("guilty", -ERANGE, 0, "Not this");
	assert_int_equal(command_register(&again), -EEXIST);
	assert_int_equal(shell_init(), 0);
	start(state);
	assert_int_equal(shell_run_line(&sh, "help"), 0);
	assert_true(strstr(out.text, "args") < strstr(out.text, "cat PATH"));
	assert_true(strstr(out.text, "ls [") < strstr(out.text, "stop"));
}

static void too_many_words_are_refused(void **state)
{
	char line[128] = "echo";

	(void)state;
	for (int i = 1; i < SHELL_MAX_ARGS; i++)
		strcat(line, " a");
	start(state);
	assert_int_equal(shell_run_line(&sh, line), 0);
	strcat(line, " b");
	fails(line, -EINVAL, (unsigned int)strlen(line) - 1, "Too many words");
}

static void a_script_goes_on_after_an_error(void **state)
{
	(void)state;
	assert_int_equal(run("echo a\n\nnone\necho b\nls x\n# c\necho d"),
			 2);
	assert_int_equal(sh.nr_errors, 2);
	assert_ptr_equal(strstr(out.text, "a\n["), out.text);
	assert_non_null(strstr(out.text, "test.rc:3: error: No such command"));
	assert_non_null(strstr(out.text, "^\nb\n["));
	assert_non_null(strstr(out.text, "test.rc:5: error: No such file"));
	assert_non_null(strstr(out.text, "^\nd\n"));
	start(state);
	assert_int_equal(run("echo a\nstop\necho b\n"), 0);
	assert_string_equal(out.text, "a\n");
	assert_int_equal(shell_run_script(&sh, NULL, 0), 0);
}

static void say_line(const char *line)
{
	pr_to(sh.out, "<%s>", line);
}

static void each_line_is_announced_before_it_runs(void **state)
{
	(void)state;
	sh.before = say_line;
	assert_int_equal(run("echo a\n\necho b"), 0);
	sh.before = NULL;
	assert_string_equal(out.text, "<echo a>a\n<><echo b>b\n");
}

static void lines_may_end_in_cr_lf(void **state)
{
	(void)state;
	assert_int_equal(run("echo a\r\n\r\necho b > dir/file\r\n"), 0);
	assert_string_equal(out.text, "a\n");
	assert_string_equal(value, "b");
	assert_int_equal(run("echo b >\r\n"), 1);
	assert_null(strchr(out.text, '\r'));
}

static void a_line_too_long_is_an_error_of_its_own(void **state)
{
	static char text[2 * SHELL_MAX_LINE];

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, "echo ", 5);
	memcpy(text + SHELL_MAX_LINE, "\necho b", 7);
	assert_int_equal(shell_run_script(&sh, text, SHELL_MAX_LINE + 7), 0);
	assert_int_equal(out.len, SHELL_MAX_LINE - 5 + 1 + 2);
	start(state);
	memcpy(text + SHELL_MAX_LINE, "x\necho b", 8);
	assert_int_equal(shell_run_script(&sh, text, SHELL_MAX_LINE + 8), 1);
	assert_non_null(strstr(out.text, ":1: error: Line is too long"));
	assert_string_equal(out.text + out.len - 2, "b\n");
	start(state);
	text[SHELL_MAX_LINE + 1] = '\0';
	assert_int_equal(shell_run_line(&sh, text), -E2BIG);
	assert_int_equal(sh.nr_errors, 1);
}

static void a_nul_byte_is_an_error_of_its_line(void **state)
{
	static const char text[] = "echo a\0b\necho c\n";

	(void)state;
	assert_int_equal(shell_run_script(&sh, text, sizeof(text) - 1), 1);
	assert_non_null(strstr(out.text, ":1: error: NUL byte in the line"));
	assert_non_null(strstr(out.text, "\n                 ^\nc\n"));
}

static void the_error_log_keeps_the_last_eight(void **state)
{
	unsigned long total = errlog_total();
	char line[16], want[1024];
	int n = 0;

	(void)state;
	for (int i = 0; i < 11; i++) {
		snprintf(line, sizeof(line), "bad%d", i);
		assert_int_equal(shell_run_line(&sh, line), -ENOENT);
		if (i >= 3)
			n += snprintf(want + n, sizeof(want) - (size_t)n,
				      "[    1.234567] test.rc:1: error: "
				      "No such command\n  Command: bad%d\n"
				      "           ^\n", i);
	}
	prints_log(want);
	assert_int_equal(errlog_total(), total + 11);
	assert_int_equal(shell_run_line(&sh, "echo > error_log"), 0);
	prints_log("");
	assert_int_equal(errlog_total(), total + 11);
}

static void the_error_log_bounds_what_it_keeps(void **state)
{
	char cmd[2 * ERRLOG_CMD];

	(void)state;
	errlog_add("here", "a\tb", 99, "Late");
	prints_log("[    1.234567] here: error: Late\n"
		   "  Command: a b\n              ^\n");
	memset(cmd, 'c', sizeof(cmd));
	cmd[sizeof(cmd) - 1] = '\0';
	errlog_clear();
	errlog_add(cmd, cmd, sizeof(cmd) - 1, "Long");
	collect_reset(&out);
	errlog_print_last(&out.printer);
	assert_int_equal(out.len, 15 + (ERRLOG_LOC - 1) + 14 +
			 11 + (ERRLOG_CMD - 1) + 1 +
			 11 + (ERRLOG_CMD - 1) + 2);
}

static void the_tree_refuses_what_it_cannot_name(void **state)
{
	struct node twin = { .name = "file", .ops = &file_ops };
	struct node node = { .name = "x", .ops = &file_ops };

	(void)state;
	assert_int_equal(tree_add(&dir, &twin), -EEXIST);
	assert_int_equal(tree_add(&file, &node), -ENOTDIR);
	node.name = "";
	assert_int_equal(tree_add(&dir, &node), -EINVAL);
	node.name = NULL;
	assert_int_equal(tree_add(&dir, &node), -EINVAL);
	node.name = "a/b";
	assert_int_equal(tree_add(&dir, &node), -EINVAL);
	prints("ls dir", "broken\nfile\nro\nwo\n");
}

static void a_removed_directory_takes_its_files_along(void **state)
{
	struct node sub = { .name = "fil" };
	struct node leaf = { .name = "leaf", .ops = &file_ops };

	(void)state;
	assert_int_equal(tree_add(&dir, &sub), 0);
	assert_int_equal(tree_add(&sub, &leaf), 0);
	prints("ls dir", "broken\nfil/\nfile\nro\nwo\n");
	prints("ls dir/fil/leaf", "dir/fil/leaf\n");
	assert_ptr_equal(tree_lookup("/dir/fil/leaf"), &leaf);
	assert_ptr_equal(tree_lookup(""), &tree_root);
	assert_null(tree_lookup("dir/fi"));
	tree_remove(&sub);
	assert_null(tree_lookup("dir/fil/leaf"));
	prints("ls dir", "broken\nfile\nro\nwo\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(blanks_split_words_and_quotes_keep_them,
				       start),
		cmocka_unit_test_setup(comments_and_empty_lines_do_nothing,
				       start),
		cmocka_unit_test_setup(echo_writes_its_words_to_a_file, start),
		cmocka_unit_test_setup(a_redirection_has_one_value_and_one_path,
				       start),
		cmocka_unit_test_setup(files_that_cannot_be_written_say_why,
				       start),
		cmocka_unit_test_setup(
			the_caret_stands_under_what_a_write_refused, start),
		cmocka_unit_test_setup(ls_lists_by_name_and_marks_directories,
				       start),
		cmocka_unit_test_setup(cat_prints_files_up_to_the_first_error,
				       start),
		cmocka_unit_test_setup(
			commands_are_found_and_may_name_the_guilty, start),
		cmocka_unit_test_setup(too_many_words_are_refused, start),
		cmocka_unit_test_setup(a_script_goes_on_after_an_error, start),
		cmocka_unit_test_setup(each_line_is_announced_before_it_runs,
				       start),
		cmocka_unit_test_setup(lines_may_end_in_cr_lf, start),
		cmocka_unit_test_setup(a_line_too_long_is_an_error_of_its_own,
				       start),
		cmocka_unit_test_setup(a_nul_byte_is_an_error_of_its_line,
				       start),
		cmocka_unit_test_setup(the_error_log_keeps_the_last_eight,
				       start),
		cmocka_unit_test_setup(the_error_log_bounds_what_it_keeps,
				       start),
		cmocka_unit_test_setup(the_tree_refuses_what_it_cannot_name,
				       start),
		cmocka_unit_test_setup(
			a_removed_directory_takes_its_files_along, start),
	};

	return cmocka_run_group_tests(tests, build_tree, NULL);
}
