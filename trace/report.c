/* SPDX-License-Identifier: MIT */
/*
 * The report: top edges and functions with symbols, in hist's form.
 */
#include "trace/branch_map.h"

#include "lib/symtab.h"

/* "[ffffffff80001234] name+0x12", as hist's .sym-offset prints. */
static void symbolise(char *buf, size_t size, u64 addr)
{
	scnprintf(buf, size, "[%llx] %pS", (unsigned long long)addr,
		  (void *)addr);
}

static void print_edge(struct printer *out,
		       const struct tracing_map_sort_entry *entry)
{
	const struct branch_key *key = entry->key;
	char from[80], to[80];

	symbolise(from, sizeof(from), key->from);
	symbolise(to, sizeof(to), key->to);
	pr_to(out, "{ from: %-48s, to: %-48s, class: %-9s } hitcount: %10llu\n",
	      from, to, branch_class_name(branch_map_class(entry->elt)),
	      (unsigned long long)entry->sums[BRANCH_SUM_HITS]);
}

static void print_function(struct printer *out,
			   const struct tracing_map_sort_entry *entry)
{
	u64 func = *(const u64 *)entry->key;
	const struct symbol *sym = symtab_lookup(func);
	char name[80];

	if (sym)
		scnprintf(name, sizeof(name), "[%llx] %s",
			  (unsigned long long)func, sym->name);
	else
		symbolise(name, sizeof(name), func);
	pr_to(out, "{ func: %-48s } hitcount: %10llu\n", name,
	      (unsigned long long)entry->sums[BRANCH_SUM_HITS]);
}

struct listing {
	struct tracing_map *map;
	unsigned int hits_field;
	const char *what;
	void (*print)(struct printer *out,
		      const struct tracing_map_sort_entry *entry);
};

static int print_listing(const struct listing *l, struct printer *out,
			 const char *title, unsigned int top)
{
	struct tracing_map_sort_key by_hits = { l->hits_field, true };
	struct tracing_map_sort_entry **entry = NULL;
	int n = tracing_map_sort_entries(l->map, &by_hits, 1, &entry);

	if (n < 0)
		return n;
	pr_to(out, "\n# %s: top %u of %d %s\n", title,
	      min(top, (unsigned int)n), n, l->what);
	for (int i = 0; i < n && (unsigned int)i < top; i++)
		l->print(out, entry[i]);
	if (n)
		tracing_map_destroy_sort_entries(entry, (unsigned int)n);
	return n;
}

int branch_map_print_top(struct branch_map *map, struct printer *out,
			 const char *title, unsigned int top)
{
	const struct listing edges = {
		map->edges, BRANCH_FIELD_HITS, "edges", print_edge,
	};
	const struct listing functions = {
		map->functions, BRANCH_FIELD_HITS - 1, "functions called",
		print_function,
	};
	int n = print_listing(&edges, out, title, top);
	int err = n < 0 ? n : print_listing(&functions, out, title, top);

	if (err < 0)
		return err;
	pr_to(out, "\nTotals:\n    Hits: %llu\n    Entries: %d\n    Dropped: %llu\n",
	      (unsigned long long)(map->hits - map->dropped), n,
	      (unsigned long long)map->dropped);
	return 0;
}
