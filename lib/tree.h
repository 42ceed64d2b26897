/* SPDX-License-Identifier: MIT */
/*
 * The console tree: named nodes that read and write like tracefs files.
 *
 * The core only keeps the tree and resolves paths. Each layer registers its
 * own nodes; what a node prints goes to the printer it is handed, so the tree
 * knows no console.
 */
#ifndef LIB_TREE_H
#define LIB_TREE_H

#include "lib/list.h"
#include "lib/printk.h"

struct node;

/*
 * Why a write was refused, for the error log: a text and the offset in the
 * written value that the caret stands under.
 */
struct write_error {
	const char *text;
	unsigned int pos;
};

struct node_ops {
	/* Print the file. Return: 0 or a negative errno. NULL: not readable. */
	int (*read)(struct node *node, struct printer *out);
	/*
	 * Take @val (NUL terminated, no newline). @append: ">>" was used.
	 * Return: 0 or a negative errno; then err may say why and where.
	 * NULL: not writable.
	 */
	int (*write)(struct node *node, const char *val, bool append,
		     struct write_error *err);
};

struct node {
	const char *name;
	const struct node_ops *ops;	/* NULL: a directory */
	void *priv;
	struct node *parent;
	struct list_head children;
	struct list_head sibling;
};

/* The root directory; exists from the start. */
extern struct node tree_root;

/**
 * tree_add() - hang a node below a directory
 * @parent:	directory; NULL for the root
 * @node:	storage of the caller with name, ops and priv set; must outlive
 *		the tree
 *
 * Children are kept sorted by name. Context: thread, one CPU at a time.
 * Return: 0, -EEXIST, -ENOTDIR, -EINVAL (empty name or one with '/').
 */
int __must_check tree_add(struct node *parent, struct node *node);

/* Takes a node and all below it out of the tree. */
void tree_remove(struct node *node);

/* Node of a path such as "pt/caps" ("" and "/" are the root), or NULL. */
struct node *tree_lookup(const char *path);

/* Prints the path from the root, without a leading slash. */
void tree_print_path(const struct node *node, struct printer *out);

#endif /* LIB_TREE_H */
