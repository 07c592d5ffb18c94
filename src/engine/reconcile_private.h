/* SPDX-License-Identifier: BSD-2-Clause */
/* reconcile_private.h - what the files of the account share: its keys, its queue, and how events leave it. */
#ifndef SBERF_ENGINE_RECONCILE_PRIVATE_H
#define SBERF_ENGINE_RECONCILE_PRIVATE_H

#include "engine/reconcile.h"

#include "base/hash.h"
#include "base/vec.h"

#define LATEST 4u                        /* stacks remembered of each key, and of its kin */
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

/* The events given last, as templates for what is carried. */
struct latest {
	uint8_t n, next;
	uint8_t turn;            /* whose turn it is to take something */
	bool is_long;            /* no short wait was given yet: there is a long one */
	struct event ev[LATEST];
};

/* Threads of the same name that run the same program, in the same call. */
struct kin {
	uint64_t key;            /* hash; 0 = free */
	struct latest latest;
};

struct key {
	struct reconcile_task task;
	uint32_t call;
	uint8_t kind;            /* EVENT_SAMPLE, EVENT_BLOCKED; 0 = dropped */
	bool known;              /* totals have spoken of it */
	bool gone;               /* for the last time */
	uint8_t idle;            /* settlements since its thread was gone and nothing was held */
	uint32_t held;           /* events in the queue */
	thread_id thread;        /* of its last event; ID_NONE = none */
	uint64_t told[FIGURES];  /* by totals, last */
	uint64_t coming[LEFT_OUT_NS];    /* of it: since the last settlement */
	int64_t left[LEFT_OUT_NS];
	int64_t low[PARTS], high[PARTS];         /* of what is left of long ones, in this window */
	double wish[PARTS];      /* of the events that share what is left, as far as they have not been given it */
	uint32_t wishes[PARTS];
	int64_t give[PARTS];     /* to them */
	struct latest *latest;   /* NULL = none yet */
};

enum turn {
	TURN_LATER,
	TURN_OWN,                /* a long wait: its own length */
	TURN_SHARE,
	TURN_AHEAD,              /* no total will come: its wish */
};

struct held {
	uint32_t key;
	uint8_t age;             /* settlements that it has waited though its time had come */
	uint8_t turn;            /* enum turn */
	struct event ev;
	struct reconcile_wait w;   /* of a wait */
};

/* Where events go. Those given for good are counted. */
struct giving {
	struct event_sink *to;
	struct reconcile_figures *figures;         /* NULL: not for good */
};

struct reconcile {
	struct reconcile_config config;
	VEC(struct key) keys;
	VEC(uint32_t) free;      /* keys */
	struct hidx index;       /* of keys, and of dropped ones until it is made anew */
	uint32_t dropped;
	VEC(struct held) held;
	struct kin *kin;         /* KIN of them */
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

/* Weighs its own length. A wait of which pieces were told is not for sharing, whatever its period. */
static inline bool held_is_long(const struct held *h)
{
	const uint64_t length = held_length(h);

	return held_is_wait(h) && (length >= h->w.period_ns || !length || h->w.told_blocked_ns || h->w.told_runnable_ns);
}

/* ---- reconcile_keys.c ---- */

/* The key of T, KIND and CALL, made when there is none; NULL when out of memory. Moves the others. */
struct key *reconcile_key(struct reconcile *a, const struct reconcile_task *t, uint8_t kind, uint32_t call);
/* K is not needed any more; its place is used again after reconcile_trim() has found it worth the while. */
void reconcile_drop(struct reconcile *a, struct key *k);
void reconcile_trim(struct reconcile *a);
void reconcile_free_keys(struct reconcile *a);

/* ---- reconcile_tell.c ---- */

/* Hands EV over as it is. */
void tell_event(const struct reconcile *a, const struct giving *g, const struct event *ev);
/* The wait H as events of WEIGHT (blocked, runnable) that stand for COUNT waits. */
void tell_wait(const struct reconcile *a, const struct giving *g, const struct held *h, const uint64_t weight[2], uint64_t count);
/* Time of K that no event stands for, PART by part: on the stacks given last to it or its kin, if it MAY and there are any. */
void tell_carried(const struct reconcile *a, const struct giving *g, const struct key *k, bool may, uint64_t time_ns,
		  const uint64_t part[PARTS]);
/* Remembers the stack of EV for what is carried by K and its kin. */
void remember_stack(const struct reconcile *a, struct key *k, const struct event *ev, bool is_a_long_one);

#endif
