/* SPDX-License-Identifier: MIT */
/*
 * The truth file: what is written is what is read, and a damaged file is an
 * error with its offset.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ptmodel/code_view.h"
#include "tests/ptmodel/truth_log.h"
#include "tests/ptmodel/truth_read.h"

#define NR_RECORDS	100000
#define BYTES_MAX	(32U << 20)

static char path[] = "/tmp/test_ptm_truth.XXXXXX";
static const struct ptm_profile profile = {
	.name = "test", .signature = 0x506e3, .leaf14_1 = { 4 },
	.leaf15 = { 2, 200 },
};
static const struct truth_log_head head = {
	.cpu = 3, .capture = 7, .profile = &profile,
};

static uint64_t seed;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Of any size. */
static uint64_t rnd_sized(void)
{
	return rnd() >> rnd() % 64;
}

/* ---- random records ---- */

static uint8_t code[3 * TRUTH_CODE_BYTES];

struct plan {
	struct truth_log *log;
	struct truth_record *want;
	size_t nr;
	struct ptm_state now;
	uint64_t tsc;
};

static struct truth_record *next(struct plan *plan, enum truth_type type)
{
	struct truth_record *rec = &plan->want[plan->nr];

	memset(rec, 0, sizeof(*rec));
	rec->type = type;
	rec->number = plan->nr++;
	rec->state = (struct truth_state){
		.cr3 = plan->now.cr3, .cpl = plan->now.cpl,
		.cs_l = plan->now.cs_l, .cs_d = plan->now.cs_d,
	};
	return rec;
}

static void random_branch(struct plan *plan, uint64_t from, uint64_t to,
			  enum truth_what what, unsigned int flags,
			  uint64_t ticks)
{
	struct truth_record *rec = next(plan, TRUTH_REC_BRANCH);

	plan->tsc += ticks;
	rec->from = from;
	rec->to = to;
	rec->what = what;
	rec->flags = flags;
	rec->tsc = plan->tsc;
	truth_log_branch(plan->log, from, to, what, flags, plan->tsc);
}

/* A loop that is left now and then: some foreseen, some not. */
static void random_loop(struct plan *plan)
{
	uint64_t at = 0x400000 + rnd() % 16 * 64;
	unsigned int i, times = 1 + rnd() % 300;
	uint64_t ticks = rnd() % 4 ? 1 : rnd() % 9;

	for (i = 0; i < times && plan->nr + 2 < NR_RECORDS; i++) {
		random_branch(plan, at + 20, at, TRUTH_JCC_TAKEN, TRUTH_TRACED,
			      ticks);
		if (rnd() & 1)
			random_branch(plan, at + 8, at + 10,
				      TRUTH_JCC_NOT_TAKEN, TRUTH_TRACED, 1);
	}
}

static void random_state(struct plan *plan)
{
	struct ptm_state old = plan->now;

	plan->now.cr3 = rnd_sized();
	plan->now.cpl = rnd() & 3;
	plan->now.cs_l = rnd() & 1;
	plan->now.cs_d = rnd() & 1;
	if (old.cr3 == plan->now.cr3)
		plan->now.cr3++;
	next(plan, TRUTH_REC_STATE);
	truth_log_state(plan->log, &plan->now);
}

static void random_note(struct plan *plan)
{
	struct truth_record *rec = next(plan, TRUTH_REC_NOTE);
	struct ptm_note note = {
		.kind = rnd() % (PTM_NOTE_EVD + 1), .has_ip = rnd() & 1,
		.payload = rnd_sized(),
	};

	if (note.has_ip)
		note.ip = rnd_sized();
	rec->note = (enum truth_note_kind)note.kind;
	rec->has_ip = note.has_ip;
	rec->ip = note.ip;
	rec->payload = note.payload;
	rec->tsc = rnd_sized();
	truth_log_note(plan->log, &note, &plan->now, rec->tsc);
}

static void random_code(struct plan *plan)
{
	uint64_t vaddr = rnd_sized();
	size_t at, len = 1 + rnd() % (rnd() % 8 ? 64 : sizeof(code));
	struct truth_record *rec;

	if (plan->nr + 3 > NR_RECORDS)
		return;
	truth_log_code(plan->log, vaddr, code, len);
	for (at = 0; at < len; at += rec->len) {
		rec = next(plan, TRUTH_REC_CODE);
		rec->ip = vaddr + at;
		rec->len = len - at < TRUTH_CODE_BYTES ? len - at :
			   TRUTH_CODE_BYTES;
		rec->bytes = code + at;
	}
}

/* CONFIG comes with the record behind it: here a note. */
static void random_config(struct plan *plan)
{
	struct truth_record *rec;
	struct ptm_cpu cpu = { .profile = &profile };
	unsigned int i;

	if (plan->nr + 2 > NR_RECORDS)
		return;
	rec = next(plan, TRUTH_REC_CONFIG);
	rec->config.ctl = cpu.ctl = rnd_sized();
	rec->config.cr3_match = cpu.cr3_match = rnd_sized();
	rec->config.nr_ranges = 4;
	for (i = 0; i < 8; i++)
		rec->config.range[i / 2][i % 2] = cpu.addr[i / 2][i % 2] =
			rnd_sized();
	truth_log_config(plan->log, &cpu);
	random_note(plan);
}

static void random_record(struct plan *plan)
{
	switch (rnd() % 16) {
	case 0:
		random_state(plan);
		break;
	case 1:
		random_note(plan);
		break;
	case 2:
		random_code(plan);
		break;
	case 3:
		random_config(plan);
		break;
	case 4:
	case 5:
	case 6:
		random_loop(plan);
		break;
	case 7:
		/* Time may jump, also back. */
		random_branch(plan, rnd(), rnd(), rnd() % TRUTH_NR_WHATS,
			      1 + rnd() % 7, rnd());
		break;
	default:
		random_branch(plan, rnd_sized(), rnd_sized(),
			      rnd() % TRUTH_NR_WHATS, 1 + rnd() % 7,
			      rnd_sized());
	}
}

static struct truth_record *write_random(size_t nr)
{
	struct truth_log log = { 0 };
	struct plan plan = {
		.log = &log,
		.want = calloc(NR_RECORDS, sizeof(*plan.want)),
	};
	size_t i;

	seed = 88172645463325252ULL;
	for (i = 0; i < sizeof(code); i++)
		code[i] = rnd();
	truth_log_open(&log, path, &head);
	while (plan.nr < nr)
		random_record(&plan);
	truth_log_close(&log, true);
	return plan.want;
}

/* ---- round trip ---- */

static void assert_same(const struct truth_record *got,
			const struct truth_record *want)
{
	assert_int_equal(got->type, want->type);
	assert_int_equal(got->number, want->number);
	assert_int_equal(got->state.cr3, want->state.cr3);
	assert_int_equal(got->state.cpl, want->state.cpl);
	assert_int_equal(got->state.cs_l, want->state.cs_l);
	assert_int_equal(got->state.cs_d, want->state.cs_d);
	switch (want->type) {
	case TRUTH_REC_BRANCH:
		assert_int_equal(got->from, want->from);
		assert_int_equal(got->to, want->to);
		assert_int_equal(got->what, want->what);
		assert_int_equal(got->flags, want->flags);
		assert_int_equal(got->tsc, want->tsc);
		break;
	case TRUTH_REC_NOTE:
		assert_int_equal(got->note, want->note);
		assert_int_equal(got->has_ip, want->has_ip);
		assert_int_equal(got->ip, want->ip);
		assert_int_equal(got->payload, want->payload);
		assert_int_equal(got->tsc, want->tsc);
		break;
	case TRUTH_REC_CODE:
		assert_int_equal(got->ip, want->ip);
		assert_int_equal(got->len, want->len);
		assert_memory_equal(got->bytes, want->bytes, want->len);
		break;
	case TRUTH_REC_STATE:
		break;
	case TRUTH_REC_CONFIG:
		assert_memory_equal(&got->config, &want->config,
				    sizeof(want->config));
		break;
	}
}

static void all_kinds_of_records_come_back_as_they_were(void **state)
{
	struct truth_record *want = write_random(NR_RECORDS), rec;
	unsigned long nr[TRUTH_REC_CONFIG + 1] = { 0 };
	struct truth_reader reader;
	size_t i;

	(void)state;
	assert_int_equal(truth_read_open(&reader, path), 0);
	assert_int_equal(reader.cpu, 3);
	assert_int_equal(reader.capture, 7);
	assert_int_equal(reader.signature, 0x506e3);
	assert_int_equal(reader.leaf15[1], 200);
	assert_string_equal(reader.profile, "test");
	for (i = 0; i < NR_RECORDS; i++) {
		assert_int_equal(truth_read_next(&reader, &rec), 1);
		assert_same(&rec, &want[i]);
		nr[rec.type]++;
	}
	assert_int_equal(truth_read_next(&reader, &rec), 0);
	assert_int_equal(truth_read_next(&reader, &rec), 0);
	for (i = 0; i <= TRUTH_REC_CONFIG; i++)
		assert_true(nr[i] > 100);
	truth_read_close(&reader);
	free(want);
}

static void a_loop_that_goes_on_takes_no_room(void **state)
{
	struct truth_log log = { 0 };
	struct truth_reader reader;
	struct truth_record rec;
	uint64_t nr = 0;
	FILE *file;

	(void)state;
	truth_log_open(&log, path, &head);
	for (uint64_t i = 0; i < 3000000; i++)
		truth_log_branch(&log, 0x1010 + i % 3, 0x1000, TRUTH_JCC_TAKEN,
				 TRUTH_TRACED, i * 2);
	truth_log_close(&log, true);
	file = fopen(path, "rb");
	fseek(file, 0, SEEK_END);
	assert_true(ftell(file) < 256);
	fclose(file);
	assert_int_equal(truth_read_open(&reader, path), 0);
	for (; truth_read_next(&reader, &rec) > 0; nr++) {
		assert_int_equal(rec.from, 0x1010 + nr % 3);
		assert_int_equal(rec.tsc, nr * 2);
	}
	assert_string_equal(reader.error, "");
	assert_int_equal(nr, 3000000);
	truth_read_close(&reader);
}

static void a_config_that_is_due_begins_the_next_file(void **state)
{
	const struct ptm_note psb = { .kind = PTM_NOTE_PSB };
	struct ptm_cpu cpu = { .profile = &profile, .ctl = 0x55 };
	struct truth_log log = { 0 };
	struct truth_reader reader;
	struct truth_record rec;

	(void)state;
	truth_log_open(&log, path, &head);
	truth_log_config(&log, &cpu);
	truth_log_close(&log, true);
	assert_int_equal(truth_read_open(&reader, path), 0);
	assert_int_equal(truth_read_next(&reader, &rec), 0);
	truth_read_close(&reader);

	truth_log_open(&log, path, &head);
	truth_log_note(&log, &psb, &cpu.now, 1);
	truth_log_close(&log, true);
	assert_int_equal(truth_read_open(&reader, path), 0);
	assert_int_equal(truth_read_next(&reader, &rec), 1);
	assert_int_equal(rec.type, TRUTH_REC_CONFIG);
	assert_int_equal(rec.config.ctl, 0x55);
	truth_read_close(&reader);
}

static void a_capture_that_is_not_kept_leaves_no_file(void **state)
{
	struct truth_log log = { 0 };
	struct truth_reader reader;

	(void)state;
	truth_log_open(&log, path, &head);
	truth_log_close(&log, false);
	assert_int_equal(truth_read_open(&reader, path), -1);
	truth_read_close(&reader);
}

/* ---- damaged files ---- */

static uint8_t *bytes;
static size_t nr_bytes;

static void load(size_t nr_records)
{
	FILE *file;

	free(write_random(nr_records));
	file = fopen(path, "rb");
	bytes = malloc(BYTES_MAX);
	nr_bytes = fread(bytes, 1, BYTES_MAX, file);
	assert_true(nr_bytes > 100 && nr_bytes < BYTES_MAX);
	fclose(file);
}

static void store(size_t len)
{
	FILE *file = fopen(path, "wb");

	fwrite(bytes, 1, len, file);
	fclose(file);
}

/* Reads all of it. Return: as truth_read_next() in the end. */
static int read_all(void)
{
	struct truth_reader reader;
	struct truth_record rec;
	unsigned long left = 1UL << 20;
	uint8_t sum = 0;
	int got;

	got = truth_read_open(&reader, path);
	while (!got) {
		got = truth_read_next(&reader, &rec);
		if (got <= 0)
			break;
		/* Touches what it points to. */
		if (rec.type == TRUTH_REC_CODE)
			sum += rec.bytes[0] + rec.bytes[rec.len - 1];
		/* A damaged run may last for ages, and is right so. */
		got = --left ? 0 : -2;
	}
	if (got == -1)
		assert_int_equal(strncmp(reader.error, "offset 0x", 7), 0);
	truth_read_close(&reader);
	return sum ? got : got;
}

static void a_file_that_is_cut_off_anywhere_is_an_error(void **state)
{
	size_t len;

	(void)state;
	load(150);
	for (len = 0; len < nr_bytes; len++) {
		store(len);
		assert_int_equal(read_all(), -1);
	}
	store(nr_bytes);
	assert_int_equal(read_all(), 0);
	bytes[nr_bytes] = 0;
	store(nr_bytes + 1);
	assert_int_equal(read_all(), -1);
	free(bytes);
}

static void a_bit_that_is_flipped_anywhere_is_an_error(void **state)
{
	size_t i;

	(void)state;
	load(150);
	for (i = 0; i < nr_bytes; i++) {
		bytes[i] ^= 1 << i % 8;
		store(nr_bytes);
		assert_int_equal(read_all(), -1);
		bytes[i] ^= 1 << i % 8;
	}
	free(bytes);
}

/* With the sums made right: other records or an error, and nothing worse. */
static void damage_behind_a_right_checksum_does_no_harm(void **state)
{
	size_t i, first = TRUTH_HEADER_BYTES + TRUTH_BLOCK_HEAD, errors = 0;
	uint32_t crc;
	int got;

	(void)state;
	load(150);
	assert_true(nr_bytes - first < TRUTH_BLOCK_BYTES);
	for (i = 0; i < 8000; i++) {
		size_t at = first + rnd() % (nr_bytes - first);
		uint8_t old = bytes[at];

		bytes[at] = rnd();
		crc = truth_crc(bytes + first, nr_bytes - first);
		memcpy(bytes + first - 4, &crc, 4);
		store(nr_bytes);
		got = read_all();
		assert_true(got <= 0);
		errors += got == -1;
		/* Every other damage stays. */
		if (i & 1)
			bytes[at] = old;
		if (i % 64 == 63) {
			free(bytes);
			seed += i;
			load(150);
		}
	}
	assert_true(errors > 500);
	free(bytes);
}

/* ---- the view of code ---- */

static unsigned int records_of(enum truth_type type, uint64_t *ip, size_t *len)
{
	struct truth_reader reader;
	struct truth_record rec;
	unsigned int nr = 0;

	assert_int_equal(truth_read_open(&reader, path), 0);
	while (truth_read_next(&reader, &rec) > 0) {
		if (rec.type != type)
			continue;
		ip[nr] = rec.ip;
		len[nr++] = rec.len;
	}
	assert_string_equal(reader.error, "");
	truth_read_close(&reader);
	return nr;
}

static void code_is_told_when_it_is_new_or_not_what_it_was(void **state)
{
	static const uint8_t a[] = { 1, 2, 3, 4 }, b[] = { 1, 9, 3, 4 };
	static const uint8_t tail[] = { 3, 4, 5 };
	struct truth_log log = { 0 };
	struct code_view view = { 0 };
	uint64_t ip[16];
	size_t len[16];

	(void)state;
	truth_log_open(&log, path, &head);
	code_view_tb(&view, &log, a, 0x1ffe, a, 4);	/* two pages */
	code_view_tb(&view, &log, a, 0x1ffe, a, 4);
	code_view_tb(&view, &log, a, 0x7ffe, a, 4);	/* an alias */
	code_view_tb(&view, &log, tail, 0x2000, tail, 3); /* byte 5 is new */
	code_view_tb(&view, &log, b, 0x1ffe, b, 4);	/* 9 for 2 */
	code_view_tb(&view, &log, a, 0x1ffe, a, 4);	/* and back */
	code_view_tb(&view, &log, a, 0x1ffe, a, 4);
	/* Freed, and the same storage is another TB. */
	code_view_forget(&view);
	code_view_tb(&view, &log, a, 0x1ffe, b, 4);
	code_view_clear(&view);
	code_view_tb(&view, &log, a, 0x1ffe, b, 4);
	truth_log_close(&log, true);
	assert_int_equal(records_of(TRUTH_REC_CODE, ip, len), 7);
	assert_int_equal(ip[0], 0x1ffe);
	assert_int_equal(len[0], 4);
	assert_int_equal(ip[1], 0x7ffe);
	assert_int_equal(ip[2], 0x2002);
	assert_int_equal(len[2], 1);
	assert_int_equal(ip[3], 0x1fff);
	assert_int_equal(len[3], 1);
	assert_int_equal(ip[4], 0x1fff);
	assert_int_equal(ip[5], 0x1fff);
	assert_int_equal(ip[6], 0x1ffe);
	assert_int_equal(len[6], 4);
	code_view_clear(&view);
	free(view.seen);
	free(view.buckets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_kinds_of_records_come_back_as_they_were),
		cmocka_unit_test(a_loop_that_goes_on_takes_no_room),
		cmocka_unit_test(a_config_that_is_due_begins_the_next_file),
		cmocka_unit_test(a_capture_that_is_not_kept_leaves_no_file),
		cmocka_unit_test(a_file_that_is_cut_off_anywhere_is_an_error),
		cmocka_unit_test(a_bit_that_is_flipped_anywhere_is_an_error),
		cmocka_unit_test(damage_behind_a_right_checksum_does_no_harm),
		cmocka_unit_test(code_is_told_when_it_is_new_or_not_what_it_was),
	};
	int failed, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
