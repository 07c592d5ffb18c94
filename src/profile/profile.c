/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.c - the store: events come in, slices go out.
 *
 * The *open* slice takes the events of now: an array of facts and a hash index over it. When time
 * passes its end it becomes an immutable slice of the timeline (timeline.h). Events of an earlier
 * time are kept aside as *late* facts and put into their slices together, because each such slice
 * must be made anew. What is provisional is one more slice, replaced whole and never part of the
 * timeline. The quality table counts how user stacks ended.
 */
#include "config.h"

#include "profile/profile.h"

#include "base/clock.h"
#include "base/hash.h"
#include "model/probenotes.h"
#include "numa/state.h"
#include "profile/carried.h"
#include "profile/heat.h"
#include "profile/snapshot.h"
#include "profile/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_DEFAULT ((size_t)160 << 20)    /* leaves a third of 256 MiB to the rest of the program */
#define BYTES_MIN ((size_t)4 << 20)          /* empty dictionaries alone take about 1 MiB */
#define KEEP_FINE_S 120u
#define LATE_MAX 4096u                       /* late facts kept aside; more are put in place at once */
/* slices that a wait is put in at most; of one that went through more, into some of them */
#define SPREAD_MAX 64u
#define QUALITY_MAX 4096u                    /* rows; further modules share the row without a module */

struct open_slice {
	uint64_t from_ns, to_ns;         /* meaningless while there are no facts */
	VEC(struct fact) facts;
	struct hidx index;               /* of facts, by fact_hash() */
};

struct quality {
	VEC(struct quality_row) rows;
	struct hidx index;
};

struct profile {
	struct dict *dict;
	size_t max_fact_bytes;
	struct open_slice open;
	struct timeline timeline;
	VEC(struct late_fact) late;
	struct slice *provisional;       /* what profile_provisional() said; NULL = nothing */
	struct numa_state *numa;         /* a reference; NULL = nothing known */
	struct probe_notes *probes;      /* the same */
	struct heat heat;                /* of what was added */
	uint64_t settled_ns;             /* profile_advance() */
	struct quality quality;
};

static uint64_t fact_hash(const struct fact *f)
{
	return hash_2u64((uint64_t)f->stack << 32 | f->thread,
			 (uint64_t)f->kind << 48 | (uint64_t)f->node << 32 | f->wait);
}

static uint64_t fact_rehash(const void *ctx, uint32_t id)
{
	const struct open_slice *o = ctx;

	return fact_hash(&o->facts.v[id]);
}

static int open_add(struct open_slice *o, const struct fact *f)
{
	const uint64_t h = fact_hash(f);
	uint32_t id;

	hidx_each(&o->index, h, id) {
		if (!fact_compare(&o->facts.v[id], f)) {
			fact_add(&o->facts.v[id], f);
			return 0;
		}
	}
	if (!vec_reserve(&o->facts, 1))
		return -ENOMEM;
	o->facts.v[o->facts.n] = *f;
	if (!hidx_add(&o->index, h, (uint32_t)o->facts.n, fact_rehash, o))
		return -ENOMEM;
	o->facts.n++;
	return 0;
}

static void open_clear(struct open_slice *o)
{
	hidx_free(&o->index);
	vec_free(&o->facts);
}

static size_t open_bytes(const struct open_slice *o)
{
	return o->facts.cap * sizeof(o->facts.v[0]) + hidx_bytes(&o->index);
}

static uint64_t profile_row_hash(const struct quality_row *row)
{
	return hash_2u64((uint64_t)row->kind << 8 | row->cut, row->module);
}

static uint64_t profile_row_rehash(const void *ctx, uint32_t id)
{
	const struct quality *q = ctx;

	return profile_row_hash(&q->rows.v[id]);
}

static bool same_row(const struct quality_row *a, const struct quality_row *b)
{
	return a->kind == b->kind && a->cut == b->cut && a->module == b->module;
}

/* The row of (KIND, CUT, MODULE), made when there is none; NULL when out of memory. */
static struct quality_row *quality_row(struct quality *q, uint8_t kind, uint8_t cut, module_id module)
{
	struct quality_row key = { .kind = kind, .cut = cut, .module = module };
	uint64_t h = profile_row_hash(&key);
	uint32_t id;

	hidx_each(&q->index, h, id)
		if (same_row(&q->rows.v[id], &key))
			return &q->rows.v[id];
	if (q->rows.n >= QUALITY_MAX && module != ID_NONE)
		return quality_row(q, kind, cut, ID_NONE);
	if (!vec_reserve(&q->rows, 1))
		return NULL;
	q->rows.v[q->rows.n] = key;
	if (!hidx_add(&q->index, h, (uint32_t)q->rows.n, profile_row_rehash, q))
		return NULL;
	return &q->rows.v[q->rows.n++];
}

static void quality_clear(struct quality *q)
{
	hidx_free(&q->index);
	vec_free(&q->rows);
}

struct profile *profile_new(const struct profile_limits *limits)
{
	const struct profile_limits none = { 0 }, *l = limits ? limits : &none;
	const size_t asked = l->bytes ? l->bytes : BYTES_DEFAULT, bytes = asked > BYTES_MIN ? asked : BYTES_MIN;
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->max_fact_bytes = bytes / 4;
	p->timeline.slice_ns = l->slice_ns ? l->slice_ns : NSEC_PER_SEC;
	p->timeline.keep_ns = l->keep_fine_ns ? l->keep_fine_ns : KEEP_FINE_S * NSEC_PER_SEC;
	p->timeline.merge_max = p->max_fact_bytes / 2 / sizeof(struct fact);
	p->dict = dict_new();
	if (!p->dict || dict_limit(p->dict, bytes - p->max_fact_bytes) < 0) {
		profile_free(p);
		return NULL;
	}
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	profile_clear(p);
	numa_state_unref(p->numa);
	probe_notes_unref(p->probes);
	dict_free(p->dict);
	free(p);
}

struct dict *profile_dict(const struct profile *p)
{
	return p->dict;
}

void profile_clear(struct profile *p)
{
	open_clear(&p->open);
	timeline_free(&p->timeline);
	vec_free(&p->late);
	slice_unref(p->provisional);
	p->provisional = NULL;
	quality_clear(&p->quality);
	heat_free(&p->heat);
}

/* Where late begins. */
static uint64_t open_from(const struct profile *p)
{
	return p->open.facts.n ? p->open.from_ns : timeline_end(&p->timeline);
}

/* Puts the late facts in place; what finds no memory stays for the next time. */
static void profile_place_late(struct profile *p)
{
	const size_t done = timeline_late(&p->timeline, p->late.v, p->late.n, open_from(p));

	p->late.n -= done;
	memmove(p->late.v, p->late.v + done, p->late.n * sizeof(p->late.v[0]));
}

/* Closes the open slice. False when out of memory: it stays open, longer than the others. */
static bool close_slice(struct profile *p)
{
	struct open_slice *o = &p->open;
	AUTO(slice_unref) struct slice *s = slice_new(o->from_ns, o->to_ns, o->facts.v, o->facts.n);

	if (!s || timeline_append(&p->timeline, s) < 0)
		return false;
	take_ptr(s);
	hidx_free(&o->index);
	o->facts.n = 0;
	return true;
}

/* The end of the piece of the grid in which TIME_NS lies. */
static uint64_t grid_end(const struct profile *p, uint64_t time_ns)
{
	const uint64_t from = time_ns - time_ns % p->timeline.slice_ns;

	return from > UINT64_MAX - p->timeline.slice_ns ? UINT64_MAX : from + p->timeline.slice_ns;
}

/* Closes what ended before NOW_NS and keeps the timeline within its bounds. */
static void profile_turn(struct profile *p, uint64_t now_ns)
{
	if (p->late.n)
		profile_place_late(p);
	if (p->open.facts.n && !close_slice(p))
		p->open.to_ns = grid_end(p, now_ns);
	timeline_age(&p->timeline, now_ns);
	if (p->timeline.bytes > p->max_fact_bytes)
		timeline_shrink(&p->timeline, now_ns, p->max_fact_bytes / 8 * 7, p->dict);
}

/* Closes slices that ended before NOW_NS. */
static void profile_close(struct profile *p, uint64_t now_ns)
{
	if (p->open.facts.n ? now_ns >= p->open.to_ns : p->late.n)
		profile_turn(p, now_ns);
}

void profile_advance(struct profile *p, uint64_t now_ns)
{
	if (now_ns > p->settled_ns)
		p->settled_ns = now_ns;
	profile_close(p, now_ns);
}

static int add_late(struct profile *p, uint64_t time_ns, const struct fact *f)
{
	struct late_fact *late;

	if (p->late.n >= LATE_MAX)
		profile_place_late(p);
	late = vec_push(&p->late);
	if (!late)
		return -ENOMEM;
	*late = (struct late_fact){ .time_ns = time_ns, .fact = *f };
	return 0;
}

/* A second with more different facts than a merged slice may hold: folds the lightest half of the open slice. */
static int lighten_open(struct profile *p)
{
	struct timeline one = { .slice_ns = p->timeline.slice_ns, .keep_ns = p->timeline.keep_ns };
	struct open_slice *o = &p->open, fresh = { .from_ns = o->from_ns, .to_ns = o->to_ns };
	AUTO(slice_unref) struct slice *s = slice_new(o->from_ns, o->to_ns, o->facts.v, o->facts.n);
	int r = s ? timeline_append(&one, s) : -ENOMEM;

	if (r < 0)
		return r;
	take_ptr(s);
	timeline_shrink(&one, o->to_ns, one.bytes / 2, p->dict);
	for (size_t i = 0; r == 0 && i < one.slices.v[0]->n; i++)
		r = open_add(&fresh, &one.slices.v[0]->fact[i]);
	if (r == 0) {
		p->timeline.folded += one.folded;
		open_clear(o);
		*o = fresh;
	} else {
		open_clear(&fresh);
	}
	timeline_free(&one);
	return r;
}

static int profile_add_fact(struct profile *p, uint64_t time_ns, const struct fact *f)
{
	profile_close(p, time_ns);
	if (time_ns < open_from(p))
		return add_late(p, time_ns, f);
	if (!p->open.facts.n) {
		p->open.from_ns = time_ns - time_ns % p->timeline.slice_ns;
		p->open.to_ns = grid_end(p, time_ns);
	}
	if (p->open.facts.n >= p->timeline.merge_max && lighten_open(p) < 0)
		return -ENOMEM;
	return open_add(&p->open, f);
}

/* Where the store begins: nothing is put before that. */
static uint64_t first_ns(const struct profile *p, uint64_t time_ns)
{
	if (p->timeline.slices.n)
		return p->timeline.slices.v[0]->from_ns;
	return p->open.facts.n ? p->open.from_ns : time_ns - time_ns % p->timeline.slice_ns;
}

/* When the wait of EV, whose fact is F, began, or the store did; its end when that is not one stretch of time. */
static uint64_t wait_began(const struct profile *p, const struct event *ev, const struct fact *f)
{
	const bool one = EVENT_IS_WAIT(ev->kind) && !(ev->flags & EVENT_F_EXTRAPOLATED) && f->count <= 1;
	const uint64_t first = one ? first_ns(p, ev->time_ns) : ev->time_ns;

	if (first >= ev->time_ns)
		return ev->time_ns;
	return ev->weight < ev->time_ns - first ? ev->time_ns - ev->weight : first;
}

/*
 * A wait is told when it has ended or grown by a second. What of it was in slices before that of
 * its end is theirs: else a slice could hold more time of a thread than it lasts. What was before
 * the store began is the first one's. The last piece, which counts, is in the slice of the event.
 * Without memory for one, the last one has its weight.
 */
static int add_spread(struct profile *p, const struct event *ev, const struct fact *f)
{
	const uint64_t slice_ns = p->timeline.slice_ns, last_ns = ev->time_ns - ev->time_ns % slice_ns;
	uint64_t from = wait_began(p, ev, f), before = f->weight - (ev->time_ns - from);
	const uint64_t step = slice_ns * ((ev->time_ns - from) / slice_ns / SPREAD_MAX + 1);
	struct fact piece = *f, last = *f;

	piece.count = 0;
	while (from < last_ns) {
		const uint64_t next = from - from % slice_ns + step, to = next < last_ns ? next : last_ns;

		piece.weight = to - from + before;
		if (profile_add_fact(p, to - 1, &piece) >= 0)
			last.weight -= piece.weight;
		before = 0;
		from = to;
	}
	return profile_add_fact(p, ev->time_ns, &last);
}

static uint32_t event_count(const struct event *ev)
{
	if (ev->flags & EVENT_F_PIECE)
		return 0;
	return ev->count ? ev->count : 1;
}

static bool profile_known(const struct dict *d, const struct event *ev)
{
	if (ev->stack >= dict_stacks(d) || ev->thread >= dict_threads(d))
		return false;
	return carried_of(ev->kind)->known(d, ev);
}

int profile_fact(struct profile *p, const struct event *ev, struct fact *ret)
{
	struct fact f = { .stack = ev->stack, .thread = ev->thread, .node = ev->node, .kind = ev->kind,
			  .count = event_count(ev), .weight = ev->weight };

	if (!profile_known(p->dict, ev))
		return -EINVAL;
	f.stack = dict_stack_inside(p->dict, ev->stack, ev->inside);
	f.carried = carried_of(ev->kind)->intern(p->dict, ev, &f);
	if (f.carried == ID_NONE)
		return -ENOMEM;
	*ret = f;
	return 0;
}

int profile_add(struct profile *p, const struct event *ev)
{
	struct quality_row *row = NULL;
	struct fact f;
	int r = profile_fact(p, ev, &f);

	if (r < 0)
		return r;
	if (ev->flags & EVENT_F_USER) {
		row = quality_row(&p->quality, ev->kind, ev->cut, ev->cut_module);
		if (!row)
			return -ENOMEM;
	}
	r = add_spread(p, ev, &f);
	if (r < 0)
		return r;
	heat_event(&p->heat, ev);
	if (!row)
		return 0;
	row->count += f.count;
	row->weight = add_capped(row->weight, ev->weight);
	return 0;
}

int profile_provisional(struct profile *p, uint64_t from_ns, uint64_t to_ns, const struct fact *f, size_t n)
{
	struct slice *s = NULL;

	for (size_t i = 0; i < n; i++)
		if (f[i].stack >= dict_stacks(p->dict) || f[i].thread >= dict_threads(p->dict) ||
		    f[i].carried >= carried_of(f[i].kind)->count(p->dict))
			return -EINVAL;
	if (n) {
		s = slice_new(from_ns, to_ns, f, n);
		if (!s)
			return -ENOMEM;
	}
	slice_unref(p->provisional);
	p->provisional = s;
	return 0;
}

void profile_numa(struct profile *p, struct numa_state *state)
{
	struct numa_state *old = p->numa;

	p->numa = numa_state_ref(state);
	numa_state_unref(old);
}

void profile_probes(struct profile *p, struct probe_notes *state)
{
	struct probe_notes *old = p->probes;

	p->probes = probe_notes_ref(state);
	probe_notes_unref(old);
}

size_t profile_bytes(const struct profile *p)
{
	struct profile_stats st;

	profile_stats(p, &st);
	return st.fact_bytes + st.dict_bytes;
}

void profile_stats(const struct profile *p, struct profile_stats *ret)
{
	*ret = (struct profile_stats){
		.fact_bytes = sizeof(*p) + open_bytes(&p->open) + p->timeline.bytes +
			      (p->provisional ? slice_bytes(p->provisional) : 0) +
			      p->timeline.slices.cap * sizeof(p->timeline.slices.v[0]) + p->late.cap *
			      sizeof(p->late.v[0]) +
			      p->quality.rows.cap * sizeof(p->quality.rows.v[0]) + hidx_bytes(&p->quality.index) +
			      heat_bytes(&p->heat),
		.dict_bytes = dict_bytes(p->dict),
		.facts_folded = p->timeline.folded,
		.refused = dict_refused(p->dict),
		.coarser = p->timeline.coarser,
	};
}

struct snapshot *profile_snapshot(struct profile *p)
{
	AUTO(slice_unref) struct slice *open = NULL;
	struct snapshot *s;

	if (p->late.n)
		profile_place_late(p);
	if (p->late.n)
		return NULL;
	if (p->open.facts.n) {
		open = slice_new(p->open.from_ns, p->open.to_ns, p->open.facts.v, p->open.facts.n);
		if (!open)
			return NULL;
	}
	s = snapshot_new(p->dict, p->timeline.slices.v, p->timeline.slices.n, open, p->provisional, p->quality.rows.v,
			 p->quality.rows.n);
	if (!s)
		return NULL;
	take_ptr(open);
	snapshot_keep_settled(s, p->settled_ns);
	snapshot_keep_numa(s, p->numa);
	snapshot_keep_probes(s, p->probes);
	if (!snapshot_keep_heat(s, &p->heat)) {
		snapshot_unref(s);
		return NULL;
	}
	return s;
}
