/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.h - the store that everything reads: facts aggregated per time slice, over the
 * dictionaries of dict.h.
 *
 * A *fact* says: in this slice, this stack, in this thread, for this kind, on this node, had this
 * weight and count. A *slice* is a run of time, 1 s when new; closed slices never change and are
 * merged pairwise as they age (1 s -> 2 s -> ...), so hours fit in bounded memory with exact
 * totals. When even that is too much, the lightest stacks of old slices fold into one "(other)"
 * stack per thread (NOTE_OTHER), whose total is exact. Waits share the table with samples: what
 * else tells them apart is one id (dict_wait()); in "(other)" they lose their wakers. Other kinds
 * carry other things (model/kind.h), and what is no time counts in no sum of time (KINDS_WALL).
 *
 * Ids are never freed, so the dictionaries are bounded when they are added to: see dict_limit(),
 * which profile_new() calls. Sums over everything are exact whatever is folded or refused, and
 * profile_stats() says how much was.
 *
 * One thread (the engine) writes. profile_snapshot() gives any thread an immutable view that shares
 * the closed slices.
 */
#ifndef SBERF_PROFILE_PROFILE_H
#define SBERF_PROFILE_PROFILE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/dict.h"
#include "model/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heat;
struct profile;
struct snapshot;
struct numa_state;

struct profile_limits {
	/* memory of facts (a quarter) and dictionaries (the rest); 0 = 160 MiB; at least 4 MiB */
	size_t bytes;
	uint64_t slice_ns;       /* of a new slice; 0 = 1 s */
	uint64_t keep_fine_ns;   /* how far back slices stay unmerged; 0 = 120 s */
};

struct fact {                    /* 32 bytes: they come in millions */
	stack_id stack;
	thread_id thread;
	uint64_t node : 16;
	uint64_t kind : 8;       /* enum event_kind */
	uint64_t count : 40;     /* of events: enough for 10,000 a second over three years */
	uint64_t weight;         /* sum, in the unit of its kind; stays at UINT64_MAX rather than wrap */
	union {
		/* what its kind carries (model/kind.h), as an id of the dictionary; 0 = nothing: */
		uint32_t carried;
		wait_id wait;            /* of the kinds that are waits */
		place_id place;          /* of those that carry one */
		argument_id argument;    /* the same */
	};
	float longest_ns;        /* of waits: the longest */
};

/* A run of facts of one slice. Facts are sorted by (stack, thread, kind, node, what they carry) and unique. */
struct slice_view {
	uint64_t from_ns, to_ns;         /* CLOCK_MONOTONIC, to exclusive */
	const struct fact *fact;
	size_t n;
	bool provisional;                /* what profile_provisional() said: not settled yet, in no other slice */
	size_t next;                     /* the number of the one that follows, for snapshot_next() */
};

/*
 * How user stacks ended, over the whole profile: one row per (kind, reason, module). A wait counts
 * in each of its two kinds.
 */
struct quality_row {
	uint8_t kind;            /* enum event_kind */
	uint8_t cut;             /* enum cut_reason */
	module_id module;        /* ID_NONE = none */
	uint64_t count, weight;
};

/* LIMITS may be NULL (defaults). NULL when out of memory. Owns its dictionary. */
struct profile *profile_new(const struct profile_limits *limits);
void profile_free(struct profile *p);            /* NULL is fine; snapshots must be gone */
struct dict *profile_dict(const struct profile *p);

/*
 * Adds EV to the facts of its slice; a late one goes to the slice of its time all the same. A
 * single wait, or a piece of one, goes to all slices that it went through since the store began,
 * and counts in that of its end. -EINVAL for a stack, thread or waker that is not in the
 * dictionary: nothing added. -ENOMEM: at most what such a wait took before its last slice was. A
 * wait whose own_ns is 0 has the length weight / count.
 */
int profile_add(struct profile *p, const struct event *ev);

/* The fact that EV makes, without adding it: for profile_provisional(). Fails as above. */
int profile_fact(struct profile *p, const struct event *ev, struct fact *ret);

/*
 * What is known to be under way but cannot be added yet (waits that have not ended, time that no
 * stack stands for yet): the next snapshots hold it as their last slice, FROM_NS to TO_NS, marked
 * provisional, and the profile itself does not. Replaces what was said before; N = 0 forgets it,
 * profile_clear() too. The facts are copied and need no order. -ENOMEM, or -EINVAL for ids that are
 * not in the dictionary: as before.
 */
int profile_provisional(struct profile *p, uint64_t from_ns, uint64_t to_ns, const struct fact *f, size_t n);

/*
 * Says that time has reached NOW_NS: closes and merges slices, enforces the limits. Cheap when
 * there is nothing to do.
 */
void profile_advance(struct profile *p, uint64_t now_ns);

/* What bounding memory has cost so far. */
struct profile_stats {
	size_t fact_bytes, dict_bytes;
	uint64_t facts_folded;   /* facts that went into "(other)", since profile_clear() */
	uint64_t refused;        /* dict_refused(): frames, stacks and threads that found no room */
	unsigned int coarser;    /* doublings of old slices beyond what their age asks for */
};
void profile_stats(const struct profile *p, struct profile_stats *ret);

/*
 * What is known of nodes and of where memory is (numa/state.h), from now on: a reference is taken,
 * and the one before given back. It stays until another one comes, profile_clear() or not. NULL:
 * nothing is known.
 */
void profile_numa(struct profile *p, struct numa_state *state);

/* Drops all facts (the dictionaries stay): "reset". */
void profile_clear(struct profile *p);

size_t profile_bytes(const struct profile *p);   /* memory held, dictionaries included */

/* An immutable view of now; NULL when out of memory. Referenced; give back with snapshot_unref() from any thread. */
struct snapshot *profile_snapshot(struct profile *p);
struct snapshot *snapshot_ref(struct snapshot *s);       /* another reference to S, which it returns; NULL is fine */
void snapshot_unref(struct snapshot *s);         /* NULL is fine */

const struct dict *snapshot_dict(const struct snapshot *s);
size_t snapshot_slices(const struct snapshot *s);
void snapshot_slice(const struct snapshot *s, size_t i, struct slice_view *ret);        /* oldest first */
/* Makes V, which is zeroed at first, the slice of S that follows; false when it was the last one. */
bool snapshot_next(const struct snapshot *s, struct slice_view *v);
bool snapshot_last(const struct snapshot *s, struct slice_view *ret);    /* the latest; false when there is none */
bool snapshot_has(const struct snapshot *s, enum event_kind kind);       /* any fact of KIND */
size_t snapshot_quality(const struct snapshot *s, const struct quality_row **ret);      /* heaviest first */

const struct numa_state *snapshot_numa(const struct snapshot *s);        /* NULL = nothing is known; S keeps it */
/* How much ran and waited when (heat.h), of all but what is provisional. S keeps it. */
const struct heat *snapshot_heat(const struct snapshot *s);

DEFINE_AUTO(profile_free, struct profile);
DEFINE_AUTO(snapshot_unref, struct snapshot);

#endif
