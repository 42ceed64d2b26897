/* SPDX-License-Identifier: MIT */
/*
 * lib/string.c for host tests: strscpy(), kstrtou64() and parse_size(), which
 * the C library lacks. Its other functions get names of their own.
 */
#include <string.h>

#define memcpy		our_memcpy
#define memmove		our_memmove
#define memset		our_memset
#define memcmp		our_memcmp
#define memchr		our_memchr
#define strlen		our_strlen
#define strnlen		our_strnlen
#define strcmp		our_strcmp
#define strncmp		our_strncmp
#define strchr		our_strchr
#define strrchr		our_strrchr
#define strstr		our_strstr
#include "lib/string.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef memchr
#undef strlen
#undef strnlen
#undef strcmp
#undef strncmp
#undef strchr
#undef strrchr
#undef strstr
