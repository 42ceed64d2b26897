/* SPDX-License-Identifier: MIT */
/*
 * Ring 3 with system calls and timer interrupts.
 *
 * The program is run/user/primes.c, an ELF file of its own inside the kernel
 * image: it is loaded and served like any payload, only that a periodic timer
 * interrupts it. The software counts are the program's.
 */
#include "run/builtin.h"

#include <asm/apic.h>
#include <asm/traps.h>
#include <asm/watchdog.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "run/payload.h"

#define TICK_US		500u

/* run/user_image.asm */
extern const u8 user_image[], user_image_end[];

/* Owner: user_prepare(); its symbols stay registered. */
static struct payload_file user_file = { .name = "user" };

static void on_tick(struct pt_regs *regs)
{
	struct payload *payload = payload_current();

	watchdog_check(regs);
	if (payload)
		payload->ticks++;
}

static int user_prepare(struct workload_run *run)
{
	user_file.data = user_image;
	user_file.size = (size_t)(user_image_end - user_image);
	irq_set_handler(VECTOR_TIMER, on_tick);
	return payload_prepare(run, &user_file);
}

static int user_run_interrupted(struct workload_run *run)
{
	const struct payload *payload = run->priv;
	int err;

	lapic_timer_start(TICK_US);
	err = payload_run(run);
	lapic_timer_stop();
	if (!err && !payload->ticks) {
		printk("user: cpu %u: no timer interrupt came\n", run->cpu);
		err = -EIO;
	}
	return err;
}

const struct workload wl_user = {
	.name = "user",
	.help = "ring 3: primes and fractions, system calls, a timer",
	.prepare = user_prepare,
	.run = user_run_interrupted,
	.finish = payload_finish,
};
