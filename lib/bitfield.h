/* SPDX-License-Identifier: MIT */
/*
 * Bits and fields of registers, in the manner of Linux's <linux/bitfield.h>.
 *
 * A field is its mask; there are no shift constants (STYLE section 5).
 */
#ifndef LIB_BITFIELD_H
#define LIB_BITFIELD_H

#include "lib/types.h"

#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK_ULL(h, l)	((~0ULL >> (63 - (h))) & (~0ULL << (l)))

#define FIELD_SHIFT(mask)	((unsigned int)__builtin_ctzll(mask))
#define FIELD_PREP(mask, val)	(((u64)(val) << FIELD_SHIFT(mask)) & (mask))
#define FIELD_GET(mask, reg)	(((u64)(reg) & (mask)) >> FIELD_SHIFT(mask))

#endif /* LIB_BITFIELD_H */
