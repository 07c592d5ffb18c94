/* SPDX-License-Identifier: BSD-2-Clause */
/* srcfile.h - reads the lines of a source file once, within limits; their text is foreign. */
#ifndef SBERF_ANNOTATE_SRCFILE_H
#define SBERF_ANNOTATE_SRCFILE_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define SRCFILE_BYTES_MAX (4u << 20)
#define SRCFILE_LINE_MAX 512u             /* bytes of a line that are kept */
#define SRCFILE_TAB 8u

struct srcfile;

/*
 * Reads the regular file at FD, which stays the caller's. A negative errno with a sentence: -EFBIG,
 * what reading said, or -EACCES for a file that others than its owner may not read while this
 * process could read anything (the owner being who called sudo excepted).
 */
int srcfile_read(int fd, struct srcfile **ret, struct err *e);
void srcfile_free(struct srcfile *s);              /* NULL is fine */

/* What it takes of memory, about. */
size_t srcfile_bytes(const struct srcfile *s);
uint32_t srcfile_lines(const struct srcfile *s);
/* When it was changed last. */
struct timespec srcfile_changed(const struct srcfile *s);

/*
 * Line NUMBER, from 1 on, as it is fit for a screen: sanitised (base/text.h), tabs widened, without
 * its end. Returns DST (SIZE bytes); "" for a line that there is not.
 */
char *srcfile_line(const struct srcfile *s, uint32_t number, char *dst, size_t size);

DEFINE_AUTO(srcfile_free, struct srcfile);

#endif
