/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on the firmware tables. Input: a byte of FIX_* flags, then the
 * physical memory from BASE on, where the RSDP is.
 *
 * Check sums would keep almost every mutation out, so they are made right
 * where the flags say so. The first run writes its seeds into the folder of the
 * corpus, the first argument that is no option.
 */
#include <stdio.h>

#include "tests/unit/acpi_memory.h"
#include "arch/x86/cpu.h"
#include "arch/x86/srat.h"

#define BASE		0x1000ULL
#define FIX_RSDP	1
#define FIX_ROOT	2
#define LATE		4	/* the second half is out of reach at first */
#define SEED_SIZE	768

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct madt madt;
static struct srat srat;

static void check(bool claim)
{
	if (!claim)
		abort();
}

/* Nothing but text may come, whatever the tables hold. */
static void to_console(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(s[i] == '\n' || (s[i] >= 0x20 && s[i] < 0x7f));
}

static void to_printer(struct printer *p, const char *s, size_t n)
{
	(void)p;
	to_console(s, n);
}

/* ---- what must hold ---- */

static void check_madt(const struct acpi_table *t)
{
	if (madt_parse(&madt, t))
		return;
	check(madt.nr <= NR_CPUS && madt.bad_offset < t->size);
	for (unsigned int i = 0; i < madt.nr; i++) {
		check(madt.apic_id[i] != 0xffffffff);
		for (unsigned int j = 0; j < i; j++)
			check(madt.apic_id[i] != madt.apic_id[j]);
	}
}

static void check_memory(void)
{
	unsigned int steps = 0;
	u64 pa = 0, end;

	check(srat.nr_mem <= SRAT_MAX_MEM);
	for (unsigned int i = 0; i < srat.nr_mem; i++) {
		check(srat.mem[i].base < srat.mem[i].end);
		check(!i || srat.mem[i - 1].end <= srat.mem[i].base);
		check(srat.mem[i].node < srat.nr_nodes);
		check(srat_node_at(&srat, srat.mem[i].end - 1, &end) ==
		      srat.mem[i].node && end == srat.mem[i].end);
	}
	for (; pa != ~0ULL; pa = end) {
		int node = srat_node_at(&srat, pa, &end);

		check(node >= 0 && (unsigned int)node < srat.nr_nodes);
		check(end > pa && ++steps <= 2 * srat.nr_mem + 1);
	}
}

static void check_srat(const struct acpi_table *t)
{
	struct acpi_table slit;

	if (srat_parse(&srat, t))
		return;
	check(srat.nr_nodes && srat.nr_nodes <= NUMA_MAX_NODES);
	check(srat.nr_cpus <= NR_CPUS && srat.bad_offset < t->size);
	for (unsigned int i = 0; i < srat.nr_cpus; i++)
		check(srat.cpu[i].node < srat.nr_nodes &&
		      srat_node_of_cpu(&srat, srat.cpu[i].apic_id) ==
		      srat.cpu[i].node);
	check_memory();
	for (unsigned int i = 0; acpi_find("SLIT", i, &slit); i++) {
		srat.has_distances = false;
		check(!slit_parse(&srat, &slit) == srat.has_distances);
		for (unsigned int d = 0; srat.has_distances &&
		     d < srat.nr_nodes * srat.nr_nodes; d++)
			check(srat.distance[d] >= 10);
	}
}

static void check_fields(const struct acpi_table *t)
{
	struct acpi_gas gas;

	for (size_t off = t->size - 13; off < t->size + 2; off++) {
		check(acpi_u8(t, off) == (off < t->size ? t->data[off] : 0));
		check(acpi_u16(t, off) == 0 || off + 2 <= t->size);
		check(acpi_u32(t, off) == 0 || off + 4 <= t->size);
		check(acpi_u64(t, off) == 0 || off + 8 <= t->size);
		check(acpi_gas(t, off, &gas) == (off + 12 <= t->size));
	}
}

static void check_index(void)
{
	unsigned int found = 0, bad = 0;

	check(nr_entries <= ACPI_MAX_TABLES);
	for (unsigned int i = 0; i < nr_entries; i++) {
		const struct acpi_table *t = &entries[i].table;
		struct acpi_table same;
		unsigned int nth = 0;

		for (unsigned int j = 0; j < i; j++) {
			check(entries[i].pa != entries[j].pa);
			nth += t->data && entries[j].table.data &&
			       !memcmp(t->data, entries[j].table.data, 4);
		}
		bad += !t->data;
		if (!t->data)
			continue;
		found++;
		check(t->size >= ACPI_HEADER && t->size <= ACPI_TABLE_MAX);
		check(acpi_find((const char *)t->data, nth, &same) &&
		      same.data == t->data);
		check_fields(t);
		check_madt(t);
		check_srat(t);
	}
	check(bad == nr_bad && found + bad == nr_entries);
	check(!complete || !acpi_nr_skipped() || bad ||
	      nr_entries == ACPI_MAX_TABLES);
}

/* ---- one memory ---- */

static void fix_root(u8 *mem, size_t size, u64 pa)
{
	u64 off = pa - BASE;
	u32 length;

	if (pa < BASE || off > size || size - off < ACPI_HEADER)
		return;
	memcpy(&length, mem + off + 4, sizeof(length));
	if (length >= ACPI_HEADER && length <= size - off)
		memory_sum(mem + off, length, 9);
}

static void fix_sums(u8 *mem, size_t size, u8 flags)
{
	u64 xsdt;
	u32 rsdt;

	if (size < RSDP_SIZE)
		return;
	memcpy(&rsdt, mem + RSDP_RSDT, sizeof(rsdt));
	memcpy(&xsdt, mem + RSDP_XSDT, sizeof(xsdt));
	if (flags & FIX_ROOT) {
		fix_root(mem, size, rsdt);
		fix_root(mem, size, xsdt);
	}
	if (flags & FIX_RSDP) {
		memcpy(mem, "RSD PTR ", 8);
		memory_sum(mem, RSDP_V1_SIZE, 8);
		memory_sum(mem, RSDP_SIZE, 32);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct printer printer = { to_printer };
	size_t half;
	u8 *mem;
	int err;

	if (n < 3)
		return 0;
	mem = malloc(n - 1);
	check(mem != NULL);
	memcpy(mem, data + 1, n - 1);
	fix_sums(mem, n - 1, data[0]);
	half = data[0] & LATE ? (n - 1) / 2 : n - 1;
	memcpy(memory_add(BASE, half)->data, mem, half);
	if (half < n - 1) {
		struct region *r = memory_add(BASE + half, n - 1 - half);

		memcpy(r->data, mem + half, n - 1 - half);
		r->late = true;
	}
	memory_init();
	printk_set_sink(to_console);
	err = acpi_init(BASE);
	check(err == 0 || err == -EBADMSG);
	check_index();
	memory_later = true;
	check(acpi_init(BASE) == 0 || err);
	check_index();
	acpi_show(&printer);
	memory_fini();
	free(mem);
	return 0;
}

/* ---- seeds ---- */

struct seed {
	u8 byte[1 + SEED_SIZE];
	size_t used;		/* of the memory behind the first byte */
	size_t root;
};

static void put(struct seed *s, size_t off, u64 v, size_t n)
{
	memcpy(s->byte + 1 + off, &v, n);
}

/* In the next free place; the root's next entry of 8 bytes points there. */
static size_t seed_table(struct seed *s, const char *sig, size_t size)
{
	size_t off = s->used;

	check(off + size <= SEED_SIZE);
	memcpy(s->byte + 1 + off, sig, 4);
	put(s, off + 4, size, 4);
	s->byte[1 + off + 8] = 3;
	s->used += size;
	if (s->root) {
		put(s, s->root, BASE + off, 8);
		s->root += 8;
	}
	return off;
}

static void seed_begin(struct seed *s, u8 flags)
{
	size_t root_off;

	memset(s, 0, sizeof(*s));
	s->byte[0] = flags;
	s->byte[1 + RSDP_REVISION] = 2;
	s->used = RSDP_SIZE;
	root_off = seed_table(s, "XSDT", ACPI_HEADER + 5 * 8);
	put(s, RSDP_XSDT, BASE + root_off, 8);
	s->root = root_off + ACPI_HEADER;
}

static void seed_madt(struct seed *s)
{
	size_t off = seed_table(s, "APIC", 44 + 8 + 16 + 12);

	put(s, off + 44, 0x0000000101000800, 8);	/* type 0, ID 1 */
	put(s, off + 52, 0x0000123400001009, 8);	/* type 9 */
	put(s, off + 60, 1, 8);
	put(s, off + 68, 0xc05, 2);			/* type 5 */
}

static void seed_srat(struct seed *s)
{
	size_t off = seed_table(s, "SRAT", 48 + 16 + 24 + 2 * 40);

	put(s, off + 48, 0x0000000101011000, 8);	/* type 0 */
	put(s, off + 64, 0x0000000000001802, 8);	/* type 2 */
	put(s, off + 72, 0x0000000100000002, 8);
	for (unsigned int i = 0; i < 2; i++) {		/* type 1 */
		size_t mem = off + 88 + 40 * i;

		put(s, mem, 0x2801 | (u64)i << 16, 8);
		put(s, mem + 8, i << 30, 8);
		put(s, mem + 16, 1 << 30, 8);
		put(s, mem + 28, 1, 4);
	}
}

static void seed_slit(struct seed *s)
{
	size_t off = seed_table(s, "SLIT", 44 + 4);

	put(s, off + 36, 2, 8);
	put(s, off + 44, 0x0a14140a, 4);
}

static void seed_write(const struct seed *s, const char *folder, int nr)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/seed-%d", folder, nr);
	file = fopen(path, "wb");
	if (!file)
		return;		/* a file was named, to be run again */
	check(fwrite(s->byte, 1 + s->used, 1, file) == 1);
	check(!fclose(file));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static struct seed s;
	int arg = 1;

	while (arg < *argc && (*argv)[arg][0] == '-')
		arg++;
	for (u8 flags = 0; arg < *argc && flags < 8; flags++) {
		seed_begin(&s, flags);
		seed_madt(&s);
		seed_srat(&s);
		seed_slit(&s);
		seed_table(&s, "FACP", 60);
		seed_madt(&s);
		seed_write(&s, (*argv)[arg], flags);
	}
	return 0;
}
