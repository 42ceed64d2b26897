/* SPDX-License-Identifier: MIT */
/*
 * The console tree: named nodes that read and write like tracefs files.
 */
#include "lib/tree.h"

#include "lib/err.h"
#include "lib/string.h"

struct node tree_root = {
	.name = "",
	.children = LIST_HEAD_INIT(tree_root.children),
	.sibling = LIST_HEAD_INIT(tree_root.sibling),
};

static struct node *child_by_name(const struct node *dir, const char *name,
				  size_t len)
{
	struct node *child;

	list_for_each_entry(child, &dir->children, sibling)
		if (!strncmp(child->name, name, len) && !child->name[len])
			return child;
	return NULL;
}

int tree_add(struct node *parent, struct node *node)
{
	struct node *after;

	if (!parent)
		parent = &tree_root;
	if (parent->ops)
		return -ENOTDIR;
	if (!node->name || !node->name[0] || strchr(node->name, '/'))
		return -EINVAL;
	if (child_by_name(parent, node->name, strlen(node->name)))
		return -EEXIST;
	list_for_each_entry(after, &parent->children, sibling)
		if (strcmp(after->name, node->name) > 0)
			break;
	list_add_tail(&node->sibling, &after->sibling == &parent->children ?
		      &parent->children : &after->sibling);
	node->parent = parent;
	INIT_LIST_HEAD(&node->children);
	return 0;
}

void tree_remove(struct node *node)
{
	list_del_init(&node->sibling);
	node->parent = NULL;
}

struct node *tree_lookup(const char *path)
{
	struct node *node = &tree_root;

	while (node) {
		size_t len = 0;

		while (*path == '/')
			path++;
		if (!*path)
			return node;
		while (path[len] && path[len] != '/')
			len++;
		if (node->ops)
			return NULL;
		node = child_by_name(node, path, len);
		path += len;
	}
	return NULL;
}

void tree_print_path(const struct node *node, struct printer *out)
{
	if (!node->parent)
		return;
	if (node->parent->parent) {
		tree_print_path(node->parent, out);
		pr_to(out, "/");
	}
	pr_to(out, "%s", node->name);
}
