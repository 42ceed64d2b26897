/* SPDX-License-Identifier: MIT */
/*
 * topaz.h: what a ring-3 program asks of Topaz. C99, C++, no library.
 *
 * Calls are ordinary SYSCALL instructions with numbers that Linux answers with
 * -ENOSYS, so a program that uses them still runs there. A program is a static
 * ELF64 file; tz_main() gets control when one of its files says TZ_START:
 *
 *	#include "topaz.h"
 *	TZ_START;
 *	void tz_main(int argc, char **argv) { tz_print("hello\n", 6); }
 *
 * At the start RSP is 16-byte aligned and points at argc, argv, 0, environment,
 * 0 and the auxiliary vector, as the System V ABI has it. FS.base points at a
 * readable page (stack protector). There is no heap: use arrays.
 */
#ifndef RUN_TOPAZ_H
#define RUN_TOPAZ_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TZ_ABI		1
#define TZ_CALL_BASE	0x7A0000

enum tz_op {
	TZ_OP_PRINT = 1,
	TZ_OP_EXIT = 2,
	TZ_OP_INFO = 7,
	TZ_OP_COUNT = 8
};

/* Read-only page of the program. */
struct tz_info {
	uint32_t abi;			/* TZ_ABI */
	uint32_t flags;			/* none yet: 0 */
	uint64_t tsc_hz;		/* ticks of tz_time() in a second */
	uint64_t cpu;			/* that the program runs on */
	uint64_t input;			/* address of the input file */
	uint64_t input_size;		/* 0: there is none */
	uint64_t syscall_entry;		/* where SYSCALL goes, for counts */
};

/* What a count speaks of; an edge is one execution of a branch. */
enum tz_count_kind {
	TZ_COUNT_CALLS,			/* calls of the function at to */
	TZ_COUNT_EDGE,			/* edges from -> to */
	TZ_COUNT_INTO,			/* all edges into to */
	TZ_COUNT_OUT_OF			/* all edges out of from */
};

struct tz_count {
	uint64_t kind;
	uint64_t from;
	uint64_t to;
	uint64_t count;
	char name[48];			/* NUL terminated */
};

/* Return: what the call gave; -38 (ENOSYS) where this is not Topaz. */
static inline long tz_call(long op, long a, long b, long c)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(TZ_CALL_BASE + op), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return ret;
}

/*
 * Prints on the console; a piece of up to 192 bytes, cut at a line end where
 * it has one, is not torn by other CPUs.
 *
 * Return: bytes printed, which may be fewer than @n (64 KiB at most); -14
 * (EFAULT) when @s is not readable.
 */
static inline long tz_print(const char *s, unsigned long n)
{
	return tz_call(TZ_OP_PRINT, (long)s, (long)n, 0);
}

/* Ends the program. A status other than 0 makes the run a failed one. */
static inline __attribute__((noreturn)) void tz_exit(int status)
{
	long ret;

	tz_call(TZ_OP_EXIT, status, 0, 0);
	/* Not Topaz: Linux's exit_group(). */
	__asm__ volatile("syscall" : "=a"(ret) : "a"(231L), "D"((long)status)
			 : "rcx", "r11", "memory");
	for (;;)
		__asm__ volatile("ud2");
}

/* Time stamp counter; no call. tz_info()->tsc_hz gives the scale. */
static inline uint64_t tz_time(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
}

/* Return: the page, or a null pointer where this is not Topaz. */
static inline const struct tz_info *tz_info(void)
{
	long ret = tz_call(TZ_OP_INFO, 0, 0, 0);

	return (const struct tz_info *)(ret < 0 ? 0 : ret);
}

/*
 * Tells how often something was executed, by the program's own count; selftest
 * holds it against the trace.
 *
 * Return: 0; -22 (EINVAL) for an unknown kind; -28 (ENOSPC) after 16 counts;
 * -14 (EFAULT).
 */
static inline long tz_count(const struct tz_count *count)
{
	return tz_call(TZ_OP_COUNT, (long)count, 0, 0);
}

/* The program's entry; in one file, outside of functions. */
#define TZ_START \
	__asm__(".pushsection .text\n\t" \
		".weak _start\n\t" \
		".type _start, @function\n" \
		"_start:\n\t" \
		"xorl %ebp, %ebp\n\t" \
		"movq (%rsp), %rdi\n\t" \
		"leaq 8(%rsp), %rsi\n\t" \
		"andq $-16, %rsp\n\t" \
		"call tz_main\n\t" \
		"xorl %edi, %edi\n\t" \
		"movl $0x7A0002, %eax\n\t" \
		"syscall\n\t" \
		"movl $231, %eax\n\t" \
		"syscall\n\t" \
		"ud2\n\t" \
		".size _start, . - _start\n\t" \
		".popsection")

void tz_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif /* RUN_TOPAZ_H */
