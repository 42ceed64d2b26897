/* SPDX-License-Identifier: MIT */
/*
 * Per-CPU lists: filling, trimming and giving back.
 */
#include "mm/pcp.h"

#include "lib/printk.h"
#include "mm/node.h"

#define BATCH_MIN	4u
#define BATCH_MAX	32u

/* What a CPU that has no zone yet takes for its region: has no page. */
static const struct region no_region;

struct pcp pcps[NR_CPUS];
/* Owner: pcp_init(); constant afterwards. */
static u32 batch = BATCH_MIN;

/*
 * A CPU keeps at most 2 batches. On the smallest machine, 64 MiB, that is 64
 * KiB; from 512 MiB on it is 256 KiB.
 */
void pcp_init(u64 nr_pages)
{
	u64 share = max(nr_pages >> 11, (u64)BATCH_MIN);

	batch = (u32)min(share, (u64)BATCH_MAX);
	for (unsigned int i = 0; i < NR_CPUS; i++)
		pcps[i] = (struct pcp){
			.high = 2 * batch,
			.hint = &no_region,
			.nid = NUMA_NO_NODE,
		};
}

/* Takes 1 <= nr <= count pages off the list. */
static void give_back(struct pcp *pcp, u32 nr)
{
	pcp_write(pcp->count, pcp->count - nr);
	zone_free_list(pcp->zone, nr, &pcp->list);
}

static void drain(struct pcp *pcp)
{
	pcp_write(pcp->high, 2 * batch);
	if (pcp->count)
		give_back(pcp, pcp->count);
}

void pcp_trim(struct pcp *pcp)
{
	if (pcp_read(pcp->high))
		give_back(pcp, batch);
	else
		drain(pcp);	/* another CPU asked for it */
}

/* The CPU's node may become known after its first allocation. */
static void choose_zone(struct pcp *pcp)
{
	int nid = cpu_to_node((int)cpu_id());

	if (pcp->zone && pcp->nid == nid)
		return;
	drain(pcp);
	pcp->nid = nid;
	pcp->zone = node_main_zone(nid);
	pcp->hint = &no_region;
}

/* What chains the pages is not to be trusted: they are lost. */
static void drop_broken_list(struct pcp *pcp)
{
	printk("mm: the page list of cpu %u is damaged: %u pages lost\n",
	       cpu_id(), pcp->count);
	pcp->list = NULL;
	pcp_write(pcp->count, 0);
}

struct page *pcp_refill(struct pcp *pcp)
{
	struct page *page;

	choose_zone(pcp);
	page = pcp_take(pcp);
	if (page || !pcp->zone)
		return page;
	if (pcp->count)
		drop_broken_list(pcp);
	pcp_write(pcp->count, zone_alloc_list(pcp->zone, batch, &pcp->list));
	return pcp_take(pcp);
}

void pcp_reclaim(void)
{
	unsigned long flags = local_irq_save();

	drain(&pcps[cpu_id()]);
	for (unsigned int i = 0; i < nr_cpus(); i++)
		if (i != cpu_id() && pcp_read(pcps[i].count))
			pcp_write(pcps[i].high, 0);
	local_irq_restore(flags);
}

void page_drain_all(void)
{
	unsigned long flags = local_irq_save();

	for (unsigned int i = 0; i < NR_CPUS; i++)
		drain(&pcps[i]);
	local_irq_restore(flags);
}

u64 pcp_nr_pages(void)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < NR_CPUS; i++)
		sum += pcp_read(pcps[i].count);
	return sum;
}

u64 pcp_nr_alloc(void)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < NR_CPUS; i++)
		sum += pcp_read(pcps[i].nr_alloc);
	return sum;
}
