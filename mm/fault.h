/* SPDX-License-Identifier: MIT */
/*
 * Fault injection: allocations that fail because a test wants it.
 *
 * Two attributes with Linux's names, one for blocks of pages and one for
 * objects. The console tree has them as fail_page_alloc/ and failslab/.
 */
#ifndef MM_FAULT_H
#define MM_FAULT_H

#include "lib/spinlock.h"

#define FAULT_NO_LIMIT	(~0ULL)		/* times: -1 */

enum fault_field {
	FAULT_NTH,		/* fail the nth call from now; 0: off */
	FAULT_PROBABILITY,	/* percent of calls that fail; 0: off */
	FAULT_TIMES,		/* failures by probability that are left */
	FAULT_SEED,		/* of the dice of probability */
	NR_FAULT_FIELDS,
};

struct fault_attr {
	const char *name;
	struct spinlock lock;
	bool active;		/* nth or probability is set */
	u64 val[NR_FAULT_FIELDS];
	u64 state;		/* of the dice */
	u64 nr_injected;
};

/* Owner: mm/fault.c; fields under each one's lock. */
extern struct fault_attr fail_page_alloc;
extern struct fault_attr failslab;

/**
 * fault_set() - change one field
 * @val:	probability up to 100; a seed starts the dice anew (0 is as 1)
 *
 * As in Linux times starts as 1, so that a probability alone fails one call.
 *
 * Context: any but NMI. Return: 0, -ERANGE for a probability above 100.
 */
int __must_check fault_set(struct fault_attr *attr, enum fault_field field,
			   u64 val);
u64 fault_get(struct fault_attr *attr, enum fault_field field);
u64 fault_nr_injected(struct fault_attr *attr);

/* All off, counters too. */
void fault_reset(struct fault_attr *attr);

/* Whether the call of now has to fail. Context: any but NMI. */
bool fault_decide(struct fault_attr *attr);

static inline bool fault_active(const struct fault_attr *attr)
{
	return __atomic_load_n(&attr->active, __ATOMIC_RELAXED);
}

static inline bool should_fail(struct fault_attr *attr)
{
	return unlikely(fault_active(attr)) && fault_decide(attr);
}

/* The @n-th next kmalloc() fails; 0 switches it off. */
void slab_fail_nth(unsigned long n);

#endif /* MM_FAULT_H */
