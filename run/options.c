/* SPDX-License-Identifier: MIT */
/*
 * The files of the console tree that steer a run.
 *
 * Whether the machine can do what is asked is seen when the run starts; here
 * only what no machine could do is refused.
 */
#include "run/options.h"

#include <asm/percpu.h>
#include <asm/watchdog.h>
#include "lib/err.h"
#include "lib/string.h"
#include "lib/tree.h"
#include "mm/page.h"
#include "trace/tracing_map.h"

struct run_options run_options = {
	.buffer_kb = 2048,
	.region_kb = 32,
	.map_bits = 13,
	.top = 8,
	.mode = RUN_MODE_AUTO,
};

/* A file that holds one number. */
struct number_file {
	u64 *value;
	u64 min;
	u64 max;
	bool power_of_2;
	const char *range;	/* for the error */
};

static int number_read(struct node *node, struct printer *out)
{
	const struct number_file *file = node->priv;

	pr_to(out, "%llu\n", (unsigned long long)*file->value);
	return 0;
}

static int number_write(struct node *node, const char *val, bool append,
			struct write_error *err)
{
	const struct number_file *file = node->priv;
	u64 n;

	(void)append;
	if (kstrtou64(val, 0, &n) || n < file->min || n > file->max ||
	    (file->power_of_2 && !is_power_of_2(n))) {
		err->text = file->range;
		return -EINVAL;
	}
	*file->value = n;
	return 0;
}

static const struct node_ops number_ops = { number_read, number_write };

static const char *const mode_names[] = {
	[RUN_MODE_AUTO] = "auto",
	[RUN_MODE_LIVE] = "live",
	[RUN_MODE_POST] = "post",
};

static int mode_read(struct node *node, struct printer *out)
{
	(void)node;
	pr_to(out, "%s\n", mode_names[run_options.mode]);
	return 0;
}

static int mode_write(struct node *node, const char *val, bool append,
		      struct write_error *err)
{
	(void)node;
	(void)append;
	for (unsigned int i = 0; i < ARRAY_SIZE(mode_names); i++) {
		if (strcmp(val, mode_names[i]))
			continue;
		if (i == RUN_MODE_LIVE && nr_cpus() < 2) {
			err->text = "live needs a second CPU to decode";
			return -EINVAL;
		}
		run_options.mode = (enum run_mode)i;
		return 0;
	}
	err->text = "The modes are auto, live and post";
	return -EINVAL;
}

static const struct node_ops mode_ops = { mode_read, mode_write };

bool run_options_live(void)
{
	return run_options.mode != RUN_MODE_POST && nr_cpus() > 1;
}

/* Only while it is written; the bound itself is the watchdog's. */
static u64 watchdog_s;
static struct number_file watchdog_file = {
	&watchdog_s, 0, WATCHDOG_MAX_S, false,
	"Need seconds up to 86400, 0 for no watchdog",
};

static int watchdog_read(struct node *node, struct printer *out)
{
	(void)node;
	pr_to(out, "%u\n", watchdog_seconds());
	return 0;
}

static int watchdog_write(struct node *node, const char *val, bool append,
			  struct write_error *err)
{
	int ret = number_write(node, val, append, err);

	if (!ret)
		watchdog_start((unsigned int)watchdog_s);
	return ret;
}

static const struct node_ops watchdog_ops = { watchdog_read, watchdog_write };

static struct number_file buffer_file = {
	&run_options.buffer_kb, 16, 1ULL << 32, true,
	"Need a power of two of KiB, 16 at least",
};
static struct number_file region_file = {
	&run_options.region_kb, 4, 131072, true,
	"Need a power of two of KiB, 4 to 131072",
};
static struct number_file map_bits_file = {
	&run_options.map_bits, TRACING_MAP_BITS_MIN, TRACING_MAP_BITS_MAX,
	false, "Need a number from 7 to 24",
};
static struct number_file top_file = {
	&run_options.top, 0, 100000, false, "Need a number up to 100000",
};

static struct node buffer_node = { .name = "buffer_size_kb",
				   .ops = &number_ops, .priv = &buffer_file };
static struct node region_node = { .name = "region_kb", .ops = &number_ops,
				   .priv = &region_file };
static struct node mode_node = { .name = "mode", .ops = &mode_ops };
static struct node map_bits_node = { .name = "map_bits", .ops = &number_ops,
				     .priv = &map_bits_file };
static struct node top_node = { .name = "top", .ops = &number_ops,
				.priv = &top_file };
static struct node watchdog_node = { .name = "watchdog",
				     .ops = &watchdog_ops,
				     .priv = &watchdog_file };
static struct node options_dir = { .name = "options" };

int run_options_init(void)
{
	struct node *pt = tree_lookup("pt");
	const struct {
		struct node *parent;
		struct node *node;
	} files[] = {
		{ pt, &buffer_node },
		{ pt, &region_node },
		{ pt, &mode_node },
		{ NULL, &options_dir },
		{ &options_dir, &map_bits_node },
		{ &options_dir, &top_node },
		{ &options_dir, &watchdog_node },
	};

	if (!pt)
		return -ENOENT;
	for (unsigned int i = 0; i < ARRAY_SIZE(files); i++) {
		int err = tree_add(files[i].parent, files[i].node);

		if (err)
			return err;
	}
	return 0;
}
