/* SPDX-License-Identifier: MIT */
/*
 * machine/ of the console tree: what this machine consists of.
 */
#include "boot/machine_tree.h"

#include <asm/machine.h>
#include "arch/x86/console.h"
#include "boot/memory.h"
#include "lib/tree.h"

/* Owner: machine_tree_init(). */
static const struct boot_info *hand_over;

static void memory_show(struct printer *out)
{
	memory_map_show(hand_over, out);
}

static void page_tables_show(struct printer *out)
{
	if (paging_show(out))
		pr_to(out, "paging: FAIL\n");
}

typedef void (*show_fn)(struct printer *out);

static const struct file {
	const char *name;
	show_fn show;
} files[] = {
	{ "acpi", acpi_show },
	{ "consoles", consoles_show },
	{ "cpus", cpus_show },
	{ "memory", memory_show },
	{ "page_tables", page_tables_show },
};

static int show(struct node *node, struct printer *out)
{
	const struct file *file = node->priv;

	file->show(out);
	return 0;
}

static const struct node_ops show_ops = { .read = show };
static struct node dir = { .name = "machine" };
static struct node nodes[ARRAY_SIZE(files)];

int machine_tree_init(const struct boot_info *bi)
{
	int err = tree_add(NULL, &dir);

	hand_over = bi;
	for (size_t i = 0; !err && i < ARRAY_SIZE(files); i++) {
		nodes[i] = (struct node){ .name = files[i].name,
					  .ops = &show_ops,
					  .priv = (void *)&files[i] };
		err = tree_add(&dir, &nodes[i]);
	}
	return err;
}
