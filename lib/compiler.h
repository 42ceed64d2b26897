/* SPDX-License-Identifier: MIT */
/*
 * What C leaves to the compiler: attributes, single memory accesses, ordering.
 *
 * Every macro evaluates each argument once.
 */
#ifndef LIB_COMPILER_H
#define LIB_COMPILER_H

#include "lib/types.h"

#define __must_check		__attribute__((warn_unused_result))
#define __printf(fmt, args)	__attribute__((format(printf, fmt, args)))
#define __noreturn		__attribute__((noreturn))
#define __packed		__attribute__((packed))
#define __aligned(n)		__attribute__((aligned(n)))
#define __unused		__attribute__((unused))
#define __used			__attribute__((used))
#define __noinline		__attribute__((noinline))
#define ALWAYS_INLINE		inline __attribute__((always_inline))
#define __section(name)		__attribute__((section(name)))

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ volatile("" ::: "memory")

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#define min(a, b) \
	({ __typeof__(a) min_a = (a); __typeof__(b) min_b = (b); \
	   min_a < min_b ? min_a : min_b; })
#define max(a, b) \
	({ __typeof__(a) max_a = (a); __typeof__(b) max_b = (b); \
	   max_a > max_b ? max_a : max_b; })

/* One access of the object's own width: not torn, fused or repeated. */
#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))

/*
 * Ordering between CPUs. x86 keeps load-load and store-store order for
 * write-back memory, so most of these only bind the compiler; they are spelled
 * with the C11 model so that ThreadSanitizer understands the host builds.
 */
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)

/* Busy-wait hint; every loop that calls it has a bound of its own. */
static inline void cpu_relax(void)
{
	__builtin_ia32_pause();
}

/* Stores before it are globally visible before those after it. */
static inline void store_fence(void)
{
	__asm__ volatile("sfence" : : : "memory");
}

static inline u64 round_up_u64(u64 x, u64 align)
{
	return (x + align - 1) / align * align;
}

static inline bool is_power_of_2(u64 x)
{
	return x && !(x & (x - 1));
}

/* Index of the highest set bit; @x must not be 0. */
static inline unsigned int ilog2(u64 x)
{
	return 63 - (unsigned int)__builtin_clzll(x);
}

#endif /* LIB_COMPILER_H */
