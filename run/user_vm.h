/* SPDX-License-Identifier: MIT */
/*
 * The address space of a ring-3 program: which ranges it has, and who owns
 * their pages.
 *
 *	400000		segments of the program (W^X), or
 *	10000000	a position-independent one
 *	500000000000	input, read-only: a file of the boot volume
 *	700000000000	struct tz_info, read-only
 *	700000002000	thread area that FS.base points at
 *	7fffffeb0000	guard, then 256 KiB of stack up to 7fffffef0000
 */
#ifndef RUN_USER_VM_H
#define RUN_USER_VM_H

#include <asm/paging.h>

#define USER_LOAD_MIN		0x0000000000010000ULL
#define USER_LOAD_MAX		0x0000500000000000ULL
#define USER_LOAD_BIAS		0x0000000010000000ULL	/* of ET_DYN */
#define USER_INPUT_BASE		0x0000500000000000ULL
#define USER_INFO_BASE		0x0000700000000000ULL
#define USER_TLS_BASE		0x0000700000002000ULL
#define USER_STACK_TOP		0x00007fffffef0000ULL
#define USER_STACK_SIZE		(256u << 10)

#define USER_MAX_RANGES		24

struct user_range {
	u64 va;
	u64 size;		/* bytes mapped so far: whole pages */
	bool owned;		/* its pages go back to the allocator */
};

struct user_vm {
	struct vm vm;
	bool created;
	unsigned int nr_ranges;
	struct user_range range[USER_MAX_RANGES];
};

/* An empty address space. Return: 0 or -ENOMEM. */
int __must_check user_vm_init(struct user_vm *uvm);

/* Frees tables and owned pages; also after a failed user_vm_init(). */
void user_vm_fini(struct user_vm *uvm);

/**
 * user_vm_alloc() - map cleared pages of its own
 * @va:		any address; rounded out to whole pages with @size
 * @size:	bytes, at least 1
 * @prot:	PROT_READ, _WRITE, _EXEC
 *
 * Context: thread.
 * Return: 0; -ENOMEM; -ENOSPC when there are USER_MAX_RANGES already; vm_map()'s
 * errors. What was mapped before an error goes at user_vm_fini().
 */
int __must_check user_vm_alloc(struct user_vm *uvm, u64 va, u64 size,
			       unsigned int prot);

/**
 * user_vm_map_file() - map a file of the boot volume read-only
 * @va:		page aligned
 * @pa:		page aligned; the pages stay the file's
 *
 * Return: 0, -ENOSPC or vm_map()'s errors.
 */
int __must_check user_vm_map_file(struct user_vm *uvm, u64 va, phys_addr_t pa,
				  u64 size);

/* Writes through the direct map, whatever PROT says. Return: 0 or -EFAULT. */
int __must_check user_vm_write(const struct user_vm *uvm, u64 va,
			       const void *src, size_t n);

/**
 * user_vm_read_code() - read executable bytes of an address space
 *
 * Context: any CPU; the address space must not be changed meanwhile.
 * Return: bytes read, up to the first byte that is not executable.
 */
size_t user_vm_read_code(const struct vm *vm, u64 va, u8 *buf, size_t n);

#endif /* RUN_USER_VM_H */
