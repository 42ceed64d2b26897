/* SPDX-License-Identifier: MIT */
/*
 * The rc language: what the rc file and the console speak.
 *
 *	# comment
 *	ls [PATH]		cat PATH...
 *	echo WORDS > PATH	echo WORDS >> PATH
 *	help			any command that a layer registered: run, dump, ...
 *
 * One command a line. Words are split at blanks; '...' and "..." keep blanks
 * (no escapes); a word that starts with '#' starts a comment. An error is
 * logged in the error log and printed with its line and a caret; the next line
 * is still run.
 */
#ifndef LIB_SHELL_H
#define LIB_SHELL_H

#include "lib/list.h"
#include "lib/printk.h"

#define SHELL_MAX_LINE	512
#define SHELL_MAX_ARGS	32

struct shell {
	struct printer *out;
	const char *name;	/* "topaz.rc", "console" */
	unsigned int line;	/* of the command that runs now, from 1 */
	unsigned int nr_errors;
	void (*before)(const char *line);	/* each line runs; NULL: none */
	bool exit;		/* a command wants no more lines to be run */
};

/*
 * What a command gets: argv[0] is its name. On error it may point at the
 * guilty argument by shell_fail().
 */
struct shell_args {
	int argc;
	const char *argv[SHELL_MAX_ARGS];
	unsigned int pos[SHELL_MAX_ARGS];	/* offset of each in the line */
	unsigned int err_pos;
	const char *err_text;
};

struct command {
	const char *name;
	const char *usage;	/* "run NAME|PATH [ARG...]" */
	const char *help;	/* one line */
	int (*run)(struct shell *sh, struct shell_args *args);
	struct list_head list;
};

/* Adds a command; name must be new. Return: 0 or -EEXIST. */
int __must_check command_register(struct command *cmd);

/**
 * shell_init() - register the built-in commands ls, cat, echo, help
 *
 * May be called again. Return: 0 or -EEXIST.
 */
int __must_check shell_init(void);

/* What help prints. */
void shell_print_commands(struct printer *out);

/* Names the argument that is wrong and why. Return: @err. */
int shell_fail(struct shell_args *args, int arg, const char *text, int err);

/**
 * shell_run_line() - parse and run one line
 *
 * Return: 0 or the command's error, which is logged and counted by then.
 */
int shell_run_line(struct shell *sh, const char *line);

/**
 * shell_run_script() - run a text line by line
 * @text:	need not be NUL terminated; CR LF is accepted; NUL bytes and lines
 *		over SHELL_MAX_LINE are errors of their line
 *
 * Return: number of lines that failed.
 */
unsigned int shell_run_script(struct shell *sh, const char *text, size_t size);

#endif /* LIB_SHELL_H */
