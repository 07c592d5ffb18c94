/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracelink.h - attaches BPF programs to tracepoints of the kernel, each with the cookie of its
 * probe. What is attached to by format has a perf event and a link; what is raw, a link.
 */
#ifndef SBERF_CAPTURE_TRACELINK_H
#define SBERF_CAPTURE_TRACELINK_H

#include "base/err.h"
#include "capture/link.h"
#include "capture/source.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether links to raw tracepoints can have cookies (since Linux 6.10). Tried once; any thread may call. */
bool trace_cookies(void);

/*
 * Whether TRACES, N of them, can be told apart on this kernel: 0, or -EOPNOTSUPP with a sentence.
 * Without cookies all raw ones have to be of one probe: *RET_COOKIE is its then.
 */
int trace_check(const struct capture_trace *traces, uint32_t n, uint64_t *ret_cookie, struct err *e);

/*
 * Attaches PROG to those of TRACES that have a format, and RAW to those that are raw; each is loaded
 * if there are such, else negative. 0, or a negative errno with a sentence that names the tracepoint.
 * *RET is the caller's: links_free() or links_drop().
 */
int trace_attach(int prog, int raw, const struct capture_trace *traces, uint32_t n, struct links **ret,
		 struct err *e);

#endif
