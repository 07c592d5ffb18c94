/* SPDX-License-Identifier: BSD-2-Clause */
/* waitgraph.c - a wait has one successor at most, so one walk along unvisited ones finds the cycle that it ends in. */
#include "config.h"

#include "model/waitgraph.h"

static size_t waitgraph_find(const struct waitgraph_wait *w, size_t n, uint32_t waiter)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (w[mid].waiter < waiter)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && w[low].waiter == waiter ? low : WAITGRAPH_NONE;
}

/* AT is on a cycle: marks all of it, with the lowest waiter as its end. */
static void waitgraph_mark_cycle(struct waitgraph_wait *w, size_t at)
{
	size_t lowest = at;

	for (size_t i = w[at].next; i != at; i = w[i].next)
		lowest = i < lowest ? i : lowest;
	for (size_t i = lowest; !w[i].in_cycle; i = w[i].next) {
		w[i].in_cycle = true;
		w[i].end = lowest;
	}
}

/* Finds where the chain from FIRST ends. While it does, the waits that it came by have MARK as their end. */
static void waitgraph_follow(struct waitgraph_wait *w, size_t first, size_t mark)
{
	size_t at = first, end;

	while (w[at].end == WAITGRAPH_NONE) {
		w[at].end = mark;
		if (w[at].next != WAITGRAPH_NONE)
			at = w[at].next;
	}
	if (w[at].next == WAITGRAPH_NONE)
		w[at].end = at;
	else if (w[at].end == mark)
		waitgraph_mark_cycle(w, at);
	end = w[at].end;
	for (size_t i = first; w[i].end == mark; i = w[i].next)
		w[i].end = end;
}

void waitgraph_link(struct waitgraph_wait *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		w[i].next = w[i].holder ? waitgraph_find(w, n, w[i].holder) : WAITGRAPH_NONE;
		w[i].end = WAITGRAPH_NONE;
		w[i].in_cycle = false;
		w[i].behind = 0;
	}
	for (size_t i = 0; i < n; i++)
		if (w[i].next != WAITGRAPH_NONE)
			w[w[i].next].behind++;
	for (size_t i = 0; i < n; i++)
		if (w[i].end == WAITGRAPH_NONE)
			waitgraph_follow(w, i, n + i);
}
