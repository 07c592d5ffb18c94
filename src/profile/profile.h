/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile.h - the store that everything reads: facts aggregated per time slice, over the
 * dictionaries of dict.h.
 *
 * A *fact* says: in this slice, this stack, in this thread, for this kind, on this node, had this
 * weight and count. A *slice* is a run of time, 1 s when new; closed slices never change and are
 * merged pairwise as they age (1 s -> 2 s -> ...), so hours fit in bounded memory with exact
 * totals. When even that is too much, the lightest stacks of old slices fold into one "(other)"
 * stack per thread (NOTE_OTHER), whose total is exact. Waits are facts, too: call, state, length and
 * waker of a wait are one id (dict_wait()). In "(other)" waits lose their wakers. What facts of
 * other kinds carry is in model/kind.h. Facts that are no time count in no sum of time (KINDS_WALL).
 *
 * Ids are never freed, so dictionaries refuse new entries when they are full: see dict_limit(),
 * which profile_new() calls. Sums over everything stay exact, whatever was folded or refused;
 * profile_stats() says how much that was.
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
struct probe_notes;

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
	union {
		float longest_ns;        /* of waits and calls: the longest */
		float largest;           /* of those that carry an argument: the most that one event weighs */
	};
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

/* Makes a profile with its own dictionary. LIMITS may be NULL (defaults). NULL when out of memory. */
struct profile *profile_new(const struct profile_limits *limits);
void profile_free(struct profile *p);            /* NULL is fine; snapshots must be gone */
struct dict *profile_dict(const struct profile *p);      /* P's: events are added with ids of this one */

/*
 * Adds EV to the facts of the slice that its time falls into, however late it comes. A single wait,
 * or a piece of one, is divided among all slices that it went through since the store began; its
 * count goes to the slice in which it ended. A wait whose own_ns is 0 has the length weight / count.
 * Returns 0; -EINVAL for a stack, thread or waker that is not in the dictionary: nothing was added;
 * -ENOMEM: of such a wait, the parts in slices before its last may have been added.
 */
int profile_add(struct profile *p, const struct event *ev);

/* Sets *RET to the fact that EV makes, without adding it: for profile_provisional(). Fails as profile_add(). */
int profile_fact(struct profile *p, const struct event *ev, struct fact *ret);

/*
 * Sets the N facts at F that are under way and cannot be added yet: waits that have not ended, and
 * time that no stack stands for yet. The next snapshots hold them as their last slice, FROM_NS to
 * TO_NS (CLOCK_MONOTONIC), marked provisional; the profile itself does not. Each call replaces the
 * facts of the call before; N = 0 and profile_clear() drop them. F is copied and needs no order.
 * Returns 0; on -ENOMEM, or -EINVAL for an id that is not in the dictionary, nothing has changed.
 */
int profile_provisional(struct profile *p, uint64_t from_ns, uint64_t to_ns, const struct fact *f, size_t n);

/*
 * Tells the profile that time has reached NOW_NS (CLOCK_MONOTONIC), and all events before have been
 * added: it closes slices, merges old ones, and enforces the limits. Cheap when there is nothing to do.
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
 * Sets what is known of nodes and of where memory is (numa/state.h), for all snapshots from now on.
 * P takes a reference to STATE and drops the one before; profile_clear() keeps it. NULL: nothing is
 * known.
 */
void profile_numa(struct profile *p, struct numa_state *state);

/* The same for what is known of probes (model/probenotes.h). */
void profile_probes(struct profile *p, struct probe_notes *state);

/* Drops all facts, as key r of the view does; the dictionaries stay. */
void profile_clear(struct profile *p);

size_t profile_bytes(const struct profile *p);   /* memory held, dictionaries included */

/*
 * Returns an immutable view of the profile as it is now; NULL when out of memory. The reference is
 * the caller's, who drops it with snapshot_unref(), from any thread. The functions below read a
 * snapshot from any thread; what they return belongs to it.
 */
struct snapshot *profile_snapshot(struct profile *p);
struct snapshot *snapshot_ref(struct snapshot *s);       /* another reference to S, which it returns; NULL is fine */
void snapshot_unref(struct snapshot *s);         /* NULL is fine */

/* The dictionary of the profile, for ids of the facts. */
const struct dict *snapshot_dict(const struct snapshot *s);
size_t snapshot_slices(const struct snapshot *s);                        /* how many */
/* Sets *RET to slice I, which must be below that number; the oldest is 0. */
void snapshot_slice(const struct snapshot *s, size_t i, struct slice_view *ret);
/* Goes to the next slice: V is zeroed before the first call. False, V unchanged, when there are no more. */
bool snapshot_next(const struct snapshot *s, struct slice_view *v);
bool snapshot_last(const struct snapshot *s, struct slice_view *ret);    /* the latest; false when there is none */
bool snapshot_has(const struct snapshot *s, enum event_kind kind);       /* true when there is a fact of KIND */
uint32_t snapshot_kinds(const struct snapshot *s);       /* all of these at once: a mask of 1 << enum event_kind */
/* Up to when all was added: what profile_advance() was told last before S was made; 0 = nothing was. */
uint64_t snapshot_settled_ns(const struct snapshot *s);
/* Sets *RET to the rows about how stacks ended, the heaviest first; returns how many. */
size_t snapshot_quality(const struct snapshot *s, const struct quality_row **ret);

const struct numa_state *snapshot_numa(const struct snapshot *s);        /* profile_numa(); NULL = nothing is known */
const struct probe_notes *snapshot_probes(const struct snapshot *s);     /* profile_probes(); the same */
/* How much ran and waited in each 20 ms (heat.h), without what is provisional. */
const struct heat *snapshot_heat(const struct snapshot *s);

DEFINE_AUTO(profile_free, struct profile);
DEFINE_AUTO(snapshot_unref, struct snapshot);

#endif
