/* SPDX-License-Identifier: MIT */
/*
 * The loader's memory map turned into what the page allocator takes.
 *
 * The map is firmware's word and not trusted: an entry that cannot be is
 * skipped with a line, the rest is used.
 */
#include "boot/memory.h"

#include <asm/numa.h>
#include <asm/page.h>
#include "lib/err.h"
#include "lib/printk.h"
#include "mm/page.h"

#define MAX_RANGES	4096
#define MIN_USABLE	(16ULL << 20)	/* with less the map is nonsense */
#define MAX_LINES	16		/* about entries; then only a count */
#define MAX_PRINTED	128		/* entries of a map that is refused */

/* Owner: memory_init(), boot only; too large for the boot stack. */
static struct mem_range ranges[MAX_RANGES];
static unsigned int nr_ranges;

static const char *const type_names[] = {
	[BOOT_MEM_USABLE] = "usable",
	[BOOT_MEM_LOADER] = "loader",
	[BOOT_MEM_ACPI] = "ACPI tables",
	[BOOT_MEM_NVS] = "ACPI NVS",
	[BOOT_MEM_RUNTIME] = "firmware run time",
	[BOOT_MEM_MMIO] = "devices",
	[BOOT_MEM_RESERVED] = "reserved",
};

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

static void print_entry(u64 i, const struct boot_mem *mem, const char *what)
{
	printk("memory map: entry %llu [%llx + %llx] %s\n",
	       (unsigned long long)i, (unsigned long long)mem->base,
	       (unsigned long long)mem->size, what);
}

static const char *type_name(u64 type)
{
	const char *name = type < ARRAY_SIZE(type_names) ? type_names[type] :
			   NULL;

	return name ? name : "of an unknown type";
}

static void print_map(const struct boot_mem *mem, u64 nr)
{
	for (u64 i = 0; i < nr && i < MAX_PRINTED; i++)
		print_entry(i, &mem[i], type_name(mem[i].type));
	if (nr > MAX_PRINTED)
		printk("memory map: %llu more entries\n",
		       (unsigned long long)(nr - MAX_PRINTED));
}

void memory_map_show(const struct boot_info *bi, struct printer *out)
{
	const struct boot_mem *mem = phys_to_virt(bi->mem);
	u64 end;

	for (u64 i = 0; i < bi->nr_mem; i++)
		pr_to(out, "[%012llx + %12llx] node %d %s\n",
		      (unsigned long long)mem[i].base,
		      (unsigned long long)mem[i].size,
		      numa_node_at(mem[i].base, &end), type_name(mem[i].type));
}

/* Frees the last place by leaving out the smallest. Return: bytes left out. */
static u64 drop_smallest(void)
{
	unsigned int least = 0;
	u64 size;

	for (unsigned int i = 1; i < nr_ranges; i++)
		if (ranges[i].size < ranges[least].size)
			least = i;
	size = ranges[least].size;
	nr_ranges--;
	for (unsigned int i = least; i < nr_ranges; i++)
		ranges[i] = ranges[i + 1];
	return size;
}

/* Return: bytes that are left out for it, or of it. */
static u64 range_add(u64 base, u64 size, int node)
{
	struct mem_range *last = nr_ranges ? &ranges[nr_ranges - 1] : NULL;
	u64 lost = 0;

	if (last && last->base + last->size == base && last->node == node) {
		last->size += size;
		return 0;
	}
	if (nr_ranges == MAX_RANGES)
		lost = drop_smallest();
	ranges[nr_ranges++] = (struct mem_range){ .base = base, .size = size,
						  .node = node };
	return lost;
}

/*
 * One range for each node that has a part. The firmware's nodes need not end on
 * a page: the page that two share goes to the first. Return: bytes left out.
 */
static u64 add_by_node(u64 base, u64 size)
{
	u64 lost = 0;

	while (size) {
		u64 end, part = size;
		int node = numa_node_at(base, &end);

		if (end - base < size)
			part = round_up_u64(end - base, PAGE_SIZE);
		lost += range_add(base, part, node);
		base += part;
		size -= part;
	}
	return lost;
}

/* Return: bytes of usable memory in the ranges. */
static u64 collect(const struct boot_mem *mem, u64 nr)
{
	u64 end = 0, usable = 0, lost = 0, bad = 0;

	nr_ranges = 0;
	for (u64 i = 0; i < nr; i++) {
		const char *fault = entry_fault(&mem[i], end);

		if (fault) {
			if (bad++ < MAX_LINES)
				print_entry(i, &mem[i], fault);
			continue;
		}
		end = mem[i].base + mem[i].size;
		if (mem[i].type != BOOT_MEM_USABLE)
			continue;
		usable += mem[i].size;
		lost += add_by_node(mem[i].base, mem[i].size);
	}
	if (bad)
		printk("memory map: %llu entries left out\n",
		       (unsigned long long)bad);
	if (lost)
		printk("memory map: more than %u usable ranges: the smallest, %llu KiB in all, left out\n",
		       MAX_RANGES, (unsigned long long)(lost >> 10));
	return usable - lost;
}

int memory_init(const struct boot_info *bi)
{
	const struct boot_mem *mem = phys_to_virt(bi->mem);
	u64 usable = collect(mem, bi->nr_mem);

	if (usable < MIN_USABLE) {
		printk("memory map: %llu KiB usable of %llu entries: too little to be true\n",
		       (unsigned long long)(usable >> 10),
		       (unsigned long long)bi->nr_mem);
		print_map(mem, bi->nr_mem);
		return -EBADMSG;
	}
	if (numa_distances() &&
	    page_set_distances(numa_distances(), numa_nr_nodes()))
		printk("memory map: distances of more nodes than fit: not used\n");
	return page_init(ranges, nr_ranges);
}
