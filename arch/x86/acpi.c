/* SPDX-License-Identifier: MIT */
/*
 * ACPI tables: from the RSDP to an index of all of them.
 */
#include <asm/machine.h>
#include "arch/x86/acpi.h"

#include "lib/err.h"
#include "lib/printk.h"
#include "lib/string.h"

#define RSDP_V1_SIZE	20
#define RSDP_SIZE	36
#define RSDP_REVISION	15
#define RSDP_RSDT	16
#define RSDP_XSDT	24

#define ACPI_REVISION	8
#define ACPI_OEM	10	/* two texts, one behind the other */
#define ACPI_OEM_ID	6
#define ACPI_OEM_TABLE_ID 8

struct entry {
	phys_addr_t pa;
	/* No data: reported and left out, kept so that it is reported once. */
	struct acpi_table table;
};

struct root {
	phys_addr_t pa;
	unsigned int width;	/* bytes of an entry; 0: there is no root yet */
	bool for_now;		/* the XSDT could not be reached */
	struct acpi_table table;
};

/* Owner: acpi_init(). */
static struct root root;
static struct entry entries[ACPI_MAX_TABLES];
static unsigned int nr_entries;
static unsigned int nr_bad;	/* entries without data */
static unsigned int nr_skipped;	/* of the last call: out of reach, too many */
static bool complete;

/* ---- fields ---- */

static u64 get(const struct acpi_table *table, size_t off, unsigned int n)
{
	u64 v = 0;

	if (off <= table->size && n <= table->size - off)
		memcpy(&v, table->data + off, n);
	return v;
}

u8 acpi_u8(const struct acpi_table *table, size_t off)
{
	return (u8)get(table, off, 1);
}

u16 acpi_u16(const struct acpi_table *table, size_t off)
{
	return (u16)get(table, off, 2);
}

u32 acpi_u32(const struct acpi_table *table, size_t off)
{
	return (u32)get(table, off, 4);
}

u64 acpi_u64(const struct acpi_table *table, size_t off)
{
	return get(table, off, 8);
}

bool acpi_gas(const struct acpi_table *table, size_t off, struct acpi_gas *gas)
{
	memset(gas, 0, sizeof(*gas));
	if (off > table->size || table->size - off < ACPI_GAS_SIZE)
		return false;
	gas->space = acpi_u8(table, off);
	gas->bit_width = acpi_u8(table, off + 1);
	gas->bit_offset = acpi_u8(table, off + 2);
	gas->access = acpi_u8(table, off + 3);
	gas->address = acpi_u64(table, off + 4);
	return true;
}

/* ---- tables ---- */

static bool sums_to_zero(const u8 *p, size_t n)
{
	u8 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = (u8)(sum + p[i]);
	return !sum;
}

struct acpi_table acpi_table_of(const u8 *data, size_t size)
{
	struct acpi_table table = {
		.data = data,
		.size = size,
		.sum_good = sums_to_zero(data, size),
	};

	return table;
}

/*
 * Return: 0; -EBADMSG (reported) when the length is none; -ENODEV when it
 * cannot be reached now.
 */
static int look_at(phys_addr_t pa, struct acpi_table *table)
{
	const u8 *head = acpi_map(pa, ACPI_HEADER);
	u32 size;

	if (!head)
		return -ENODEV;
	memcpy(&size, head + 4, sizeof(size));
	if (size < ACPI_HEADER || size > ACPI_TABLE_MAX) {
		printk("acpi: table at %llx says it has %u bytes: skipped\n",
		       (unsigned long long)pa, size);
		return -EBADMSG;
	}
	head = acpi_map(pa, size);
	if (!head)
		return -ENODEV;
	*table = acpi_table_of(head, size);
	return 0;
}

bool acpi_table_at(phys_addr_t pa, struct acpi_table *table)
{
	int err = look_at(pa, table);

	if (err == -ENODEV)
		printk("acpi: table at %llx cannot be reached: skipped\n",
		       (unsigned long long)pa);
	return !err;
}

/* Signatures are text; anything else must not reach the console raw. */
static char printable(u8 c)
{
	return c >= 0x20 && c < 0x7f ? (char)c : '?';
}

static void report_sum(const struct entry *e)
{
	const u8 *sig = e->table.data;

	printk("acpi: %c%c%c%c at %llx has a bad check sum\n",
	       printable(sig[0]), printable(sig[1]), printable(sig[2]),
	       printable(sig[3]), (unsigned long long)e->pa);
}

static void show_table(struct printer *out, const struct entry *e)
{
	const struct acpi_table *t = &e->table;
	char id[ACPI_OEM_ID + ACPI_OEM_TABLE_ID + 1] = "";

	for (size_t c = 0; c < sizeof(id) - 1; c++)
		id[c] = printable(t->data[ACPI_OEM + c]);
	for (size_t c = sizeof(id) - 1; c && id[c - 1] == ' '; c--)
		id[c - 1] = '\0';
	pr_to(out, "%c%c%c%c %016llx %7zu bytes, revision %u, by %s%s\n",
	      printable(t->data[0]), printable(t->data[1]),
	      printable(t->data[2]), printable(t->data[3]),
	      (unsigned long long)e->pa, t->size, acpi_u8(t, ACPI_REVISION),
	      id, t->sum_good ? "" : ", bad check sum");
}

void acpi_show(struct printer *out)
{
	for (unsigned int i = 0; i < nr_entries; i++)
		if (entries[i].table.data)
			show_table(out, &entries[i]);
	pr_to(out, "%u skipped\n", acpi_nr_skipped());
}

static bool known(phys_addr_t pa)
{
	for (unsigned int i = 0; i < nr_entries; i++)
		if (entries[i].pa == pa)
			return true;
	return false;
}

/* Return: false when the table cannot be reached now. */
static bool add_table(phys_addr_t pa)
{
	struct entry *e = &entries[nr_entries];
	int err;

	if (!pa || known(pa))
		return true;
	if (nr_entries == ACPI_MAX_TABLES) {
		nr_skipped++;
		return true;
	}
	*e = (struct entry){ .pa = pa };
	err = look_at(pa, &e->table);
	if (err == -ENODEV) {
		nr_skipped++;
		return false;
	}
	nr_entries++;
	if (err)
		nr_bad++;
	else if (!e->table.sum_good)
		report_sum(e);
	return true;
}

/* ---- roots ---- */

/* Return: 0, -ENODEV when it cannot be reached now, -EBADMSG (reported). */
static int try_root(phys_addr_t pa, const char *sig, unsigned int width)
{
	struct acpi_table table;
	int err = pa ? look_at(pa, &table) : -EBADMSG;

	if (err)
		return err;
	if (memcmp(table.data, sig, 4) || !table.sum_good) {
		printk("acpi: %s at %llx has a bad %s\n", sig,
		       (unsigned long long)pa,
		       table.sum_good ? "signature" : "check sum");
		return -EBADMSG;
	}
	/* Not the one that stood in for it: its entries go. */
	if (pa != root.pa)
		nr_entries = nr_bad = 0;
	root = (struct root){ .pa = pa, .width = width, .table = table };
	return 0;
}

/*
 * The XSDT where revision, check sum and the table itself are good, else the
 * RSDT. An RSDP of revision 0 or 1 ends behind 20 bytes.
 */
static int find_root(phys_addr_t rsdp)
{
	const u8 *p = acpi_map(rsdp, RSDP_V1_SIZE);
	struct acpi_table t;
	int xsdt = -EBADMSG, err;

	if (!p || memcmp(p, "RSD PTR ", 8) || !sums_to_zero(p, RSDP_V1_SIZE)) {
		printk("acpi: no RSDP at %llx\n", (unsigned long long)rsdp);
		return -EBADMSG;
	}
	t = acpi_table_of(p, RSDP_V1_SIZE);
	if (p[RSDP_REVISION] >= 2 && acpi_map(rsdp, RSDP_SIZE))
		t = acpi_table_of(acpi_map(rsdp, RSDP_SIZE), RSDP_SIZE);
	if (!t.sum_good)
		printk("acpi: RSDP at %llx has a bad second check sum\n",
		       (unsigned long long)rsdp);
	else
		xsdt = try_root(acpi_u64(&t, RSDP_XSDT), "XSDT", 8);
	if (!xsdt)
		return 0;
	err = try_root(acpi_u32(&t, RSDP_RSDT), "RSDT", 4);
	root.for_now = !err && xsdt == -ENODEV;
	return err;
}

int acpi_init(phys_addr_t rsdp)
{
	const struct acpi_table *table = &root.table;
	unsigned int width;

	if (complete)
		return 0;
	if (!rsdp)
		return -ENODEV;
	if ((!root.width || root.for_now) && find_root(rsdp))
		return -EBADMSG;
	complete = !root.for_now;
	nr_skipped = 0;
	width = root.width;
	for (size_t pos = ACPI_HEADER; pos + width <= table->size; pos += width)
		if (!add_table(get(table, pos, width)))
			complete = false;
	return 0;
}

bool acpi_find(const char *sig, unsigned int nth, struct acpi_table *table)
{
	for (unsigned int i = 0; i < nr_entries; i++) {
		if (!entries[i].table.data ||
		    memcmp(entries[i].table.data, sig, 4) || nth--)
			continue;
		*table = entries[i].table;
		return true;
	}
	return false;
}

unsigned int acpi_nr_skipped(void)
{
	return nr_bad + nr_skipped;
}

bool acpi_complete(void)
{
	return complete;
}
