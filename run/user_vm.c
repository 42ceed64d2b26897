/* SPDX-License-Identifier: MIT */
/*
 * The address space of a ring-3 program.
 *
 * Which page belongs to which address is kept by the page tables alone; a
 * range only says from where to where, so nothing is kept twice.
 */
#include "run/user_vm.h"

#include "lib/err.h"
#include "lib/string.h"
#include "mm/page.h"

int user_vm_init(struct user_vm *uvm)
{
	int err;

	memset(uvm, 0, sizeof(*uvm));
	err = vm_create(&uvm->vm);
	uvm->created = !err;
	return err;
}

static void free_range(struct user_vm *uvm, const struct user_range *range)
{
	for (u64 off = 0; off < range->size; off += PAGE_SIZE) {
		unsigned int prot;
		phys_addr_t pa;

		if (vm_translate(&uvm->vm, range->va + off, &pa, &prot))
			continue;
		free_pages((unsigned long)phys_to_virt(pa & PAGE_MASK), 0);
	}
}

void user_vm_fini(struct user_vm *uvm)
{
	if (!uvm->created)
		return;
	for (unsigned int i = 0; i < uvm->nr_ranges; i++)
		if (uvm->range[i].owned)
			free_range(uvm, &uvm->range[i]);
	vm_destroy(&uvm->vm);
	uvm->created = false;
}

static struct user_range *add_range(struct user_vm *uvm, u64 va, bool owned)
{
	struct user_range *range;

	if (uvm->nr_ranges == USER_MAX_RANGES)
		return NULL;
	range = &uvm->range[uvm->nr_ranges++];
	range->va = va;
	range->size = 0;
	range->owned = owned;
	return range;
}

static int map_cleared_page(struct user_vm *uvm, u64 va, unsigned int prot)
{
	unsigned long page = get_zeroed_page(GFP_KERNEL);
	int err;

	if (!page)
		return -ENOMEM;
	err = vm_map(&uvm->vm, va, virt_to_phys((void *)page), PAGE_SIZE,
		     prot | PROT_USER);
	if (err)
		free_pages(page, 0);
	return err;
}

int user_vm_alloc(struct user_vm *uvm, u64 va, u64 size, unsigned int prot)
{
	u64 end = round_up_u64(va + size, PAGE_SIZE);
	struct user_range *range = add_range(uvm, va & PAGE_MASK, true);

	if (!range)
		return -ENOSPC;
	for (u64 page = range->va; page < end; page += PAGE_SIZE) {
		int err = map_cleared_page(uvm, page, prot);

		if (err)
			return err;
		range->size += PAGE_SIZE;
	}
	return 0;
}

int user_vm_map_file(struct user_vm *uvm, u64 va, phys_addr_t pa, u64 size)
{
	struct user_range *range = add_range(uvm, va, false);
	int err;

	if (!range)
		return -ENOSPC;
	size = round_up_u64(size, PAGE_SIZE);
	err = vm_map(&uvm->vm, va, pa, size, PROT_READ | PROT_USER);
	if (!err)
		range->size = size;
	return err;
}

/* The bytes at @va up to the end of their page; *n is cut to that. */
static void *page_bytes(const struct vm *vm, u64 va, size_t *n,
			unsigned int *prot)
{
	u64 offset = va & ~PAGE_MASK;
	phys_addr_t pa;

	if (va >= USER_MAX || vm_translate(vm, va, &pa, prot))
		return NULL;
	*n = min(*n, (size_t)(PAGE_SIZE - offset));
	return (u8 *)phys_to_virt(pa & PAGE_MASK) + offset;
}

int user_vm_write(const struct user_vm *uvm, u64 va, const void *src, size_t n)
{
	const u8 *from = src;

	while (n) {
		unsigned int prot;
		size_t part = n;
		void *to = page_bytes(&uvm->vm, va, &part, &prot);

		if (!to)
			return -EFAULT;
		memcpy(to, from, part);
		from += part;
		va += part;
		n -= part;
	}
	return 0;
}

size_t user_vm_read_code(const struct vm *vm, u64 va, u8 *buf, size_t n)
{
	size_t done = 0;

	while (done < n) {
		unsigned int prot = 0;
		size_t part = n - done;
		const void *from = page_bytes(vm, va + done, &part, &prot);

		if (!from || !(prot & PROT_EXEC) || !(prot & PROT_USER))
			break;
		memcpy(buf + done, from, part);
		done += part;
	}
	return done;
}
