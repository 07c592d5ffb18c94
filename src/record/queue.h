/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * queue.h - passes events from one thread to one other: bounded, without locks and without waiting.
 *
 * An empty queue begins at the start of its memory again. So it only uses as much memory as it ever
 * holds at one time, and this memory stays in the caches.
 */
#ifndef SBERF_RECORD_QUEUE_H
#define SBERF_RECORD_QUEUE_H

#include "model/event.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define QUEUE_EVENTS 65536u              /* 5 MiB; a second at 65,000 events */

struct event_queue {
	struct event *event;             /* QUEUE_EVENTS, the owner's to allocate and free */
	_Atomic uint32_t head;           /* written next; the producer's */
	char apart[60];                  /* the two ends do not share a cache line */
	_Atomic uint32_t tail;           /* read next; the consumer's, unless the queue is empty: queue_put() */
};

/*
 * Either end: how many events are in it. The tail is read last, as the other end may move on
 * meanwhile: ahead of the head, it was empty.
 */
static inline uint32_t queue_fill(const struct event_queue *q)
{
	const uint32_t head = atomic_load_explicit(&q->head, memory_order_acquire);
	const uint32_t fill = head - atomic_load_explicit(&q->tail, memory_order_acquire);

	return (int32_t)fill > 0 ? fill : 0;
}

/* Producer. False when it is full. *RET_FILL: events in it now. */
static inline bool queue_put(struct event_queue *q, const struct event *ev, uint32_t *ret_fill)
{
	const uint32_t fill = queue_fill(q);
	uint32_t head = atomic_load_explicit(&q->head, memory_order_relaxed);

	if (fill >= QUEUE_EVENTS)
		return false;
	if (!fill && head % QUEUE_EVENTS) {
		/*
		 * The consumer leaves its end alone as long as it finds nothing, and there is
		 * nothing until the new head says so.
		 */
		head += QUEUE_EVENTS - head % QUEUE_EVENTS;
		atomic_store_explicit(&q->tail, head, memory_order_relaxed);
	}
	q->event[head % QUEUE_EVENTS] = *ev;
	/* The release hands over, with the event, the dictionary entries that it names. */
	atomic_store_explicit(&q->head, head + 1, memory_order_release);
	*ret_fill = fill + 1;
	return true;
}

/* Consumer. The oldest event, or NULL when it is empty; it stays until queue_drop(). */
static inline const struct event *queue_peek(const struct event_queue *q)
{
	return queue_fill(q) ? &q->event[atomic_load_explicit(&q->tail, memory_order_relaxed) % QUEUE_EVENTS] : NULL;
}

static inline void queue_drop(struct event_queue *q)
{
	atomic_fetch_add_explicit(&q->tail, 1, memory_order_release);
}

#endif
