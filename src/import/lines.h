/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.h - a text, plain or compressed by gzip, line by line and in bounded memory. Private to imports. */
#ifndef SBERF_IMPORT_LINES_H
#define SBERF_IMPORT_LINES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#define LINES_LONGEST (1u << 20)         /* bytes that a line may have; names of 20 kB have been met, a thousand frames deep */

struct progress;

struct lines {
	gzFile file;
	const char *name;        /* for sentences */
	struct progress *progress;       /* told of bytes of the file; may be NULL */
	char *buf;
	size_t at, n;            /* what has been read and not been given yet: buf[at] to buf[n - 1] */
	uint64_t nr;             /* of the line given last, from 1 */
	bool end;                /* the file has no more than what is in buf */
	bool cut;                /* it is compressed, and ends before it should */
	bool unfinished;         /* the line given last does not end in a newline: it may be a part of one */
};

/* Reads the open file FD, which stays open. NAME and P, which may be NULL, are borrowed. lines_close() in any case. */
int lines_open(struct lines *l, int fd, const char *name, struct progress *p, struct err *e);
void lines_close(struct lines *l);

/*
 * The next line: 1 with its LEN bytes at *RET, without "\n" or "\r\n", and NUL behind them; valid, and the caller's to change,
 * until the next call. 0 at the end. A negative errno with a sentence when reading fails or a line is too long.
 */
int lines_next(struct lines *l, char **ret, size_t *ret_len, struct err *e);

#endif
