/* SPDX-License-Identifier: BSD-2-Clause */
/* graph.c - see graph.h. */
#include "config.h"

#include "branch/graph.h"

#include "base/keyed.h"

#include <stdlib.h>
#include <string.h>

#define NO_CALL UINT32_MAX
#define STACK_NEAR 32768u        /* no stack of the kernel is larger */

struct graph_thread {
	int32_t pid, tid;
	struct graph graph;      /* that is under way: without calls = none is */
	uint32_t innermost;      /* of its calls that have not returned; NO_CALL */
	uint64_t sp;             /* where the first one began */
};

struct graphs {
	struct graphs_ops ops;
	struct graphs_figures figures;
	KEYED(struct graph_thread) thread;
};

struct graphs *graphs_new(const struct graphs_ops *ops)
{
	struct graphs *g = calloc(1, sizeof(*g));

	if (g)
		g->ops = *ops;
	return g;
}

void graphs_free(struct graphs *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->thread.n; i++)
		vec_free(&g->thread.v[i].graph.call);
	keyed_free(&g->thread);
	free(g);
}

/* Ends the innermost call of T, of which no return was seen. */
static void graph_leave(struct graphs *g, struct graph_thread *t, uint64_t ns)
{
	struct graph_call *call = &t->graph.call.v[t->innermost];

	call->ended_ns = ns;
	g->figures.unreturned += !call->returned;
	t->innermost = t->innermost ? call->parent : NO_CALL;
}

/* What is under way in T is over. */
static void graph_forget(struct graphs *g, struct graph_thread *t)
{
	g->figures.open -= t->graph.call.n != 0;
	t->graph.call.n = 0;
	t->graph.dropped = 0;
	t->innermost = NO_CALL;
}

static void graph_begin(struct graphs *g, struct graph_thread *t, const struct branch_hit *h)
{
	t->graph.pid = h->pid;
	t->graph.tid = h->tid;
	t->graph.probe = h->probe;
	strncpy(t->graph.comm, h->comm, sizeof(t->graph.comm) - 1);
	t->sp = h->sp;
	t->graph.stack = h->stack;
	t->innermost = NO_CALL;
	g->figures.open++;
}

/* Whether the first call of T is over, and its return was not seen, as H begins. */
static bool graph_is_over(const struct graph_thread *t, const struct branch_hit *h)
{
	/* Another function that begins at the same place was jumped to, and returns in place of the first one. */
	if (h->sp == t->sp)
		return h->sp && h->number == t->graph.call.v[0].number;
	return h->sp > t->sp && h->sp - t->sp < STACK_NEAR;
}

static void graph_enter(struct graphs *g, struct graph_thread *t, const struct branch_hit *h)
{
	struct graph_call *at;

	if (t->graph.call.n >= GRAPH_CALLS_MAX) {
		t->graph.dropped++;
		g->figures.dropped++;
		return;
	}
	if (t->graph.call.n && graph_is_over(t, h)) {
		g->figures.left++;
		graph_forget(g, t);
	}
	if (!t->graph.call.n)
		graph_begin(g, t, h);
	at = vec_push(&t->graph.call);
	if (!at) {
		g->figures.refused++;
		return;
	}
	*at = (struct graph_call){ .number = h->number, .begun_ns = h->time_ns };
	memcpy(at->arg, h->arg, sizeof(at->arg));
	if (t->innermost != NO_CALL) {
		at->parent = t->innermost;
		at->depth = t->graph.call.v[t->innermost].depth + 1;
	}
	t->innermost = (uint32_t)(t->graph.call.n - 1);
	if (g->ops.begun)
		g->ops.begun(g->ops.ctx, &t->graph);
}

/* The innermost call of NUMBER in T; NO_CALL. */
static uint32_t graph_find(const struct graph_thread *t, uint32_t number)
{
	uint32_t at = t->graph.call.n ? t->innermost : NO_CALL;

	while (at != NO_CALL && t->graph.call.v[at].number != number)
		at = at ? t->graph.call.v[at].parent : NO_CALL;
	return at;
}

static void graph_return(struct graphs *g, struct graph_thread *t, const struct branch_hit *h)
{
	const uint32_t at = graph_find(t, h->number);
	struct graph_call *call;

	if (at == NO_CALL) {
		g->figures.unbegun += !t->graph.dropped &&
			!(g->ops.is_late && g->ops.is_late(g->ops.ctx, h->probe, h->number));
		return;
	}
	while (t->innermost != at)
		graph_leave(g, t, h->time_ns);
	call = &t->graph.call.v[at];
	call->returned = true;
	call->result = h->result;
	graph_leave(g, t, h->time_ns);
	if (t->innermost != NO_CALL)
		return;
	g->figures.graphs++;
	g->ops.ended(g->ops.ctx, &t->graph);
	graph_forget(g, t);
}

void graphs_hit(struct graphs *g, const struct branch_hit *h)
{
	const struct graph_thread key = { .pid = h->pid, .tid = h->tid };
	const uint32_t id = g->thread.n < CALLS_THREADS_MAX ? keyed_get(&g->thread, &key, graph) :
		keyed_find(&g->thread, &key, graph);
	const bool first = g->ops.is_first(g->ops.ctx, h->probe, h->number);
	struct graph_thread *t = id == HIDX_NONE ? NULL : &g->thread.v[id];

	if (!t) {
		g->figures.refused++;
		return;
	}
	/* One of another first function is followed only once the one before it is over, whose end was lost then. */
	if (t->graph.call.n && t->graph.probe != h->probe)
		graph_forget(g, t);
	if (h->returned)
		graph_return(g, t, h);
	else if (first || t->graph.call.n)
		graph_enter(g, t, h);
	else
		g->figures.unbegun++;
}

void graphs_figures(const struct graphs *g, struct graphs_figures *ret)
{
	*ret = g->figures;
}
