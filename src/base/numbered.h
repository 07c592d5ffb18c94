/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numbered.h - finds free names for files, such as "sberf-1.svg", "sberf-2.svg", so that no file is
 * replaced.
 */
#ifndef SBERF_BASE_NUMBERED_H
#define SBERF_BASE_NUMBERED_H

#include "base/err.h"

#include <stddef.h>

#define NUMBERED_MAX 99999u

/*
 * The first of "BEFORE1AFTER", "BEFORE2AFTER", ... up to NUMBERED_MAX that nothing has, not even a
 * link that leads nowhere, into DST of SIZE bytes. Somebody else may take it before it is used:
 * open it with O_EXCL, or rename without replacing. A negative errno with a sentence:
 * -ENAMETOOLONG, -EEXIST when all are taken.
 */
int numbered_name(char *dst, size_t size, const char *before, const char *after, struct err *e);

/* What helps when a file with such a name could not be written for CODE, an errno: "make room on the disk". */
const char *numbered_remedy(int code);

#endif
