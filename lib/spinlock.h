/* SPDX-License-Identifier: MIT */
/*
 * A ticket lock: fair, one word, usable before any CPU is set up.
 *
 * It does not touch the interrupt flag: who shares a lock with an interrupt
 * handler wraps it in local_irq_save() (asm/irqflags.h). No lock is ever taken
 * in an NMI; a handler that must share state uses spin_trylock().
 */
#ifndef LIB_SPINLOCK_H
#define LIB_SPINLOCK_H

#include "lib/compiler.h"

struct spinlock {
	u16 next;		/* ticket that the next taker draws */
	u16 owner;		/* ticket that holds the lock */
};

#define SPINLOCK_INIT	{ 0, 0 }

static inline void spin_lock(struct spinlock *lock)
{
	u16 mine = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

	while (smp_load_acquire(&lock->owner) != mine)
		cpu_relax();
}

static inline bool spin_trylock(struct spinlock *lock)
{
	u16 owner = smp_load_acquire(&lock->owner);
	u16 want = owner;

	return __atomic_compare_exchange_n(&lock->next, &want,
					   (u16)(owner + 1), false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void spin_unlock(struct spinlock *lock)
{
	smp_store_release(&lock->owner, (u16)(lock->owner + 1));
}

#endif /* LIB_SPINLOCK_H */
