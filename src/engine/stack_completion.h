/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_completion.h - completes stacks whose upper pages the kernel half could not read.
 *
 * With automatic NUMA balancing (kernel.numa_balancing, the default on machines with several nodes)
 * the kernel takes away access to pages now and then, to see by the next fault who uses them. A BPF
 * program cannot take a fault, so its copy of the stack ends at such a page. In nearly every sample
 * that is the page with the outermost callers, which nobody touches while their callees run. For
 * the same reason it has not changed since: a page that was touched would be readable. So it is
 * read from outside a moment later (capture/peek.h), kept for a second, and appended to the copy:
 * 16 KB, doubled each time the walk reaches its end, up to 1 MB.
 *
 * For one thread.
 */
#ifndef SBERF_ENGINE_STACK_COMPLETION_H
#define SBERF_ENGINE_STACK_COMPLETION_H

#include "base/cleanup.h"
#include "model/raw.h"

#include <stdbool.h>
#include <stdint.h>

struct completion;

/* Whether the kernel takes away access to pages, so that any of this is needed. */
bool completion_needed(void);

/*
 * Starts the helper. Call it on the thread that makes all further calls, which must live as long.
 * NULL: no helper can be started.
 */
struct completion *completion_new(void);
void completion_free(struct completion *u);        /* NULL is fine */

enum completion_state {
	COMPLETION_NONE,              /* nothing more can be read */
	/* *RET is the input with more of its stack, valid until the next call that takes U */
	COMPLETION_READY,
	COMPLETION_ASKED,             /* requested: it comes soon */
};

/*
 * Extends the stack of RAW, a sample or wait, beyond the place where it was cut: FAULT, or (0) the
 * end of the copy.
 */
enum completion_state completion_extend(struct completion *u, const struct raw_event *raw, uint64_t fault,
					struct unwind_input *ret);

/* Takes in what has been read; returns the number of reads. */
unsigned int completion_poll(struct completion *u);

DEFINE_AUTO(completion_free, struct completion);

#endif
