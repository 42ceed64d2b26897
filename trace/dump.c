/* SPDX-License-Identifier: MIT */
/*
 * The dump: all edges of a capture, sorted, with a check sum.
 */
#include "trace/dump.h"

#include "lib/crc32.h"
#include "lib/err.h"
#include "trace/branch_map.h"

void dump_begin(struct printer *out)
{
	pr_to(out, "topaz-dump %u\n", DUMP_VERSION);
}

static u32 dump_edge(struct printer *out, u32 crc,
		     const struct tracing_map_sort_entry *entry, u64 hits)
{
	const struct branch_key *key = entry->key;
	char line[64];
	int n = scnprintf(line, sizeof(line), "%016llx %016llx %llu\n",
			  (unsigned long long)key->from,
			  (unsigned long long)key->to,
			  (unsigned long long)hits);

	out->write(out, line, (size_t)n);
	return crc32(crc, line, (size_t)n);
}

int branch_map_dump(struct branch_map *map, struct printer *out,
		    const char *workload, unsigned int cpu,
		    unsigned int capture)
{
	struct tracing_map_sort_key by_key[] = {
		{ BRANCH_FIELD_FROM, false },
		{ BRANCH_FIELD_TO, false },
	};
	struct tracing_map_sort_entry **entry = NULL;
	u32 crc = 0;
	int n = tracing_map_sort_entries(map->edges, by_key, 2, &entry);

	if (n < 0)
		return n;
	pr_to(out, "capture %s cpu %u %u\n", workload, cpu, capture);
	for (int i = 0; i < n; i++)
		crc = dump_edge(out, crc, entry[i],
				entry[i]->sums[BRANCH_SUM_HITS]);
	pr_to(out, "end %d %08x\n", n, crc);
	if (n)
		tracing_map_destroy_sort_entries(entry, (unsigned int)n);
	return 0;
}
