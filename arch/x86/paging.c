/* SPDX-License-Identifier: MIT */
/*
 * Address spaces: 4-level page tables.
 */
#include <asm/paging.h>

#include <asm/physaddr.h>
#include "arch/x86/cpu.h"
#include "lib/bitfield.h"
#include "lib/err.h"
#include "lib/string.h"

#define PTE_P		BIT_ULL(0)
#define PTE_W		BIT_ULL(1)
#define PTE_U		BIT_ULL(2)
#define PTE_PWT		BIT_ULL(3)
#define PTE_PCD		BIT_ULL(4)
#define PTE_PS		BIT_ULL(7)	/* in a directory */
#define PTE_PAT		BIT_ULL(7)	/* in a table of 4 KiB pages */
#define PTE_NX		BIT_ULL(63)
#define PTE_ADDR	GENMASK_ULL(51, 12)

#define LARGE		(2ULL << 20)
#define ENTRIES		512
#define KERNEL_HALF	256		/* first top-level entry of the kernel */

/* Windows of the kernel half besides HHDM_BASE and KERNEL_BASE. */
#define IOREMAP_BASE	0xffffc00000000000ULL
#define IOREMAP_SIZE	(1ULL << 32)
#define STACKS_BASE	0xffffd00000000000ULL

extern char __text_start[], __text_end[], __rodata_start[], __rodata_end[];
extern char __data_start[], __data_end[], __stacks_start[], __stacks_end[];

struct vm kernel_vm;
phys_addr_t boot_cr3;

/* Owner: paging_set_source(). */
static struct page_source source;
/* Owner: ioremap(), boot CPU only. */
static u64 ioremap_next = IOREMAP_BASE;

void paging_set_source(const struct page_source *src)
{
	source = *src;
}

static unsigned int index_at(u64 va, unsigned int level)
{
	return va >> (12 + 9 * level) & (ENTRIES - 1);
}

static u64 *table_of(u64 pte)
{
	return phys_to_virt(pte & PTE_ADDR);
}

/*
 * The entry for @va at @level (0: 4 KiB, 1: 2 MiB), or without @make the large
 * page above it. Missing tables are made when @make is set.
 * Return: NULL: not there, or out of memory.
 */
static u64 *walk(const struct vm *vm, u64 va, unsigned int level, bool make)
{
	u64 *table = phys_to_virt(vm->cr3);

	for (unsigned int l = 3; l > level; l--) {
		u64 *entry = &table[index_at(va, l)];

		if (*entry & PTE_PS && l <= 2)
			return make ? NULL : entry;
		if (!(*entry & PTE_P)) {
			phys_addr_t page = make ? source.alloc() : 0;

			if (!page)
				return NULL;
			*entry = page | PTE_P | PTE_W |
				 (va < USER_MAX ? PTE_U : 0);
		}
		table = table_of(*entry);
	}
	return &table[index_at(va, level)];
}

static u64 pte_bits(unsigned int prot)
{
	u64 pte = PTE_P;

	if (prot & PROT_WRITE)
		pte |= PTE_W;
	if (!(prot & PROT_EXEC))
		pte |= PTE_NX;
	if (prot & PROT_USER)
		pte |= PTE_U;
	if (prot & PROT_UC)
		pte |= PTE_PCD | PTE_PWT;
	if (prot & PROT_WC)
		pte |= PTE_PAT;		/* entry 4 of the PAT: cpu.c */
	return pte;
}

static bool map_args_valid(const struct vm *vm, u64 va, phys_addr_t pa,
			   u64 size, unsigned int prot)
{
	bool user = va < USER_MAX;

	if (va % PAGE_SIZE || pa % PAGE_SIZE || !size || va + size < va)
		return false;
	if (prot & PROT_WRITE && prot & PROT_EXEC)
		return false;
	if (user != (vm != &kernel_vm) || user != !!(prot & PROT_USER))
		return false;
	/* Page 0 stays unmapped, and the last user page (SYSRET's trap). */
	return !user || (va && va + size <= USER_MAX - PAGE_SIZE);
}

int vm_map(struct vm *vm, u64 va, phys_addr_t pa, u64 size, unsigned int prot)
{
	if (!map_args_valid(vm, va, pa, size, prot))
		return -EINVAL;
	for (u64 off = 0; off < size; off += PAGE_SIZE) {
		u64 *pte = walk(vm, va + off, 0, true);

		if (!pte)
			return -ENOMEM;
		if (*pte & PTE_P)
			return -EEXIST;
		*pte = (pa + off) | pte_bits(prot);
	}
	return 0;
}

static void flush_page(u64 va)
{
	__asm__ volatile("invlpg (%0)" : : "r"(va) : "memory");
}

void vm_unmap(struct vm *vm, u64 va, u64 size)
{
	for (u64 off = 0; off < size; off += PAGE_SIZE) {
		u64 *pte = walk(vm, va + off, 0, false);

		if (!pte || !(*pte & PTE_P))
			continue;
		*pte = 0;
		flush_page(va + off);
	}
}

int vm_translate(const struct vm *vm, u64 va, phys_addr_t *pa,
		 unsigned int *prot)
{
	u64 *pte = walk(vm, va, 1, false);
	u64 size = LARGE;

	if (pte && *pte & PTE_P && !(*pte & PTE_PS)) {
		pte = walk(vm, va, 0, false);
		size = PAGE_SIZE;
	}
	if (!pte || !(*pte & PTE_P))
		return -EFAULT;
	*pa = (*pte & PTE_ADDR & ~(size - 1)) + va % size;
	*prot = PROT_READ;
	if (*pte & PTE_W)
		*prot |= PROT_WRITE;
	if (!(*pte & PTE_NX))
		*prot |= PROT_EXEC;
	if (*pte & PTE_U)
		*prot |= PROT_USER;
	return 0;
}

int vm_create(struct vm *vm)
{
	u64 *kernel = phys_to_virt(kernel_vm.cr3);
	u64 *root;

	vm->cr3 = source.alloc();
	if (!vm->cr3)
		return -ENOMEM;
	root = phys_to_virt(vm->cr3);
	for (unsigned int i = KERNEL_HALF; i < ENTRIES; i++)
		root[i] = kernel[i];
	return 0;
}

/* Frees a table and those below it; entries of level 0 are data pages. */
static void free_table(phys_addr_t pa, unsigned int level, unsigned int nr)
{
	u64 *table = phys_to_virt(pa);

	for (unsigned int i = 0; level && i < nr; i++)
		if (table[i] & PTE_P && !(table[i] & PTE_PS))
			free_table(table[i] & PTE_ADDR, level - 1, ENTRIES);
	source.free(pa);
}

void vm_destroy(struct vm *vm)
{
	if (vm->cr3)
		free_table(vm->cr3, 3, KERNEL_HALF);
	vm->cr3 = 0;
}

void vm_switch(const struct vm *vm)
{
	__asm__ volatile("mov %0, %%cr3" : : "r"(vm->cr3) : "memory");
}

/* ---- the kernel's own tables ---- */

/* Direct map of a range, with large pages where they fit whole. */
static int map_ram(u64 base, u64 size)
{
	while (size) {
		bool large = base % LARGE == 0 && size >= LARGE;
		u64 step = large ? LARGE : PAGE_SIZE;
		u64 *pte = walk(&kernel_vm, HHDM_BASE + base, large, true);

		if (!pte)
			return -ENOMEM;
		*pte = base | PTE_P | PTE_W | PTE_NX | (large ? PTE_PS : 0);
		base += step;
		size -= step;
	}
	return 0;
}

static int map_all_ram(const struct boot_info *bi)
{
	const struct boot_mem *mem = phys_to_virt(bi->mem);

	for (u64 i = 0; i < bi->nr_mem; i++) {
		int err = boot_mem_is_ram(mem[i].type) && mem[i].base % PAGE_SIZE == 0 ?
			  map_ram(mem[i].base, mem[i].size & PAGE_MASK) : 0;

		if (err)
			return err;
	}
	return 0;
}

static int map_section(const struct boot_info *bi, char *start, char *end,
		       unsigned int prot)
{
	u64 off = (u64)start - KERNEL_BASE;

	if (start == end)
		return 0;
	return vm_map(&kernel_vm, (u64)start, bi->kernel_base + off,
		      (u64)(end - start), prot);
}

static int map_kernel(const struct boot_info *bi)
{
	int err = map_section(bi, __text_start, __text_end,
			      PROT_READ | PROT_EXEC);

	if (!err)
		err = map_section(bi, __rodata_start, __rodata_end, PROT_READ);
	if (!err)
		err = map_section(bi, __data_start, __data_end,
				  PROT_READ | PROT_WRITE);
	if (err)
		return err;
	for (u64 va = (u64)__stacks_start; va < (u64)__stacks_end;
	     va += STACK_SPAN)
		vm_unmap(&kernel_vm, va, PAGE_SIZE);
	return 0;
}

/* Top-level entries are copied by vm_create(): they must not change later. */
static int make_windows(void)
{
	return walk(&kernel_vm, IOREMAP_BASE, 2, true) &&
	       walk(&kernel_vm, STACKS_BASE, 2, true) ? 0 : -ENOMEM;
}

int paging_init(const struct boot_info *bi)
{
	int err;

	boot_cr3 = bi->cr3;
	kernel_vm.cr3 = source.alloc();
	if (!kernel_vm.cr3)
		return -ENOMEM;
	err = map_all_ram(bi);
	if (!err)
		err = map_kernel(bi);
	if (!err)
		err = make_windows();
	if (!err)
		vm_switch(&kernel_vm);
	return err;
}

static void *map_device(phys_addr_t pa, u64 size, unsigned int cache)
{
	u64 in_page = pa % PAGE_SIZE;
	u64 span = round_up_u64(in_page + size, PAGE_SIZE);
	u64 va = ioremap_next;

	if (!size || !phys_range_valid(pa, size))
		return NULL;
	if (span < size || span > IOREMAP_BASE + IOREMAP_SIZE - va)
		return NULL;
	if (vm_map(&kernel_vm, va, pa - in_page, span,
		   PROT_READ | PROT_WRITE | cache))
		return NULL;
	ioremap_next += span;
	return (void *)(va + in_page);
}

void *ioremap(phys_addr_t pa, u64 size)
{
	return map_device(pa, size, PROT_UC);
}

void *ioremap_wc(phys_addr_t pa, u64 size)
{
	return map_device(pa, size, cpu_has_pat ? PROT_WC : PROT_UC);
}

u64 stacks_alloc(unsigned int cpu)
{
	u64 base = STACKS_BASE + cpu * NR_STACKS * STACK_SPAN;

	for (unsigned int i = 0; i < NR_STACKS; i++) {
		for (unsigned int n = 1; n <= STACK_PAGES; n++) {
			phys_addr_t page = source.alloc();

			if (!page || vm_map(&kernel_vm, base + i * STACK_SPAN +
					    n * PAGE_SIZE, page, PAGE_SIZE,
					    PROT_READ | PROT_WRITE))
				return 0;
		}
	}
	return base;
}
