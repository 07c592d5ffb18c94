/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * moves.c - one entry for each thread that has moved. When there are many, those of ended threads
 * are dropped.
 */
#include "config.h"

#include "engine/moves.h"

#include "base/hash.h"
#include "base/vec.h"
#include "engine/task_thread.h"

#include <stdlib.h>

#define MOVERS_MAX (1u << 16)
#define ENDED_MANY 1024u

struct mover {
	struct reconcile_task task;
	uint64_t moves, kernel_moves;    /* as the totals say */
	uint64_t told;                   /* of moves */
	/* moves as of moves.before_ns: what is not told of them MOVES_LATE_NS later is missing */
	uint64_t before;
	bool ended;                      /* its totals were told for the last time */
};

struct moves {
	struct moves_config config;
	stack_id no_stack;
	VEC(struct mover) v;
	struct hidx index;
	uint32_t ended;
	uint64_t before_ns;              /* the time of a reading */
	uint64_t moves, kernel_moves;    /* of those dropped, or that found no room */
};

int moves_new(const struct moves_config *c, struct moves **ret, struct err *e)
{
	AUTO(moves_free) struct moves *m = calloc(1, sizeof(*m));

	if (!m)
		return err_nomem(e, "the engine");
	m->config = *c;
	m->no_stack = dict_stack(c->dict, STACK_ROOT, dict_note(c->dict, NOTE_NO_STACK));
	if (m->no_stack == ID_NONE)
		return err_nomem(e, "the engine");
	*ret = take_ptr(m);
	return 0;
}

void moves_free(struct moves *m)
{
	if (!m)
		return;
	hidx_free(&m->index);
	vec_free(&m->v);
	free(m);
}

static uint64_t moves_hash_of(pid_t tid, uint64_t start_ns)
{
	return hash_2u64(start_ns, (uint32_t)tid);
}

static uint64_t moves_rehash(const void *ctx, uint32_t id)
{
	const struct moves *m = ctx;

	return moves_hash_of(m->v.v[id].task.tid, m->v.v[id].task.start_ns);
}

static struct mover *moves_find(const struct moves *m, pid_t tid, uint64_t start_ns)
{
	const uint64_t h = moves_hash_of(tid, start_ns);
	uint32_t id;

	hidx_each(&m->index, h, id)
		if (m->v.v[id].task.tid == tid && m->v.v[id].task.start_ns == start_ns)
			return &m->v.v[id];
	return NULL;
}

static struct mover *mover_of(struct moves *m, const struct reconcile_task *task)
{
	struct mover *w = moves_find(m, task->tid, task->start_ns);

	if (w || m->v.n >= MOVERS_MAX)
		return w;
	w = vec_push(&m->v);
	if (!w)
		return NULL;
	*w = (struct mover){ .task = *task };
	if (hidx_add(&m->index, moves_hash_of(task->tid, task->start_ns), (uint32_t)(m->v.n - 1), moves_rehash, m))
		return w;
	m->v.n--;
	return NULL;
}

void moves_told(struct moves *m, const struct reconcile_task *task, const struct event *ev)
{
	struct mover *w = mover_of(m, task);

	if (w)
		w->told++;
	event_sink_add(m->config.sink, ev);
}

void moves_total(struct moves *m, const struct source_total *t)
{
	const struct reconcile_task task = { .pid = t->pid, .tid = t->tid, .start_ns = t->start_ns };
	struct mover *w;

	if (t->kind != EVENT_SAMPLE || !(t->moves || t->kernel_moves))
		return;
	w = mover_of(m, &task);
	if (!w) {
		/* Told for the last time, or else it is counted again by the next reading. */
		m->moves += t->last ? t->moves : 0;
		m->kernel_moves += t->last ? t->kernel_moves : 0;
		return;
	}
	w->moves = t->moves;
	w->kernel_moves = t->kernel_moves;
	m->ended += t->last && !w->ended;
	w->ended |= t->last;
}

static void tell_missing(struct moves *m, struct mover *w, uint64_t n, uint64_t time_ns)
{
	struct event ev = { .kind = EVENT_MIGRATION, .node = NODE_UNKNOWN, .time_ns = time_ns, .weight = n,
			    .count = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX, .stack = m->no_stack,
			    .cut_module = ID_NONE,
			    .wait = { .waker = ID_NONE }, .place = { .node = NODE_UNKNOWN, .file = ID_NONE } };

	w->told += n;
	ev.thread = task_thread(m->config.ps, m->config.dict, &w->task);
	if (ev.thread != ID_NONE)
		event_sink_add(m->config.sink, &ev);
}

static void drop_ended(struct moves *m)
{
	size_t left = 0;

	for (size_t i = 0; i < m->v.n; i++) {
		const struct mover *w = &m->v.v[i];

		if (w->ended && w->told >= w->moves) {
			m->moves += w->moves;
			m->kernel_moves += w->kernel_moves;
		} else {
			m->v.v[left++] = *w;
		}
	}
	m->v.n = left;
	m->ended = 0;
	hidx_free(&m->index);
	for (uint32_t id = 0; id < m->v.n; id++) {
		m->ended += m->v.v[id].ended;
		(void)hidx_add(&m->index, moves_rehash(m, id), id, moves_rehash, m);
	}
}

void moves_settle(struct moves *m, uint64_t time_ns, bool last)
{
	if (!last && m->before_ns && time_ns - m->before_ns < MOVES_LATE_NS)
		return;
	m->before_ns = time_ns;
	for (size_t i = 0; i < m->v.n; i++) {
		struct mover *w = &m->v.v[i];
		const uint64_t due = last ? w->moves : w->before;

		if (due > w->told)
			tell_missing(m, w, due - w->told, time_ns);
		w->before = w->moves;
	}
	if (m->ended >= ENDED_MANY)
		drop_ended(m);
}

void moves_of(const struct moves *m, pid_t tid, uint64_t start_ns, uint64_t *ret_moves, uint64_t *ret_kernel_moves)
{
	const struct mover *w = moves_find(m, tid, start_ns);

	*ret_moves = w ? w->moves : 0;
	*ret_kernel_moves = w ? w->kernel_moves : 0;
}

void moves_sum(const struct moves *m, uint64_t *ret_moves, uint64_t *ret_kernel_moves)
{
	*ret_moves = m->moves;
	*ret_kernel_moves = m->kernel_moves;
	for (size_t i = 0; i < m->v.n; i++) {
		*ret_moves += m->v.v[i].moves;
		*ret_kernel_moves += m->v.v[i].kernel_moves;
	}
}
