/* SPDX-License-Identifier: BSD-2-Clause */
/* holders.c - adds the facts that result from the parts of waits (holderparts.h). */
#include "config.h"

#include "query/holders.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "model/lock.h"
#include "query/holderparts.h"
#include "query/stackgraft.h"

#include <stdlib.h>

struct holders_told {
	struct fact fact;
	uint64_t time_ns;
};

struct holders {
	struct dict *d;
	struct stackgraft graft;
	struct holder_parts *parts;
	enum holders_view how;
	VEC(struct holders_told) told;
	/* the wait that is being divided */
	const struct fact *wait;
	uint64_t time_ns;
	thread_id as;                    /* under which thread its parts stand */
};

/* Parts. Places are stacks. */

static uint32_t holders_put_note(void *ctx, uint32_t at, thread_id holder, enum holder_how how, unsigned int depth)
{
	struct holders *h = ctx;
	char text[LABEL_MAX];

	/* Whose stack it is its thread says. */
	if (h->how == HOLDERS_ALONE && depth == 1 && (how & ~(unsigned int)HOLDER_OTHER_END) != HOLDER_NOT_KNOWN)
		return at;
	return stackgraft_note(&h->graft, at, holder_note(h->d, holder, how, text, sizeof(text)));
}

static uint32_t holders_put_stack(void *ctx, uint32_t at, stack_id stack)
{
	struct holders *h = ctx;

	return stackgraft_stack(&h->graft, at, stack);
}

static void holders_tell(void *ctx, uint32_t at, uint64_t ns, bool first)
{
	struct holders *h = ctx;
	struct holders_told *t = vec_push(&h->told);

	if (!t) {
		h->graft.failed = true;
		return;
	}
	t->fact = *h->wait;
	t->fact.stack = at;
	t->fact.thread = h->as;
	t->fact.weight = ns;
	t->fact.count = first ? h->wait->count : 0;
	t->time_ns = h->time_ns;
}

/* F, a fact of the slice V, as it is to be. */
static void holders_take(struct holders *h, const struct fact *f, const struct slice_view *v)
{
	const struct holder_sink to = { .note = holders_put_note, .stack = holders_put_stack, .tell = holders_tell,
					.ctx = h };
	const struct held_lock *l;
	const thread_id holder = holder_parts_holder(h->parts, f, &l);

	h->wait = f;
	h->time_ns = v->to_ns - 1;
	h->as = h->how == HOLDERS_ALONE && holder != ID_NONE ? holder : f->thread;
	if (holder != ID_NONE)
		holder_parts_divide(h->parts, f, v->next - 1, h->how == HOLDERS_ALONE ? STACK_ROOT : f->stack, &to);
	else if (h->how == HOLDERS_BELOW)
		holders_tell(h, f->stack, f->weight, true);
	else if (l && !lock_is_channel(l->guess))
		holders_tell(h, stackgraft_note(&h->graft, STACK_ROOT, "[waits whose holder is not known]"), f->weight,
			     true);
}

static void holders_look(struct holders *h, const struct snapshot *s)
{
	struct slice_view v = { 0 };

	while (snapshot_next(s, &v))
		for (size_t i = 0; i < v.n && !h->graft.failed; i++)
			if (v.fact[i].kind == EVENT_SAMPLE || EVENT_IS_WAIT(v.fact[i].kind))
				holders_take(h, &v.fact[i], &v);
}

/* An event that makes the fact of T again. */
static struct event holders_event(const struct holders *h, const struct holders_told *t)
{
	const struct fact *f = &t->fact;
	struct event ev = { .kind = (uint8_t)f->kind, .flags = EVENT_F_USER, .time_ns = t->time_ns,
			    .node = (uint16_t)f->node, .weight = f->weight, .cut_module = ID_NONE, .thread = f->thread,
			    .stack = f->stack, .count = f->count < UINT32_MAX ? (uint32_t)f->count : UINT32_MAX };
	const struct wait *w = EVENT_IS_WAIT(f->kind) ? dict_get_wait(h->d, f->wait) : NULL;

	if (!w)
		return ev;
	ev.flags |= w->flags;
	ev.wait = (struct event_wait){ .call = w->call, .state = w->state, .context = w->context, .waker = w->waker,
				       .waker_stack = w->waker_stack, .lock = w->lock };
	return ev;
}

static void holders_clear(struct holders *h)
{
	holder_parts_free(h->parts);
	vec_free(&h->told);
	stackgraft_free(&h->graft);
}

int holders_rewrite(struct profile *p, struct names *names, const char *arch, enum holders_view how, struct err *e)
{
	__attribute__((cleanup(holders_clear))) struct holders h = { .d = profile_dict(p), .how = how };
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(p);
	const struct query all = { .arch = arch };
	int r = 0;

	h.parts = s && stackgraft_init(&h.graft, h.d, names) ? holder_parts_new(s, names, &all) : NULL;
	if (!h.parts)
		return err_nomem(e, "what holders of locks did");
	holders_look(&h, s);
	if (h.graft.failed)
		return err_nomem(e, "what holders of locks did");
	profile_provisional(p, 0, 0, NULL, 0);
	profile_clear(p);
	for (size_t i = 0; i < h.told.n && !r; i++) {
		const struct event ev = holders_event(&h, &h.told.v[i]);

		r = profile_add(p, &ev);
	}
	return r ? err_nomem(e, "what holders of locks did") : 0;
}
