/* SPDX-License-Identifier: MIT */
/*
 * The sleep type of "soft off", read out of AML bytes without running any.
 */
#ifndef X86_AML_S5_H
#define X86_AML_S5_H

#include "lib/compiler.h"

struct aml_s5 {
	u8 typa, typb;		/* SLP_TYP for PM1a and PM1b, 0..7 */
	size_t offset;		/* of the NameOp */
};

/**
 * aml_find_s5() - find Name (_S5_, Package () { a, b, ... })
 * @aml:	definition block of a DSDT or SSDT, header included or not
 * @size:	bytes
 * @s5:		set on success
 *
 * Looks for the bytes of the name and takes the first whose package is whole
 * and whose elements are integers that fit: "_S5_" in a string, or one that a
 * table's end cuts, is passed over. A package of one element gives both types:
 * a word's two bytes, or one byte twice. Sources: ACPI specification, "Name
 * Space Modifier Objects Encoding", "Package Length Encoding", "_Sx".
 *
 * Context: any. Return: 0 or -ENOENT.
 */
int __must_check aml_find_s5(const u8 *aml, size_t size, struct aml_s5 *s5);

#endif /* X86_AML_S5_H */
