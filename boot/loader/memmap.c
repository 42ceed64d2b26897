/* SPDX-License-Identifier: MIT */
/*
 * The firmware's memory map, cleaned by a sweep over its entries' edges.
 *
 * Seen in the field: no order, overlaps, hundreds of entries, types of the
 * maker's own, none at all.
 */
#include "boot/loader/memmap.h"

#include "lib/sort.h"

/* UEFI, "GetMemoryMap()": EFI_MEMORY_TYPE. */
enum {
	EFI_LOADER_CODE = 1,
	EFI_LOADER_DATA,
	EFI_BOOT_CODE,
	EFI_BOOT_DATA,
	EFI_RUNTIME_CODE,
	EFI_RUNTIME_DATA,
	EFI_CONVENTIONAL,
	EFI_ACPI_RECLAIM = 9,
	EFI_ACPI_NVS,
	EFI_MMIO,
	EFI_MMIO_PORT,
};

#define ATTR_WB		0x8ULL
#define ATTR_NV		0x8000ULL
#define ATTR_SP		0x40000ULL	/* specific purpose */
#define ATTR_RUNTIME	(1ULL << 63)

#define NR_TYPES	(BOOT_MEM_RESERVED + 1)

/* Firmware that calls a region its own at run time means it, whatever type. */
static uint32_t type_of(uint32_t efi, uint64_t attr)
{
	switch (efi) {
	case EFI_CONVENTIONAL:
	case EFI_BOOT_CODE:
	case EFI_BOOT_DATA:
		if (attr & ATTR_RUNTIME)
			return BOOT_MEM_RUNTIME;
		if (!(attr & ATTR_WB) || attr & (ATTR_SP | ATTR_NV))
			return BOOT_MEM_RESERVED;
		return BOOT_MEM_USABLE;
	case EFI_LOADER_CODE:
	case EFI_LOADER_DATA:
		return BOOT_MEM_LOADER;
	case EFI_ACPI_RECLAIM:
		return BOOT_MEM_ACPI;
	case EFI_ACPI_NVS:
		return BOOT_MEM_NVS;
	case EFI_RUNTIME_CODE:
	case EFI_RUNTIME_DATA:
		return BOOT_MEM_RUNTIME;
	case EFI_MMIO:
	case EFI_MMIO_PORT:
		return BOOT_MEM_MMIO;
	}
	return BOOT_MEM_RESERVED;	/* types of the future, of the maker */
}

static int is_malformed(const struct memmap_descriptor *d)
{
	return !d->nr_pages || d->base % MEMMAP_PAGE ||
	       d->base >= MEMMAP_END ||
	       d->nr_pages > (MEMMAP_END - d->base) / MEMMAP_PAGE;
}

/* Return: edges written, 0 or 2. */
static size_t add_edges(struct memmap_edge *edge,
			const struct memmap_descriptor *d)
{
	uint32_t type = type_of(d->type, d->attr);
	uint64_t base = d->base;
	uint64_t end = base + d->nr_pages * MEMMAP_PAGE;

	/* Firmware writes there whatever it says; 0 is nobody's address. */
	if (!base && type == BOOT_MEM_USABLE)
		base = MEMMAP_PAGE;
	if (base == end)
		return 0;
	edge[0] = (struct memmap_edge){ base, type, 1 };
	edge[1] = (struct memmap_edge){ end, type, -1 };
	return 2;
}

static size_t collect(struct memmap *m)
{
	size_t nr = m->stride < sizeof(struct memmap_descriptor) ?
		    0 : m->size / m->stride;
	size_t nr_edges = 0;

	if (!nr && m->size)
		m->skipped++;
	for (size_t i = 0; i < nr; i++) {
		struct memmap_descriptor d;

		__builtin_memcpy(&d, (const char *)m->map + i * m->stride,
				 sizeof(d));
		if (i >= m->room || is_malformed(&d))
			m->skipped++;
		else
			nr_edges += add_edges(m->edge + nr_edges, &d);
	}
	return nr_edges;
}

/* Ends before starts: neighbours do not overlap. */
static int edge_cmp(const void *a, const void *b, const void *priv)
{
	const struct memmap_edge *x = a, *y = b;

	(void)priv;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return 0;
}

static void emit(struct memmap *m, uint64_t base, uint64_t end, uint64_t type)
{
	struct boot_mem *last = m->nr_mem ? &m->mem[m->nr_mem - 1] : NULL;

	if (last && last->type == type && last->base + last->size == base)
		last->size += end - base;
	else
		m->mem[m->nr_mem++] = (struct boot_mem){ base, end - base,
							 type };
}

/*
 * The most restrictive type that is open; 0: a hole. What the firmware gave to
 * a loader is in use, and the kernel needs it, whatever else is said of it.
 */
static uint32_t top_type(const size_t *open)
{
	if (open[BOOT_MEM_LOADER])
		return BOOT_MEM_LOADER;
	for (uint32_t type = NR_TYPES - 1; type; type--)
		if (open[type])
			return type;
	return 0;
}

void memmap_convert(struct memmap *m)
{
	size_t open[NR_TYPES] = { 0 };
	uint64_t at = 0;
	size_t nr;

	m->nr_mem = 0;
	m->skipped = 0;
	m->overlaps = 0;
	nr = collect(m);
	sort(m->edge, nr, sizeof(m->edge[0]), edge_cmp, NULL);
	for (size_t i = 0; i < nr; i++) {
		const struct memmap_edge *e = &m->edge[i];
		uint32_t top = top_type(open);

		if (top && e->at > at)
			emit(m, at, e->at, top);
		if (top && e->step > 0)
			m->overlaps++;
		open[e->type] += (size_t)e->step;
		at = e->at;
	}
}

int memmap_next_ram(const struct boot_mem *mem, size_t nr, size_t *i,
		    struct boot_mem *run)
{
	while (*i < nr && !boot_mem_is_ram(mem[*i].type))
		++*i;
	if (*i == nr)
		return 0;
	*run = mem[(*i)++];
	while (*i < nr && boot_mem_is_ram(mem[*i].type) &&
	       mem[*i].base == run->base + run->size)
		run->size += mem[(*i)++].size;
	return 1;
}
