/* SPDX-License-Identifier: MIT */
/*
 * CRC-32 (IEEE 802.3, reflected 0xedb88320), as zlib's crc32().
 */
#ifndef LIB_CRC32_H
#define LIB_CRC32_H

#include "lib/types.h"

/* Continues @crc (0 at the start) over @n bytes. */
u32 crc32(u32 crc, const void *data, size_t n);

#endif /* LIB_CRC32_H */
