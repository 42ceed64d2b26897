/* SPDX-License-Identifier: MIT */
/*
 * The bytes of all instructions that were executed while tracing.
 *
 * With them a decoder needs to know nothing else of what ran. One image for
 * all vCPUs; where code changed, the last version stands.
 */
#ifndef TESTS_PTMODEL_CODE_IMAGE_H
#define TESTS_PTMODEL_CODE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/** code_image_add() - @len bytes at linear address @vaddr. Thread safe. */
void code_image_add(uint64_t vaddr, const uint8_t *bytes, size_t len);

/**
 * code_image_write() - all of it as sorted, merged records: u64 linear address,
 * u32 length, bytes; little endian
 * Return: 0, or -1 with errno.
 */
int code_image_write(const char *path);

/** code_image_changed() - how many bytes were replaced by different ones */
unsigned long code_image_changed(void);

#endif /* TESTS_PTMODEL_CODE_IMAGE_H */
