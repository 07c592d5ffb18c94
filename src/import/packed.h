/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * packed.h - unpacks compressed files. Private to imports.
 *
 * Plain files, gzip and xz are always read; zstd and bzip2 where sberf was built with their
 * libraries. Which one it is, the first bytes of the file tell, so pipes will do. Several
 * compressed files in a row are one, as with `zcat`.
 */
#ifndef SBERF_IMPORT_PACKED_H
#define SBERF_IMPORT_PACKED_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct packed;

/*
 * Reads the first bytes of the open file FD, which stays open and is borrowed, as is NAME. A
 * negative errno with a sentence when reading fails, or when the file has a compression that this
 * sberf does not read.
 */
int packed_open(struct packed **ret, int fd, const char *name, struct err *e);
void packed_close(struct packed *p);             /* NULL is fine */

/*
 * The next bytes, at most SIZE (at least 1) into DST: how many, 0 at the end. A negative errno with
 * a sentence; -EBADMSG without one when the file is damaged.
 */
ssize_t packed_read(struct packed *p, char *dst, size_t size, struct err *e);

/* How it is compressed: "gzip". */
const char *packed_format(const struct packed *p);
/* Bytes of the file that have been used. */
uint64_t packed_done(const struct packed *p);
/* It is compressed, and ended before it should. Of what packed_read() ended. */
bool packed_cut(const struct packed *p);

#endif
