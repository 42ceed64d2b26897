/* SPDX-License-Identifier: MIT */
/*
 * CRC-32 by nibbles: 64 bytes of table, fast enough for dumps.
 */
#include "lib/crc32.h"

/* Remainder of each nibble for the reflected polynomial 0xedb88320. */
static const u32 nibble[16] = {
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
	0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
	0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
};

u32 crc32(u32 crc, const void *data, size_t n)
{
	const u8 *p = data;

	crc = ~crc;
	for (; n; n--) {
		crc ^= *p++;
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return ~crc;
}
