/* SPDX-License-Identifier: MIT */
/*
 * The error log: a ring of the last refused commands.
 */
#include "lib/errlog.h"

#include "lib/err.h"
#include "lib/spinlock.h"
#include "lib/string.h"
#include "lib/tree.h"

struct entry {
	u64 ns;
	char loc[ERRLOG_LOC];
	char cmd[ERRLOG_CMD];
	unsigned int pos;
	const char *text;
};

/* Owner: errlog_add(), errlog_clear(); all under lock. */
static struct entry ring[ERRLOG_ENTRIES];
static unsigned long total;		/* since boot */
static unsigned int kept;		/* entries in the ring */
static struct spinlock lock = SPINLOCK_INIT;
static u64 (*clock_ns)(void);

void errlog_set_clock(u64 (*now_ns)(void))
{
	clock_ns = now_ns;
}

static void copy_command(struct entry *e, const char *cmd)
{
	strscpy(e->cmd, cmd, sizeof(e->cmd));
	for (char *c = e->cmd; *c; c++)
		if (*c == '\t')
			*c = ' ';
}

void errlog_add(const char *loc, const char *cmd, unsigned int pos,
		const char *text)
{
	struct entry *e;

	spin_lock(&lock);
	e = &ring[total++ % ERRLOG_ENTRIES];
	if (kept < ERRLOG_ENTRIES)
		kept++;
	e->ns = clock_ns ? clock_ns() : 0;
	strscpy(e->loc, loc, sizeof(e->loc));
	copy_command(e, cmd);
	e->pos = min(pos, (unsigned int)strlen(e->cmd));
	e->text = text;
	spin_unlock(&lock);
}

static void print_entry(const struct entry *e, struct printer *out)
{
	pr_to(out, "[%5llu.%06llu] %s: error: %s\n",
	      (unsigned long long)(e->ns / 1000000000),
	      (unsigned long long)(e->ns / 1000 % 1000000), e->loc, e->text);
	pr_to(out, "  Command: %s\n", e->cmd);
	pr_to(out, "%*s^\n", 11 + (int)e->pos, "");
}

/* The i-th oldest, copied out: printing must not hold the lock. */
static bool copy_entry(unsigned int i, struct entry *copy)
{
	bool there;

	spin_lock(&lock);
	there = i < kept;
	if (there)
		*copy = ring[(total - kept + i) % ERRLOG_ENTRIES];
	spin_unlock(&lock);
	return there;
}

void errlog_print(struct printer *out)
{
	struct entry copy;

	for (unsigned int i = 0; copy_entry(i, &copy); i++)
		print_entry(&copy, out);
}

void errlog_print_last(struct printer *out)
{
	struct entry copy;

	if (kept && copy_entry(kept - 1, &copy))
		print_entry(&copy, out);
}

void errlog_clear(void)
{
	spin_lock(&lock);
	kept = 0;
	spin_unlock(&lock);
}

unsigned long errlog_total(void)
{
	return READ_ONCE(total);
}

static int errlog_read(struct node *node, struct printer *out)
{
	(void)node;
	errlog_print(out);
	return 0;
}

/* As on tracefs: whatever is written clears the log. */
static int errlog_write(struct node *node, const char *val, bool append,
			struct write_error *err)
{
	(void)node;
	(void)val;
	(void)append;
	(void)err;
	errlog_clear();
	return 0;
}

static const struct node_ops errlog_ops = { errlog_read, errlog_write };
static struct node errlog_node = { .name = "error_log", .ops = &errlog_ops };

int errlog_init(void)
{
	return tree_add(NULL, &errlog_node);
}
