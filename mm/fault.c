/* SPDX-License-Identifier: MIT */
/*
 * Fault injection: who fails when.
 */
#include "mm/fault.h"

#include <asm/irqflags.h>
#include "lib/err.h"
#include "mm/page.h"

#define FAULT_ATTR(text) { \
	.name = (text), \
	.val[FAULT_TIMES] = 1, \
	.val[FAULT_SEED] = 1, \
	.state = 1, \
}

struct fault_attr fail_page_alloc = FAULT_ATTR("fail_page_alloc");
struct fault_attr failslab = FAULT_ATTR("failslab");

static unsigned long attr_lock(struct fault_attr *attr)
{
	unsigned long flags = local_irq_save();

	spin_lock(&attr->lock);
	return flags;
}

static void attr_unlock(struct fault_attr *attr, unsigned long flags)
{
	bool active = attr->val[FAULT_NTH] ||
		      (attr->val[FAULT_PROBABILITY] && attr->val[FAULT_TIMES]);

	__atomic_store_n(&attr->active, active, __ATOMIC_RELAXED);
	spin_unlock(&attr->lock);
	local_irq_restore(flags);
}

int fault_set(struct fault_attr *attr, enum fault_field field, u64 val)
{
	unsigned long flags;

	if (field == FAULT_PROBABILITY && val > 100)
		return -ERANGE;
	flags = attr_lock(attr);
	attr->val[field] = val;
	if (field == FAULT_SEED)
		attr->state = val ? val : 1;
	attr_unlock(attr, flags);
	return 0;
}

u64 fault_get(struct fault_attr *attr, enum fault_field field)
{
	unsigned long flags = attr_lock(attr);
	u64 val = attr->val[field];

	attr_unlock(attr, flags);
	return val;
}

u64 fault_nr_injected(struct fault_attr *attr)
{
	unsigned long flags = attr_lock(attr);
	u64 nr = attr->nr_injected;

	attr_unlock(attr, flags);
	return nr;
}

void fault_reset(struct fault_attr *attr)
{
	unsigned long flags = attr_lock(attr);

	attr->val[FAULT_NTH] = 0;
	attr->val[FAULT_PROBABILITY] = 0;
	attr->val[FAULT_TIMES] = 1;
	attr->val[FAULT_SEED] = 1;
	attr->state = 1;
	attr->nr_injected = 0;
	attr_unlock(attr, flags);
}

/* xorshift64*, the upper bits. */
static u64 dice(struct fault_attr *attr)
{
	attr->state ^= attr->state >> 12;
	attr->state ^= attr->state << 25;
	attr->state ^= attr->state >> 27;
	return (attr->state * 2685821657736338717ULL) >> 32;
}

static bool decide(struct fault_attr *attr)
{
	u64 *val = attr->val;

	if (val[FAULT_NTH] && !--val[FAULT_NTH])
		return true;
	if (!val[FAULT_PROBABILITY] || !val[FAULT_TIMES])
		return false;
	if (dice(attr) % 100 >= val[FAULT_PROBABILITY])
		return false;
	if (val[FAULT_TIMES] != FAULT_NO_LIMIT)
		val[FAULT_TIMES]--;
	return true;
}

bool fault_decide(struct fault_attr *attr)
{
	unsigned long flags = attr_lock(attr);
	bool fail = decide(attr);

	if (fail)
		attr->nr_injected++;
	attr_unlock(attr, flags);
	return fail;
}

static void fail_nth(struct fault_attr *attr, unsigned long n)
{
	unsigned long flags = attr_lock(attr);

	attr->val[FAULT_NTH] = n;
	attr_unlock(attr, flags);
}

void page_fail_nth(unsigned long n)
{
	fail_nth(&fail_page_alloc, n);
}

void slab_fail_nth(unsigned long n)
{
	fail_nth(&failslab, n);
}
