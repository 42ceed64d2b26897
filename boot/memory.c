/* SPDX-License-Identifier: MIT */
/*
 * The loader's memory map turned into what the page allocator takes.
 *
 * The map is firmware's word and not trusted: an entry that cannot be is
 * skipped with a line, the rest is used.
 */
#include "boot/memory.h"

#include <asm/page.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "mm/page.h"

#define MAX_RANGES	256

/* Owner: memory_init(), boot only; too large for the boot stack. */
static struct mem_range ranges[MAX_RANGES];

static const char *entry_fault(const struct boot_mem *mem, u64 end_before)
{
	if (mem->base % PAGE_SIZE || mem->size % PAGE_SIZE)
		return "not page granular";
	if (!mem->size)
		return "empty";
	if (mem->base + mem->size < mem->base)
		return "wraps around";
	if (mem->base < end_before)
		return "overlaps or unsorted";
	return NULL;
}

static bool range_append(struct mem_range *last, const struct boot_mem *mem)
{
	if (!last || last->base + last->size != mem->base)
		return false;
	last->size += mem->size;
	return true;
}

int memory_init(const struct boot_info *bi)
{
	const struct boot_mem *mem = phys_to_virt(bi->mem);
	unsigned int nr = 0;
	u64 end = 0;

	for (u64 i = 0; i < bi->nr_mem; i++) {
		const char *fault = entry_fault(&mem[i], end);

		if (fault) {
			printk("memory map: entry %llu [%llx + %llx] %s: left out\n",
			       (unsigned long long)i,
			       (unsigned long long)mem[i].base,
			       (unsigned long long)mem[i].size, fault);
			continue;
		}
		end = mem[i].base + mem[i].size;
		if (mem[i].type != BOOT_MEM_USABLE)
			continue;
		if (range_append(nr ? &ranges[nr - 1] : NULL, &mem[i]))
			continue;
		if (nr == MAX_RANGES) {
			printk("memory map: more than %u usable ranges: [%llx + %llx] left out\n",
			       MAX_RANGES, (unsigned long long)mem[i].base,
			       (unsigned long long)mem[i].size);
			continue;
		}
		ranges[nr++] = (struct mem_range){ .base = mem[i].base,
						   .size = mem[i].size };
	}
	return nr ? page_init(ranges, nr) : -EBADMSG;
}
