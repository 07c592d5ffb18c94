/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * openwaits.c - a list of waits, made anew by each look, and an index over it by thread and wait.
 *
 * A wait that a look does not find any more has ended. Its end is told by an event that is on its
 * way; when none has come after a few looks it was lost, and so is the rest of the wait: what
 * stands for it is in the totals (reconcile.h).
 */
#include "config.h"

#include "engine/openwaits.h"

#include "base/clock.h"
#include "base/vec.h"
#include "engine/task_thread.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_NS NSEC_PER_SEC            /* smallest piece */
#define PIECES_A_SECOND 2000u            /* of all waits together: with more waits than that, pieces are larger */
#define NO_STACK_NS (4 * NSEC_PER_SEC)   /* a piece waits for its stack as long as it is shorter */
#define PATIENCE 4u                      /* looks that an end waits for its stack, or a wait that is gone for its end */

enum stack_state {
	STACK_WANTED,
	STACK_ASKED,
	STACK_SEEN,              /* like has it, if the wait lasted beyond like.time_ns */
	STACK_KNOWN,             /* like has it */
	STACK_NEVER,
};

struct open {
	struct reconcile_task task;
	struct source_open w;
	struct event like;       /* thread and, by stack_state, its stack: a template of what is told */
	uint8_t stack;           /* enum stack_state */
	uint8_t state;           /* that this look saw: w.state, unless its cgroup was frozen or thawed meanwhile */
	uint8_t missed;          /* looks that did not find it, or that its end has waited */
	bool seen;               /* by this look */
	bool dead;               /* to be removed by the next look */
	bool over;               /* it has ended, but its stack is still to come: */
	struct event end_ev;
	struct reconcile_wait end;
	uint64_t told[2];        /* blocked, runnable: in pieces */
};

struct openwaits {
	struct openwaits_config config;
	stack_id no_stack;       /* of the account */
	VEC(struct open) list;
	struct hidx index;
	uint64_t up_to_ns;       /* this look takes waits that began until then */
	uint64_t look_ns;        /* the moment of the last look */
	uint64_t own_ns, none_ns;        /* told */
};

int openwaits_new(const struct openwaits_config *c, struct openwaits **ret, struct err *e)
{
	struct openwaits *o = calloc(1, sizeof(*o));

	if (!o)
		return err_nomem(e, "the list of waits");
	o->config = *c;
	o->no_stack = reconcile_no_stack(c->account);
	*ret = o;
	return 0;
}

void openwaits_free(struct openwaits *o)
{
	if (!o)
		return;
	hidx_free(&o->index);
	vec_free(&o->list);
	free(o);
}

/* ---- the list ---- */

static uint64_t openwaits_rehash(const void *ctx, uint32_t at)
{
	const struct openwaits *o = ctx;

	return reconcile_task_hash(&o->list.v[at].task, o->list.v[at].w.id);
}

static bool is_it(const struct open *w, const struct reconcile_task *t, uint64_t id)
{
	return !w->dead && w->w.id == id && reconcile_task_same(&w->task, t);
}

static struct open *openwaits_find(struct openwaits *o, const struct reconcile_task *t, uint64_t id)
{
	const uint64_t h = reconcile_task_hash(t, id);
	uint32_t i;

	hidx_each(&o->index, h, i)
		if (is_it(&o->list.v[i], t, id))
			return &o->list.v[i];
	for (i = 0; !o->index.slot && i < o->list.n; i++)
		if (is_it(&o->list.v[i], t, id))
			return &o->list.v[i];
	return NULL;
}

/* Without memory for the index there is none until the next look, and openwaits_find() looks at all. */
static void add_to_index(struct openwaits *o, uint32_t i)
{
	if (!hidx_add(&o->index, openwaits_rehash(o, i), i, openwaits_rehash, o))
		hidx_free(&o->index);
}

/* NULL when out of memory: it is seen again by the next look. */
static struct open *openwaits_append(struct openwaits *o, const struct reconcile_task *t, const struct source_open *w)
{
	const bool indexed = o->index.slot || !o->list.n;
	struct open *fresh = vec_push(&o->list);

	if (!fresh)
		return NULL;
	*fresh = (struct open){ .task = *t, .w = *w, .like = { .stack = o->no_stack, .cut_module = ID_NONE } };
	if (indexed)
		add_to_index(o, (uint32_t)(o->list.n - 1));
	return fresh;
}

static void openwaits_compact(struct openwaits *o)
{
	size_t kept = 0;

	for (size_t i = 0; i < o->list.n; i++)
		if (!o->list.v[i].dead)
			o->list.v[kept++] = o->list.v[i];
	o->list.n = kept;
	hidx_free(&o->index);
	for (uint32_t i = 0; i < kept && (!i || o->index.slot); i++)
		add_to_index(o, i);
}

/* ---- telling ---- */

/* How long W has lasted at NOW_NS: blocked, runnable. */
static void openwaits_lengths(const struct open *w, uint64_t now_ns, uint64_t ret[2])
{
	const uint64_t since = w->w.since_ns, now = now_ns > since ? now_ns : since;
	uint64_t woken = w->w.woken_ns ? w->w.woken_ns : now;

	if (w->over) {
		ret[0] = w->end.blocked_ns;
		ret[1] = w->end.runnable_ns;
		return;
	}
	if (wait_state_runnable(w->w.state) || woken < since)
		woken = since;
	if (woken > now)
		woken = now;
	ret[0] = woken - since;
	ret[1] = now - woken;
}

/* What of LENGTH has not been told. */
static uint64_t openwaits_untold(const struct open *w, const uint64_t length[2], int part)
{
	return length[part] > w->told[part] ? length[part] - w->told[part] : 0;
}

static bool has_stack(const struct open *w)
{
	return w->stack == STACK_KNOWN;
}

/* The events for what of W is not told: with COUNT 1 for the whole wait, or as pieces (0). Returns their weight. */
static uint64_t openwaits_tell(struct openwaits *o, const struct open *w, uint64_t now_ns, uint32_t count,
			       struct event_sink *to)
{
	uint64_t length[2], sum = 0;

	openwaits_lengths(w, now_ns, length);
	for (int i = 0; i < 2; i++) {
		const uint64_t weight = openwaits_untold(w, length, i);
		struct event ev = w->like;

		if (!weight && !(count && (length[0] || i) && !openwaits_untold(w, length, 1)))
			continue;
		if (!has_stack(w)) {
			ev.stack = o->no_stack;
			ev.flags = 0;
		}
		ev.kind = i ? EVENT_RUNNABLE : EVENT_BLOCKED;
		ev.flags |= (uint8_t)(EVENT_F_OPEN | (count ? 0 : EVENT_F_PIECE) | (w->w.seeded ? EVENT_F_EARLIER : 0));
		ev.node = (uint16_t)w->w.node;
		ev.cpu = w->w.cpu;
		ev.time_ns = i ? now_ns : now_ns - length[1];
		ev.weight = weight;
		ev.count = count;
		ev.wait = (struct event_wait){ .call = w->w.call, .state = w->w.state, .waker = ID_NONE,
					       .throttled = w->over ? w->end_ev.wait.throttled : w->w.throttled,
					       .lock = has_stack(w) ? w->like.wait.lock : LOCK_ID_NONE,
					       .own_ns = length[i] };
		ev.wait.state = event_wait_state(&ev.wait, ev.kind);
		event_sink_add(to, &ev);
		count = 0;
		sum += weight;
	}
	return sum;
}

/* For good. */
static void openwaits_commit_wait(struct openwaits *o, struct open *w, uint64_t now_ns, uint32_t count)
{
	uint64_t length[2], sum = openwaits_tell(o, w, now_ns, count, o->config.sink);

	*(has_stack(w) ? &o->own_ns : &o->none_ns) += sum;
	openwaits_lengths(w, now_ns, length);
	for (int i = 0; i < 2; i++)
		w->told[i] += openwaits_untold(w, length, i);
}

/* ---- looks ---- */

/* Whether the stack of W, if it was seen, is that of a wait that was still under way at TIME_NS. */
static void openwaits_believe(struct open *w, uint64_t time_ns)
{
	if (w->stack == STACK_SEEN && w->like.time_ns <= time_ns)
		w->stack = STACK_KNOWN;
}

void openwaits_begin(struct openwaits *o, uint64_t up_to_ns)
{
	o->up_to_ns = up_to_ns;
	for (size_t i = 0; i < o->list.n; i++)
		o->list.v[i].seen = false;
}

void openwaits_see(void *openwaits, const struct source_open *w)
{
	struct openwaits *o = openwaits;
	const struct reconcile_task task = { .pid = w->pid, .tid = w->tid, .start_ns = w->start_ns };
	struct open *known;

	if (!w->seeded && w->since_ns > o->up_to_ns)
		return;
	known = openwaits_find(o, &task, w->id);
	if (!known)
		known = openwaits_append(o, &task, w);
	if (!known || known->over)
		return;
	known->seen = true;
	known->missed = 0;
	known->w.woken_ns = w->woken_ns;
	known->w.throttled = w->throttled;
	if (w->nr_kernel) {
		known->w.nr_kernel = w->nr_kernel;
		known->w.kernel = w->kernel;
	}
	known->state = w->state;
	known->like.thread = task_thread_waiting(o->config.ps, w);
}

/* The end of W was told, but not its stack in time. */
static void end_without(struct openwaits *o, struct open *w)
{
	w->end_ev.stack = o->no_stack;
	w->dead = true;
	(void)reconcile_wait(o->config.account, &w->task, &w->end_ev, &w->end);
}

static void openwaits_miss(struct openwaits *o, struct open *w)
{
	if (++w->missed <= PATIENCE)
		return;
	if (w->over) {
		end_without(o, w);
		return;
	}
	w->dead = true;
	if (w->told[0] || w->told[1])
		reconcile_missed(o->config.account, &w->task, w->w.call, w->told[0], w->told[1]);
}

static bool piece_is_due(const struct openwaits *o, const struct open *w, uint64_t now_ns)
{
	const uint64_t least = o->list.n * (NSEC_PER_SEC / PIECES_A_SECOND);
	uint64_t length[2], grown;

	openwaits_lengths(w, now_ns, length);
	grown = openwaits_untold(w, length, 0) + openwaits_untold(w, length, 1);
	if (w->stack != STACK_KNOWN && w->stack != STACK_NEVER && grown < NO_STACK_NS)
		return false;
	return grown >= PIECE_NS && grown >= least;
}

/*
 * W goes on in another state: what it has lasted up to here was the old one. Not before it is known
 * with which stack that is told.
 */
static void change_state(struct openwaits *o, struct open *w)
{
	if (w->state == w->w.state || (w->stack != STACK_KNOWN && w->stack != STACK_NEVER))
		return;
	openwaits_commit_wait(o, w, o->look_ns, 0);
	w->w.state = w->state;
}

const struct source_open *openwaits_wanted(struct openwaits *o, size_t *at)
{
	while (*at < o->list.n) {
		struct open *w = &o->list.v[(*at)++];

		if (w->stack != STACK_WANTED || !w->seen || w->over)
			continue;
		w->stack = STACK_ASKED;
		return &w->w;
	}
	return NULL;
}

void openwaits_refused(struct openwaits *o, size_t at)
{
	struct open *w = at && at <= o->list.n ? &o->list.v[at - 1] : NULL;

	if (w && w->stack == STACK_ASKED)
		w->stack = STACK_WANTED;
}

void openwaits_end(struct openwaits *o, uint64_t look_ns)
{
	o->look_ns = look_ns;
	for (size_t i = 0; i < o->list.n; i++) {
		struct open *w = &o->list.v[i];

		if (w->seen)
			openwaits_believe(w, look_ns);
		else if (!w->dead)
			openwaits_miss(o, w);
	}
	openwaits_compact(o);
}

void openwaits_pieces(struct openwaits *o)
{
	for (size_t i = 0; i < o->list.n; i++) {
		struct open *w = &o->list.v[i];

		if (w->seen && piece_is_due(o, w, o->look_ns))
			openwaits_commit_wait(o, w, o->look_ns, 0);
		if (w->seen)
			change_state(o, w);
	}
}

/* ---- stacks and ends ---- */

/* Gives EV, the end of W, the stack that W has. */
static void give_stack(const struct openwaits *o, const struct open *w, struct event *ev)
{
	if (!has_stack(w)) {
		ev->stack = o->no_stack;
		return;
	}
	ev->stack = w->like.stack;
	ev->cut = w->like.cut;
	ev->cut_module = w->like.cut_module;
	ev->method = w->like.method;
	ev->walk = w->like.walk;
	ev->wait.lock = w->like.wait.lock;
	memcpy(ev->calls, w->like.calls, sizeof(ev->calls));
	ev->flags |= w->like.flags;
}

void openwaits_stack(struct openwaits *o, const struct reconcile_task *task, uint64_t id, const struct event *ev)
{
	struct open *w = openwaits_find(o, task, id);

	if (!w || (w->stack != STACK_WANTED && w->stack != STACK_ASKED))
		return;
	w->stack = ev ? STACK_SEEN : STACK_NEVER;
	if (ev)
		w->like = *ev;
	/* What the latest look did not find is not known to have lasted until then. */
	if (w->over || w->seen)
		openwaits_believe(w, w->over ? w->end_ev.time_ns : o->look_ns);
	if (!w->over)
		return;
	give_stack(o, w, &w->end_ev);
	w->dead = true;
	(void)reconcile_wait(o->config.account, &w->task, &w->end_ev, &w->end);
}

bool openwaits_over(struct openwaits *o, const struct reconcile_task *task, uint64_t id, struct event *ev,
		    struct reconcile_wait *w)
{
	struct open *known = openwaits_find(o, task, id);

	if (known) {
		w->told_blocked_ns = known->told[0];
		w->told_runnable_ns = known->told[1];
		known->dead = true;
	}
	if (ev->stack != ID_NONE)
		return true;
	ev->stack = o->no_stack;
	if (!known)
		return true;
	openwaits_believe(known, ev->time_ns);
	give_stack(o, known, ev);
	if (known->stack != STACK_ASKED)
		return true;
	known->dead = false;
	known->over = true;
	known->seen = false;
	known->missed = 0;
	known->end_ev = *ev;
	known->end = *w;
	return false;
}

/* ---- what is under way ---- */

static bool openwaits_goes_on(const struct open *w)
{
	return !w->dead && !w->over && !w->missed;
}

void openwaits_commit(struct openwaits *o, uint64_t now_ns)
{
	for (size_t i = 0; i < o->list.n; i++)
		if (openwaits_goes_on(&o->list.v[i]))
			openwaits_commit_wait(o, &o->list.v[i], now_ns, 0);
}

void openwaits_rest(struct openwaits *o, uint64_t now_ns, struct event_sink *to)
{
	for (size_t i = 0; i < o->list.n; i++)
		if (openwaits_goes_on(&o->list.v[i]) || (o->list.v[i].over && !o->list.v[i].dead))
			openwaits_tell(o, &o->list.v[i], now_ns, 1, to);
}

void openwaits_give_up(struct openwaits *o)
{
	for (size_t i = 0; i < o->list.n; i++) {
		struct open *w = &o->list.v[i];

		if (w->dead || openwaits_goes_on(w))
			continue;
		w->missed = PATIENCE;
		openwaits_miss(o, w);
	}
}

void openwaits_finish(struct openwaits *o, uint64_t now_ns)
{
	openwaits_give_up(o);
	for (size_t i = 0; i < o->list.n; i++)
		if (openwaits_goes_on(&o->list.v[i]) && o->list.v[i].w.since_ns < now_ns)
			openwaits_commit_wait(o, &o->list.v[i], now_ns, 1);
	o->list.n = 0;
	hidx_free(&o->index);
}

void openwaits_figures(const struct openwaits *o, uint64_t now_ns, struct openwaits_figures *ret)
{
	*ret = (struct openwaits_figures){ .own_ns = o->own_ns, .none_ns = o->none_ns };
	for (size_t i = 0; i < o->list.n; i++) {
		const struct open *w = &o->list.v[i];
		uint64_t length[2];

		if (!openwaits_goes_on(w))
			continue;
		openwaits_lengths(w, now_ns, length);
		ret->n++;
		ret->blocked_ns += length[0];
		ret->runnable_ns += length[1];
		*(has_stack(w) ? &ret->own_ns : &ret->none_ns) +=
			openwaits_untold(w, length, 0) + openwaits_untold(w, length, 1);
	}
}

uint32_t openwaits_pending(const struct openwaits *o)
{
	uint32_t n = 0;

	for (size_t i = 0; i < o->list.n; i++)
		n += !o->list.v[i].dead && o->list.v[i].stack == STACK_ASKED;
	return n;
}
