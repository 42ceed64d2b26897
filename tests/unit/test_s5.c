/* SPDX-License-Identifier: MIT */
/*
 * The search for _S5_: the encodings that firmware uses, and what only looks
 * like one.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/aml_s5.h"
#include "lib/err.h"

#define NAME	"\x08_S5_"
#define ROOT	"\x08\\_S5_"

struct encoding {
	const char *what;
	const char *aml;
	size_t size;
	int typa;		/* -1: there is none to be found */
	int typb;
};

#define E(what, aml, a, b)	{ what, aml, sizeof(aml) - 1, a, b }

static const struct encoding encodings[] = {
	E("four zeros",
	  NAME "\x12\x06\x04\x00\x00\x00\x00", 0, 0),
	E("bytes, as most firmware has it",
	  NAME "\x12\x08\x04\x0a\x05\x0a\x05\x00\x00", 5, 5),
	E("different types",
	  NAME "\x12\x08\x04\x0a\x07\x0a\x06\x00\x00", 7, 6),
	E("a name from the root",
	  ROOT "\x12\x08\x04\x0a\x05\x0a\x05\x00\x00", 5, 5),
	E("One", NAME "\x12\x06\x04\x01\x01\x00\x00", 1, 1),
	E("One and a byte", NAME "\x12\x07\x04\x01\x0a\x02\x00\x00", 1, 2),
	E("words", NAME "\x12\x08\x02\x0b\x05\x00\x0b\x06\x00", 5, 6),
	E("double words",
	  NAME "\x12\x0c\x02\x0c\x03\x00\x00\x00\x0c\x04\x00\x00\x00", 3, 4),
	E("quad words",
	  NAME "\x12\x14\x02\x0e\x03\0\0\0\0\0\0\0\x0e\x02\0\0\0\0\0\0\0",
	  3, 2),
	E("two elements", NAME "\x12\x06\x02\x0a\x05\x0a\x04", 5, 4),
	E("one element", NAME "\x12\x04\x01\x0a\x05", 5, 5),
	E("one element, a word of both",
	  NAME "\x12\x05\x01\x0b\x05\x07", 5, 7),
	E("one element, Zero", NAME "\x12\x03\x01\x00", 0, 0),
	E("package length of two bytes",
	  NAME "\x12\x47\x00\x02\x0a\x05\x0a\x04", 5, 4),
	E("package length of three bytes",
	  NAME "\x12\x88\x00\x00\x02\x0a\x05\x0a\x04", 5, 4),
	E("package length of four bytes",
	  NAME "\x12\xc9\x00\x00\x00\x02\x0a\x05\x0a\x04", 5, 4),
	E("code around it",
	  "\x10\x20_SB_" NAME "\x12\x06\x04\x01\x00\x00\x00\x14\x05", 1, 0),
	E("a decoy in a string first",
	  "\x0d_S5_ is here\0" NAME "\x12\x06\x02\x0a\x05\x0a\x04", 5, 4),
	E("a decoy with the name byte in a string first",
	  "\x0d" NAME "\0" NAME "\x12\x06\x02\x0a\x05\x0a\x04", 5, 4),
	E("a broken one first",
	  NAME "\x12\x3f\x02\x0a\x05\x0a\x04" NAME "\x12\x04\x02\x01\x01",
	  1, 1),
	E("a name byte before the name byte",
	  "\x08" NAME "\x12\x04\x02\x01\x01", 1, 1),
	E("empty package", NAME "\x12\x02\x00", -1, 0),
	E("package that ends before the second element",
	  NAME "\x12\x04\x02\x0a\x05\x0a\x04", -1, 0),
	E("package length of 0", NAME "\x12\x00\x02\x0a\x05\x0a\x04", -1, 0),
	E("package length longer than the table",
	  NAME "\x12\x07\x02\x0a\x05\x0a\x04", -1, 0),
	E("package length with reserved bits",
	  NAME "\x12\x77\x00\x02\x0a\x05\x0a\x04", -1, 0),
	E("package length of 2^28 - 1",
	  NAME "\x12\xcf\xff\xff\xff\x02\x0a\x05\x0a\x04", -1, 0),
	E("a type that needs four bits",
	  NAME "\x12\x06\x02\x0a\x08\x0a\x04", -1, 0),
	E("Ones", NAME "\x12\x04\x02\xff\xff", -1, 0),
	E("a name instead of a number",
	  NAME "\x12\x08\x02SLPTSLPT", -1, 0),
	E("a method", "\x14\x08_S5_\0\xa4\x00", -1, 0),
	E("a package of variable size", NAME "\x13\x04\x02\x01\x01", -1, 0),
	E("_S4_ only", "\x08_S4_\x12\x04\x02\x01\x01", -1, 0),
	E("nothing", "", -1, 0),
};

/* From a block of just @size bytes: AddressSanitizer sees a read behind it. */
static int find(const char *aml, size_t size, struct aml_s5 *s5)
{
	u8 *exact = malloc(size + !size);
	int err;

	assert_non_null(exact);
	memcpy(exact, aml, size);
	memset(s5, 0xee, sizeof(*s5));
	err = aml_find_s5(exact, size, s5);
	free(exact);
	return err;
}

static void every_encoding_gives_its_types(void **state)
{
	(void)state;
	assert_true(ARRAY_SIZE(encodings) >= 20);
	for (size_t i = 0; i < ARRAY_SIZE(encodings); i++) {
		const struct encoding *e = &encodings[i];
		struct aml_s5 s5;
		int err = find(e->aml, e->size, &s5);

		if (err != (e->typa < 0 ? -ENOENT : 0))
			fail_msg("%s: %d", e->what, err);
		if (e->typa >= 0 && (s5.typa != e->typa || s5.typb != e->typb))
			fail_msg("%s: %u, %u", e->what, s5.typa, s5.typb);
	}
}

/* Cut anywhere inside of the package there is nothing, and no read behind. */
static void a_cut_table_has_none(void **state)
{
	static const char whole[] =
		"\x10\x20_SB_" NAME "\x12\x4a\x00\x04\x0a\x05\x0b\x04\x00\x00";
	struct aml_s5 s5;

	(void)state;
	for (size_t n = 0; n < sizeof(whole); n++)
		assert_int_equal(find(whole, n, &s5), -ENOENT);
	assert_int_equal(find(whole, sizeof(whole), &s5), 0);
	assert_int_equal(s5.offset, 6);
}

static void every_encoding_may_be_cut_anywhere(void **state)
{
	struct aml_s5 s5;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(encodings); i++) {
		for (size_t n = 0; n < encodings[i].size; n++) {
			int err = find(encodings[i].aml, n, &s5);

			assert_true(!err || err == -ENOENT);
			if (encodings[i].typa < 0)
				assert_int_equal(err, -ENOENT);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_encoding_gives_its_types),
		cmocka_unit_test(a_cut_table_has_none),
		cmocka_unit_test(every_encoding_may_be_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
