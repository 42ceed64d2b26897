/* SPDX-License-Identifier: MIT */
/*
 * The built-in commands of the rc language: ls, cat, echo, help.
 */
#include "lib/shell.h"

#include "lib/err.h"
#include "lib/tree.h"

static int cmd_ls(struct shell *sh, struct shell_args *args)
{
	struct node *node = tree_lookup(args->argc > 1 ? args->argv[1] : "");
	struct node *child;

	if (!node)
		return shell_fail(args, 1, "No such file", -ENOENT);
	if (node->ops) {
		tree_print_path(node, sh->out);
		pr_to(sh->out, "\n");
		return 0;
	}
	list_for_each_entry(child, &node->children, sibling)
		pr_to(sh->out, "%s%s\n", child->name, child->ops ? "" : "/");
	return 0;
}

static int cat_one(struct shell *sh, struct shell_args *args, int i)
{
	struct node *node = tree_lookup(args->argv[i]);
	int err;

	if (!node)
		return shell_fail(args, i, "No such file", -ENOENT);
	if (!node->ops)
		return shell_fail(args, i, "Is a directory", -EISDIR);
	if (!node->ops->read)
		return shell_fail(args, i, "File is write-only", -EPERM);
	err = node->ops->read(node, sh->out);
	return err ? shell_fail(args, i, err_name(err), err) : 0;
}

static int cmd_cat(struct shell *sh, struct shell_args *args)
{
	if (args->argc < 2)
		return shell_fail(args, 0, "cat what? A path is needed",
				  -EINVAL);
	for (int i = 1; i < args->argc; i++) {
		int err = cat_one(sh, args, i);

		if (err)
			return err;
	}
	return 0;
}

static int cmd_echo(struct shell *sh, struct shell_args *args)
{
	for (int i = 1; i < args->argc; i++)
		pr_to(sh->out, "%s%s", i > 1 ? " " : "", args->argv[i]);
	pr_to(sh->out, "\n");
	return 0;
}

static int cmd_help(struct shell *sh, struct shell_args *args)
{
	(void)args;
	shell_print_commands(sh->out);
	return 0;
}

static struct command builtin[] = {
	{ .name = "ls", .usage = "ls [PATH]", .help = "list a directory",
	  .run = cmd_ls },
	{ .name = "cat", .usage = "cat PATH...", .help = "print files",
	  .run = cmd_cat },
	{ .name = "echo", .usage = "echo WORDS [> PATH | >> PATH]",
	  .help = "print words, or write them to a file", .run = cmd_echo },
	{ .name = "help", .usage = "help", .help = "this list",
	  .run = cmd_help },
};

int shell_init(void)
{
	static bool done;

	if (done)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(builtin); i++) {
		int err = command_register(&builtin[i]);

		if (err)
			return err;
	}
	done = true;
	return 0;
}
