/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stack_completion.h - the upper part of stacks whose pages the kernel half could not read.
 *
 * Where automatic NUMA balancing is on (kernel.numa_balancing, the default of machines with several nodes), the kernel takes away the
 * access to pages now and then, to see by the next fault who uses them. A BPF program cannot take a fault, so a copy of the stack ends
 * at such a page: the one with the outermost callers, which nobody touches while their callees run, in nearly every sample. For the same
 * reason it has not changed since: a page that somebody had touched would be readable. So it is read from outside a moment later
 * (capture/peek.h), kept for a second, and put behind what was copied: 16 KB, and twice as much each time the walk comes to the end of that, up to 1 MB.
 *
 * One thread (the engine) calls.
 */
#ifndef SBERF_ENGINE_STACK_COMPLETION_H
#define SBERF_ENGINE_STACK_COMPLETION_H

#include "base/cleanup.h"
#include "model/raw.h"

#include <stdbool.h>
#include <stdint.h>

struct completion;

/* True when the kernel takes access to pages away: else nothing here is of use. */
bool completion_needed(void);

/* On the thread that makes all further calls, which must live as long. NULL: there is no helper to be had. */
struct completion *completion_new(void);
void completion_free(struct completion *u);        /* NULL is fine */

enum completion_state {
	COMPLETION_NONE,              /* there is nothing more to be had */
	COMPLETION_READY,             /* *RET is the sample with more of its stack, valid until the next call that takes U */
	COMPLETION_ASKED,             /* it comes soon */
};

/* What there is of the stack of RAW, a sample or wait, where it was cut: at FAULT, or (0) behind all that it has. */
enum completion_state completion_extend(struct completion *u, const struct raw_event *raw, uint64_t fault, struct unwind_input *ret);

/* Takes in what has been read; returns how much. */
unsigned int completion_poll(struct completion *u);

DEFINE_AUTO(completion_free, struct completion);

#endif
