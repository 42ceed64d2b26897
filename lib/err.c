/* SPDX-License-Identifier: MIT */
/*
 * Names of error numbers.
 */
#include "lib/err.h"

#include "lib/compiler.h"

static const struct {
	int err;
	const char *name;
} names[] = {
	{ EPERM, "EPERM" }, { ENOENT, "ENOENT" }, { EINTR, "EINTR" },
	{ EIO, "EIO" }, { E2BIG, "E2BIG" }, { ENOEXEC, "ENOEXEC" },
	{ EAGAIN, "EAGAIN" }, { ENOMEM, "ENOMEM" }, { EFAULT, "EFAULT" },
	{ EBUSY, "EBUSY" }, { EEXIST, "EEXIST" }, { ENODEV, "ENODEV" },
	{ ENOTDIR, "ENOTDIR" }, { EISDIR, "EISDIR" }, { EINVAL, "EINVAL" },
	{ ENOSPC, "ENOSPC" }, { ERANGE, "ERANGE" }, { ENOSYS, "ENOSYS" },
	{ ENODATA, "ENODATA" }, { ETIME, "ETIME" }, { EBADMSG, "EBADMSG" },
	{ EOVERFLOW, "EOVERFLOW" }, { EOPNOTSUPP, "EOPNOTSUPP" },
	{ ETIMEDOUT, "ETIMEDOUT" }, { EINPROGRESS, "EINPROGRESS" },
};

const char *err_name(int err)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].err == err || names[i].err == -err)
			return names[i].name;
	return "E?";
}
