/* SPDX-License-Identifier: MIT */
/*
 * Output on its last way to memory, and PTM_INJECT_HOLD: bytes that a processor
 * keeps inside until TraceEn is cleared, so that software which reads them
 * earlier finds what was there before.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct chunk {
	uint64_t pa;
	unsigned int len;
	uint8_t bytes[PTM_OUT_BYTES];
};

/* A ring of chunks: at most @nr_chunks, and @limit bytes. */
struct ptm_held {
	uint64_t limit, bytes;
	unsigned int nr_chunks, first, nr;
	struct chunk chunks[];
};

#define MAX_HELD	(1u << 24)
#define MIN_CHUNK	16u	/* chunks are often short: a region's end */

/* Memory that is not there loses bytes and says nothing, as on a processor. */
void ptm_store(struct ptm_cpu *cpu, uint64_t pa, const uint8_t *buf,
	       unsigned int len)
{
	if (!(cpu->ctl & PTM_CTL_FABRICEN) &&
	    cpu->ops->write_phys(cpu->opaque, pa, buf, len)) {
		cpu->counts.dropped += len;
		ptm_report(cpu, PTM_REPORT_NO_MEMORY, pa);
		return;
	}
	cpu->counts.stored += len;
	if (cpu->ops->written)
		cpu->ops->written(cpu->opaque, buf, len);
}

static void pop(struct ptm_cpu *cpu)
{
	struct ptm_held *held = cpu->held;
	const struct chunk *chunk = &held->chunks[held->first];

	held->first = (held->first + 1) % held->nr_chunks;
	held->nr--;
	held->bytes -= chunk->len;
	ptm_store(cpu, chunk->pa, chunk->bytes, chunk->len);
}

void ptm_hold_flush(struct ptm_cpu *cpu)
{
	while (cpu->held && cpu->held->nr)
		pop(cpu);
}

uint64_t ptm_hold_lose(struct ptm_cpu *cpu)
{
	uint64_t bytes = cpu->held ? cpu->held->bytes : 0;

	if (cpu->held)
		cpu->held->nr = cpu->held->bytes = 0;
	return bytes;
}

void ptm_hold_set(struct ptm_cpu *cpu, uint64_t bytes)
{
	unsigned int nr_chunks;

	ptm_hold_flush(cpu);
	free(cpu->held);
	cpu->held = NULL;
	if (!bytes)
		return;
	if (bytes > MAX_HELD)
		bytes = MAX_HELD;
	nr_chunks = bytes / MIN_CHUNK + 2;
	cpu->held = calloc(1, sizeof(*cpu->held) +
			   nr_chunks * sizeof(struct chunk));
	if (!cpu->held)
		abort();
	cpu->held->limit = bytes;
	cpu->held->nr_chunks = nr_chunks;
}

void ptm_hold_push(struct ptm_cpu *cpu, uint64_t pa, const uint8_t *buf,
		   unsigned int len)
{
	struct ptm_held *held = cpu->held;
	struct chunk *chunk;

	while (held->nr &&
	       (held->nr == held->nr_chunks || held->bytes + len > held->limit))
		pop(cpu);
	if (len > held->limit) {
		ptm_store(cpu, pa, buf, len);
		return;
	}
	chunk = &held->chunks[(held->first + held->nr++) % held->nr_chunks];
	chunk->pa = pa;
	chunk->len = len;
	memcpy(chunk->bytes, buf, len);
	held->bytes += len;
}

static bool meets(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
	return a < b + b_len && b < a + a_len;
}

bool ptm_held_overlaps(struct ptm_cpu *cpu, uint64_t pa, size_t len)
{
	const struct ptm_held *held = cpu->held;
	const struct chunk *chunk;
	bool found;
	unsigned int i;

	if (!held)
		return false;
	found = cpu->used && meets(pa, len, cpu->region + cpu->region_off,
				   cpu->used);
	for (i = 0; i < held->nr && !found; i++) {
		chunk = &held->chunks[(held->first + i) % held->nr_chunks];
		found = meets(pa, len, chunk->pa, chunk->len);
	}
	if (found)
		ptm_report(cpu, PTM_REPORT_HELD_READ, pa);
	return found;
}
