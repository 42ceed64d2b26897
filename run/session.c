/* SPDX-License-Identifier: MIT */
/*
 * A traced run: the commands run, selftest, dump and clear, and their files.
 *
 * Keeps the finished captures until they are cleared. Which CPU is traced and
 * which one decodes is in run/round.c, what one capture does in run/capture.c.
 */
#include "run/session.h"

#include <asm/machine.h>
#include <asm/percpu.h>
#include <asm/watchdog.h>
#include "lib/err.h"
#include "lib/list.h"
#include "lib/shell.h"
#include "lib/string.h"
#include "pt/event.h"
#include "run/capture.h"
#include "run/crash.h"
#include "run/modules.h"
#include "run/options.h"
#include "run/payload.h"
#include "run/round.h"
#include "trace/dump.h"

/* Owner: the thread that runs commands, on CPU 0. */
static LIST_HEAD(captures);

/* ---- a workload on every CPU ---- */

struct plan {
	const struct workload *workload;
	const struct shell_args *args;	/* NULL: no arguments */
	int arg0;			/* argv index of the workload's name */
	const char *name;		/* where args is NULL */
	struct branch_map *total;
};

static void set_args(struct capture *cap, struct plan *plan)
{
	if (plan->args) {
		cap->run.argc = plan->args->argc - plan->arg0;
		cap->run.argv = (const char **)&plan->args->argv[plan->arg0];
	} else {
		cap->run.argc = 1;
		cap->run.argv = &plan->name;
	}
	cap->total = plan->total;
}

static int round_add(struct round *round, struct plan *plan, unsigned int cpu,
		     unsigned int decoder)
{
	struct capture_options options = {
		.buffer_size = run_options.buffer_kb << 10,
		.region_order = get_order(run_options.region_kb << 10),
		.map_bits = (unsigned int)run_options.map_bits,
	};
	struct capture *cap = capture_create(plan->workload, cpu, decoder,
					     &options);

	if (IS_ERR(cap))
		return (int)PTR_ERR(cap);
	set_args(cap, plan);
	round->cap[cpu] = cap;
	return 0;
}

static int plan_round(struct round *round, struct plan *plan,
		      bool todo[NR_CPUS])
{
	static int decoder_of[NR_CPUS];	/* too large for a stack */
	bool live = run_options_live();

	if (live)
		pair_cpus(nr_cpus(), todo, decoder_of);
	for (unsigned int cpu = 0; cpu < nr_cpus(); cpu++) {
		int err = 0;

		if (live && decoder_of[cpu] >= 0)
			err = round_add(round, plan, cpu,
					(unsigned int)decoder_of[cpu]);
		else if (!live && todo[cpu])
			err = round_add(round, plan, cpu, cpu);
		if (err)
			return err;
		if (!live)
			todo[cpu] = false;
	}
	return 0;
}

static int run_rounds(struct plan *plan)
{
	static bool todo[NR_CPUS];	/* too large for a stack, these two */
	static struct round round;
	int err;

	for (unsigned int cpu = 0; cpu < nr_cpus(); cpu++)
		todo[cpu] = true;
	do {
		memset(&round, 0, sizeof(round));
		err = plan_round(&round, plan, todo);
		if (err) {
			round_abandon(&round);
			return err;
		}
		round_run(&round);
		round_finish(&round, &captures);
		watchdog_pet();
	} while (memchr(todo, true, nr_cpus()));
	return 0;
}

/* Accounts of the captures from @first on; Return: the first error. */
static int print_accounts(struct printer *out, struct list_head *before,
			  const char *name)
{
	struct capture_account total = { 0 };
	struct capture *cap;
	int err = 0;

	for (struct list_head *pos = before->next; pos != &captures;
	     pos = pos->next) {
		cap = list_entry(pos, struct capture, list);
		capture_account_print(&cap->account, out, name, (int)cap->run.cpu);
		capture_account_add(&total, &cap->account);
		if (cap->err)
			pr_to(out, "topaz: %s on cpu %u failed: %d\n", name,
			      cap->run.cpu, cap->err);
		if (!err)
			err = cap->err;
	}
	capture_account_print(&total, out, name, -1);
	return err ? -EIO : 0;
}

static int run_plan(struct shell *sh, struct plan *plan)
{
	struct list_head *before = captures.prev;
	char title[96];
	int err;

	plan->total = branch_map_create((unsigned int)run_options.map_bits);
	if (IS_ERR(plan->total))
		return (int)PTR_ERR(plan->total);
	err = run_rounds(plan);
	if (!err) {
		scnprintf(title, sizeof(title), "%s on %u cpu%s, decoded %s",
			  plan->workload->name, nr_cpus(),
			  nr_cpus() == 1 ? "" : "s",
			  run_options_live() ? "live" : "after the stop");
		branch_map_print_top(plan->total, sh->out, title,
				     (unsigned int)run_options.top);
		err = print_accounts(sh->out, before, plan->workload->name);
	}
	branch_map_destroy(plan->total);
	return err;
}

static int run_one(struct shell *sh, const struct workload *workload,
		   const char *name)
{
	struct plan plan = { .workload = workload, .name = name };

	return run_plan(sh, &plan);
}

static int run_all(struct shell *sh)
{
	int err = 0;

	for (unsigned int i = 0; workloads[i]; i++) {
		int one = run_one(sh, workloads[i], workloads[i]->name);

		err = err ? err : one;
	}
	if (module_by_name("payload.elf")) {
		int one = run_one(sh, payload_workload(), "payload.elf");

		err = err ? err : one;
	}
	return err;
}

/* ---- commands ---- */

static int cmd_run(struct shell *sh, struct shell_args *args)
{
	struct plan plan = { .args = args, .arg0 = 1 };
	int err;

	if (pt_usable())
		return shell_fail(args, 0, "This machine cannot trace",
				  pt_usable());
	if (args->argc < 2)
		return shell_fail(args, 0, "run what? A workload, a file or all",
				  -EINVAL);
	if (!strcmp(args->argv[1], "all")) {
		err = run_all(sh);
	} else {
		plan.workload = workload_by_name(args->argv[1]);
		if (!plan.workload && module_by_name(args->argv[1]))
			plan.workload = payload_workload();
		if (!plan.workload)
			return shell_fail(args, 1,
					  "No such workload, and no such file on the boot volume",
					  -ENOENT);
		err = run_plan(sh, &plan);
	}
	return err ? shell_fail(args, 1, err_name(err), err) : 0;
}

static int cmd_selftest(struct shell *sh, struct shell_args *args)
{
	unsigned int nr = 0, failed = 0;
	struct capture *cap;

	list_for_each_entry(cap, &captures, list) {
		nr++;
		if (capture_selftest(cap, sh->out))
			failed++;
	}
	if (!nr)
		return shell_fail(args, 0, "Nothing has run yet", -ENODATA);
	pr_to(sh->out, "selftest: %u of %u captures right\n", nr - failed, nr);
	return failed ? shell_fail(args, 0, "Captures were not right", -EIO) : 0;
}

static int cmd_dump(struct shell *sh, struct shell_args *args)
{
	struct printer *out = dump_printer();
	struct capture *cap;
	int err = 0;

	(void)sh;
	dump_begin(out);
	list_for_each_entry(cap, &captures, list) {
		if (!cap->traced)
			continue;
		err = branch_map_dump(cap->map, out, cap->workload->name,
				      cap->run.cpu, cap->index);
		if (err)
			return shell_fail(args, 0, err_name(err), err);
	}
	return 0;
}

static int cmd_clear(struct shell *sh, struct shell_args *args)
{
	struct capture *cap, *next;

	(void)sh;
	(void)args;
	list_for_each_entry_safe(cap, next, &captures, list) {
		list_del_init(&cap->list);
		capture_destroy(cap);
	}
	return 0;
}

static int cmd_poweroff(struct shell *sh, struct shell_args *args)
{
	(void)args;
	machine_poweroff(sh->nr_errors ? 1 : 0);
}

static int cmd_reboot(struct shell *sh, struct shell_args *args)
{
	(void)sh;
	(void)args;
	machine_reboot();
}

static struct command commands[] = {
	{ .name = "run", .usage = "run all|NAME|FILE [ARG...]",
	  .help = "trace a workload or a payload on every CPU",
	  .run = cmd_run },
	{ .name = "selftest", .usage = "selftest",
	  .help = "hold the runs' own counts against their maps",
	  .run = cmd_selftest },
	{ .name = "dump", .usage = "dump",
	  .help = "all edges of all runs, machine readable",
	  .run = cmd_dump },
	{ .name = "clear", .usage = "clear", .help = "forget the runs",
	  .run = cmd_clear },
	{ .name = "poweroff", .usage = "poweroff",
	  .help = "end with what the commands so far gave",
	  .run = cmd_poweroff },
	{ .name = "reboot", .usage = "reboot", .help = "reset the machine",
	  .run = cmd_reboot },
};

int session_init(void)
{
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		err = command_register(&commands[i]);
		if (err)
			return err;
	}
	err = crash_init();
	return err ? err : run_options_init();
}
