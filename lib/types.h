/* SPDX-License-Identifier: MIT */
/*
 * Integer types under their kernel names.
 *
 * Only what the freestanding C headers give, so that the same sources build
 * for the kernel and for the host.
 */
#ifndef LIB_TYPES_H
#define LIB_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* A physical address: never dereferenceable as it is (asm/page.h). */
typedef u64 phys_addr_t;

#ifndef static_assert
#define static_assert _Static_assert
#endif

#endif /* LIB_TYPES_H */
