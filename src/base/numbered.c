/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/numbered.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

int numbered_name(char *dst, size_t size, const char *before, const char *after, struct err *e)
{
	struct stat st;

	for (unsigned int i = 1; i <= NUMBERED_MAX; i++) {
		if (snprintf(dst, size, "%s%u%s", before, i, after) >= (int)size)
			return err_set(e, ENAMETOOLONG, "the name %s%u%s is too long", before, i, after);
		/* What cannot be looked at is told by whoever creates it. */
		if (lstat(dst, &st) && (errno == ENOENT || errno == EACCES || errno == ENOTDIR))
			return 0;
	}
	return err_set(e, EEXIST, "%s1%s to %s%u%s are there already: remove some, or change to another "
		       "directory", before, after, before, NUMBERED_MAX, after);
}

const char *numbered_remedy(int code)
{
	switch (code) {
	case ENOSPC:
	case EDQUOT:
	case EFBIG:
		return "make room on the disk, or start sberf in another directory";
	default:
		return "start sberf in another directory";
	}
}
