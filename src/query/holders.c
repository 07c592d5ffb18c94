/* SPDX-License-Identifier: BSD-2-Clause */
/* holders.c - looks up what each holder did in the slice of the wait, and adds the facts that result. */
#include "config.h"

#include "query/holders.h"

#include "base/cleanup.h"
#include "base/order.h"
#include "base/vec.h"
#include "model/lock.h"
#include "model/wait.h"
#include "query/filter.h"
#include "query/locks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8u             /* holders one behind the other */
#define PIECES_MAX 16u           /* into which a wait is divided, the rest is one more */
#define SHARE_MIN 1000u          /* a piece of a wait is at least a thousandth of it */

/* What a thread did in a slice. */
struct activity {
	thread_id thread;        /* as filter.same says */
	size_t slice;
	const struct fact *fact;
};

struct holders_told {
	struct fact fact;
	uint64_t time_ns;
};

struct holders {
	struct dict *d;
	struct names *names;
	struct filter filter;
	enum holders_view how;
	module_id notes;                 /* whose frames they are: notes of the dictionary have no names */
	VEC(struct activity) did;        /* by thread and slice */
	VEC(struct holders_told) told;
	VEC(frame_id) path;
	/* the wait that is being divided */
	const struct fact *wait;
	uint64_t time_ns;
	thread_id chain[DEPTH_MAX + 1];  /* who waits, and the holders down to here */
	uint32_t depth;
	thread_id as;                    /* under which thread pieces stand */
	bool failed;
};

/* The frame that says TEXT; the same for the same TEXT. */
static frame_id holders_note(struct holders *h, const char *text)
{
	const struct func f = { .name = names_add_text(h->names, text, strlen(text)), .module = h->notes,
				.kind = FUNC_NOTE };
	const struct name name = { .func = names_add_func(h->names, &f) };
	const frame_id frame = f.name == STR_NONE || name.func == ID_NONE ? ID_NONE :
		dict_frame(h->d, h->notes, name.func);

	if (frame == ID_NONE || (!names_get(h->names, frame) && names_set(h->names, frame, &name, 1, true))) {
		h->failed = true;
		return ID_NONE;
	}
	return frame;
}

/* STACK and "[held by NAME, which WORDS]". */
static stack_id holders_put_note(struct holders *h, stack_id stack, thread_id holder, const char *words)
{
	const struct thread *t = dict_get_thread(h->d, holder);
	char text[160];
	frame_id note;

	snprintf(text, sizeof(text), "[held by %s%s]", t ? strtab_get(dict_strings(h->d), t->comm) : "a thread", words);
	note = holders_note(h, text);
	return note == ID_NONE ? stack : dict_stack(h->d, stack, note);
}

/* STACK and all frames of MORE above it. */
static stack_id holders_put_stack(struct holders *h, stack_id stack, stack_id more)
{
	h->path.n = 0;
	for (; more != STACK_ROOT; more = dict_get_stack(h->d, more)->parent) {
		frame_id *slot = vec_push(&h->path);

		if (!slot) {
			h->failed = true;
			return stack;
		}
		*slot = dict_get_stack(h->d, more)->frame;
	}
	for (size_t i = h->path.n; i--;)
		stack = dict_stack(h->d, stack, h->path.v[i]);
	return stack;
}

/* NS of the wait are spent in STACK. */
static void holders_tell(struct holders *h, stack_id stack, uint64_t ns, bool counts)
{
	struct holders_told *t = vec_push(&h->told);

	if (!t || stack == ID_NONE) {
		h->failed = true;
		return;
	}
	t->fact = *h->wait;
	t->fact.stack = stack;
	t->fact.thread = h->as;
	t->fact.weight = ns;
	t->fact.count = counts ? h->wait->count : 0;
	t->time_ns = h->time_ns;
}

/* The lock that F waits for, and *RET_HOLDER who held it; NULL when it waits for none, or nobody is known. */
static const struct held_lock *holders_lock(const struct holders *h, const struct fact *f, thread_id *ret_holder)
{
	const struct wait *w = f->kind == EVENT_BLOCKED ? dict_get_wait(h->d, f->wait) : NULL;
	thread_id holder;

	if (!w || !w->lock || !call_is_futex(w->call, h->filter.q->arch))
		return NULL;
	holder = locks_told_holder(h->d, w->lock, locks_stack_kind(h->d, h->names, f->stack));
	if (holder == ID_NONE && w->context == WAKER_TASK)
		holder = w->waker;
	*ret_holder = holder < h->filter.threads ? h->filter.same[holder] : ID_NONE;
	return dict_get_lock(h->d, w->lock);
}

static int holders_compare_did(const void *va, const void *vb)
{
	const struct activity *a = va, *b = vb;

	return a->thread != b->thread ? compare_numbers(a->thread, b->thread) :
		a->slice != b->slice ? compare_numbers(a->slice, b->slice) :
				       compare_numbers(b->fact->weight, a->fact->weight);
}

/* The first activity of THREAD in SLICE or later. */
static size_t holders_first(const struct holders *h, thread_id thread, size_t slice)
{
	size_t low = 0, high = h->did.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const struct activity *a = &h->did.v[mid];

		if (a->thread < thread || (a->thread == thread && a->slice < slice))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Whether A, of a holder of L, is something that it may have done while it held that. */
static bool holders_may_hold(const struct holders *h, const struct activity *a, const struct held_lock *l)
{
	const struct wait *w = EVENT_IS_WAIT(a->fact->kind) ? dict_get_wait(h->d, a->fact->wait) : NULL;
	const struct held_lock *own = w && w->lock ? dict_get_lock(h->d, w->lock) : NULL;

	return a->fact->stack != STACK_ROOT && !(own && own->address == l->address);
}

static void holders_divide(struct holders *h, stack_id stack, uint64_t ns, const struct held_lock *l, size_t slice);

/* NS of the wait: A, what the holder did. */
static void holders_piece(struct holders *h, stack_id stack, uint64_t ns, const struct activity *a, bool counts)
{
	const char *words = a->fact->kind == EVENT_SAMPLE ? ", which ran" :
		a->fact->kind == EVENT_BLOCKED ? ", which waited" : ", in the run queue";
	thread_id holder = ID_NONE;
	const struct held_lock *l = holders_lock(h, a->fact, &holder);

	if (h->how == HOLDERS_BELOW || h->depth > 1)
		stack = holders_put_note(h, stack, h->chain[h->depth], words);
	stack = holders_put_stack(h, stack, a->fact->stack);
	if (!l || holder == ID_NONE || h->depth == DEPTH_MAX) {
		holders_tell(h, stack, ns, counts);
		return;
	}
	for (uint32_t i = 0; i <= h->depth; i++)
		if (h->chain[i] == holder) {
			holders_tell(h, holders_put_note(h, stack, holder, ", which is above"), ns, counts);
			return;
		}
	h->chain[++h->depth] = holder;
	holders_divide(h, stack, ns, l, a->slice);
	h->depth--;
}

/* Divides NS of the wait for L, which h->chain[h->depth] held, among what that did in SLICE. */
static void holders_divide(struct holders *h, stack_id stack, uint64_t ns, const struct held_lock *l, size_t slice)
{
	const thread_id holder = h->chain[h->depth];
	const size_t first = holders_first(h, holder, slice);
	const uint64_t least = h->wait->weight / SHARE_MIN;
	uint64_t all = 0, left = ns;
	unsigned int n = 0;

	for (size_t i = first; i < h->did.n && h->did.v[i].thread == holder && h->did.v[i].slice == slice; i++)
		if (holders_may_hold(h, &h->did.v[i], l))
			all += h->did.v[i].fact->weight;
	for (size_t i = first; all && i < h->did.n && h->did.v[i].thread == holder && h->did.v[i].slice == slice &&
	     n < PIECES_MAX; i++) {
		const struct activity *a = &h->did.v[i];
		const uint64_t part = (uint64_t)((double)ns * ((double)a->fact->weight / (double)all));

		if (!holders_may_hold(h, a, l) || !part || part < least || part > left)
			continue;
		left -= part;
		holders_piece(h, stack, part, a, h->depth == 1 && !n++);
	}
	if (left)
		holders_tell(h, holders_put_note(h, stack, holder, all ? "" : ", of which no more is known"), left,
			     h->depth == 1 && !n);
}

/* F, a fact of slice SLICE that ends at END_NS, as it is to be. */
static void holders_take(struct holders *h, const struct fact *f, size_t slice, uint64_t end_ns)
{
	thread_id holder = ID_NONE;
	const struct held_lock *l = holders_lock(h, f, &holder);

	h->wait = f;
	h->time_ns = end_ns;
	h->as = f->thread;
	h->depth = 1;
	if (l && holder != ID_NONE && holder != h->filter.same[f->thread]) {
		h->chain[0] = h->filter.same[f->thread];
		h->chain[1] = holder;
		h->as = h->how == HOLDERS_ALONE ? holder : f->thread;
		holders_divide(h, h->how == HOLDERS_ALONE ? STACK_ROOT : f->stack, f->weight, l, slice);
	} else if (h->how == HOLDERS_BELOW) {
		holders_tell(h, f->stack, f->weight, true);
	} else if (l) {
		holders_tell(h, dict_stack(h->d, STACK_ROOT, holders_note(h, "[waits whose holder is not known]")),
			     f->weight, true);
	}
}

/* Which facts are rewritten: those of wall time. */
static bool holders_wants(const struct fact *f)
{
	return f->kind == EVENT_SAMPLE || EVENT_IS_WAIT(f->kind);
}

static void holders_look(struct holders *h)
{
	struct slice_view v = { 0 };

	while (snapshot_next(h->filter.s, &v))
		for (size_t i = 0; i < v.n; i++) {
			struct activity *a = holders_wants(&v.fact[i]) ? vec_push(&h->did) : NULL;

			if (a)
				*a = (struct activity){ h->filter.same[v.fact[i].thread], v.next - 1, &v.fact[i] };
			else
				h->failed |= holders_wants(&v.fact[i]);
		}
	if (h->did.n)
		qsort(h->did.v, h->did.n, sizeof(*h->did.v), holders_compare_did);
	v = (struct slice_view){ 0 };
	while (snapshot_next(h->filter.s, &v))
		for (size_t i = 0; i < v.n && !h->failed; i++)
			if (holders_wants(&v.fact[i]))
				holders_take(h, &v.fact[i], v.next - 1, v.to_ns - 1);
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
	filter_free(&h->filter);
	vec_free(&h->did);
	vec_free(&h->told);
	vec_free(&h->path);
}

int holders_rewrite(struct profile *p, struct names *names, const char *arch, enum holders_view how, struct err *e)
{
	__attribute__((cleanup(holders_clear))) struct holders h = { .d = profile_dict(p), .names = names, .how = how };
	AUTO(snapshot_unref) struct snapshot *s = profile_snapshot(p);
	struct strtab *strings = dict_strings(h.d);
	const struct module notes = { .kind = MODULE_FILE, .path = strtab_adds(strings, "[holders]") };
	const struct query all = { .arch = arch };
	int r = 0;

	if (!s || !filter_init(&h.filter, s, names, &all))
		return err_nomem(e, "what holders of locks did");
	h.notes = notes.path == STR_NONE ? ID_NONE : dict_module(h.d, &notes);
	if (h.notes == ID_NONE)
		return err_nomem(e, "what holders of locks did");
	holders_look(&h);
	if (h.failed)
		return err_nomem(e, "what holders of locks did");
	profile_provisional(p, 0, 0, NULL, 0);
	profile_clear(p);
	for (size_t i = 0; i < h.told.n && !r; i++) {
		const struct event ev = holders_event(&h, &h.told.v[i]);

		r = profile_add(p, &ev);
	}
	return r ? err_nomem(e, "what holders of locks did") : 0;
}
