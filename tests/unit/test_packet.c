/* SPDX-License-Identifier: MIT */
/*
 * Each packet by the bytes that the SDM draws: "Trace Packets and Data Types".
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "pt/decode/packet.h"

#define BLOCK_OF_8	1u	/* in_block: between BBP and BEP */
#define BLOCK_OF_4	3u

#define B(literal)	(literal), sizeof(literal) - 1
#define PSB4		"\x02\x82\x02\x82"
#define PSB12		PSB4 PSB4 PSB4

struct example {
	const char *bytes;
	size_t size;
	enum pt_packet_type type;
	u64 value;
	u8 ip_bytes;
	u8 nr_tnt;
	bool with_fup;
	bool nr;
	unsigned int in_block;
};

static const struct example examples[] = {
	{ B("\x00"), PT_PAD, .value = 0 },
	/* the first result is the one below the stop bit */
	{ B("\x04"), PT_TNT, .value = 0, .nr_tnt = 1 },
	{ B("\x06"), PT_TNT, .value = 1, .nr_tnt = 1 },
	{ B("\x34"), PT_TNT, .value = 0xa, .nr_tnt = 4 },
	{ B("\xa6"), PT_TNT, .value = 0x13, .nr_tnt = 6 },
	{ B("\x02\xa3\x02\x00\x00\x00\x00\x00"), PT_TNT,
	  .value = 0, .nr_tnt = 1 },
	{ B("\x02\xa3\xef\xcd\xab\x89\x67\x45"), PT_TNT,
	  .value = 0x056789abcdefULL,
	  .nr_tnt = 46 },
	{ B("\x02\xa3\x01\x00\x00\x00\x00\xc0"), PT_TNT,
	  .value = 0x400000000001ULL,
	  .nr_tnt = 47 },
	{ B("\x0d"), PT_TIP, .value = 0 },
	{ B("\x2d\x34\x12"), PT_TIP, .value = 0x1234, .ip_bytes = 1 },
	{ B("\x4d\x78\x56\x34\x12"), PT_TIP,
	  .value = 0x12345678, .ip_bytes = 2 },
	{ B("\x6d\x06\x05\x04\x03\x02\x81"), PT_TIP, .value = 0x810203040506ULL,
	  .ip_bytes = 3 },
	{ B("\x8d\x06\x05\x04\x03\x02\x81"), PT_TIP, .value = 0x810203040506ULL,
	  .ip_bytes = 4 },
	{ B("\xcd\x08\x07\x06\x05\x04\x03\x02\x01"), PT_TIP,
	  .value = 0x0102030405060708ULL, .ip_bytes = 6 },
	{ B("\x31\x34\x12"), PT_TIP_PGE, .value = 0x1234, .ip_bytes = 1 },
	{ B("\x01"), PT_TIP_PGD, .value = 0 },
	{ B("\x21\x34\x12"), PT_TIP_PGD, .value = 0x1234, .ip_bytes = 1 },
	{ B("\x3d\x34\x12"), PT_FUP, .value = 0x1234, .ip_bytes = 1 },
	{ B("\x99\x01"), PT_MODE_EXEC, .value = 1 },
	{ B("\x99\x02"), PT_MODE_EXEC, .value = 2 },
	{ B("\x99\x23"), PT_MODE_TSX, .value = 3 },
	{ B("\x99\xe1"), PT_MODE_OTHER, .value = 1 },
	/* CR3[51:5] stands from bit 1 of the third byte on, bit 0 is NR */
	{ B("\x02\x43\x00\x01\x00\x00\x00\x00"), PT_PIP, .value = 0x1000 },
	{ B("\x02\x43\x03\x00\x00\x00\x00\x80"), PT_PIP,
	  .value = 0x8000000000020ULL,
	  .nr = true },
	{ B("\x02\xc8\x11\x22\x33\x44\x55"), PT_VMCS,
	  .value = 0x5544332211ULL },
	{ B("\x19\x01\x02\x03\x04\x05\x06\x07"), PT_TSC,
	  .value = 0x07060504030201ULL },
	{ B("\x59\xab"), PT_MTC, .value = 0xab },
	{ B("\x02\x73\x34\x12\x00\xff\x01"), PT_TMA, .value = 0x01ff001234ULL },
	{ B("\x03"), PT_CYC, .value = 0 },
	{ B("\xfb"), PT_CYC, .value = 31 },
	{ B("\x0f\x02"), PT_CYC, .value = 1 + (1 << 5) },
	{ B("\x07\x03\x06"), PT_CYC, .value = (1 << 5) + (3 << 12) },
	{ B("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe"), PT_CYC,
	  .value = ~0ULL },
	{ B("\x02\x03\x18\x00"), PT_CBR, .value = 0x18 },
	{ B(PSB12 PSB4), PT_PSB, .value = 0 },
	{ B("\x02\x23"), PT_PSBEND, .value = 0 },
	{ B("\x02\xf3"), PT_OVF, .value = 0 },
	{ B("\x02\x83"), PT_TRACESTOP, .value = 0 },
	{ B("\x02\xc3\x88\x01\x02\x03\x04\x05\x06\x07\x08"), PT_MNT,
	  .value = 0x0807060504030201ULL },
	{ B("\x02\x12\x01\x02\x03\x04"), PT_PTW, .value = 0x04030201 },
	{ B("\x02\xb2\x01\x02\x03\x04\x05\x06\x07\x08"), PT_PTW,
	  .value = 0x0807060504030201ULL, .with_fup = true },
	{ B("\x02\x32\x01\x02\x03\x04\x05\x06\x07\x08"), PT_PTW,
	  .value = 0x0807060504030201ULL },
	{ B("\x02\x62"), PT_EXSTOP, .value = 0 },
	{ B("\x02\xe2"), PT_EXSTOP, .value = 0, .with_fup = true },
	{ B("\x02\xc2\x20\x00\x00\x00\x01\x00\x00\x00"), PT_MWAIT,
	  .value = 0x100000020ULL },
	{ B("\x02\x22\x80\x12"), PT_PWRE, .value = 0x1280 },
	{ B("\x02\xa2\x12\x01\x00\x00\x00"), PT_PWRX, .value = 0x112 },
	{ B("\x02\x63\x81"), PT_BBP, .value = 0x81 },
	{ B("\x0c\x01\x02\x03\x04\x05\x06\x07\x08"), PT_BIP,
	  .value = 0x0807060504030201ULL, .in_block = BLOCK_OF_8 },
	{ B("\xfc\x01\x02\x03\x04"), PT_BIP, .value = 0x04030201,
	  .in_block = BLOCK_OF_4 },
	/* the same first byte outside of a block */
	{ B("\x0c"), PT_TNT, .value = 2, .nr_tnt = 2 },
	{ B("\x02\x33"), PT_BEP, .value = 0, .in_block = BLOCK_OF_8 },
	{ B("\x02\xb3"), PT_BEP,
	  .value = 0, .with_fup = true, .in_block = BLOCK_OF_4 },
	{ B("\x02\x13\x04\x00"), PT_CFE, .value = 4 },
	{ B("\x02\x13\x81\x20"), PT_CFE, .value = 1, .with_fup = true },
	{ B("\x02\x53\x00\x01\x02\x03\x04\x05\x06\x07\x08"), PT_EVD,
	  .value = 0x0807060504030201ULL },
};

/* Decodes from a block of just @n bytes, so that a read behind it shows. */
static int decode(struct pt_packet *p, const char *bytes, size_t n,
		  unsigned int in_block)
{
	u8 *exact = malloc(n + !n);
	int err;

	assert_non_null(exact);
	memcpy(exact, bytes, n);
	memset(p, 0xee, sizeof(*p));
	err = pt_packet_decode(p, exact, n, in_block);
	free(exact);
	return err;
}

static void check(const struct example *e, const struct pt_packet *p)
{
	assert_int_equal(p->type, e->type);
	assert_int_equal(p->size, e->size);
	assert_int_equal(p->value, e->value);
	assert_int_equal(p->ip_bytes, e->ip_bytes);
	assert_int_equal(p->nr_tnt, e->nr_tnt);
	assert_int_equal(p->with_fup, e->with_fup);
	assert_int_equal(p->nr, e->nr);
}

static void each_packet_has_its_type_size_and_value(void **state)
{
	u64 seen = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *e = &examples[i];
		struct pt_packet p;

		print_message("example %zu, type %d\n", i, e->type);
		assert_int_equal(decode(&p, e->bytes, e->size, e->in_block), 0);
		check(e, &p);
		seen |= 1ULL << e->type;
	}
	assert_int_equal(seen, (2ULL << PT_EVD) - 1);
}

static void what_follows_a_packet_does_not_matter(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *e = &examples[i];

		for (int fill = 0; fill < 256; fill++) {
			char bytes[2 * PT_PACKET_MAX];
			struct pt_packet p;

			memset(bytes, fill, sizeof(bytes));
			memcpy(bytes, e->bytes, e->size);
			assert_int_equal(decode(&p, bytes, sizeof(bytes),
						e->in_block), 0);
			check(e, &p);
		}
	}
}

static void every_proper_prefix_asks_for_more(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *e = &examples[i];
		struct pt_packet p;

		for (size_t n = 0; n < e->size; n++)
			assert_int_equal(decode(&p, e->bytes, n, e->in_block),
					 -ENODATA);
	}
}

static void malformed_packets_are_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} bad[] = {
		{ B("\xad\x01\x02\x03\x04\x05\x06\x07\x08") },	/* IPBytes 5 */
		{ B("\xed\x01\x02\x03\x04\x05\x06\x07\x08") },	/* IPBytes 7 */
		{ B("\xb1\x01\x02\x03\x04\x05\x06\x07\x08") },
		{ B("\xe1\x01\x02\x03\x04\x05\x06\x07\x08") },
		{ B("\xfd\x01\x02\x03\x04\x05\x06\x07\x08") },
		{ B("\x02\xa3\x00\x00\x00\x00\x00\x00") },	/* no stop */
		{ B("\x02\xa3\x01\x00\x00\x00\x00\x00") },	/* no result */
		{ B("\x02\x00") },				/* opcodes */
		{ B("\x02\x02") },
		{ B("\x02\xff") },
		{ B("\x05") },
		{ B("\x09") },
		{ B("\x39") },
		{ B("\xd9\x00") },
		{ B("\x02\x82\x00") },				/* PSB */
		{ B("\x02\x82\x02\x02") },
		{ B("\x02\x82\x82") },
		{ B(PSB12 "\x02\x82\x02\x83") },
		{ B("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") }, /* CYC */
		{ B("\x02\x52\x01\x02\x03\x04\x05\x06\x07\x08") }, /* PTW */
		{ B("\x02\xf2\x01\x02\x03\x04\x05\x06\x07\x08") },
		{ B("\x02\xc3\x00") },				/* MNT */
		{ B("\x02\xc3\x89\x01\x02\x03\x04\x05\x06\x07\x08") },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct pt_packet p;

		print_message("malformed %zu\n", i);
		assert_int_equal(decode(&p, bad[i].bytes, bad[i].size, 0),
				 -EBADMSG);
	}
}

static void two_bytes_are_a_packet_an_error_or_a_start(void **state)
{
	(void)state;
	for (unsigned int v = 0; v < 65536; v++) {
		char bytes[PT_PACKET_MAX] = { (char)v, (char)(v >> 8) };

		for (unsigned int in_block = 0; in_block < 4; in_block++) {
			struct pt_packet p;
			int all = decode(&p, bytes, sizeof(bytes), in_block);
			int cut = decode(&p, bytes, 2, in_block);

			assert_true(all == 0 || all == -EBADMSG);
			assert_true(cut == all || cut == -ENODATA);
		}
	}
}

static void an_ip_is_completed_from_the_last_one(void **state)
{
	static const struct {
		u8 ip_bytes;
		u64 value, ip;
	} cases[] = {
		{ 1, 0x1234, 0xfedcba9876541234ULL },
		{ 2, 0x12345678, 0xfedcba9812345678ULL },
		{ 3, 0x7fff12345678ULL, 0x00007fff12345678ULL },
		{ 3, 0x800012345678ULL, 0xffff800012345678ULL },
		{ 4, 0x800012345678ULL, 0xfedc800012345678ULL },
		{ 6, 0x0123456789abcdefULL, 0x0123456789abcdefULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pt_packet p = {
			.type = PT_TIP, .ip_bytes = cases[i].ip_bytes,
			.value = cases[i].value,
		};
		u64 last = 0xfedcba9876543210ULL;

		assert_true(pt_last_ip_update(&last, &p));
		assert_int_equal(last, cases[i].ip);
	}
}

static void a_packet_without_ip_leaves_the_last_one(void **state)
{
	struct pt_packet p = { .type = PT_TIP_PGD, .ip_bytes = 0 };
	u64 last = 0xfedcba9876543210ULL;

	(void)state;
	assert_false(pt_last_ip_update(&last, &p));
	assert_int_equal(last, 0xfedcba9876543210ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_packet_has_its_type_size_and_value),
		cmocka_unit_test(what_follows_a_packet_does_not_matter),
		cmocka_unit_test(every_proper_prefix_asks_for_more),
		cmocka_unit_test(malformed_packets_are_refused),
		cmocka_unit_test(two_bytes_are_a_packet_an_error_or_a_start),
		cmocka_unit_test(an_ip_is_completed_from_the_last_one),
		cmocka_unit_test(a_packet_without_ip_leaves_the_last_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
