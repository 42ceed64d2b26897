/* SPDX-License-Identifier: MIT */
/*
 * Accesses that may fault: MSRs that may not exist, memory that may not be
 * there. Each has an entry in the exception table: where it faults, where to
 * go on.
 */
#include <asm/msr.h>
#include <asm/page.h>
#include <asm/paging.h>
#include <asm/user.h>
#include "arch/x86/cpu.h"
#include "lib/err.h"

struct ex_entry {
	u64 fault;
	u64 fixup;
};

extern const struct ex_entry __ex_table_start[], __ex_table_end[];

#define EX_TABLE(fault, fixup) \
	".pushsection __ex_table, \"a\"\n\t" \
	".quad " fault ", " fixup "\n\t" \
	".popsection\n"

u64 extable_find(u64 rip)
{
	for (const struct ex_entry *e = __ex_table_start; e < __ex_table_end;
	     e++)
		if (e->fault == rip)
			return e->fixup;
	return 0;
}

int rdmsr_safe(u32 msr, u64 *val)
{
	u32 lo = 0, hi = 0;
	int err = -EIO;

	__asm__ volatile("1:\trdmsr\n\t"
			 "xorl %[err], %[err]\n"
			 "2:\n"
			 EX_TABLE("1b", "2b")
			 : "+a"(lo), "+d"(hi), [err] "+r"(err)
			 : "c"(msr) : "memory", "cc");
	if (!err)
		*val = (u64)hi << 32 | lo;
	return err;
}

int wrmsr_safe(u32 msr, u64 val)
{
	int err = -EIO;

	__asm__ volatile("1:\twrmsr\n\t"
			 "xorl %[err], %[err]\n"
			 "2:\n"
			 EX_TABLE("1b", "2b")
			 : [err] "+r"(err)
			 : "c"(msr), "a"((u32)val), "d"((u32)(val >> 32))
			 : "memory", "cc");
	return err;
}

/* Copies; a fault on either side ends it. Return: 0 or -EFAULT. */
static int copy_fault(void *dst, const void *src, size_t n)
{
	__asm__ volatile("1:\trep movsb\n"
			 "2:\n"
			 EX_TABLE("1b", "2b")
			 : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
	return n ? -EFAULT : 0;
}

static int copy_user(void *dst, const void *src, size_t n)
{
	int err;

	if (cpu_has_smap)
		__asm__ volatile("stac" : : : "memory");
	err = copy_fault(dst, src, n);
	if (cpu_has_smap)
		__asm__ volatile("clac" : : : "memory");
	return err;
}

static bool user_range(u64 addr, size_t n)
{
	return addr < USER_MAX && n <= USER_MAX - addr;
}

int copy_from_user(void *dst, u64 uaddr, size_t n)
{
	return user_range(uaddr, n) ? copy_user(dst, (const void *)uaddr, n) :
	       -EFAULT;
}

int copy_to_user(u64 uaddr, const void *src, size_t n)
{
	return user_range(uaddr, n) ? copy_user((void *)uaddr, src, n) :
	       -EFAULT;
}

int probe_read(void *dst, u64 addr, size_t n)
{
	return copy_fault(dst, (const void *)addr, n);
}
