/* SPDX-License-Identifier: MIT */
/*
 * A tiny assembler for packet streams: bytes as the SDM's "Trace Packets and
 * Data Types" draws them. It shares nothing with the decoder.
 */
#ifndef TESTS_UNIT_STREAM_H
#define TESTS_UNIT_STREAM_H

#include <assert.h>
#include <string.h>

#include "lib/types.h"

#define STREAM_MAX	65536

struct stream {
	u8 bytes[STREAM_MAX];
	size_t n;
};

/* First bytes of IP packets, without IPBytes. */
enum stream_ip {
	STREAM_PGD = 0x01,
	STREAM_TIP = 0x0d,
	STREAM_PGE = 0x11,
	STREAM_FUP = 0x1d,
};

static inline void stream_put(struct stream *s, const void *bytes, size_t n)
{
	assert(n <= sizeof(s->bytes) - s->n);
	memcpy(s->bytes + s->n, bytes, n);
	s->n += n;
}

/* The bytes of a string literal, without its zero. */
#define STREAM(s, literal) \
	stream_put((s), (literal), sizeof(literal) - 1)

static inline void stream_le(struct stream *s, u64 v, unsigned int nr_bytes)
{
	for (; nr_bytes; nr_bytes--, v >>= 8)
		stream_put(s, &(u8){ (u8)v }, 1);
}

/* IPBytes 011: six bytes, sign extended. */
static inline void stream_ip(struct stream *s, enum stream_ip type, u64 ip)
{
	stream_le(s, 3u << 5 | type, 1);
	stream_le(s, ip, 6);
}

static inline void stream_no_ip(struct stream *s, enum stream_ip type)
{
	stream_le(s, type, 1);
}

/* Results as letters, the oldest first: "TNT" is taken, not taken, taken. */
static inline u64 stream_results(const char *results)
{
	u64 bits = 1;

	for (; *results; results++)
		bits = bits << 1 | (*results == 'T');
	return bits;
}

static inline void stream_tnt(struct stream *s, const char *results)
{
	assert(strlen(results) >= 1 && strlen(results) <= 6);
	stream_le(s, stream_results(results) << 1, 1);
}

static inline void stream_long_tnt(struct stream *s, const char *results)
{
	assert(strlen(results) >= 1 && strlen(results) <= 47);
	STREAM(s, "\x02\xa3");
	stream_le(s, stream_results(results), 6);
}

static inline void stream_psb(struct stream *s)
{
	for (int i = 0; i < 8; i++)
		STREAM(s, "\x02\x82");
}

static inline void stream_psbend(struct stream *s)
{
	STREAM(s, "\x02\x23");
}

/* PSB+ of running 64-bit code. */
static inline void stream_psb_plus(struct stream *s, u64 ip)
{
	stream_psb(s);
	STREAM(s, "\x99\x01");
	stream_ip(s, STREAM_FUP, ip);
	stream_psbend(s);
}

static inline void stream_ovf(struct stream *s)
{
	STREAM(s, "\x02\xf3");
}

#endif /* TESTS_UNIT_STREAM_H */
