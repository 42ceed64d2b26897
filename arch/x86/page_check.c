/* SPDX-License-Identifier: MIT */
/*
 * A walk over the kernel's page tables.
 */
#include "arch/x86/page_check.h"

#include <asm/page.h>
#include "lib/bitfield.h"

#define PTE_P		BIT_ULL(0)
#define PTE_W		BIT_ULL(1)
#define PTE_U		BIT_ULL(2)
#define PTE_PS		BIT_ULL(7)
#define PTE_NX		BIT_ULL(63)
#define PTE_ADDR	GENMASK_ULL(51, 12)

#define ENTRIES		512
#define LEVEL_BITS	9
#define TOP_LEVEL	3
#define LOWER_HALF	(ENTRIES / 2)	/* entries of the top table */

struct walk {
	u64 text_start, text_end;
	struct page_check *check;
};

static u64 entry_size(unsigned int level)
{
	return PAGE_SIZE << level * LEVEL_BITS;
}

static const char *fault_of(const struct walk *w, u64 va, u64 size, u64 rights)
{
	bool exec = !(rights & PTE_NX);

	if (va < 1ULL << 63)
		return "mapped in the half of ring 3";
	if (rights & PTE_U)
		return "open to ring 3";
	if (exec && rights & PTE_W)
		return "writable and executable";
	if (exec && (va < w->text_start || va + size > w->text_end))
		return "executable outside of the text";
	return NULL;
}

static void take_leaf(struct walk *w, u64 va, u64 size, u64 rights)
{
	struct page_check *check = w->check;
	const char *fault = fault_of(w, va, size, rights);

	check->nr_entries++;
	check->mapped_bytes += size;
	if (!(rights & PTE_NX))
		check->exec_bytes += size;
	if (!fault)
		return;
	if (!check->nr_bad++) {
		check->bad_va = va;
		check->bad = fault;
	}
}

/* @rights: W and U as far as every level grants them, NX as soon as one says. */
static u64 combine(u64 rights, u64 pte)
{
	return (rights & pte & (PTE_W | PTE_U)) |
	       ((rights | pte) & PTE_NX);
}

/* Depth is the number of levels: four. */
static void walk_table(struct walk *w, phys_addr_t table, unsigned int level,
		       u64 va, u64 rights)
{
	const u64 *pte = phys_to_virt(table);

	for (unsigned int i = 0; i < ENTRIES; i++) {
		u64 at = va + i * entry_size(level);
		u64 sum = combine(rights, pte[i]);

		if (!(pte[i] & PTE_P))
			continue;
		if (level == TOP_LEVEL && i >= LOWER_HALF)
			at |= 0xffff000000000000ULL;
		if (!level || pte[i] & PTE_PS)
			take_leaf(w, at, entry_size(level), sum);
		else
			walk_table(w, pte[i] & PTE_ADDR, level - 1, at, sum);
	}
}

void page_check_rights(const struct vm *vm, u64 text_start, u64 text_end,
		       struct page_check *check)
{
	struct walk w = { text_start, text_end, check };

	*check = (struct page_check){ 0 };
	walk_table(&w, vm->cr3 & PTE_ADDR, TOP_LEVEL, 0, PTE_W | PTE_U);
}
