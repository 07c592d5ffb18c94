/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parked.h - copies of samples that wait for a module to be loaded.
 *
 * A queue in order of arrival, bounded in bytes: a load takes milliseconds, and one that hangs must
 * not pile up stacks.
 */
#ifndef SBERF_ENGINE_PARKED_H
#define SBERF_ENGINE_PARKED_H

#include "model/raw.h"
#include "process/process.h"

#include <stdbool.h>
#include <stddef.h>

#define PARKED_BYTES_MAX (64u << 20)
#define PARKED_TIME_NS (3ull * 1000 * 1000 * 1000)

struct parked_sample {
	struct parked_sample *next;
	uint64_t since_ns;               /* when it was parked */
	size_t bytes;                    /* of this allocation */
	thread_id thread;                /* the thread at that time */
	struct process_hold *hold;       /* the mappings at that time; owned by whoever takes the sample out */
	struct raw_event ev;             /* its pointers reach into data */
	uint64_t data[];
};

struct parked {
	struct parked_sample *head, **tail;
	size_t bytes;
	uint64_t n;
};

void parked_init(struct parked *q);

/*
 * Appends a copy of EV with THREAD and HOLD. On success the queue owns HOLD. False when the queue
 * is full or memory is out.
 */
bool parked_add(struct parked *q, const struct raw_event *ev, uint64_t now_ns, thread_id thread,
		struct process_hold *hold);

/*
 * Calls TRY for every parked sample, in order. If TRY returns true, the sample is freed; else it
 * stays.
 */
void parked_each(struct parked *q, bool (*try)(void *ctx, const struct parked_sample *s), void *ctx);

#endif
