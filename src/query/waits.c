/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waits.c - from facts to the list of what threads wait for.
 *
 * A row is large (it has a histogram) and there may be as many stacks as facts, so rows are made
 * for the heaviest only:
 *
 * 1. Facts are summed per (node, class, call, stack), and what these read is found once per stack:
 *    sums that read the same are one *place*. The heaviest places get rows, the others share the
 *    row "(other)" of their call.
 * 2. A second look at the facts fills the rows of places, counts the threads in each, finds who
 *    waits still, and sums who woke.
 * 3. The heaviest wakers get rows too, and a third look fills these. Without wakers there is none.
 * 4. Rows add up to those above them, from the back, and are put in order.
 */
#include "config.h"

#include "query/waits.h"

#include "base/hash.h"
#include "base/keyed.h"
#include "base/order.h"
#include "base/vec.h"
#include "profile/slice.h"
#include "query/filter.h"
#include "query/stack_signature.h"
#include "query/waitrows.h"

#include <errno.h>
#include <stdlib.h>

#define STACKS_MAX 10000u        /* rows of stacks, beside the "(other)" of each call */
#define WAKERS_MAX 10000u        /* rows of wakers */
#define CALLS_MAX 1000u          /* rows of calls; further ones of a hostile recording are CALL_NONE */

/* What waits of one class and call in one stack weigh, on one node when that is asked for. */
struct sum {
	stack_id stack;
	uint32_t call;
	uint32_t place;
	uint16_t node;           /* 0 when it is not */
	uint8_t class;
	str_id group;            /* waits_group() */
	uint64_t ns;
};

/* The sums that read the same. */
struct place {
	uint64_t reading, ns;
	uint64_t stack_ns;       /* of the heaviest stack */
	stack_id stack;
	uint32_t call;
	str_id group;
	uint32_t row;
	uint16_t node;
	uint8_t class;
};

/* Somebody who wakes, from somewhere. */
struct waker {
	uint64_t reading;
	thread_id thread;        /* filter.same[]; ID_NONE = none */
	stack_id stack;
	uint8_t context;
};

/* How much a waker ended of the waits of a place. */
struct woke {
	uint32_t place_row, waker;
	uint32_t row;            /* NODE_NONE = none */
	uint64_t ns;
};

/* How long a thread waited in a row. */
struct pair {
	uint32_t row;
	thread_id thread;        /* filter.same[] */
	uint64_t ns;
};

struct open {
	struct wait_open w;
	size_t slice;            /* that it was seen in */
	bool woken;
};

struct builder {
	const struct snapshot *s;
	const struct dict *d;
	const struct query *q;
	struct filter filter;
	struct stack_signature reading;
	/* of facts in the order in which they are looked at: their sum, then, plus one, their waker */
	VEC(uint32_t) in;
	size_t at;               /* of these, the one that is looked at */
	uint8_t *class;          /* by wait_id */
	uint32_t *waker_of;      /* by wait_id: plus one, in wakers; 0 = nobody; NULL = nobody woke anybody */
	VEC(struct sum) sums;
	VEC(struct place) places;
	VEC(struct waker) wakers;
	KEYED(struct woke) woke;
	KEYED(struct pair) pairs;
	struct wait_rows rows;
	VEC(struct open) open;
	uint32_t *open_of;       /* by filter.same[]: plus one, in open */
	struct hidx sum_index, place_index, waker_index;
	uint32_t calls, other_stacks;
	uint64_t idle_ns;
};

/* Calls EACH for every fact that is asked for; false as soon as EACH is, for want of memory. */
static bool waits_each_fact(struct builder *b,
			    bool (*each)(struct builder *b, const struct fact *f, unsigned int is, size_t slice))
{
	struct asked a = { 0 };

	b->at = 0;
	b->idle_ns = 0;
	while (filter_next(&b->filter, &a)) {
		if (a.is & FACT_IDLE)
			b->idle_ns = add_capped(b->idle_ns, a.fact->weight);
		if (a.is & FACT_IDLE && b->q->fold_idle)
			continue;
		if (!each(b, a.fact, a.is, a.v.next - 1))
			return false;
		b->at++;
	}
	return true;
}

/* 1. Sums and places. */

static uint64_t place_key(uint16_t node, uint8_t class, uint32_t call, str_id group, uint64_t stack_or_reading)
{
	return hash_2u64((uint64_t)node << 48 | (uint64_t)call << 8 | class, stack_or_reading ^ (uint64_t)group << 32);
}

static uint64_t waits_sum_hash(const void *ctx, uint32_t id)
{
	const struct builder *b = ctx;
	const struct sum *s = &b->sums.v[id];

	return place_key(s->node, s->class, s->call, s->group, s->stack);
}

static bool same_sum(const struct sum *a, const struct sum *b)
{
	return a->stack == b->stack && a->call == b->call && a->class == b->class && a->node == b->node &&
	       a->group == b->group;
}

/* The sum like WANT, in sums; ID_NONE when there is none. */
static uint32_t waits_find_sum(const struct builder *b, const struct sum *want)
{
	const uint64_t h = place_key(want->node, want->class, want->call, want->group, want->stack);
	uint32_t id;

	hidx_each(&b->sum_index, h, id)
		if (same_sum(&b->sums.v[id], want))
			return id;
	return ID_NONE;
}

/* Is STACK one of a thread that the kernel slows down, since its cgroup has more memory than memory.high? */
static bool waits_for_memory(const struct builder *b, stack_id stack)
{
	while (stack != STACK_ROOT) {
		const struct stack *s = dict_get_stack(b->d, stack);
		const struct frame_names *fn = names_get(b->reading.names, s->frame);

		if (dict_get_module(b->d, dict_get_frame(b->d, s->frame)->module)->kind != MODULE_KERNEL)
			return false;
		for (uint32_t i = 0; fn && i < fn->n; i++) {
			const struct func *f = names_func(b->reading.names, fn->name[i].func);

			if (f && strstr(names_text(b->reading.names, f->name), "mem_cgroup_handle_over_high"))
				return true;
		}
		stack = s->parent;
	}
	return false;
}

/*
 * What F waited for: its call and state say that, but for the lock of an interpreter and a limit of memory, of which
 * its stack tells.
 */
static uint8_t waits_class(const struct builder *b, const struct fact *f)
{
	const struct wait *w = dict_get_wait(b->d, f->wait);
	stack_id stack = f->stack;

	if (w->state == WAIT_KILLABLE && waits_for_memory(b, f->stack))
		return WAIT_CLASS_MEMORY;
	if (b->class[f->wait] != WAIT_CLASS_LOCK)
		return b->class[f->wait];
	while (stack != STACK_ROOT) {
		const struct stack *s = dict_get_stack(b->d, stack);
		const struct frame *frame = dict_get_frame(b->d, s->frame);
		const enum module_kind kind = dict_get_module(b->d, frame->module)->kind;

		if (kind == MODULE_SCRIPT && frame->offset == SCRIPT_LOCK)
			return WAIT_CLASS_GIL;
		/* It is the innermost frame of the user's side. */
		if (kind != MODULE_KERNEL)
			break;
		stack = s->parent;
	}
	return WAIT_CLASS_LOCK;
}

/* In which call: one row says what a limit cost, wherever that was; both are waited for on the way to user mode. */
static uint32_t waits_call(const struct builder *b, const struct fact *f, uint8_t class)
{
	return class == WAIT_CLASS_THROTTLED ? CALL_PREEMPTED : class == WAIT_CLASS_MEMORY ? CALL_RETURN :
	       dict_get_wait(b->d, f->wait)->call;
}

/* Whose limit F, of CLASS, waited for: what its container is called, or else its cgroup. 0 = it waited for no limit. */
static str_id waits_group(const struct builder *b, const struct fact *f, uint8_t class)
{
	const struct thread *t = dict_get_thread(b->d, f->thread);

	if (class != WAIT_CLASS_THROTTLED && class != WAIT_CLASS_MEMORY)
		return 0;
	return t->container ? t->container : t->cgroup;
}

static bool waits_sum_fact(struct builder *b, const struct fact *f, unsigned int is, size_t slice)
{
	const uint8_t class = waits_class(b, f);
	const struct sum want = { .stack = f->stack, .call = waits_call(b, f, class),
				  .class = class, .group = waits_group(b, f, class),
				  .node = !b->q->by_node ? 0 : f->node < NODES_MAX ? f->node : NODE_UNKNOWN };
	uint32_t id = waits_find_sum(b, &want);
	struct sum *s;

	if (!vec_reserve(&b->in, 1))
		return false;
	if (id == ID_NONE) {
		id = (uint32_t)b->sums.n;
		s = vec_push(&b->sums);
		if (!s)
			return false;
		*s = want;
		if (!hidx_add(&b->sum_index, waits_sum_hash(b, id), id, waits_sum_hash, b))
			return false;
	}
	b->sums.v[id].ns = add_capped(b->sums.v[id].ns, f->weight);
	b->in.v[b->in.n++] = id;
	return true;
}

static uint64_t waits_place_hash(const void *ctx, uint32_t id)
{
	const struct builder *b = ctx;
	const struct place *p = &b->places.v[id];

	return place_key(p->node, p->class, p->call, p->group, p->reading);
}

static bool in_place(const struct place *p, const struct sum *s, uint64_t reading)
{
	return p->reading == reading && p->call == s->call && p->class == s->class && p->node == s->node &&
	       p->group == s->group;
}

/* The place of S, which reads READING, in places; made when there is none. ID_NONE when out of memory. */
static uint32_t waits_place_of(struct builder *b, const struct sum *s, uint64_t reading)
{
	const uint64_t h = place_key(s->node, s->class, s->call, s->group, reading);
	struct place *p;
	uint32_t id;

	hidx_each(&b->place_index, h, id)
		if (in_place(&b->places.v[id], s, reading))
			return id;
	id = (uint32_t)b->places.n;
	p = vec_push(&b->places);
	if (!p)
		return ID_NONE;
	*p = (struct place){ .reading = reading, .stack = s->stack, .call = s->call, .node = s->node, .class = s->class,
			     .group = s->group, .row = NODE_NONE };
	return hidx_add(&b->place_index, h, id, waits_place_hash, b) ? id : ID_NONE;
}

static bool waits_find_places(struct builder *b)
{
	for (size_t i = 0; i < b->sums.n; i++) {
		struct sum *s = &b->sums.v[i];
		const uint64_t reading = stack_signature_hash(&b->reading, s->stack);
		struct place *p;

		s->place = reading ? waits_place_of(b, s, reading) : ID_NONE;
		if (s->place == ID_NONE)
			return false;
		p = &b->places.v[s->place];
		p->ns = add_capped(p->ns, s->ns);
		if (s->ns > p->stack_ns) {
			p->stack_ns = s->ns;
			p->stack = s->stack;
		}
	}
	return true;
}

/* The row of the class of P, made when there is none like that of its node; NODE_NONE when out of memory. */
static uint32_t class_row(struct builder *b, const struct place *p)
{
	struct wait_row want = { .level = WAIT_LEVEL_NODE, .node = p->node, .thread = ID_NONE };

	if (b->q->by_node)
		want.parent = rows_get(&b->rows, &want, p->node);
	if (want.parent == NODE_NONE)
		return NODE_NONE;
	want.level = WAIT_LEVEL_CLASS;
	want.class = p->class;
	return rows_get(&b->rows, &want, p->class);
}

/*
 * The row of the call of P under that of its class, which both are made when there is none;
 * NODE_NONE when out of memory.
 */
static uint32_t call_row(struct builder *b, const struct place *p)
{
	struct wait_row want = { .level = WAIT_LEVEL_CALL, .node = p->node, .class = p->class, .thread = ID_NONE };
	const uint64_t key = (uint64_t)p->group << 32 | p->call;
	uint32_t row;

	want.parent = class_row(b, p);
	if (want.parent == NODE_NONE)
		return NODE_NONE;
	row = rows_find(&b->rows, want.parent, key);
	if (row != NODE_NONE)
		return row;
	if (b->calls++ >= CALLS_MAX)
		return rows_get(&b->rows, &want, CALL_NONE);
	want.call = p->call;
	want.group = p->group;
	return rows_get(&b->rows, &want, key);
}

/* Gives P its row, made with STACK and READING: its own, or those of "(other)". */
static bool give_row(struct builder *b, struct place *p, uint64_t reading, stack_id stack)
{
	struct wait_row want = { .level = WAIT_LEVEL_STACK, .node = p->node, .class = p->class, .stack = stack,
				 .thread = ID_NONE };

	want.parent = call_row(b, p);
	if (want.parent == NODE_NONE)
		return false;
	want.call = b->rows.v.v[want.parent].call;
	want.group = b->rows.v.v[want.parent].group;
	p->row = rows_get(&b->rows, &want, reading);
	return p->row != NODE_NONE;
}

static int waits_compare_places(const void *va, const void *vb, void *ctx)
{
	const struct builder *b = ctx;
	const struct place *a = &b->places.v[*(const uint32_t *)va], *o = &b->places.v[*(const uint32_t *)vb];
	int r = compare_numbers(o->ns, a->ns);

	return r ? r : compare_numbers(waits_place_hash(b, *(const uint32_t *)va),
				   waits_place_hash(b, *(const uint32_t *)vb));
}

static bool give_rows(struct builder *b)
{
	AUTO_FREE uint32_t *order = in_order(b->places.n, waits_compare_places, b);
	const stack_id other = dict_other_stack(b->d);
	const uint64_t other_reading = stack_signature_hash(&b->reading, other == ID_NONE ? STACK_ROOT : other);

	if (!order || !other_reading)
		return false;
	for (size_t i = 0; i < b->places.n; i++) {
		struct place *p = &b->places.v[order[i]];
		const bool own = i < STACKS_MAX || p->reading == other_reading;

		if (!give_row(b, p, own ? p->reading : other_reading,
			      own ? p->stack : other == ID_NONE ? STACK_ROOT : other))
			return false;
		b->other_stacks += !own;
	}
	return true;
}

/* 2. Filling. */

/* Counts that THREAD waited in ROW for NS more. */
static bool add_pair(struct builder *b, uint32_t row, thread_id thread, uint64_t ns)
{
	const struct pair want = { .row = row, .thread = thread };
	const size_t pairs = b->pairs.n;
	const uint32_t id = keyed_get(&b->pairs, &want, ns);

	if (id == HIDX_NONE)
		return false;
	b->rows.v.v[row].threads += b->pairs.n > pairs;
	b->pairs.v[id].ns = add_capped(b->pairs.v[id].ns, ns);
	return true;
}

/* What WAKER ended of the waits in ROW, in woke, made when there is none; NULL when out of memory. */
static struct woke *woke_of(struct builder *b, uint32_t row, uint32_t waker)
{
	const struct woke want = { .place_row = row, .waker = waker, .row = NODE_NONE };
	const uint32_t id = keyed_get(&b->woke, &want, row);

	return id == HIDX_NONE ? NULL : &b->woke.v[id];
}

/* Notes what F says of the wait that its thread is in: the latest that is known, and of that the longest. */
static bool waits_note_open(struct builder *b, const struct fact *f, unsigned int is, size_t slice)
{
	const struct wait *w = dict_get_wait(b->d, f->wait);
	const thread_id t = b->filter.same[f->thread];
	struct open *o;

	if (!b->open_of)
		b->open_of = calloc(b->filter.threads, sizeof(*b->open_of));
	if (!b->open_of)
		return false;
	if (!b->open_of[t]) {
		o = vec_push(&b->open);
		if (!o)
			return false;
		*o = (struct open){ .slice = slice, .w = { .waited_ns = -1 } };
		b->open_of[t] = (uint32_t)b->open.n;
	}
	o = &b->open.v[b->open_of[t] - 1];
	o->woken = f->kind == EVENT_RUNNABLE || (o->woken && o->slice == slice);
	if (o->woken || (o->slice == slice && o->w.waited_ns >= (double)f->longest_ns)) {
		o->slice = slice;
		return true;
	}
	o->slice = slice;
	o->w = (struct wait_open){ .thread = f->thread, .stack = f->stack, .call = w->call, .state = w->state,
				   .flags = w->flags, .waited_ns = (double)f->longest_ns, .idling = is & FACT_IDLE };
	return true;
}

static bool waits_fill_fact(struct builder *b, const struct fact *f, unsigned int is, size_t slice)
{
	const uint32_t row = b->places.v[b->sums.v[b->in.v[b->at]].place].row;
	struct woke *woke;

	row_fill(&b->rows.v.v[row], dict_get_wait(b->d, f->wait), f, is);
	if (!add_pair(b, row, b->filter.same[f->thread], f->weight))
		return false;
	if (is & FACT_OPEN && !waits_note_open(b, f, is, slice))
		return false;
	b->in.v[b->at] = 0;
	if (!b->waker_of || !b->waker_of[f->wait])
		return true;
	woke = woke_of(b, row, b->waker_of[f->wait] - 1);
	if (!woke)
		return false;
	woke->ns = add_capped(woke->ns, f->weight);
	b->in.v[b->at] = (uint32_t)(woke - b->woke.v) + 1;
	return true;
}

/* Which thread waited longest in each place, and how many did in each row above. */
static bool count_threads(struct builder *b)
{
	const size_t n = b->pairs.n;
	AUTO_FREE uint64_t *most = calloc(b->rows.v.n, sizeof(*most));

	if (!most)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct pair p = b->pairs.v[i];

		if (p.ns >= most[p.row]) {
			most[p.row] = p.ns;
			b->rows.v.v[p.row].thread = p.thread;
		}
		for (uint32_t row = p.row; row;) {
			row = b->rows.v.v[row].parent;
			if (!add_pair(b, row, p.thread, p.ns))
				return false;
		}
	}
	return true;
}

/* 3. Wakers. */

static uint64_t waker_key(const struct dict *d, const struct waker *w)
{
	const struct thread *t = dict_get_thread(d, w->thread);
	uint64_t h = hash_2u64(w->context, w->reading);

	return t ? hash_2u64(hash_2u64(h, (uint64_t)(uint32_t)t->pid << 32 | (uint32_t)t->tid), t->start_ns) : h;
}

static uint64_t waker_hash(const void *ctx, uint32_t id)
{
	const struct builder *b = ctx;

	return waker_key(b->d, &b->wakers.v[id]);
}

static bool same_waker(const struct waker *a, const struct waker *b)
{
	return a->reading == b->reading && a->thread == b->thread && a->context == b->context;
}

/* The number of WANT in wakers plus one, 0 when out of memory. */
static uint32_t waker_number(struct builder *b, const struct waker *want)
{
	const uint64_t h = waker_key(b->d, want);
	struct waker *w;
	uint32_t id;

	hidx_each(&b->waker_index, h, id)
		if (same_waker(&b->wakers.v[id], want))
			return id + 1;
	id = (uint32_t)b->wakers.n;
	w = vec_push(&b->wakers);
	if (!w)
		return 0;
	*w = *want;
	return hidx_add(&b->waker_index, h, id, waker_hash, b) ? id + 1 : 0;
}

/* What woke in an interrupt is nobody, and was nowhere. */
static bool number_waker(struct builder *b, wait_id id, const struct wait *w)
{
	struct waker want = { .context = w->context, .thread = ID_NONE, .stack = STACK_ROOT };

	if (w->context == WAKER_TASK) {
		want.stack = w->waker_stack;
		want.thread = w->waker < b->filter.threads ? b->filter.same[w->waker] : ID_NONE;
	}
	want.reading = stack_signature_hash(&b->reading, want.stack);
	b->waker_of[id] = want.reading ? waker_number(b, &want) : 0;
	return b->waker_of[id];
}

/* Finds the class and the waker of all waits. */
static bool look_at_waits(struct builder *b)
{
	b->class = malloc(b->filter.waits);
	if (!b->class)
		return false;
	for (wait_id id = 0; id < b->filter.waits; id++) {
		const struct wait *w = dict_get_wait(b->d, id);

		b->class[id] = (uint8_t)wait_class_of(w->call, w->state, b->q->arch);
		if (w->context == WAKER_UNKNOWN)
			continue;
		if (!b->waker_of)
			b->waker_of = calloc(b->filter.waits, sizeof(*b->waker_of));
		if (!b->waker_of || !number_waker(b, id, w))
			return false;
	}
	return true;
}

static int compare_woke(const void *va, const void *vb, void *ctx)
{
	const struct builder *b = ctx;
	const uint32_t a = *(const uint32_t *)va, o = *(const uint32_t *)vb;
	int r = compare_numbers(b->woke.v[o].ns, b->woke.v[a].ns);

	return r ? r : compare_numbers(a, o);
}

static bool fill_waker(struct builder *b, const struct fact *f, unsigned int is, size_t slice)
{
	const struct woke *w = b->in.v[b->at] ? &b->woke.v[b->in.v[b->at] - 1] : NULL;

	if (!w || w->row == NODE_NONE)
		return true;
	row_fill(&b->rows.v.v[w->row], dict_get_wait(b->d, f->wait), f, is);
	return add_pair(b, w->row, b->filter.same[f->thread], f->weight);
}

/* Gives the heaviest wakers rows. Those of the rest are seen in nothing but the totals above. */
static bool add_wakers(struct builder *b)
{
	AUTO_FREE uint32_t *order = in_order(b->woke.n, compare_woke, b);

	if (!order)
		return false;
	for (size_t i = 0; i < b->woke.n && i < WAKERS_MAX; i++) {
		struct woke *w = &b->woke.v[order[i]];
		const struct waker *waker = &b->wakers.v[w->waker];
		const struct wait_row *place = &b->rows.v.v[w->place_row];
		const struct wait_row want = { .level = WAIT_LEVEL_WAKER, .parent = w->place_row, .node = place->node,
					       .class = place->class, .call = place->call, .group = place->group,
					       .stack = waker->stack, .thread = waker->thread,
					       .context = waker->context };

		w->row = rows_get(&b->rows, &want, waker_key(b->d, waker));
		if (w->row == NODE_NONE)
			return false;
	}
	return waits_each_fact(b, fill_waker);
}

static int compare_open(const void *va, const void *vb)
{
	const struct wait_open *a = va, *b = vb;

	if (a->idling != b->idling)
		return a->idling - b->idling;
	if (a->waited_ns != b->waited_ns)
		return a->waited_ns < b->waited_ns ? 1 : -1;
	return compare_numbers(a->thread, b->thread);
}

static bool waits_finish(struct builder *b, struct waits *w)
{
	w->n = (uint32_t)b->rows.v.n;
	w->row = malloc(b->rows.v.n * sizeof(*w->row));
	w->open = malloc((b->open.n + 1) * sizeof(*w->open));
	w->first = malloc(b->rows.v.n * sizeof(*w->first));
	if (!w->row || !w->open || !w->first)
		return false;
	for (size_t i = 0; i < b->open.n; i++)
		if (!b->open.v[i].woken)
			w->open[w->nr_open++] = b->open.v[i].w;
	qsort(w->open, w->nr_open, sizeof(*w->open), compare_open);
	w->other_stacks = b->other_stacks;
	if (!rows_finish(&b->rows, w->row))
		return false;
	for (uint32_t i = 0; i < w->n; i++)
		w->first[i].stack = stack_signature_first(&b->reading, w->row[i].stack, &w->first[i].name);
	w->funcs = b->reading.funcs;
	w->entry = take_ptr(b->reading.entry);
	return true;
}

static bool waits_build_list(struct builder *b, const struct names *names)
{
	if (!rows_init(&b->rows) || !filter_init(&b->filter, b->s, names, b->q) ||
	    !stack_signature_init(&b->reading, b->d, names, b->q->no_inlines, false))
		return false;
	b->filter.kinds &= KINDS_OFF_CPU;
	if (!look_at_waits(b) || !waits_each_fact(b, waits_sum_fact) || !waits_find_places(b) || !give_rows(b))
		return false;
	if (!waits_each_fact(b, waits_fill_fact) || !count_threads(b))
		return false;
	return !b->woke.n || add_wakers(b);
}

static void waits_builder_free(struct builder *b)
{
	filter_free(&b->filter);
	stack_signature_free(&b->reading);
	free(b->class);
	free(b->waker_of);
	free(b->open_of);
	vec_free(&b->in);
	vec_free(&b->sums);
	vec_free(&b->places);
	vec_free(&b->wakers);
	keyed_free(&b->woke);
	keyed_free(&b->pairs);
	rows_free(&b->rows);
	vec_free(&b->open);
	hidx_free(&b->sum_index);
	hidx_free(&b->place_index);
	hidx_free(&b->waker_index);
}

int waits_build(const struct snapshot *s, const struct names *names, const struct query *q,
		struct waits **ret, struct err *e)
{
	struct query waiting = *q;
	struct builder b = { .s = s, .d = snapshot_dict(s), .q = &waiting };
	struct waits *w = calloc(1, sizeof(*w));
	bool ok;

	if (!(waiting.measures & MEASURES_WALL))         /* what is about something else says nothing of waits */
		waiting.measures = 0;
	ok = w && waits_build_list(&b, names) && waits_finish(&b, w);
	waits_builder_free(&b);
	if (!ok) {
		waits_free(w);
		return err_nomem(e, "the list of waits");
	}
	w->dict = b.d;
	w->names = names;
	w->query = *q;
	w->idle_ns = b.idle_ns;
	*ret = w;
	return 0;
}

void waits_free(struct waits *w)
{
	if (!w)
		return;
	free(w->row);
	free(w->open);
	free(w->first);
	free(w->entry);
	free(w);
}
