/* SPDX-License-Identifier: MIT */
/*
 * The account of a capture: every byte that the hardware wrote, every loss.
 */
#include "trace/account.h"

void capture_account_set(struct capture_account *account,
			 const struct pt_event_stats *event,
			 const struct pt_flow_stats *flow)
{
	*account = (struct capture_account){
		.captured = event->captured,
		.decoded = flow->bytes_decoded,
		/* Skipped, and what never came to the decoder. */
		.dropped = flow->bytes_skipped +
			   (event->captured - flow->bytes),
		.regions = event->regions,
		.pmis = event->pmis,
		.overflows = flow->overflows,
		.errors = flow->errors + event->errors,
		/* STOP cuts a packet and what comes after it. */
		.lost = event->lost_stops + event->stopped,
		.room_waits = event->room_waits,
		.edges = flow->edges,
		.edges_dropped = flow->err_memory,
		.insns = flow->insns,
	};
}

void capture_account_add(struct capture_account *a,
			 const struct capture_account *b)
{
	a->captured += b->captured;
	a->decoded += b->decoded;
	a->dropped += b->dropped;
	a->regions += b->regions;
	a->pmis += b->pmis;
	a->overflows += b->overflows;
	a->errors += b->errors;
	a->lost += b->lost;
	a->room_waits += b->room_waits;
	a->edges += b->edges;
	a->edges_dropped += b->edges_dropped;
	a->insns += b->insns;
}

bool capture_account_complete(const struct capture_account *account)
{
	return account->captured &&
	       account->captured == account->decoded + account->dropped &&
	       !account->dropped && !account->overflows && !account->errors &&
	       !account->lost && !account->edges_dropped;
}

void capture_account_print(const struct capture_account *account,
			   struct printer *out, const char *name, int cpu)
{
	char who[16] = "all";

	if (cpu >= 0)
		scnprintf(who, sizeof(who), "%d", cpu);
	pr_to(out, "account: %s cpu %s captured %llu decoded %llu dropped %llu",
	      name, who, (unsigned long long)account->captured,
	      (unsigned long long)account->decoded,
	      (unsigned long long)account->dropped);
	pr_to(out, " regions %llu pmis %llu overflows %llu errors %llu lost %llu",
	      (unsigned long long)account->regions,
	      (unsigned long long)account->pmis,
	      (unsigned long long)account->overflows,
	      (unsigned long long)account->errors,
	      (unsigned long long)account->lost);
	pr_to(out, " waits %llu edges %llu edges_dropped %llu insns %llu\n",
	      (unsigned long long)account->room_waits,
	      (unsigned long long)account->edges,
	      (unsigned long long)account->edges_dropped,
	      (unsigned long long)account->insns);
}
