/* SPDX-License-Identifier: BSD-2-Clause */
/* outside.c - requests to the helper, each with the wait that it is about. */
#include "config.h"

#include "engine/outside.h"

#include "base/clock.h"
#include "base/vec.h"
#include "capture/peek.h"
#include "model/wait.h"
#include "unwind/unwind.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_NS (5 * NSEC_PER_MSEC)

struct asked {
	struct source_open w;
	bool used;
	bool by_thread;          /* the process had no memory any more: its first thread has ended */
};

struct outside {
	struct peek *peek;       /* NULL: there is no helper to be had */
	uint32_t stack_bytes;
	void (*walk)(void *ctx, const struct raw_event *raw);
	void *ctx;
	VEC(struct asked) asked;         /* by cookie */
};

struct outside *outside_new(uint32_t stack_bytes, void (*walk)(void *ctx, const struct raw_event *raw), void *ctx)
{
	struct outside *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->stack_bytes = stack_bytes;
	o->walk = walk;
	o->ctx = ctx;
	(void)peek_new(&o->peek, NULL);
	return o;
}

void outside_free(struct outside *o)
{
	if (!o)
		return;
	peek_free(o->peek);
	vec_free(&o->asked);
	free(o);
}

/* What the source lists of W, with SEG as its stack (NULL = none). */
static void walk(struct outside *o, const struct source_open *w, uint64_t time_ns, const struct raw_segment *seg)
{
	struct raw_event raw = {
		.kind = RAW_WAIT, .cpu = w->cpu, .node = w->node, .time_ns = time_ns, .pid = w->pid, .tid = w->tid,
		.sample = { .start_ns = w->start_ns, .cgroup_id = w->cgroup_id, .exe_id = w->exe_id, .machine = w->machine,
			    .nr_regs = w->nr_regs, .kthread = w->call == CALL_KERNEL, .kernel = w->kernel,
			    .nr_kernel = w->nr_kernel },
		.wait = { .id = w->id, .call = w->call, .state = w->state, .seeded = w->seeded },
	};

	if (seg)
		raw.sample.segment[raw.sample.nr_segments++] = *seg;
	memcpy(raw.sample.comm, w->comm, sizeof(raw.sample.comm));
	memcpy(raw.sample.regs, w->regs, sizeof(raw.sample.regs));
	o->walk(o->ctx, &raw);
}

static void walk_unread(struct outside *o, const struct source_open *w)
{
	walk(o, w, w->since_ns, NULL);
}

static struct asked *free_place(struct outside *o)
{
	struct asked *fresh;

	for (size_t i = 0; i < o->asked.n; i++)
		if (!o->asked.v[i].used)
			return &o->asked.v[i];
	fresh = o->asked.n < PEEK_QUEUE_MAX ? vec_push(&o->asked) : NULL;
	if (fresh)
		*fresh = (struct asked){ 0 };
	return fresh;
}

/* 0, or a negative errno of peek_ask(). */
static int ask(struct outside *o, struct asked *a)
{
	const uint64_t sp = unwind_sp(a->w.machine, a->w.nr_regs, a->w.regs);
	const pid_t pid = a->by_thread ? a->w.tid : a->w.pid;

	return peek_ask(o->peek, (uint64_t)(a - o->asked.v), pid, sp, o->stack_bytes);
}

bool outside_ask(struct outside *o, const struct source_open *w)
{
	struct asked *a;
	int r;

	if (!o->peek || !unwind_sp(w->machine, w->nr_regs, w->regs)) {
		walk_unread(o, w);
		return true;
	}
	a = free_place(o);
	if (!a)
		return false;
	*a = (struct asked){ .w = *w };
	r = ask(o, a);
	a->used = r == 0;
	if (r && r != -EAGAIN)
		walk_unread(o, w);
	return r != -EAGAIN;
}

static void take(struct outside *o, const struct peek_answer *answer)
{
	struct asked *a = &o->asked.v[answer->cookie];
	const struct raw_segment seg = { .addr = answer->addr, .len = answer->len, .unreadable = answer->unreadable,
					 .bytes = answer->bytes };
	const struct source_open w = a->w;

	if (answer->status == PEEK_GONE && !a->by_thread && w.tid != w.pid) {
		a->by_thread = true;
		if (!ask(o, a))
			return;
	}
	a->used = false;
	if (answer->status == PEEK_OK)
		walk(o, &w, clock_mono_ns(), &seg);
	else
		walk_unread(o, &w);
}

/* The helper answers within microseconds, one request after the other; it is worth waiting for a little. */
static bool wait_for_answer(const struct outside *o, uint64_t until_ns)
{
	struct pollfd pfd = { .fd = peek_fd(o->peek), .events = POLLIN };

	return peek_pending(o->peek) && clock_mono_ns() < until_ns && poll(&pfd, 1, 1) > 0;
}

unsigned int outside_poll(struct outside *o)
{
	const uint64_t until = clock_mono_ns() + WAIT_NS;
	struct peek_answer answer;
	unsigned int n = 0;

	if (!o || !o->peek)
		return 0;
	do {
		while (peek_take(o->peek, &answer)) {
			if (answer.cookie < o->asked.n)
				take(o, &answer);
			n++;
		}
	} while (wait_for_answer(o, until));
	return n;
}

bool outside_pending(const struct outside *o)
{
	return o && o->peek && peek_pending(o->peek) > 0;
}

void outside_measure(const struct outside *o, struct profile_meta *m)
{
	struct peek_stats st = { 0 };

	if (o->peek)
		peek_stats(o->peek, &st);
	m->wait_outside = st.answered[PEEK_OK];
	m->wait_hung = st.answered[PEEK_HUNG];
	m->wait_denied = st.answered[PEEK_DENIED];
}
