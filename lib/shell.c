/* SPDX-License-Identifier: MIT */
/*
 * The rc language: splitting lines, redirection, errors with a caret.
 *
 * The built-in commands are in lib/shell_cmds.c.
 */
#include "lib/shell.h"

#include "lib/err.h"
#include "lib/errlog.h"
#include "lib/string.h"
#include "lib/tree.h"

/* Owner: command_register(). */
static LIST_HEAD(commands);

/* A line taken apart. */
struct parsed {
	const char *line;
	char words[SHELL_MAX_LINE + 1];	/* argv points in here */
	struct shell_args args;
	int redirect;		/* index of the path, 0: none */
	bool append;
};

int command_register(struct command *cmd)
{
	struct command *pos;

	list_for_each_entry(pos, &commands, list) {
		int order = strcmp(pos->name, cmd->name);

		if (!order)
			return -EEXIST;
		if (order > 0)
			break;
	}
	list_add_tail(&cmd->list, &pos->list == &commands ? &commands :
		      &pos->list);
	return 0;
}

static struct command *command_by_name(const char *name)
{
	struct command *cmd;

	list_for_each_entry(cmd, &commands, list)
		if (!strcmp(cmd->name, name))
			return cmd;
	return NULL;
}

void shell_print_commands(struct printer *out)
{
	struct command *cmd;

	list_for_each_entry(cmd, &commands, list)
		pr_to(out, "  %-38s %s\n", cmd->usage, cmd->help);
}

int shell_fail(struct shell_args *args, int arg, const char *text, int err)
{
	args->err_pos = arg < args->argc ? args->pos[arg] : args->pos[0];
	args->err_text = text;
	return err;
}

static int fail_at(struct shell_args *args, unsigned int pos, const char *text)
{
	args->err_pos = pos;
	args->err_text = text;
	return -EINVAL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Copies one word, quotes removed. Return: behind it; NULL: open quote. */
static const char *copy_word(const char *p, char **to)
{
	char quote = '\0';

	for (; *p; p++) {
		if (quote ? *p == quote : (*p == '"' || *p == '\'')) {
			quote = quote ? '\0' : *p;
			continue;
		}
		if (!quote && (is_blank(*p) || *p == '>'))
			break;
		*(*to)++ = *p;
	}
	*(*to)++ = '\0';
	return quote ? NULL : p;
}

static int add_word(struct parsed *cmd, const char *word, size_t pos)
{
	struct shell_args *args = &cmd->args;

	if (args->argc == SHELL_MAX_ARGS)
		return fail_at(args, (unsigned int)pos, "Too many words");
	args->pos[args->argc] = (unsigned int)pos;
	args->argv[args->argc++] = word;
	return 0;
}

/* ">" or ">>" at @p: the next word is the path, and the last. */
static int take_redirect(struct parsed *cmd, const char **p, size_t pos)
{
	if (cmd->redirect)
		return fail_at(&cmd->args, (unsigned int)pos,
			       "A second redirection");
	cmd->redirect = cmd->args.argc;
	cmd->append = (*p)[1] == '>';
	*p += cmd->append ? 2 : 1;
	if (!cmd->redirect)
		return fail_at(&cmd->args, (unsigned int)pos,
			       "Nothing to write");
	return 0;
}

static int split(struct parsed *cmd, const char *line)
{
	char *to = cmd->words;
	const char *p = line;
	int err = 0;

	while (!err) {
		const char *word = to;
		const char *start;

		while (is_blank(*p))
			p++;
		if (!*p || *p == '#')
			break;
		start = p;
		if (*p == '>') {
			err = take_redirect(cmd, &p, (size_t)(p - line));
			continue;
		}
		p = copy_word(p, &to);
		if (!p)
			return fail_at(&cmd->args, (unsigned int)(start - line),
				       "Quote is not closed");
		err = add_word(cmd, word, (size_t)(start - line));
	}
	if (err || !cmd->redirect)
		return err;
	if (cmd->args.argc == cmd->redirect)
		return fail_at(&cmd->args, (unsigned int)strlen(line),
			       "Path is missing");
	if (cmd->args.argc > cmd->redirect + 1)
		return shell_fail(&cmd->args, cmd->redirect + 1,
				  "More than one path", -EINVAL);
	return 0;
}

/* The written value: the words behind "echo", one blank between them. */
static int join_value(const struct parsed *cmd, char *val, size_t size)
{
	int n = 0;

	val[0] = '\0';
	for (int i = 1; i < cmd->redirect; i++)
		n += scnprintf(val + n, size - (size_t)n, "%s%s",
			       i > 1 ? " " : "", cmd->args.argv[i]);
	return n;
}

/* Offset of byte @n of the word at @pos; quotes in it are no part of it. */
static unsigned int byte_pos(const char *line, unsigned int pos,
			     unsigned int n)
{
	char quote = '\0';

	for (;; pos++) {
		char c = line[pos];

		if (c && (quote ? c == quote : (c == '"' || c == '\'')))
			quote = quote ? '\0' : c;
		else if (!n--)
			return pos;
	}
}

/* Offset in the line of offset @pos in the joined value. */
static unsigned int line_pos(const struct parsed *cmd, unsigned int pos)
{
	for (int i = 1; i < cmd->redirect; i++) {
		unsigned int len = (unsigned int)strlen(cmd->args.argv[i]);

		if (pos <= len)
			return byte_pos(cmd->line, cmd->args.pos[i], pos);
		pos -= len + 1;
	}
	return cmd->args.pos[cmd->args.argc - 1];
}

static int write_file(struct parsed *cmd)
{
	struct shell_args *args = &cmd->args;
	struct write_error why = { NULL, 0 };
	char val[SHELL_MAX_LINE + 1];
	struct node *node = tree_lookup(args->argv[cmd->redirect]);
	int err;

	if (strcmp(args->argv[0], "echo"))
		return shell_fail(args, 0, "Only echo writes to files",
				  -EINVAL);
	if (!node)
		return shell_fail(args, cmd->redirect, "No such file", -ENOENT);
	if (!node->ops)
		return shell_fail(args, cmd->redirect, "Is a directory",
				  -EISDIR);
	if (!node->ops->write)
		return shell_fail(args, cmd->redirect, "File is read-only",
				  -EPERM);
	join_value(cmd, val, sizeof(val));
	err = node->ops->write(node, val, cmd->append, &why);
	if (!err)
		return 0;
	args->err_pos = why.text ? line_pos(cmd, why.pos) :
			args->pos[cmd->redirect];
	args->err_text = why.text ? why.text : err_name(err);
	return err;
}

static int run_parsed(struct shell *sh, struct parsed *cmd)
{
	struct command *command;

	if (!cmd->args.argc)
		return 0;
	if (cmd->redirect)
		return write_file(cmd);
	command = command_by_name(cmd->args.argv[0]);
	if (!command)
		return shell_fail(&cmd->args, 0, "No such command", -ENOENT);
	return command->run(sh, &cmd->args);
}

static void log_error(struct shell *sh, const char *line, unsigned int pos,
		      const char *text)
{
	char loc[ERRLOG_LOC];

	sh->nr_errors++;
	scnprintf(loc, sizeof(loc), "%s:%u", sh->name, sh->line);
	errlog_add(loc, line, pos, text);
	errlog_print_last(sh->out);
}

int shell_run_line(struct shell *sh, const char *line)
{
	struct parsed cmd = { .line = line };
	int err;

	if (sh->before)
		sh->before(line);
	if (strnlen(line, SHELL_MAX_LINE + 1) > SHELL_MAX_LINE) {
		log_error(sh, line, SHELL_MAX_LINE, "Line is too long");
		return -E2BIG;
	}
	err = split(&cmd, line);
	if (!err)
		err = run_parsed(sh, &cmd);
	if (err)
		log_error(sh, line, cmd.args.err_pos, cmd.args.err_text ?
			  cmd.args.err_text : err_name(err));
	return err;
}

/* Runs @len bytes as a line; what no line may hold is an error of it. */
static int run_piece(struct shell *sh, const char *text, size_t len)
{
	char line[SHELL_MAX_LINE + 1];
	const char *nul;
	size_t kept;

	if (len && text[len - 1] == '\r')
		len--;
	kept = min(len, (size_t)SHELL_MAX_LINE);
	memcpy(line, text, kept);
	line[kept] = '\0';
	nul = memchr(line, '\0', kept);
	if (nul) {
		log_error(sh, line, (unsigned int)(nul - line),
			  "NUL byte in the line");
		return -EINVAL;
	}
	if (len > kept) {
		log_error(sh, line, SHELL_MAX_LINE, "Line is too long");
		return -E2BIG;
	}
	return shell_run_line(sh, line);
}

unsigned int shell_run_script(struct shell *sh, const char *text, size_t size)
{
	unsigned int failed = 0;

	for (sh->line = 1; size && !sh->exit; sh->line++) {
		const char *newline = memchr(text, '\n', size);
		size_t len = newline ? (size_t)(newline - text) : size;

		if (run_piece(sh, text, len))
			failed++;
		len += newline ? 1 : 0;
		text += len;
		size -= len;
	}
	return failed;
}
