/* SPDX-License-Identifier: MIT */
/*
 * Files of the console tree:
 *
 *	mm/stats	mm/buddyinfo	mm/leaks
 *	fail_page_alloc/{nth,probability,times,seed}	failslab/{the same}
 */
#include "mm/console.h"

#include "lib/err.h"
#include "lib/string.h"
#include "lib/tree.h"
#include "mm/debug.h"
#include "mm/fault.h"
#include "mm/node.h"
#include "mm/page.h"

/* ---- mm/ ---- */

static int stats_read(struct node *node, struct printer *out)
{
	struct page_stats s;

	(void)node;
	page_stats_read(&s);
	const struct {
		const char *name;
		u64 val;
	} lines[] = {
		{ "pages", s.nr_total },
		{ "free", s.nr_free },
		{ "free_on_cpu_lists", s.nr_pcp },
		{ "allocations", s.nr_alloc },
		{ "failed", s.nr_failed },
		{ "failed_by_injection", s.nr_injected },
		{ "refused_double_free", s.nr_double_free },
		{ "refused_wild_free", s.nr_wild_free },
		{ "corrupt", s.nr_corrupt },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		pr_to(out, "%s %llu\n", lines[i].name,
		      (unsigned long long)lines[i].val);
	return 0;
}

/* A line as in Linux's /proc/buddyinfo: free blocks of each order. */
static void print_zone(struct printer *out, const struct zone *z)
{
	static const char *const names[NR_ZONES] = {
		[ZONE_LOW] = "Low",
		[ZONE_DMA32] = "DMA32",
		[ZONE_NORMAL] = "Normal",
	};

	pr_to(out, "Node %u, zone %8s ", z->node, names[z->type]);
	for (unsigned int order = 0; order <= MAX_ORDER; order++)
		pr_to(out, "%6llu ", (unsigned long long)
		      __atomic_load_n(&z->nr_blocks[order], __ATOMIC_RELAXED));
	pr_to(out, "\n");
}

static int buddyinfo_read(struct node *node, struct printer *out)
{
	(void)node;
	for (unsigned int n = 0; n < MAX_NUMNODES; n++)
		for (unsigned int t = 0; t < NR_ZONES; t++)
			if (zone_of(n, (enum zone_type)t)->nr_pages)
				print_zone(out,
					   zone_of(n, (enum zone_type)t));
	return 0;
}

static int leaks_read(struct node *node, struct printer *out)
{
	(void)node;
	page_leak_report(out);
	return 0;
}

/* ---- fault injection ---- */

struct fault_file {
	struct node node;
	struct fault_attr *attr;
	enum fault_field field;
};

static int fault_read(struct node *node, struct printer *out)
{
	const struct fault_file *file = node->priv;
	u64 val = fault_get(file->attr, file->field);

	if (file->field == FAULT_TIMES && val == FAULT_NO_LIMIT)
		pr_to(out, "-1\n");
	else
		pr_to(out, "%llu\n", (unsigned long long)val);
	return 0;
}

static int fault_write(struct node *node, const char *val, bool append,
		       struct write_error *err)
{
	const struct fault_file *file = node->priv;
	u64 num;
	int ret;

	(void)append;
	if (file->field == FAULT_TIMES && !strcmp(val, "-1"))
		return fault_set(file->attr, file->field, FAULT_NO_LIMIT);
	ret = kstrtou64(val, 0, &num);
	if (ret) {
		err->text = "Not a number";
		return ret;
	}
	ret = fault_set(file->attr, file->field, num);
	if (ret)
		err->text = "More than 100 percent";
	return ret;
}

static const struct node_ops fault_ops = {
	.read = fault_read,
	.write = fault_write,
};

static int add_fault_dir(struct node *dir, struct fault_attr *attr,
			 struct fault_file files[NR_FAULT_FIELDS])
{
	static const char *const names[NR_FAULT_FIELDS] = {
		[FAULT_NTH] = "nth",
		[FAULT_PROBABILITY] = "probability",
		[FAULT_TIMES] = "times",
		[FAULT_SEED] = "seed",
	};
	int err;

	dir->name = attr->name;
	err = tree_add(NULL, dir);
	for (unsigned int i = 0; !err && i < NR_FAULT_FIELDS; i++) {
		struct fault_file *file = &files[i];

		file->attr = attr;
		file->field = (enum fault_field)i;
		file->node.name = names[i];
		file->node.ops = &fault_ops;
		file->node.priv = file;
		err = tree_add(dir, &file->node);
	}
	return err;
}

/* ---- start ---- */

int mm_console_init(void)
{
	static const struct node_ops stats_ops = { .read = stats_read };
	static const struct node_ops buddy_ops = { .read = buddyinfo_read };
	static const struct node_ops leaks_ops = { .read = leaks_read };
	static struct node dir = { .name = "mm" };
	static struct node files[] = {
		{ .name = "stats", .ops = &stats_ops },
		{ .name = "buddyinfo", .ops = &buddy_ops },
		{ .name = "leaks", .ops = &leaks_ops },
	};
	static struct node page_dir, slab_dir;
	static struct fault_file page_files[NR_FAULT_FIELDS];
	static struct fault_file slab_files[NR_FAULT_FIELDS];
	int err = tree_add(NULL, &dir);

	for (size_t i = 0; !err && i < ARRAY_SIZE(files); i++)
		err = tree_add(&dir, &files[i]);
	if (!err)
		err = add_fault_dir(&page_dir, &fail_page_alloc, page_files);
	if (!err)
		err = add_fault_dir(&slab_dir, &failslab, slab_files);
	return err ? err : bench_init();
}
