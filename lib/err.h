/* SPDX-License-Identifier: MIT */
/*
 * Error numbers (Linux's values) and error pointers.
 */
#ifndef LIB_ERR_H
#define LIB_ERR_H

#include "lib/types.h"

#define EPERM		1
#define ENOENT		2
#define EINTR		4
#define EIO		5
#define E2BIG		7
#define ENOEXEC		8
#define EAGAIN		11
#define ENOMEM		12
#define EFAULT		14
#define EBUSY		16
#define EEXIST		17
#define ENODEV		19
#define ENOTDIR		20
#define EISDIR		21
#define EINVAL		22
#define ENOSPC		28
#define ERANGE		34
#define ENOSYS		38
#define ENODATA		61
#define ETIME		62
#define EBADMSG		74
#define EOVERFLOW	75
#define EOPNOTSUPP	95
#define ETIMEDOUT	110
#define EINPROGRESS	115

#define MAX_ERRNO	4095

static inline void *ERR_PTR(long err)
{
	return (void *)err;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= (unsigned long)-MAX_ERRNO;
}

/**
 * err_name() - the symbolic name of an error number, for messages
 * @err:	positive or negative errno
 *
 * Return: a constant string such as "ENOMEM"; "E?" for an unknown number.
 */
const char *err_name(int err);

#endif /* LIB_ERR_H */
