/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * method.h - says how a user stack was unwound, and why the kernel left it to a copy.
 *
 * The *method* says by what the addresses were found. The *way* says who unwound: the BPF program
 * by learned rules, the engine from a copy, or the kernel by frame pointers. What the BPF program
 * cannot unwind by rules is copied, and a *walk reason* says why; from the copy it may learn how.
 */
#ifndef SBERF_MODEL_METHOD_H
#define SBERF_MODEL_METHOD_H

#include "model/event.h"

#include <stdint.h>

enum unwind_method {             /* numbers are in recordings: append only */
	METHOD_NONE = 0,         /* no user side */
	METHOD_CFI = 1,          /* rules from call-frame information only */
	METHOD_MIXED = 2,        /* frame pointers for some frames (JIT code, Go) */
	METHOD_KERNEL = 3,       /* addresses that the kernel half walked by frame pointers */
	METHOD_RULES = 4,        /* addresses that the kernel half walked by learnt rules */
	METHOD_RECORDS = 5,      /* addresses of calls in branch records of the CPU */
};

/*
 * Why the kernel half did not walk a stack by rules. The numbers are in recordings and those of
 * SB_WALK_* (bpf/wire.h), the names are published (`walk_NAME` in the summary): append, never
 * rename or reuse.
 *
 *     id, name, what it means, what can be done ("" = nothing)
 */
#define WALK_REASONS(X) \
	X(0, NOT_ASKED, "not_asked", "the kernel was not asked to unwind", \
	  "leave --unwind copy and --call-graph fp out") \
	X(1, NO_SPACE, "no_space", "no rules were known for the process, or for what it executes now", "") \
	X(2, NO_MAP, "no_map", "an address was in no known mapping", "") \
	X(3, NO_PAGE, "no_page", "no rules were known for a page of code", "") \
	X(4, NO_RULE, "no_rule", "a place needs more than a rule can say", "") \
	X(5, NO_READ, "no_read", "a stack page was not in memory", "") \
	X(6, BAD, "bad", "the next frame made no sense", "") \
	X(7, DEEP, "deep", "there are more frames than the kernel unwinds", "") \
	X(8, RACE, "race", "the rules were being replaced", "")

enum walk_reason {
#define X(nr, id, name, text, remedy) WALK_##id = nr,
	WALK_REASONS(X)
#undef X
	WALK_NR
};

/*
 * How a stack walked in the kernel can differ from its copy (--verify-unwind), by the first frame
 * that does. The names are published (`verify_NAME`).
 */
#define VERIFY_CAUSES(X) \
	X(SHORTER, "shorter", "the kernel ended before the copy did") \
	X(LONGER, "longer", "the kernel went on behind the end of the copy") \
	X(MODULE, "other_module", "a frame lies in another module") \
	X(PLACE, "other_place", "a frame lies elsewhere in its module")

enum verify_cause {
#define X(id, name, text) VERIFY_##id,
	VERIFY_CAUSES(X)
#undef X
	VERIFY_NR
};

/* The ways, which add up to all stacks with a user side; the names are published (`unwound_NAME_percent`). */
#define UNWIND_WAYS(X) \
	X(KERNEL, "kernel", "unwound in the kernel by learned rules") \
	X(COPY, "copy", "copied, and unwound from the copy") \
	X(FRAME_POINTERS, "frame_pointers", "unwound in the kernel by frame pointers") \
	X(NONE, "none", "there was nothing to unwind") \
	X(CPU_RECORDS, "records", "taken from branch records of the CPU")

enum unwind_way {
#define X(id, name, text) WAY_##id,
	UNWIND_WAYS(X)
#undef X
	WAY_NR
};

/*
 * Never NULL; of walk reasons out of range (from a newer recording) { "other", "an unknown reason",
 * "" }. Those of ways and causes have no remedy.
 */
const struct reason_info *walk_info(unsigned int reason);
const struct reason_info *unwind_way_info(enum unwind_way way);
const struct reason_info *verify_info(enum verify_cause cause);

/* The way of EV, which has a user side; WAY_NR when nobody says (what was imported). */
enum unwind_way unwound_way(const struct event *ev);

/* Stacks, counted by what is known of their ways. */
struct unwound {
	uint64_t way[WAY_NR];
	/* of way[WAY_COPY]: by why the kernel half did not walk them; unknown reasons are in none */
	uint64_t walk[WALK_NR];
	uint64_t learned;        /* of way[WAY_COPY]: the kernel half was taught what it had been lacking */
};

/* Counts EV, which has a user side, N times. */
void unwound_count(struct unwound *u, const struct event *ev, uint64_t n);

/* All that were counted. */
uint64_t unwound_total(const struct unwound *u);

/* ALL but those of PART, which are among them. */
struct unwound unwound_without(const struct unwound *all, const struct unwound *part);

#endif
