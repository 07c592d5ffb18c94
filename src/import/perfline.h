/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perfline.h - takes apart a line of the text of `perf script`: the first line of a sample, or a
 * frame. Private to imports.
 *
 * The text has no quotes: names of threads, functions and files hold whatever a field begins or
 * ends with. Lines as sberf itself writes them are told exactly all the same, blanks at the ends of
 * names included. In others blanks around a name are padding, the thread's ids are the first ones
 * that a CPU or a time follows, and the file begins behind the last offset of a function ("+0x1c
 * (").
 */
#ifndef SBERF_IMPORT_PERFLINE_H
#define SBERF_IMPORT_PERFLINE_H

#include "base/part.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first line of a sample, or of another event of perf ("PERF_RECORD_COMM"). */
struct perf_header {
	struct part comm;        /* of no bytes: it is not known */
	struct part event, rest; /* REST: behind the event */
	uint64_t pid, tid;       /* 0 where perf has -1, which is what it does not know */
	uint64_t time_ns, period;
	bool has_time, has_period;
	bool record;             /* it is no sample */
};

struct perf_frame {
	struct part symbol, dso;
	uint64_t ip;
	bool kernel, inlined;
	bool whole;              /* its file stands behind it to the last parenthesis */
};


/* False when the LEN bytes at S are something else; then *RET is unchanged. */
bool perf_line_header(const char *s, size_t len, struct perf_header *ret);
bool perf_line_frame(const char *s, size_t len, struct perf_frame *ret);

/*
 * The field of perf script -F that the LEN bytes at S do not have, as they would be a header
 * otherwise; NULL when they are none anyway.
 */
const char *perf_line_lacks(const char *s, size_t len);

#endif
