/* SPDX-License-Identifier: MIT */
/*
 * The sleep type of "soft off", read out of AML bytes.
 */
#include "arch/x86/aml_s5.h"

#include "lib/err.h"
#include "lib/string.h"

#define AML_ZERO	0x00
#define AML_ONE		0x01
#define AML_NAME	0x08
#define AML_BYTE	0x0a
#define AML_WORD	0x0b
#define AML_DWORD	0x0c
#define AML_QWORD	0x0e
#define AML_PACKAGE	0x12
#define AML_ROOT	0x5c	/* '\' before a name */
#define AML_ONES	0xff

#define SLP_TYP_MAX	7

struct cursor {
	const u8 *p;
	const u8 *end;
};

static bool take(struct cursor *c, u8 *byte)
{
	if (c->p == c->end)
		return false;
	*byte = *c->p++;
	return true;
}

/* Cuts @c to what the package says that it holds. */
static bool take_package_length(struct cursor *c)
{
	const u8 *start = c->p;
	unsigned int extra;
	size_t length;
	u8 lead, byte;

	if (!take(c, &lead))
		return false;
	extra = lead >> 6;
	if (extra && lead & 0x30)
		return false;
	length = extra ? lead & 0xf : lead & 0x3f;
	for (unsigned int i = 0; i < extra; i++) {
		if (!take(c, &byte))
			return false;
		length |= (size_t)byte << (4 + 8 * i);
	}
	if (length < (size_t)(c->p - start) ||
	    length > (size_t)(c->end - start))
		return false;
	c->end = start + length;
	return true;
}

static bool take_integer(struct cursor *c, u64 *val)
{
	unsigned int bytes = 0;
	u8 op;

	*val = 0;
	if (!take(c, &op))
		return false;
	switch (op) {
	case AML_ZERO:
	case AML_ONE:
		*val = op;
		return true;
	case AML_ONES:
		*val = ~0ULL;
		return true;
	case AML_BYTE:
		bytes = 1;
		break;
	case AML_WORD:
		bytes = 2;
		break;
	case AML_DWORD:
		bytes = 4;
		break;
	case AML_QWORD:
		bytes = 8;
		break;
	default:
		return false;
	}
	if (bytes > (size_t)(c->end - c->p))
		return false;
	memcpy(val, c->p, bytes);
	c->p += bytes;
	return true;
}

/* @c stands behind the name. */
static bool take_s5(struct cursor *c, struct aml_s5 *s5)
{
	u64 a, b;
	u8 op, nr;

	if (!take(c, &op) || op != AML_PACKAGE || !take_package_length(c))
		return false;
	if (!take(c, &nr) || !nr || !take_integer(c, &a))
		return false;
	if (nr == 1) {
		b = a > 0xff ? a >> 8 : a;
		a &= 0xff;
	} else if (!take_integer(c, &b)) {
		return false;
	}
	if (a > SLP_TYP_MAX || b > SLP_TYP_MAX)
		return false;
	s5->typa = (u8)a;
	s5->typb = (u8)b;
	return true;
}

int aml_find_s5(const u8 *aml, size_t size, struct aml_s5 *s5)
{
	for (size_t pos = 0; pos < size; pos++) {
		struct cursor c = { aml + pos + 1, aml + size };

		if (aml[pos] != AML_NAME)
			continue;
		if (c.p < c.end && *c.p == AML_ROOT)
			c.p++;
		if (c.end - c.p < 4 || memcmp(c.p, "_S5_", 4))
			continue;
		c.p += 4;
		if (!take_s5(&c, s5))
			continue;
		s5->offset = pos;
		return 0;
	}
	return -ENOENT;
}
