/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.h - reads a text, plain or compressed, line by line and in bounded memory. Private to
 * imports.
 */
#ifndef SBERF_IMPORT_LINES_H
#define SBERF_IMPORT_LINES_H

#include "base/err.h"
#include "import/packed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes that a line may have. A stack of 1,024 frames, as many as are recorded, whose names are as
 * long as exports keep them (65,535 bytes), has half of that; the other half is for what is
 * inlined.
 */
#define LINES_LONGEST (128u << 20)

struct progress;

struct lines {
	struct packed *file;
	const char *name;        /* for sentences */
	struct progress *progress;       /* told of bytes of the file; may be NULL */
	char *buf;               /* grows as lines do */
	size_t size;
	size_t at, n;            /* what has been read and not been given yet: buf[at] to buf[n - 1] */
	uint64_t nr;             /* of the line given last, from 1 */
	bool end;                /* the file has no more than what is in buf */
	bool cut;                /* it is compressed, and ends before it should */
	bool unfinished;         /* the line given last does not end in a newline: it may be a part of one */
};

/*
 * Reads the open file FD, which stays open. NAME and P, which may be NULL, are borrowed. A
 * byte-order mark of UTF-8 is left out; text of UTF-16 and UTF-32 is refused with a sentence, as is
 * a compression that packed.h does not read. lines_close() in any case.
 */
int lines_open(struct lines *l, int fd, const char *name, struct progress *p, struct err *e);
void lines_close(struct lines *l);

/*
 * The next line: 1 with its LEN bytes at *RET, without "\n" or "\r\n", and NUL behind them; valid,
 * and the caller's to change, until the next call. 0 at the end. A negative errno with a sentence
 * when reading fails or a line is too long.
 */
int lines_next(struct lines *l, char **ret, size_t *ret_len, struct err *e);

#endif
