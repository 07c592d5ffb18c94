/* SPDX-License-Identifier: BSD-2-Clause */
/* waitchain.c - one wait a line. */
#include "config.h"

#include "export/waitchain.h"

#include <inttypes.h>

/* Prints the waits from AT on, up to and with the one whose holder waits by STOP. Returns the last one. */
static size_t waitchain_run(const struct waitchain *c, FILE *f, size_t at, size_t stop)
{
	for (;;) {
		const struct waitgraph_wait *w = &c->wait[at];

		fputs(" waits for ", f);
		c->what(c->ctx, f, at);
		if (!w->holder)
			return at;
		fputs(c->by(c->ctx, at), f);
		c->thread(c->ctx, f, w->holder);
		if (w->next == WAITGRAPH_NONE || w->next == stop)
			return at;
		fputs(",\n    which", f);
		at = w->next;
	}
}

void waitchain_print(const struct waitchain *c, FILE *f, size_t first)
{
	const struct waitgraph_wait *w = c->wait;
	size_t stop = first, last;

	/* A chain that leads into a cycle ends where it meets it; other chains go on to their end. */
	while (stop != WAITGRAPH_NONE && !w[stop].in_cycle)
		stop = w[stop].next;
	fputs("  ", f);
	c->thread(c->ctx, f, w[first].waiter);
	last = waitchain_run(c, f, first, stop);
	if (w[last].holder && w[last].next == WAITGRAPH_NONE) {
		fputs(",\n    which ", f);
		c->holder(c->ctx, f, w[last].holder);
	}
	if (stop != WAITGRAPH_NONE && stop != first)
		fputs(",\n    which is in a deadlock", f);
	fputc('\n', f);
}

size_t waitchain_print_cycles(const struct waitchain *c, FILE *f)
{
	size_t cycles = 0;

	for (size_t i = 0; i < c->n; i++) {
		size_t threads = 1;

		if (!c->wait[i].in_cycle || c->wait[i].end != i)
			continue;
		for (size_t at = c->wait[i].next; at != i; at = c->wait[at].next)
			threads++;
		cycles++;
		if (threads == 1)
			fputs("deadlock of a thread with itself:\n", f);
		else
			fprintf(f, "deadlock of %zu threads:\n", threads);
		waitchain_print(c, f, i);
	}
	return cycles;
}
