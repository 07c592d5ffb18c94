/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reconcile_private.h - shared by the files of the account: keys, the queue, and how events leave
 * it.
 */
#ifndef SBERF_ENGINE_RECONCILE_PRIVATE_H
#define SBERF_ENGINE_RECONCILE_PRIVATE_H

#include "engine/reconcile.h"

#include "base/hash.h"
#include "base/vec.h"

#define LATEST 4u                        /* stacks remembered for each key and kin */
#define KIN 1024u                        /* kins remembered; a power of two */

enum reconcile_figure {
	SHORT_BLOCKED,           /* of the kind EVENT_SAMPLE: running time */
	SHORT_RUNNABLE,
	SHORT_COUNT,
	LONG_BLOCKED,
	LONG_RUNNABLE,
	LONG_COUNT,
	LEFT_OUT_NS,             /* below --min-block */
	LEFT_OUT_COUNT,
	FIGURES
};
#define PARTS 3                          /* blocked, runnable, count: the figures of short waits, and of long ones */

/* The last events, as templates for carried time. */
struct latest {
	uint8_t n, next;
	uint8_t turn;            /* which one takes the next carried time */
	bool is_long;            /* no short wait came yet: this one is long */
	struct event ev[LATEST];
};

/* Threads of the same name that run the same program, in the same call, and are about as old. */
struct kin {
	uint64_t key;            /* hash; 0 = free */
	struct latest latest;
};

struct key {
	struct reconcile_task task;
	uint32_t call;
	uint8_t kind;            /* EVENT_SAMPLE, EVENT_BLOCKED; 0 = dropped */
	bool known;              /* totals have named it */
	bool gone;               /* totals have named it for the last time */
	uint8_t idle;            /* settlements since its thread ended and nothing was held */
	uint32_t held;           /* events in the queue */
	thread_id thread;        /* of its last event; ID_NONE = none */
	uint64_t told[FIGURES];  /* the last totals */
	uint64_t coming[LEFT_OUT_NS];    /* of them, what came since the last settlement */
	int64_t left[LEFT_OUT_NS];
	int64_t low[PARTS], high[PARTS];         /* range of what was left of long waits in this window */
	double wish[PARTS];      /* sum of the wishes not yet served in this settlement */
	uint32_t wishes[PARTS];
	int64_t give[PARTS];     /* what they get */
	struct latest *latest;   /* NULL = none yet */
};

enum turn {
	TURN_LATER,
	TURN_OWN,                /* a long wait weighs its own length */
	TURN_SHARE,
	TURN_AHEAD,              /* no total will come: it gets its wish */
};

struct held {
	uint32_t key;
	uint8_t age;             /* settlements that it has waited past its time */
	uint8_t turn;            /* enum turn */
	struct event ev;
	struct reconcile_wait w;   /* of a wait */
};

/* Where events go. Final ones are counted. */
struct giving {
	struct event_sink *to;
	struct reconcile_figures *figures;         /* NULL: provisional */
};

struct reconcile {
	struct reconcile_config config;
	VEC(struct key) keys;
	VEC(uint32_t) free;      /* unused places in keys */
	struct hidx index;       /* of keys, and of dropped ones until it is rebuilt */
	uint32_t dropped;
	VEC(struct held) held;
	uint64_t held_ns;        /* when the oldest of them happened, at the last settlement; UINT64_MAX = none */
	struct kin *kin;         /* KIN elements */
	stack_id no_stack;
	uint32_t settled;        /* settlements in this window */
	bool ending;
	struct reconcile_figures figures;
};

static inline bool held_is_wait(const struct held *h)
{
	return h->ev.kind != EVENT_SAMPLE;
}

static inline uint64_t held_length(const struct held *h)
{
	return h->w.blocked_ns + h->w.runnable_ns;
}

static inline uint64_t held_count(const struct held *h)
{
	return h->w.count ? h->w.count : 1;
}

/*
 * Whether H weighs its own length. A wait of which pieces were emitted is never shared, whatever
 * its period.
 */
static inline bool held_is_long(const struct held *h)
{
	const uint64_t length = held_length(h);

	return held_is_wait(h) && (length >= h->w.period_ns || !length || h->w.told_blocked_ns ||
				   h->w.told_runnable_ns);
}

/* ---- reconcile_keys.c ---- */

/*
 * The key of T, KIND and CALL, created when missing; NULL when out of memory. Invalidates other
 * pointers to keys.
 */
struct key *reconcile_key(struct reconcile *a, const struct reconcile_task *t, uint8_t kind, uint32_t call);
/* Drops K. reconcile_trim() makes its place available again once that is worthwhile. */
void reconcile_drop(struct reconcile *a, struct key *k);
void reconcile_trim(struct reconcile *a);
void reconcile_free_keys(struct reconcile *a);

/* ---- reconcile_tell.c ---- */

/* Emits EV as it is. */
void tell_event(const struct reconcile *a, const struct giving *g, const struct event *ev);
/* Emits the wait H as events of WEIGHT (blocked, runnable) that stand for COUNT waits. */
void tell_wait(const struct reconcile *a, const struct giving *g, const struct held *h, const uint64_t weight[2],
	       uint64_t count);
/*
 * Emits time of K that no event stands for, PART by part: on the last stacks of K or its kin, if it
 * MAY and there are any.
 */
void tell_carried(const struct reconcile *a, const struct giving *g, const struct key *k, bool may, uint64_t time_ns,
		  const uint64_t part[PARTS]);
/* Remembers the stack of EV for the carried time of K and its kin. */
void remember_stack(const struct reconcile *a, struct key *k, const struct event *ev, bool is_a_long_one);

#endif
