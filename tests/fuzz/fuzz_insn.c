/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on the instruction decoder. Input: one byte for the mode, then the
 * code, which is decoded as a whole and cut at every length.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/err.h"
#include "pt/decode/insn.h"

#define IP	0x401000ULL

int LLVMFuzzerTestOneInput(const u8 *data, size_t n);

static void check(bool claim)
{
	if (!claim)
		abort();
}

/* From a block of just @n bytes, so that a read behind it shows. */
static int decode(struct insn *insn, enum insn_mode mode, const u8 *bytes,
		  size_t n)
{
	u8 *exact = malloc(n + !n);
	int err;

	check(exact != NULL);
	memcpy(exact, bytes, n);
	memset(insn, 0, sizeof(*insn));
	err = insn_decode(insn, mode, IP, exact, n);
	free(exact);
	return err;
}

static bool is_direct(const struct insn *insn)
{
	return insn->class == BRANCH_COND || insn->class == BRANCH_JUMP ||
	       insn->class == BRANCH_CALL;
}

static void check_insn(const struct insn *insn, enum insn_mode mode, size_t n)
{
	check(insn->len >= 1 && insn->len <= INSN_MAX_LEN && insn->len <= n);
	check(insn->class < NR_BRANCH_CLASSES);
	if (!is_direct(insn))
		check(insn->target == 0);
	else if (mode == INSN_MODE_64)
		check(insn->target - IP - insn->len + (1ULL << 31) <
		      1ULL << 32);
	else
		check(insn->target < 1ULL << 32);
}

/* A cut instruction asks for more, a whole one does not see what follows. */
static void check_cuts(const struct insn *insn, int err, enum insn_mode mode,
		       const u8 *bytes, size_t n)
{
	struct insn other;

	for (size_t cut = 0; cut < n; cut++) {
		int cut_err = decode(&other, mode, bytes, cut);

		if (!err && cut >= insn->len)
			check(!cut_err && !memcmp(&other, insn, sizeof(other)));
		else if (err != -EINVAL)
			check(cut_err == -ENODATA);
		else
			check(cut_err == -ENODATA || cut_err == -EINVAL);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t n)
{
	enum insn_mode mode;
	struct insn insn;
	int err;

	if (!n)
		return 0;
	mode = (enum insn_mode)(data[0] % 3);
	data++;
	n = min(n - 1, (size_t)(INSN_MAX_LEN + 3));
	err = decode(&insn, mode, data, n);
	if (!err)
		check_insn(&insn, mode, n);
	else
		check(err == -EINVAL || (err == -ENODATA && n < INSN_MAX_LEN));
	check_cuts(&insn, err, mode, data, n);
	return 0;
}
