/* SPDX-License-Identifier: MIT */
/*
 * Numbers that look random and are the same in every run: xorshift64*.
 *
 * For the input of workloads only; nothing here is secret.
 */
#ifndef RUN_RANDOM_H
#define RUN_RANDOM_H

#include "lib/types.h"

#define RANDOM_SEED	0x9e3779b97f4a7c15ULL

static inline u64 random_next(u64 *state)
{
	u64 x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 0x2545f4914f6cdd1dULL;
}

#endif /* RUN_RANDOM_H */
