/* SPDX-License-Identifier: MIT */
/*
 * What CPUID.1 EAX, the signature, says of a processor: SDM "CPUID", figure of
 * version information. The extended parts add.
 */
#ifndef ASM_CPU_H
#define ASM_CPU_H

#include "lib/bitfield.h"
#include "lib/types.h"

static inline unsigned int x86_family(u32 sig)
{
	unsigned int family = (unsigned int)FIELD_GET(GENMASK_ULL(11, 8), sig);

	if (family == 15)
		family += (unsigned int)FIELD_GET(GENMASK_ULL(27, 20), sig);
	return family;
}

static inline unsigned int x86_model(u32 sig)
{
	unsigned int model = (unsigned int)FIELD_GET(GENMASK_ULL(7, 4), sig);

	if (x86_family(sig) == 6 || x86_family(sig) >= 15)
		model |= (unsigned int)FIELD_GET(GENMASK_ULL(19, 16), sig) << 4;
	return model;
}

static inline unsigned int x86_stepping(u32 sig)
{
	return (unsigned int)FIELD_GET(GENMASK_ULL(3, 0), sig);
}

#endif /* ASM_CPU_H */
