/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hitline.h - one line for a hit, as text or as JSON, and the table of sums at the end.
 *
 *	12:34:56.123456 dd/4711            1     1.2 us  read(0</dev/zero>, "\x00"..., 1) = 1
 *
 * The columns are the time of day at its end, who, on which CPU, and how long it took.
 */
#ifndef SBERF_TRACE_HITLINE_H
#define SBERF_TRACE_HITLINE_H

#include "trace/callargs.h"
#include "trace/callsums.h"
#include "trace/calltext.h"
#include "trace/hit.h"
#include "trace/hitfields.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hitline {
	const struct hit *hit;
	uint64_t real_ns;                /* hit->time_ns as nanoseconds since 1970 */
	const struct hit_text *said;     /* of a recording: what stands for name and arguments; NULL = nothing does */
	const char *name;                /* of the call, or the probe: raw bytes */
	bool is_call;
	const struct callargs *call;     /* NULL: nothing is known of its arguments */
	bool registers;                  /* not a call: the arguments are what was in registers, */
	bool returns;                    /* ... and the last of them is what was returned */
	const struct hitfields *fields;  /* not a call: what the arguments mean; NULL = that is not known */
	const struct calltext_files *files;
	const char *const *frame;        /* its stack, innermost first: raw names */
	uint32_t nr_frames;
};

/* Writes L as text, with its stack below it. Errors are F's. */
void hitline_text(FILE *f, const struct hitline *l);
/* Writes L as an object in JSON, on one line. False when out of memory. */
bool hitline_json(FILE *f, const struct hitline *l);

/* The table: the line of titles, and one for S, called NAME. Errors are F's. */
void hitline_sum_head(FILE *f);
void hitline_sum_text(FILE *f, const char *name, const struct callsum *s);
/* S as an object in JSON, {"sum": NAME, ...}, on one line. False when out of memory. */
bool hitline_sum_json(FILE *f, const char *name, const struct callsum *s);

#endif
