/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer on the search for _S5_. Input: the bytes of a definition block.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/x86/aml_s5.h"
#include "lib/err.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t n);

static void check(bool claim)
{
	if (!claim)
		abort();
}

/* From a block of just @n bytes, so that a read behind it shows. */
static int find(const u8 *data, size_t n, struct aml_s5 *s5)
{
	u8 *exact = malloc(n + !n);
	int err;

	check(exact != NULL);
	memcpy(exact, data, n);
	err = aml_find_s5(exact, n, s5);
	free(exact);
	return err;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t n)
{
	struct aml_s5 s5, cut;
	int err = find(data, n, &s5);

	if (err) {
		check(err == -ENOENT);
		return 0;
	}
	check(s5.typa <= 7 && s5.typb <= 7 && s5.offset < n);
	check(data[s5.offset] == 0x08);
	/* What stands before does not matter. */
	check(!find(data + s5.offset, n - s5.offset, &cut));
	check(!cut.offset && cut.typa == s5.typa && cut.typb == s5.typb);
	/* Cut before its end there is no such name, or no name at all. */
	check(find(data, min(n, s5.offset + 8), &cut) == -ENOENT);
	return 0;
}
