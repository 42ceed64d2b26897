/* SPDX-License-Identifier: MIT */
/*
 * Bringing Intel PT up: is it there on every CPU, and is it free.
 */
#include <asm/machine.h>
#include <asm/msr.h>
#include <asm/smp.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "lib/tree.h"
#include "pt/caps.h"
#include "pt/event.h"
#include "pt/event_state.h"
#include "pt/rtit.h"

#define CALL_TIMEOUT_US	1000000

static int caps_read(struct node *node, struct printer *out)
{
	(void)node;
	pt_caps_print(out);
	return 0;
}

static const struct node_ops caps_ops = { .read = caps_read };
static struct node pt_dir = { .name = "pt" };
static struct node caps_node = { .name = "caps", .ops = &caps_ops };

/* Owner: pt_init(). */
static int usable = -ENODEV;

static int check_present(unsigned int cpu)
{
	const struct pt_caps *caps = pt_caps_of(cpu);
	char vendor[13];

	if (!caps->present) {
		cpu_vendor(vendor);
		printk("pt: CPUID reports no Intel PT on cpu %u (%s): use an Intel CPU from Broadwell on with PT switched on in the firmware, or ./run-qemu.sh with the hardware model\n",
		       cpu, vendor);
		return -ENODEV;
	}
	if (!caps->topa_output) {
		printk("pt: CPUID reports no ToPA output on cpu %u, which Topaz needs\n",
		       cpu);
		return -ENODEV;
	}
	return 0;
}

static void note_enabled(void *on)
{
	*(bool *)on = rtit_enabled();
}

static int check_free(unsigned int cpu)
{
	static bool on;		/* a call that is late may still write it */
	int err;

	on = false;
	err = smp_call(cpu, note_enabled, &on, CALL_TIMEOUT_US);
	if (err || !on)
		return err;
	printk("pt: cpu %u: TraceEn is set already: firmware or a debugger traces; not touched\n",
	       cpu);
	return -EBUSY;
}

static int check_all(void)
{
	int err = pt_caps_read_all();

	for (unsigned int cpu = 0; !err && cpu < nr_cpus(); cpu++) {
		err = check_present(cpu);
		if (!err)
			err = check_free(cpu);
	}
	return err;
}

int pt_init(void)
{
	int err = tree_add(NULL, &pt_dir);

	if (!err)
		err = tree_add(&pt_dir, &caps_node);
	if (err)
		return err;
	usable = check_all();
	if (!usable)
		pmi_init();
	return usable;
}

int pt_usable(void)
{
	return usable;
}
