/* SPDX-License-Identifier: MIT */
/*
 * Prints a truth file as text: TRUTH.md.
 *
 * usage: truth_dump FILE [--edges]
 *	one line for each record; --edges: what cpuN.K.edges says, made of them
 * status: 0, 1 the file is damaged, 2 usage or unreadable
 */
#include "edges.h"
#include "truth_read.h"

#include <inttypes.h>
#include <string.h>

static const char *flags_text(unsigned int flags)
{
	static const char *const texts[] = {
		"-", "was", "is", "was+is", "lost", "was+lost", "is+lost",
		"was+is+lost",
	};

	return texts[flags & 7];
}

static void print_code(const struct truth_record *rec)
{
	size_t i;

	printf("code %016" PRIx64 " ", rec->ip);
	for (i = 0; i < rec->len; i++)
		printf("%02x", rec->bytes[i]);
	putchar('\n');
}

static void print_config(const struct truth_config *config)
{
	unsigned int i;

	printf("config ctl %016" PRIx64 " cr3 %016" PRIx64, config->ctl,
	       config->cr3_match);
	for (i = 0; i < config->nr_ranges; i++)
		printf(" range %016" PRIx64 " %016" PRIx64,
		       config->range[i][0], config->range[i][1]);
	putchar('\n');
}

static void print_note(const struct truth_record *rec)
{
	printf("%s", truth_note_name(rec->note));
	if (rec->has_ip)
		printf(" ip %016" PRIx64, rec->ip);
	printf(" payload %" PRIx64 " tsc %" PRIu64 "\n", rec->payload,
	       rec->tsc);
}

static void print_record(const struct truth_record *rec)
{
	printf("%" PRIu64 " ", rec->number);
	switch (rec->type) {
	case TRUTH_REC_BRANCH:
		printf("%s %016" PRIx64 " %016" PRIx64 " %s tsc %" PRIu64 "\n",
		       truth_what_name(rec->what), rec->from, rec->to,
		       flags_text(rec->flags), rec->tsc);
		break;
	case TRUTH_REC_NOTE:
		print_note(rec);
		break;
	case TRUTH_REC_CODE:
		print_code(rec);
		break;
	case TRUTH_REC_STATE:
		printf("state cpl %u cr3 %016" PRIx64 " l %d d %d\n",
		       rec->state.cpl, rec->state.cr3, rec->state.cs_l,
		       rec->state.cs_d);
		break;
	case TRUTH_REC_CONFIG:
		print_config(&rec->config);
		break;
	}
}

int main(int argc, char **argv)
{
	bool want_edges = argc == 3 && !strcmp(argv[2], "--edges");
	struct edges edges = { 0 };
	struct truth_reader reader;
	struct truth_record rec;
	int got;

	if (argc != 2 && !want_edges) {
		fprintf(stderr, "usage: truth_dump FILE [--edges]\n");
		return 2;
	}
	if (truth_read_open(&reader, argv[1])) {
		fprintf(stderr, "%s: %s\n", argv[1], reader.error);
		return 2;
	}
	if (!want_edges)
		printf("truth %u cpu %u capture %u profile %s signature %x\n",
		       TRUTH_VERSION, reader.cpu, reader.capture,
		       reader.profile, reader.signature);
	while ((got = truth_read_next(&reader, &rec)) > 0) {
		if (!want_edges)
			print_record(&rec);
		else if (truth_is_edge(&rec))
			edges_add(&edges, rec.from, rec.to, 1);
	}
	if (got < 0)
		fprintf(stderr, "%s: %s\n", argv[1], reader.error);
	edges_sort(&edges);
	if (want_edges)
		edges_print(&edges, stdout);
	truth_read_close(&reader);
	return got < 0;
}
