/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locks.c - one way through the facts adds up locks, holders and waiters; a second one finds what
 * holders did meanwhile.
 */
#include "config.h"

#include "query/locks.h"

#include "base/order.h"
#include "model/wait.h"
#include "query/filter.h"
#include "query/holderparts.h"
#include "query/stack_signature.h"

#include <stdlib.h>
#include <string.h>

struct locked_row {
	uint64_t address;
	uint32_t pid, kind;
	stack_id place;          /* STACK_ROOT of the first that was there, ... */
	uint32_t pad;
	struct lock_row row;
	uint64_t stack_ns;       /* waited at the place of row.stack, */
	uint64_t shown_ns;       /* the most at once with just that stack */
	uint32_t shown_place;    /* of b.places */
	size_t slice;            /* the last in which it was waited for, */
	struct lock_convoy turns;        /* and what was waited then, if that is a convoy */
};

struct held_row {
	uint32_t lock;
	thread_id thread;
	uint32_t inferred;
	struct lock_holder row;
	uint64_t slice_ns;       /* waited in the slice in which most was waited for it, */
	size_t slice;            /* and that one */
	stack_id released;       /* where most waits for it ended */
	bool wanted;             /* somebody waits for it now */
	uint64_t released_ns, beside_ns;
};

struct waiter_pair {
	uint32_t lock;
	thread_id thread;
};

struct place_ns {
	uint32_t lock;
	stack_id stack;
	uint64_t ns;
};

/* Parts of a wait that a thread has been in for long, of which it is not known yet who ends it. */
struct locks_pieces {
	uint32_t lock;
	thread_id thread;
	uint32_t held;           /* that has their time until then */
	uint64_t ns;
};

/* The wait that a thread is in: the latest that is known. */
struct now_waiting {
	thread_id thread;
	uint32_t held;           /* in held; or ID_NONE = it waits for no lock */
	uint32_t lock;
	stack_id stack;
	size_t slice;
	uint64_t ns;
	bool woken, stopped;
};

struct locks_builder {
	const struct dict *d;
	const struct names *names;
	struct filter filter;
	stack_kinds kinds;
	KEYED(struct locked_row) locks;
	KEYED(struct held_row) held;
	KEYED(struct waiter_pair) waiters;
	KEYED(struct place_ns) places;
	KEYED(struct now_waiting) now;
	KEYED(struct locks_pieces) pieces;
	struct holder_parts *parts;      /* what holders did; NULL: it has not been asked for */
};

static enum lock_kind locks_stack_kind(const struct dict *d, const struct names *names, stack_id stack)
{
	while (stack != STACK_ROOT) {
		const struct stack *s = dict_get_stack(d, stack);
		const struct frame_names *fn = names_get(names, s->frame);

		for (uint32_t i = 0; fn && i < fn->n; i++) {
			const struct func *f = names_func(names, fn->name[i].func);
			const enum lock_kind kind = f ? lock_kind_of(names_text(names, f->name)) : LOCK_NONE;

			if (kind != LOCK_NONE)
				return kind;
		}
		stack = s->parent;
	}
	return LOCK_FUTEX;
}

bool locks_is_channel(const struct dict *d, lock_id lock)
{
	const struct held_lock *l = lock == LOCK_ID_NONE ? NULL : dict_get_lock(d, lock);

	return l && lock_is_channel(l->guess);
}

/* Is what is known of LOCK enough, so that it need not be asked of a stack? Then *RET is its kind. */
static bool locks_told_kind(const struct dict *d, lock_id lock, enum lock_kind *ret)
{
	const struct held_lock *l = lock == LOCK_ID_NONE ? NULL : dict_get_lock(d, lock);

	if (!l || !(lock_is_of_kernel(l->guess) || l->guess == LOCK_LENDING))
		return false;
	*ret = (enum lock_kind)l->guess;
	return true;
}

/* What the functions of STACK say, remembered in MEMO as of locks_wait_kind(). */
static enum lock_kind locks_remembered_kind(const struct dict *d, const struct names *names, stack_kinds *memo,
					    stack_id stack)
{
	const struct stack_kind want = { .stack = stack, .kind = LOCK_NONE };
	uint32_t id;

	if (!memo)
		return locks_stack_kind(d, names, stack);
	id = keyed_get(memo, &want, kind);
	if (id == HIDX_NONE)
		return LOCK_NONE;
	if (memo->v[id].kind == LOCK_NONE)
		memo->v[id].kind = locks_stack_kind(d, names, stack);
	return (enum lock_kind)memo->v[id].kind;
}

enum lock_kind locks_wait_kind(const struct dict *d, const struct names *names, stack_kinds *memo, stack_id stack,
			       lock_id lock)
{
	enum lock_kind kind;

	if (locks_told_kind(d, lock, &kind))
		return kind;
	kind = locks_remembered_kind(d, names, memo, stack);
	if (locks_is_channel(d, lock) && kind != LOCK_JOBSERVER && kind != LOCK_NONE)
		return (enum lock_kind)dict_get_lock(d, lock)->guess;
	return kind;
}

bool locks_is_wait(const struct dict *d, uint32_t call, lock_id lock, const char *arch)
{
	enum lock_kind kind;

	return call_is_futex(call, arch) || locks_told_kind(d, lock, &kind);
}

thread_id locks_told_holder(const struct dict *d, lock_id lock, enum lock_kind kind)
{
	const struct held_lock *l = dict_get_lock(d, lock);

	return l && l->holder != ID_NONE && lock_agrees(kind, (enum lock_kind)l->guess) ? l->holder : ID_NONE;
}

thread_id locks_holder(const struct dict *d, const struct wait *w, enum lock_kind kind, size_t threads,
		       bool *ret_inferred)
{
	const bool woken = w->context == WAKER_TASK && w->waker < threads;
	/* Of a socket who ends the wait says more than which process made its other end. */
	const thread_id holder = lock_is_channel(kind) && woken ? ID_NONE : locks_told_holder(d, w->lock, kind);
	const bool told = holder < threads;

	*ret_inferred = false;
	/* Of several who read it the last one ends the wait. */
	if (!told && lock_is_rwlock(kind) && dict_get_lock(d, w->lock)->readers)
		return ID_NONE;
	*ret_inferred = !told && woken;
	return told ? holder : *ret_inferred ? w->waker : ID_NONE;
}

/* STACK without frames of the kernel, which differ by how the thread came to sleep; itself where it has no others. */
static stack_id locks_user_part(const struct locks_builder *b, stack_id stack)
{
	stack_id s = stack;

	while (s != STACK_ROOT) {
		const struct stack *at = dict_get_stack(b->d, s);

		if (dict_get_module(b->d, dict_get_frame(b->d, at->frame)->module)->kind != MODULE_KERNEL)
			return s;
		s = at->parent;
	}
	return stack;
}

/* Adds F to what was waited for LOCK at its stack; false when out of memory. */
static bool locks_add_place(struct locks_builder *b, uint32_t lock, const struct fact *f)
{
	struct locked_row *l = &b->locks.v[lock];
	const bool of_kernel = lock_is_of_kernel(l->kind);
	const struct place_ns want = { .lock = lock, .stack = of_kernel ? locks_user_part(b, f->stack) : f->stack };
	const uint32_t id = keyed_get(&b->places, &want, ns);

	if (id == HIDX_NONE)
		return false;
	b->places.v[id].ns += f->weight;
	if (b->places.v[id].ns < l->stack_ns)
		return true;
	l->stack_ns = b->places.v[id].ns;
	/* Of one place in a program the kernel's part may differ: the longest is shown, not the last one. */
	if (l->shown_place != id || f->weight >= l->shown_ns) {
		l->shown_place = id;
		l->shown_ns = f->weight;
		l->row.stack = f->stack;
	}
	return true;
}

static bool locks_add_waiter(struct locks_builder *b, uint32_t lock, const struct fact *f)
{
	const struct waiter_pair want = { .lock = lock, .thread = b->filter.same[f->thread] };
	const size_t n = b->waiters.n;

	if (keyed_get_whole(&b->waiters, &want) == HIDX_NONE)
		return false;
	b->locks.v[lock].row.waiters += b->waiters.n > n;
	return true;
}

/* Notes the wait that F says its thread is in. HELD = ID_NONE: for no lock. */
static bool locks_note_now(struct locks_builder *b, const struct fact *f, size_t slice, uint32_t lock, uint32_t held)
{
	const struct now_waiting want = { .thread = b->filter.same[f->thread], .slice = slice, .held = held,
					  .lock = lock, .stack = f->stack };
	const uint32_t id = keyed_get(&b->now, &want, held);
	struct now_waiting *now;

	if (id == HIDX_NONE)
		return false;
	now = &b->now.v[id];
	if (now->slice == slice && now->ns > (uint64_t)f->longest_ns)
		return true;
	*now = want;
	now->ns = (uint64_t)f->longest_ns;
	now->woken = f->kind == EVENT_RUNNABLE;
	now->stopped = wait_state_stopped(dict_get_wait(b->d, f->wait)->state);
	return true;
}

/* The holder's sums of LOCK, made when there are none; HIDX_NONE when out of memory. */
static uint32_t locks_held(struct locks_builder *b, uint32_t lock, thread_id thread, bool inferred)
{
	const struct held_row want = { .lock = lock, .thread = thread, .inferred = inferred };

	return keyed_get(&b->held, &want, row);
}

static void locks_add_held(struct held_row *h, const struct fact *f, const struct wait *w, unsigned int is,
			   size_t slice)
{
	h->row.ns += f->weight;
	h->row.count += is & FACT_COUNTS ? f->count : 0;
	if (f->weight >= h->slice_ns) {
		h->slice_ns = f->weight;
		h->slice = slice;
	}
	if (w->waker_stack != STACK_ROOT && f->weight >= h->released_ns && w->waker == h->thread) {
		h->released_ns = f->weight;
		h->released = w->waker_stack;
	}
}

/* Where the lock L, of KIND, begins: an rwlock of readers is known by its futex alone (model/lock.c). */
static uint64_t locks_address(const struct held_lock *l, enum lock_kind kind)
{
	const bool by_futex = l->guess == LOCK_FUTEX && lock_is_rwlock(kind);

	return by_futex ? l->address - (l->address & 4 ? 12 : 8) : l->address;
}

/* The last slice of L is over: does it count as a convoy? */
static void locks_end_slice(struct locked_row *l)
{
	const struct lock_convoy *t = &l->turns;
	struct lock_convoy *c = &l->row.convoy;

	if ((double)t->waited_ns >= LOCK_CONVOY_QUEUE * (double)t->ns && t->count &&
	    t->ns / t->count <= LOCK_CONVOY_TURN_NS) {
		c->ns += t->ns;
		c->waited_ns += t->waited_ns;
		c->hand_over_ns += t->hand_over_ns;
		c->count += t->count;
	}
	l->turns = (struct lock_convoy){ 0 };
}

static void locks_add_turn(struct locked_row *l, const struct fact *f, const struct slice_view *v)
{
	if (l->slice != v->next) {
		locks_end_slice(l);
		l->slice = v->next;
		/* What has not ended is no turn. */
		l->turns.ns = v->provisional ? 0 : v->to_ns - v->from_ns;
	}
	if (!l->turns.ns)
		return;
	l->turns.count += f->kind == EVENT_BLOCKED ? f->count : 0;
	*(f->kind == EVENT_BLOCKED ? &l->turns.waited_ns : &l->turns.hand_over_ns) += f->weight;
}

/* Places of what holders did, for the sum of their time in the run queue. */
enum { LOCKS_QUEUED = 1, LOCKS_OTHERWISE = 2 };

static uint32_t locks_part_note(void *ctx, uint32_t at, thread_id holder, enum holder_how how, unsigned int depth)
{
	(void)ctx;
	(void)holder;
	return depth > 1 ? at : how == HOLDER_QUEUED ? LOCKS_QUEUED : LOCKS_OTHERWISE;
}

static uint32_t locks_part_stack(void *ctx, uint32_t at, stack_id stack)
{
	(void)ctx;
	(void)stack;
	return at;
}

static void locks_part_tell(void *ctx, uint32_t at, uint64_t ns, bool first)
{
	uint64_t *queued_ns = ctx;

	(void)first;
	*queued_ns += at == LOCKS_QUEUED ? ns : 0;
}

/* F, a wait for L of a thread that has a higher priority than H, who holds it. */
static bool locks_add_inversion(struct locks_builder *b, struct held_row *h, const struct fact *f,
				const struct held_lock *l, size_t slice)
{
	const struct holder_sink to = { .note = locks_part_note, .stack = locks_part_stack, .tell = locks_part_tell,
					.ctx = &h->row.inverted_queued_ns };

	if (!b->parts)
		b->parts = holder_parts_new(b->filter.s, b->names, b->filter.q);
	if (!b->parts)
		return false;
	h->row.inverted_ns += f->weight;
	h->row.waiter_prio = l->waiter_prio;
	h->row.holder_prio = l->holder_prio;
	if (h->thread != b->filter.same[f->thread])
		holder_parts_divide(b->parts, f, slice, 0, &to);
	return true;
}

/* Is PLACE a block that somebody allocated? Variables and kinds of memory are at one address for good. */
static bool locks_is_block(const struct locks_builder *b, stack_id place)
{
	const struct stack *s = place == STACK_ROOT ? NULL : dict_get_stack(b->d, place);
	const struct frame *f = s ? dict_get_frame(b->d, s->frame) : NULL;

	return f && !(f->offset & FRAME_DATA) && dict_get_module(b->d, f->module)->kind != MODULE_NOTE;
}

/* The row of the lock WANT that is in PLACE. Another block at the same address, by another stack, is another lock. */
static uint32_t locks_find(struct locks_builder *b, struct locked_row *want, stack_id place)
{
	const uint32_t first = keyed_get(&b->locks, want, row);

	if (first == HIDX_NONE || b->locks.v[first].row.place == place || !locks_is_block(b, place) ||
	    !locks_is_block(b, b->locks.v[first].row.place))
		return first;
	want->place = place;     /* ... and that of each other one */
	return keyed_get(&b->locks, want, row);
}

static enum lock_kind locks_kind(struct locks_builder *b, const struct fact *f, const struct wait *w)
{
	if (w->lock)
		return locks_wait_kind(b->d, b->names, &b->kinds, f->stack, w->lock);
	return call_is_futex(w->call, b->filter.q->arch) ? LOCK_FUTEX : LOCK_DATABASE;
}

/*
 * What of a wait that goes on for seconds was told before it ended, F, has no holder when only its end says who that
 * is. HELD, of a thread that ended one, gets what the thread of F has waited for LOCK since the one before.
 */
static bool locks_end_pieces(struct locks_builder *b, const struct fact *f, uint32_t lock, uint32_t held)
{
	const struct locks_pieces want = { .lock = lock, .thread = b->filter.same[f->thread] };
	struct held_row *h = &b->held.v[held];
	struct locks_pieces *p;
	uint32_t id;

	if (h->thread == ID_NONE ? f->count || h->row.readers : !h->inferred || !f->count)
		return true;
	id = keyed_get(&b->pieces, &want, held);
	if (id == HIDX_NONE)
		return false;
	p = &b->pieces.v[id];
	if (h->thread == ID_NONE) {
		p->held = held;
		p->ns += f->weight;
		return true;
	}
	if (p->ns)
		b->held.v[p->held].row.ns -= p->ns;
	h->row.ns += p->ns;
	p->ns = 0;
	return true;
}

/* Adds the fact F, of a wait W for a lock, of the slice V. */
static bool locks_add(struct locks_builder *b, const struct fact *f, const struct wait *w, unsigned int is,
		      const struct slice_view *v)
{
	const size_t slice = v->next - 1;
	const struct held_lock *l = dict_get_lock(b->d, w->lock);
	const struct thread *t = dict_get_thread(b->d, f->thread);
	const enum lock_kind kind = locks_kind(b, f, w);
	const bool global = !w->lock || lock_is_of_kernel(kind) || lock_is_channel(kind);
	struct locked_row want = { .address = locks_address(l, kind), .kind = kind,
				   .pid = global ? 0 : (uint32_t)t->pid };
	bool inferred = false;
	const bool may_be_known = w->lock || kind == LOCK_DATABASE;
	const thread_id found = may_be_known ? locks_holder(b->d, w, kind, b->filter.threads, &inferred) : ID_NONE;
	const thread_id holder = found == ID_NONE ? ID_NONE : b->filter.same[found];
	const uint32_t id = locks_find(b, &want, l->place);
	const uint32_t held = id == HIDX_NONE ? HIDX_NONE : locks_held(b, id, holder, inferred);
	struct lock_row *row;

	if (kind == LOCK_NONE || held == HIDX_NONE)
		return false;
	row = &b->locks.v[id].row;
	if (l->place != STACK_ROOT && (row->place == STACK_ROOT || l->address == want.address)) {
		row->place = l->place;
		row->offset = l->offset + (uint32_t)(want.address - l->address);
	}
	locks_add_turn(&b->locks.v[id], f, v);
	if (f->kind == EVENT_RUNNABLE) {
		row->hand_over_ns += f->weight;
	} else {
		row->ns += f->weight;
		row->count += f->count;
		row->longest_ns = (uint64_t)f->longest_ns > row->longest_ns ? (uint64_t)f->longest_ns : row->longest_ns;
		locks_add_held(&b->held.v[held], f, w, is, slice);
		if (lock_is_rwlock(kind) && holder == ID_NONE && l->readers > b->held.v[held].row.readers)
			b->held.v[held].row.readers = l->readers;
		if (l->waiter_prio && !inferred && holder != ID_NONE &&
		    !locks_add_inversion(b, &b->held.v[held], f, l, slice))
			return false;
		if (!locks_end_pieces(b, f, id, held) || !locks_add_place(b, id, f) || !locks_add_waiter(b, id, f))
			return false;
	}
	return !(is & FACT_OPEN) || locks_note_now(b, f, slice, id, held);
}

/* Does W, in which a process waits for an event, wait for a lock of a database, by its stack? */
static bool locks_is_of_database(struct locks_builder *b, const struct fact *f, const struct wait *w)
{
	return !w->lock && wait_class_of(w->call, w->state, b->filter.q->arch) == WAIT_CLASS_EVENT &&
		locks_remembered_kind(b->d, b->names, &b->kinds, f->stack) == LOCK_DATABASE;
}

/* Who has nothing to do waits for no lock, but make(1), which has nothing to do, for leave to do more. */
static bool locks_wants_job(struct locks_builder *b, const struct fact *f, const struct wait *w)
{
	return locks_is_channel(b->d, w->lock) &&
		locks_wait_kind(b->d, b->names, &b->kinds, f->stack, w->lock) == LOCK_JOBSERVER;
}

static bool locks_look(struct locks_builder *b)
{
	struct asked a = { 0 };

	while (filter_next(&b->filter, &a)) {
		const struct fact *f = a.fact;
		const struct wait *w = EVENT_IS_WAIT(f->kind) ? dict_get_wait(b->d, f->wait) : NULL;
		const size_t slice = a.v.next - 1;

		if (f->kind == EVENT_SPIN && !locks_add(b, f, dict_get_wait(b->d, f->wait), a.is, &a.v))
			return false;
		if (!w)
			continue;
		if (locks_is_wait(b->d, w->call, w->lock, b->filter.q->arch) || locks_is_channel(b->d, w->lock)) {
			if (a.is & FACT_IDLE && !locks_wants_job(b, f, w))
				continue;
			if (!locks_add(b, f, w, a.is, &a.v))
				return false;
		} else if (locks_is_of_database(b, f, w)) {
			if (!locks_add(b, f, w, a.is, &a.v))
				return false;
		} else if (a.is & FACT_OPEN && !locks_note_now(b, f, slice, ID_NONE, ID_NONE)) {
			return false;
		}
	}
	return true;
}

/* Is F a wait for the lock of H, which nobody does who holds it? */
static bool locks_waits_for(const struct locks_builder *b, const struct fact *f, const struct held_row *h)
{
	const struct wait *w = f->kind == EVENT_BLOCKED ? dict_get_wait(b->d, f->wait) : NULL;
	const struct held_lock *l = w && w->lock ? dict_get_lock(b->d, w->lock) : NULL;
	const struct locked_row *row = &b->locks.v[h->lock];

	return l && locks_address(l, (enum lock_kind)row->kind) == row->address;
}

/* Of time without a stack nothing is known. */
static bool locks_has_stack(const struct locks_builder *b, const struct fact *f)
{
	const struct frame *frame = f->stack == STACK_ROOT ? NULL :
		dict_get_frame(b->d, dict_get_stack(b->d, f->stack)->frame);

	return frame && !(frame->offset == NOTE_NO_STACK &&
			  dict_get_module(b->d, frame->module)->kind == MODULE_NOTE);
}

/* F, of slice SLICE, is what a holder did meanwhile, if it is one's. */
static void locks_beside(struct locks_builder *b, const struct fact *f, size_t slice)
{
	const thread_id thread = b->filter.same[f->thread];

	for (size_t i = 0; i < b->held.n; i++) {
		struct held_row *h = &b->held.v[i];

		if (h->thread != thread || h->slice != slice || f->weight <= h->beside_ns ||
		    locks_waits_for(b, f, h))
			continue;
		h->beside_ns = f->weight;
		h->row.stack = f->stack;
		h->row.how = HOLDER_BESIDE;
	}
}

#define BESIDE_MAX 4096u         /* holders for which it is looked up what they did: each is compared with each fact */

/* Where each holder's stack is from. */
static void locks_find_stacks(struct locks_builder *b)
{
	struct asked a = { 0 };

	for (size_t i = 0; i < b->now.n; i++)
		if (b->now.v[i].held != ID_NONE && !b->now.v[i].woken)
			b->held.v[b->now.v[i].held].wanted = true;
	while (b->held.n <= BESIDE_MAX && filter_next(&b->filter, &a))
		if ((a.fact->kind == EVENT_SAMPLE || a.fact->kind == EVENT_BLOCKED) && locks_has_stack(b, a.fact))
			locks_beside(b, a.fact, a.v.next - 1);
	for (size_t i = 0; i < b->held.n; i++) {
		struct held_row *h = &b->held.v[i];
		const struct now_waiting want = { .thread = h->thread };
		const uint32_t now = keyed_find(&b->now, &want, held);

		if (h->wanted && now != HIDX_NONE && !b->now.v[now].woken &&
		    (b->now.v[now].held == ID_NONE || b->now.v[now].lock != h->lock)) {
			h->row.stack = b->now.v[now].stack;
			h->row.how = b->now.v[now].stopped ? HOLDER_STOPPED : HOLDER_WAITS;
		} else if (h->row.how == HOLDER_UNKNOWN && h->released != STACK_ROOT) {
			h->row.stack = h->released;
			h->row.how = HOLDER_RELEASED;
		}
	}
}

static int locks_compare(const void *va, const void *vb)
{
	const struct lock_row *a = va, *b = vb;

	return a->ns != b->ns ? compare_numbers(b->ns, a->ns) :
		a->address != b->address ? compare_numbers(a->address, b->address) : compare_numbers(a->pid, b->pid);
}

static int locks_compare_holders(const void *va, const void *vb)
{
	const struct lock_holder *a = va, *b = vb;

	return a->lock != b->lock ? compare_numbers(a->lock, b->lock) :
		a->ns != b->ns ? compare_numbers(b->ns, a->ns) : compare_numbers(a->thread, b->thread);
}

static int locks_compare_places(const void *va, const void *vb)
{
	const struct lock_place *a = va, *b = vb;

	return a->lock != b->lock ? compare_numbers(a->lock, b->lock) :
		a->ns != b->ns ? compare_numbers(b->ns, a->ns) : compare_numbers(a->stack, b->stack);
}

static int locks_compare_waits(const void *va, const void *vb)
{
	const struct waitgraph_wait *a = va, *b = vb;

	return compare_numbers(a->waiter, b->waiter);
}

/* Copies the rows to L, by falling time. PLACE[i]: where the lock that was the i-th one is now. */
static void locks_copy(const struct locks_builder *b, struct locks *l, uint32_t *place)
{
	for (size_t i = 0; i < b->locks.n; i++) {
		const struct locked_row *from = &b->locks.v[i];
		struct lock_row *to = &l->lock[l->nr_locks];

		/* Of those that wait for something to do only the time until they run is here. */
		if (!from->row.ns && !from->row.count)
			continue;
		*to = from->row;
		to->address = from->address;
		to->pid = from->pid;
		to->kind = (enum lock_kind)from->kind;
		to->first_holder = (uint32_t)i;  /* until it is sorted: where it was */
		l->ns += to->ns;
		l->nr_locks++;
	}
	if (l->nr_locks)
		qsort(l->lock, l->nr_locks, sizeof(*l->lock), locks_compare);
	for (uint32_t i = 0; i < l->nr_locks; i++)
		place[l->lock[i].first_holder] = i;
}

static void locks_copy_holders(const struct locks_builder *b, struct locks *l, const uint32_t *place)
{
	for (size_t i = 0; i < b->held.n; i++) {
		const struct held_row *h = &b->held.v[i];

		if (!h->row.ns)
			continue;
		l->holder[l->nr_holders] = h->row;
		l->holder[l->nr_holders].lock = place[h->lock];
		l->holder[l->nr_holders].thread = h->thread;
		l->holder[l->nr_holders++].inferred = h->inferred;
	}
	if (l->nr_holders)
		qsort(l->holder, l->nr_holders, sizeof(*l->holder), locks_compare_holders);
	for (uint32_t i = l->nr_holders; i--;) {
		l->lock[l->holder[i].lock].first_holder = i;
		l->lock[l->holder[i].lock].nr_holders++;
	}
}

static int locks_compare_readings(const void *va, const void *vb)
{
	const struct lock_place *a = va, *b = vb;

	return a->lock == b->lock && a->reading != b->reading ? compare_numbers(a->reading, b->reading) :
		locks_compare_places(va, vb);
}

/* Makes places of L that read the same one. */
static void locks_merge_places(struct locks *l)
{
	uint32_t n = 0;

	if (l->nr_places)
		qsort(l->place, l->nr_places, sizeof(*l->place), locks_compare_readings);
	for (uint32_t i = 0; i < l->nr_places; i++) {
		struct lock_place *last = n ? &l->place[n - 1] : NULL;

		if (last && last->lock == l->place[i].lock && last->reading == l->place[i].reading)
			last->ns += l->place[i].ns;
		else
			l->place[n++] = l->place[i];
	}
	l->nr_places = n;
	if (n)
		qsort(l->place, n, sizeof(*l->place), locks_compare_places);
}

static bool locks_copy_places(const struct locks_builder *b, struct locks *l, const uint32_t *place)
{
	struct stack_signature reading;
	bool ok = stack_signature_init(&reading, b->d, b->names, b->filter.q->no_inlines, false);

	reading.takes = true;
	l->nr_places = (uint32_t)b->places.n;
	for (uint32_t i = 0; i < l->nr_places && ok; i++) {
		const struct place_ns *p = &b->places.v[i];

		l->place[i] = (struct lock_place){ .lock = place[p->lock], .stack = p->stack, .ns = p->ns,
						   .reading = stack_signature_hash(&reading, p->stack) };
		ok = l->place[i].reading;
	}
	stack_signature_free(&reading);
	if (!ok)
		return false;
	locks_merge_places(l);
	for (uint32_t i = l->nr_places; i--;) {
		l->lock[l->place[i].lock].first_place = i;
		l->lock[l->place[i].lock].nr_places++;
	}
	return true;
}

static uint32_t locks_tid(const struct dict *d, thread_id id)
{
	const struct thread *t = id == ID_NONE ? NULL : dict_get_thread(d, id);

	return t ? (uint32_t)t->tid : 0;
}

/* Who waits now: threads by number, each with its lock and holder. */
static bool locks_copy_now(const struct locks_builder *b, struct locks *l, const uint32_t *place)
{
	AUTO_FREE struct lock_wait *of = calloc(b->now.n + 1, sizeof(*of));

	for (size_t i = 0; of && i < b->now.n; i++) {
		const struct now_waiting *now = &b->now.v[i];
		const struct held_row *h = now->held == ID_NONE || now->woken ? NULL : &b->held.v[now->held];
		/* Who is at the other end is a process, of which any thread may do. */
		const bool unknown = !h || h->inferred || lock_is_channel(b->locks.v[now->lock].kind);

		if (!h || !b->locks.v[now->lock].address)
			continue;
		l->lock[place[now->lock]].waiting++;
		of[l->nr_waits] = (struct lock_wait){ .thread = now->thread, .lock = place[now->lock],
						      .stack = now->stack, .waited_ns = now->ns };
		l->wait[l->nr_waits] = (struct waitgraph_wait){
			.waiter = locks_tid(b->d, now->thread), .holder = unknown ? 0 : locks_tid(b->d, h->thread),
			.next = l->nr_waits,     /* until it is linked: where it was */
		};
		l->nr_waits++;
	}
	if (l->nr_waits)
		qsort(l->wait, l->nr_waits, sizeof(*l->wait), locks_compare_waits);
	for (uint32_t i = 0; of && i < l->nr_waits; i++)
		l->of[i] = of[l->wait[i].next];
	waitgraph_link(l->wait, l->nr_waits);
	return of;
}

static bool locks_finish(const struct locks_builder *b, struct locks *l)
{
	AUTO_FREE uint32_t *place = calloc(b->locks.n + 1, sizeof(*place));

	l->lock = calloc(b->locks.n + 1, sizeof(*l->lock));
	l->holder = calloc(b->held.n + 1, sizeof(*l->holder));
	l->place = calloc(b->places.n + 1, sizeof(*l->place));
	l->wait = calloc(b->now.n + 1, sizeof(*l->wait));
	l->of = calloc(b->now.n + 1, sizeof(*l->of));
	if (!place || !l->lock || !l->holder || !l->place || !l->wait || !l->of)
		return false;
	locks_copy(b, l, place);
	for (uint32_t i = 0; i < l->nr_locks; i++)
		l->lock[i].first_holder = 0;
	locks_copy_holders(b, l, place);
	return locks_copy_places(b, l, place) && locks_copy_now(b, l, place);
}

static void locks_builder_free(struct locks_builder *b)
{
	filter_free(&b->filter);
	keyed_free(&b->kinds);
	keyed_free(&b->locks);
	keyed_free(&b->held);
	keyed_free(&b->waiters);
	keyed_free(&b->places);
	keyed_free(&b->now);
	keyed_free(&b->pieces);
	holder_parts_free(b->parts);
}

int locks_build(const struct snapshot *s, const struct names *names, const struct query *q, struct locks **ret,
		struct err *e)
{
	struct locks_builder b = { .d = snapshot_dict(s), .names = names };
	struct locks *l = calloc(1, sizeof(*l));
	struct query wall = *q;
	bool ok;

	wall.measures = MEASURES_WALL | measures_of_kind(EVENT_SPIN);
	ok = l && filter_init(&b.filter, s, names, &wall) && locks_look(&b);
	for (size_t i = 0; i < b.locks.n; i++)
		locks_end_slice(&b.locks.v[i]);
	if (ok)
		locks_find_stacks(&b);
	ok = ok && locks_finish(&b, l);
	locks_builder_free(&b);
	if (!ok) {
		locks_free(l);
		return err_nomem(e, "the list of locks");
	}
	l->dict = b.d;
	l->names = names;
	l->query = *q;
	*ret = l;
	return 0;
}

void locks_free(struct locks *l)
{
	if (!l)
		return;
	free(l->lock);
	free(l->holder);
	free(l->place);
	free(l->wait);
	free(l->of);
	free(l);
}

bool locks_has_holders(const struct locks *l, uint32_t lock)
{
	const struct lock_row *r = &l->lock[lock];

	const struct lock_holder *first = &l->holder[r->first_holder];

	return r->nr_holders > 1 || (r->nr_holders == 1 && (first->thread != ID_NONE || first->readers));
}
