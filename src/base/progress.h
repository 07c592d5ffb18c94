/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * progress.h - draws a progress line on the terminal for slow work: share, rate and the time that
 * is left. It draws nothing when standard error is no terminal, and nothing when the work is done
 * at once.
 */
#ifndef SBERF_BASE_PROGRESS_H
#define SBERF_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_TEXT_MAX 160

struct progress {
	const char *what;        /* "sberf report: reading", borrowed */
	uint64_t total;          /* bytes; 0 = not known */
	uint64_t before;         /* of these: in what is done already, when it is in parts that count from 0 each */
	bool on, shown;
	uint64_t begun_ns, next_ns;
};

void progress_begin(struct progress *p, const char *what, uint64_t total);

/* DONE bytes are done, of this part. Cheap; draws the line over itself a few times a second, from half a second on. */
void progress_at(struct progress *p, uint64_t done);

/* Removes the line, as something else is to be said. It comes again. */
void progress_clear(struct progress *p);

/* Removes the line for good. */
void progress_end(struct progress *p);

/* The line after NS: "WHAT  41.8 %, 12 MB of 29 MB, 24 MB/s, 0.71 s left". Returns DST. */
char *progress_text(char dst[PROGRESS_TEXT_MAX], const struct progress *p, uint64_t done, uint64_t ns);

#endif
