/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4) of a pseudo-random message: long straight code in
 * loops, each of which decides little.
 */
#include "run/builtin.h"
#include "run/count.h"
#include "run/random.h"

#include "lib/err.h"
#include "lib/string.h"
#include "mm/slab.h"

#define BLOCK_SIZE	64u
#define NR_ROUNDS	64u
#define NR_BLOCKS	12000u		/* of the message, without the padding */

struct sha256 {
	u32 state[8];
	u32 w[16];			/* the last 16 words of the schedule */
	u64 blocks;			/* calls of sha256_block() */
	u64 rounds;			/* calls of sha256_round() */
	struct site_count first_words;
};

struct sha256_work {
	struct sha256 sha;
	u8 message[NR_BLOCKS * BLOCK_SIZE];
};

DECLARE_SITE(sha256_first_words);

/* Fractional parts of the square and cube roots of the first primes. */
static const u32 initial_state[8] = {
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const u32 round_constant[NR_ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* SHA-256 of "abc" (FIPS 180-4's example) and of the message below. */
static const u32 digest_abc[8] = {
	0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
	0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad,
};

static const u32 digest_message[8] = {
	0xae1301ec, 0x9f44d7ec, 0x8fcaeeff, 0x88c8eebb,
	0x7c587d71, 0x089cbc4c, 0xa28d0efb, 0xb85e5e77,
};

static inline u32 rotate(u32 x, unsigned int n)
{
	return x >> n | x << (32 - n);
}

static inline u32 load_be32(const u8 *p)
{
	return (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
}

/* The next word of the message schedule, from the 16 before it. */
static u32 schedule_word(const u32 w[16], u32 i)
{
	u32 a = w[(i + 1) % 16], b = w[(i + 14) % 16];
	u32 s0 = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3;
	u32 s1 = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;

	return w[i % 16] + s0 + w[(i + 9) % 16] + s1;
}

/* One round on the working variables v = a..h. */
static __counted void sha256_round(struct sha256 *sha, u32 v[8], u32 add)
{
	u32 s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
	u32 ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
	u32 t1 = v[7] + s1 + ch + add;
	u32 s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
	u32 maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

	sha->rounds++;
	v[7] = v[6];
	v[6] = v[5];
	v[5] = v[4];
	v[4] = v[3] + t1;
	v[3] = v[2];
	v[2] = v[1];
	v[1] = v[0];
	v[0] = t1 + s0 + maj;
}

static __counted void sha256_block(struct sha256 *sha, const u8 *block)
{
	u32 v[8];

	sha->blocks++;
	memcpy(v, sha->state, sizeof(v));
	for (u32 i = 0; i < NR_ROUNDS; i++) {
		if (site_below(sha256_first_words, i, 16)) {
			sha->first_words.next++;
			sha->w[i] = load_be32(block + 4 * i);
		} else {
			sha->first_words.taken++;
			sha->w[i % 16] = schedule_word(sha->w, i);
		}
		sha256_round(sha, v, round_constant[i] + sha->w[i % 16]);
	}
	for (u32 i = 0; i < 8; i++)
		sha->state[i] += v[i];
}

/* The state after @msg and its padding. */
static void sha256(struct sha256 *sha, const u8 *msg, size_t size)
{
	u8 tail[2 * BLOCK_SIZE] = { 0 };
	size_t rest = size % BLOCK_SIZE;
	size_t tail_size = rest + 9 > BLOCK_SIZE ? 2 * BLOCK_SIZE : BLOCK_SIZE;
	u64 bits = 8 * (u64)size;

	memcpy(sha->state, initial_state, sizeof(sha->state));
	for (size_t pos = 0; pos + BLOCK_SIZE <= size; pos += BLOCK_SIZE)
		sha256_block(sha, msg + pos);
	memcpy(tail, msg + size - rest, rest);
	tail[rest] = 0x80;
	for (u32 i = 0; i < 8; i++)
		tail[tail_size - 1 - i] = (u8)(bits >> 8 * i);
	for (size_t pos = 0; pos < tail_size; pos += BLOCK_SIZE)
		sha256_block(sha, tail + pos);
}

static int sha256_prepare(struct workload_run *run)
{
	struct sha256_work *work = kzalloc(sizeof(*work), GFP_KERNEL);
	u64 seed = RANDOM_SEED;

	if (!work)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(work->message); i++)
		work->message[i] = (u8)(random_next(&seed) >> 56);
	run->priv = work;
	return 0;
}

static int sha256_run(struct workload_run *run)
{
	struct sha256_work *work = run->priv;
	struct sha256 *sha = &work->sha;

	sha256(sha, (const u8 *)"abc", 3);
	if (memcmp(sha->state, digest_abc, sizeof(digest_abc)))
		return -EIO;
	sha256(sha, work->message, sizeof(work->message));
	return memcmp(sha->state, digest_message, sizeof(digest_message)) ?
	       -EIO : 0;
}

static void sha256_finish(struct workload_run *run)
{
	struct sha256_work *work = run->priv;
	const struct sha256 *sha = &work->sha;

	count_calls(run, "calls of sha256_block", fn_addr(sha256_block),
		    sha->blocks);
	count_calls(run, "calls of sha256_round", fn_addr(sha256_round),
		    sha->rounds);
	count_site(run, "test for the first 16 words", &sha256_first_words,
		   &sha->first_words);
	kfree(work);
	run->priv = NULL;
}

const struct workload wl_sha256 = {
	.name = "sha256",
	.help = "SHA-256 of 750 KiB: long straight code in loops",
	.prepare = sha256_prepare,
	.run = sha256_run,
	.finish = sha256_finish,
};
