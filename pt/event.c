/* SPDX-License-Identifier: MIT */
/*
 * A traced CPU: life of an event, and its consumer's side.
 */
#include "pt/event.h"

#include <asm/irqflags.h>
#include <asm/percpu.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "mm/slab.h"
#include "pt/caps.h"
#include "pt/event_state.h"
#include "pt/rtit.h"

/* Owner: pt_event_create(), _destroy(): one event for each CPU. */
static struct pt_event *owners[NR_CPUS];
/* Owner: pt_event_start(), _stop() on the CPU; read in its NMIs. */
static struct pt_event *active[NR_CPUS];

struct pt_event *pt_event_current(void)
{
	return READ_ONCE(active[cpu_id()]);
}

/* ---- creating ---- */

static int check_config(unsigned int cpu, const struct pt_event_config *config,
			u64 ctl)
{
	const char *why;

	if (config->buffer_size % PAGE_SIZE ||
	    !is_power_of_2(config->buffer_size) ||
	    config->region_order > MAX_ORDER ||
	    config->buffer_size < 4 * PAGE_SIZE << config->region_order) {
		printk("pt: a buffer of %llu bytes with regions of %lu is not possible: a power of two, four regions at least\n",
		       (unsigned long long)config->buffer_size,
		       PAGE_SIZE << config->region_order);
		return -EINVAL;
	}
	if (rtit_check_ctl(pt_caps_of(cpu), ctl, &why)) {
		printk("pt: cpu %u does not offer %s (see pt/caps)\n", cpu,
		       why);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int check_memory(u64 size)
{
	struct page_stats stats;
	u64 free;

	page_stats_read(&stats);
	free = stats.nr_free << PAGE_SHIFT;
	if (size < free)
		return 0;
	printk("pt: a buffer of %llu KiB is larger than the free memory, %llu KiB\n",
	       (unsigned long long)(size >> 10),
	       (unsigned long long)(free >> 10));
	return -ENOMEM;
}

struct pt_event *pt_event_create(unsigned int cpu,
				 const struct pt_event_config *config)
{
	u64 ctl = rtit_compose_ctl(config);
	struct pt_event *event;
	int err;

	if (cpu >= nr_cpus())
		return ERR_PTR(-EINVAL);
	if (owners[cpu])
		return ERR_PTR(-EBUSY);
	err = check_config(cpu, config, ctl);
	if (!err)
		err = check_memory(config->buffer_size);
	if (err)
		return ERR_PTR(err);
	event = kzalloc(sizeof(*event), GFP_KERNEL);
	if (!event)
		return ERR_PTR(-ENOMEM);
	event->cpu = cpu;
	event->config = *config;
	event->ctl = ctl;
	event->buf = pt_buffer_alloc((int)cpu, config->buffer_size >> PAGE_SHIFT,
				     config->region_order, GFP_KERNEL);
	if (!event->buf) {
		kfree(event);
		return ERR_PTR(-ENOMEM);
	}
	owners[cpu] = event;
	return event;
}

void pt_event_destroy(struct pt_event *event)
{
	if (!event)
		return;
	owners[event->cpu] = NULL;
	pt_buffer_free(event->buf);
	kfree(event);
}

/* ---- the traced CPU ---- */

static int begin_capture(struct pt_event *event)
{
	int err;

	/* PacketByteCnt = 0: the capture begins with a PSB. */
	rtit_write_status(0);
	pmi_enable();
	WRITE_ONCE(active[event->cpu], event);
	WRITE_ONCE(event->handle_nmi, true);
	WRITE_ONCE(event->running, true);
	err = pt_output_begin(event);
	if (err)
		return err;
	return rtit_read_status() & RTIT_STATUS_ERROR ? -EIO : 0;
}

int pt_event_start(struct pt_event *event)
{
	unsigned long flags;
	int err;

	if (event->cpu != cpu_id() || event->running)
		return -EINVAL;
	if (event->head != smp_load_acquire(&event->tail))
		return -EBUSY;
	flags = local_irq_save();
	err = rtit_enabled() ? -EBUSY : begin_capture(event);
	local_irq_restore(flags);
	if (err && event->running)
		pt_event_stop(event);
	return err;
}

void pt_event_stop(struct pt_event *event)
{
	unsigned long flags = local_irq_save();

	/* From here on an NMI finds nothing to do: the bytes are ours. */
	WRITE_ONCE(event->handle_nmi, false);
	barrier();
	if (rtit_enabled())
		rtit_disable();
	if (!event->waiting)
		pt_output_end(event);
	event->waiting = false;
	event->low = false;
	pmi_disable();
	WRITE_ONCE(active[event->cpu], NULL);
	/* After the head: who sees it finds all bytes. */
	smp_store_release(&event->running, false);
	local_irq_restore(flags);
}

/* ---- the consumer ---- */

size_t pt_event_peek(struct pt_event *event, const u8 **data)
{
	u64 head = smp_load_acquire(&event->head);
	u64 tail = event->tail;
	size_t n;

	if (head == tail)
		return 0;
	n = pt_buffer_contiguous(event->buf, tail, data);
	return (size_t)min((u64)n, head - tail);
}

void pt_event_consumed(struct pt_event *event, size_t n)
{
	/* The bytes were read: pairs with the acquire in output.c. */
	smp_store_release(&event->tail, event->tail + n);
}

bool pt_event_running(const struct pt_event *event)
{
	return smp_load_acquire(&event->running);
}

void pt_event_set_room_waiter(struct pt_event *event,
			      bool (*fn)(struct pt_event *event, void *ctx),
			      void *ctx)
{
	event->room_fn = fn;
	event->room_ctx = ctx;
}

void pt_event_stats(const struct pt_event *event, struct pt_event_stats *stats)
{
	*stats = event->stats;
	stats->captured = smp_load_acquire(&event->head);
	stats->consumed = smp_load_acquire(&event->tail);
	/* Of the largest size; smaller ones come last in the buffer. */
	stats->regions = stats->captured >>
			 (PAGE_SHIFT + event->buf->chunk[0].order);
}
