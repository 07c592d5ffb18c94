/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracelink.h - attaches BPF programs to places in the kernel, each with the cookie of its probe:
 * to tracepoints, functions, page faults and signals. Each has a link, those of page faults one for
 * each CPU, and but for raw tracepoints and signals a perf event.
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
 * Whether many functions of the kernel can have one link (since Linux 5.18, with CONFIG_FPROBE). Programs for
 * CAPTURE_TRACE_CALLED are to be loaded for that then, with BPF_TRACE_KPROBE_MULTI. Tried once; any thread may call.
 */
bool trace_many(void);

/*
 * Whether this kernel lets functions be probed where they begin (kprobes): 0, or -EOPNOTSUPP with a
 * sentence.
 */
int trace_check_functions(struct err *e);

/*
 * Attaches to each of TRACES the program of its kind of place, PROG[how]; those that are needed are
 * loaded. 0, or a negative errno with a sentence that names the place. Of several functions that one
 * probe means those are left out which the kernel lets nobody probe, as long as there are others.
 * *RET is the caller's: links_free() or links_drop().
 */
int trace_attach(const int prog[CAPTURE_TRACE_HOWS], const struct capture_trace *traces, uint32_t n, struct links **ret,
		 struct err *e);

#endif
