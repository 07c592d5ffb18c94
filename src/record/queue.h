/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue.h - events from one thread to one other, bounded, without locks and without waiting.
 */
#ifndef SBERF_RECORD_QUEUE_H
#define SBERF_RECORD_QUEUE_H

#include "event/event.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define QUEUE_EVENTS 65536u              /* 5 MiB; a second at 65,000 events */

struct event_queue {
	struct event *event;             /* QUEUE_EVENTS, the owner's to allocate and free */
	_Atomic uint32_t head;           /* written next; the producer's */
	char apart[60];                  /* the two ends do not share a cache line */
	_Atomic uint32_t tail;           /* read next; the consumer's */
};

/* Producer. False when it is full. *RET_FILL: events in it now. */
static inline bool queue_put(struct event_queue *q, const struct event *ev, uint32_t *ret_fill)
{
	const uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
	const uint32_t fill = head - atomic_load_explicit(&q->tail, memory_order_acquire);

	if (fill >= QUEUE_EVENTS)
		return false;
	q->event[head % QUEUE_EVENTS] = *ev;
	/* The release hands over, with the event, the dictionary entries that it names. */
	atomic_store_explicit(&q->head, head + 1, memory_order_release);
	*ret_fill = fill + 1;
	return true;
}

/* Consumer. The oldest event, or NULL when it is empty; it stays until queue_drop(). */
static inline const struct event *queue_peek(const struct event_queue *q)
{
	const uint32_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);

	return tail == atomic_load_explicit(&q->head, memory_order_acquire) ? NULL : &q->event[tail % QUEUE_EVENTS];
}

static inline void queue_drop(struct event_queue *q)
{
	atomic_fetch_add_explicit(&q->tail, 1, memory_order_release);
}

/* Either end: how many events are in it. */
static inline uint32_t queue_fill(const struct event_queue *q)
{
	return atomic_load_explicit(&q->head, memory_order_relaxed) - atomic_load_explicit(&q->tail, memory_order_relaxed);
}

#endif
