/* SPDX-License-Identifier: MIT */
/*
 * One capture: one workload traced on one CPU, decoded by another or by itself.
 */
#include "run/capture.h"

#include <asm/smp.h>
#include <asm/tsc.h>
#include <asm/watchdog.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "mm/slab.h"
#include "run/payload.h"

#define FLOW_MEM_ORDER		11	/* 8 MiB: some 65000 blocks */
#define FEED_MAX		(64u << 10)	/* bytes per consumer step */
#define ROOM_TIMEOUT_NS		(30ULL * 1000 * 1000 * 1000)

/* Owner: capture_create(); one more each time that a CPU is traced. */
static unsigned int captures_of_cpu[NR_CPUS];

static size_t read_code(void *ctx, u64 cr3, u64 ip, u8 *buf, size_t n)
{
	(void)ctx;
	return run_read_code(cr3, ip, buf, n);
}

static void report_error(void *ctx, int err, u64 offset, u64 ip)
{
	const struct capture *cap = ctx;

	printk("decode: %s cpu %u: %s at byte %llu, ip %llx\n",
	       cap->workload->name, cap->run.cpu, err_name(err),
	       (unsigned long long)offset, (unsigned long long)ip);
}

/* Takes what waits, a bounded piece. Return: bytes taken. */
static size_t decode_some(struct capture *cap)
{
	const u8 *data;
	size_t n = pt_event_peek(cap->event, &data);

	n = min(n, (size_t)FEED_MAX);
	if (!n)
		return 0;
	pt_flow_feed(cap->flow, data, n);
	pt_event_consumed(cap->event, n);
	return n;
}

/* Room by decoding on the traced CPU itself. */
static bool make_room(struct pt_event *event, void *ctx)
{
	(void)event;
	return decode_some(ctx) > 0;
}

/* Room by waiting for the decoding CPU; it moves on or the run is given up. */
static bool wait_for_room(struct pt_event *event, void *ctx)
{
	u64 end = now_ns() + ROOM_TIMEOUT_NS;
	struct pt_event_stats before, now;

	(void)ctx;
	pt_event_stats(event, &before);
	do {
		cpu_relax();
		pt_event_stats(event, &now);
		/* All taken just before the first look is room as well. */
		if (now.consumed != before.consumed ||
		    now.consumed == now.captured)
			return true;
	} while (now_ns() < end);
	return false;
}

static int create_flow(struct capture *cap)
{
	struct pt_flow_config config = {
		.read_code = read_code,
		.on_error = report_error,
		.ctx = cap,
		.mem_size = PAGE_SIZE << FLOW_MEM_ORDER,
	};
	struct page *page = alloc_pages_node(cpu_to_node((int)cap->decoder),
					     GFP_KERNEL, FLOW_MEM_ORDER);

	if (!page)
		return -ENOMEM;
	cap->flow_mem = page_address(page);
	config.mem = cap->flow_mem;
	cap->flow = pt_flow_create(&config);
	return IS_ERR(cap->flow) ? (int)PTR_ERR(cap->flow) : 0;
}

static int create_event(struct capture *cap,
			const struct capture_options *options)
{
	struct pt_event_config config = {
		.buffer_size = options->buffer_size,
		.region_order = options->region_order,
		.os = true,
		.user = true,
	};
	struct pt_event *event = pt_event_create(cap->run.cpu, &config);

	if (IS_ERR(event))
		return (int)PTR_ERR(event);
	cap->event = event;
	pt_event_set_room_waiter(event, cap->decoder == cap->run.cpu ?
				 make_room : wait_for_room, cap);
	return 0;
}

static int create_map(struct capture *cap, unsigned int map_bits)
{
	struct branch_map *map = branch_map_create(map_bits);

	if (IS_ERR(map))
		return (int)PTR_ERR(map);
	cap->map = map;
	return 0;
}

struct capture *capture_create(const struct workload *workload,
			       unsigned int cpu, unsigned int decoder,
			       const struct capture_options *options)
{
	struct capture *cap = kzalloc(sizeof(*cap), GFP_KERNEL);
	int err;

	if (!cap)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&cap->list);
	cap->workload = workload;
	cap->run.cpu = cpu;
	cap->decoder = decoder;
	err = create_event(cap, options);
	if (!err)
		err = create_flow(cap);
	if (!err)
		err = create_map(cap, options->map_bits);
	if (!err)
		return cap;
	capture_destroy(cap);
	return ERR_PTR(err);
}

static void free_decoder(struct capture *cap)
{
	pt_event_destroy(cap->event);
	cap->event = NULL;
	if (cap->flow_mem)
		free_pages((unsigned long)cap->flow_mem, FLOW_MEM_ORDER);
	cap->flow_mem = NULL;
	cap->flow = NULL;
}

void capture_destroy(struct capture *cap)
{
	if (!cap)
		return;
	free_decoder(cap);
	branch_map_destroy(cap->map);
	kfree(cap);
}

void capture_trace(void *ctx)
{
	struct capture *cap = ctx;
	int err = cap->workload->prepare(&cap->run);

	cap->prepared = !err;
	if (!err)
		err = pt_event_start(cap->event);
	if (!err) {
		cap->traced = true;
		cap->index = captures_of_cpu[cap->run.cpu]++;
		err = cap->workload->run(&cap->run);
		pt_event_stop(cap->event);
	}
	cap->err = err;
	/* Pairs with the acquire in capture_decode(): all bytes are out. */
	smp_store_release(&cap->stopped, true);
}

void capture_decode(void *ctx)
{
	struct capture *cap = ctx;
	bool stopped;

	do {
		stopped = smp_load_acquire(&cap->stopped);
		while (decode_some(cap))
			;
		cpu_relax();
	} while (!stopped);
	pt_flow_finish(cap->flow);
	branch_map_add_flow(cap->map, cap->flow);
	branch_map_add_flow(cap->total, cap->flow);
	watchdog_pet();
}

void capture_finish(struct capture *cap)
{
	struct pt_event_stats event;
	struct pt_flow_stats flow;

	if (cap->prepared)
		cap->workload->finish(&cap->run);
	pt_event_stats(cap->event, &event);
	pt_flow_stats(cap->flow, &flow);
	capture_account_set(&cap->account, &event, &flow);
	cap->account.edges_dropped += cap->map->dropped;
	free_decoder(cap);
}

static u64 map_count(const struct capture *cap, const struct workload_count *c)
{
	switch (c->kind) {
	case COUNT_CALLS:
		return branch_map_calls(cap->map, c->to);
	case COUNT_EDGE:
		return branch_map_hits(cap->map, c->from, c->to);
	case COUNT_INTO:
		return branch_map_hits(cap->map, 0, c->to);
	case COUNT_OUT_OF:
		return branch_map_hits(cap->map, c->from, 0);
	}
	return 0;
}

int capture_selftest(const struct capture *cap, struct printer *out)
{
	const struct workload_run *run = &cap->run;
	unsigned int equal = 0;
	int err = cap->err;

	for (unsigned int i = 0; i < run->nr_counts; i++) {
		const struct workload_count *c = &run->count[i];
		u64 got = map_count(cap, c);

		if (got == c->count) {
			equal++;
			continue;
		}
		pr_to(out, "selftest: %s cpu %u: %s: software counted %llu, the map says %llu\n",
		      cap->workload->name, run->cpu, c->name,
		      (unsigned long long)c->count, (unsigned long long)got);
	}
	if (!capture_account_complete(&cap->account)) {
		pr_to(out, "selftest: %s cpu %u: bytes or edges were lost\n",
		      cap->workload->name, run->cpu);
		err = -EIO;
	}
	if (!run->nr_counts || equal != run->nr_counts)
		err = -EIO;
	pr_to(out, "selftest: %s: %s cpu %u: %u of %u software counts equal the map's%s\n",
	      err ? "FAIL" : "PASS", cap->workload->name, run->cpu, equal,
	      run->nr_counts,
	      cap->err ? ", but the workload failed" : "");
	return err;
}
