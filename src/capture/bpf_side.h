/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf_side.h - loads, configures and queries the BPF programs and maps of one capture. The only
 * user of the skeleton.
 */
#ifndef SBERF_CAPTURE_BPF_SIDE_H
#define SBERF_CAPTURE_BPF_SIDE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/wire.h"
#include "capture/features.h"
#include "capture/hold.h"
#include "capture/mapway.h"
#include "capture/rulebook.h"
#include "capture/source.h"
#include "system/cpus.h"

#include <stdint.h>

struct bpf_side;
struct hold;
struct hold_reply;

/*
 * Loads the programs and creates the maps for PLAN on LAYOUT; both are borrowed during the call
 * only. FREQ_HZ, the sampling rate of one CPU, decides the size of the rings. On success *RET is
 * the caller's; else a negative errno with a sentence in E.
 */
int bpf_side_open(const struct capture_plan *plan, const struct cpu_layout *layout, uint32_t freq_hz,
		     struct bpf_side **ret, struct err *e);
/*
 * The same of one that the collector PLAN->hold holds, which outlives it: maps are mapped, and what takes privileges is
 * asked of it.
 */
int bpf_side_adopt(const struct capture_plan *plan, struct bpf_side **ret, struct err *e);
void bpf_side_free(struct bpf_side *k);            /* NULL is fine */

/* For whoever holds K for another process: what it is made of, but for the event; and that OWN is never sampled. */
void bpf_side_describe(const struct bpf_side *k, struct hold_reply *ret);
void bpf_side_spare(struct bpf_side *k, uint32_t own);
/*
 * The same: the map I in the order of the skeleton, borrowed; -EINVAL: there is none. -EPERM: it says what is read of
 * memory, so nobody else writes it.
 */
int bpf_side_map_fd(const struct bpf_side *k, uint32_t i);
/*
 * The same, of entries of the map I (mapway.h): what HOLD_READ, HOLD_TAKE and HOLD_GET, of KEY, are answered with, the
 * caller's; and what HOLD_PUT and HOLD_DELETE do. -EPERM: that is not to be done with this map. Or another errno.
 */
int bpf_side_entries(const struct bpf_side *k, enum hold_op op, uint32_t i, uint32_t key);
int bpf_side_set_entry(struct bpf_side *k, enum hold_op op, const struct hold_entry *entry);
/* The same: the map of ids of the target, borrowed; nobody but the kernel half changes it once it is fixed. */
int bpf_side_targets_fd(const struct bpf_side *k);
int bpf_side_fix_targets(struct bpf_side *k, struct err *e);
/* The list that bpf_side_list() reads, as that was asked for last. */
int bpf_side_tasks(struct bpf_side *k, struct err *e);
/* The same: SET is the set N of named values from now on; and how long the way to the program of PROBE takes, in ns. */
int bpf_side_set_loads(const struct bpf_side *k, uint32_t n, const struct sb_loads *set);
uint32_t bpf_side_way(const struct bpf_side *k, uint32_t probe);

/* Who holds K, NULL = this process does. */
struct hold *bpf_side_hold(const struct bpf_side *k);

int bpf_side_sampler_fd(const struct bpf_side *k); /* the perf_event program */
/* for page faults; negative: not loaded, because plan.numa is NUMA_OFF, or here */
int bpf_side_fault_fd(const struct bpf_side *k);
bool bpf_side_has_faults(const struct bpf_side *k);        /* is it loaded, wherever that is? */
/* To be called now and then: how long the programs run is measured a part of the time only (runtime.h). */
void bpf_side_turn(struct bpf_side *k);
/* As source_place(). Any thread. */
int bpf_side_place(struct bpf_side *k, const struct link_places *places, link_failed_fn *failed, void *ctx,
		   struct links **ret, struct err *e);
/* As source_set_growth(), source_add_probes() and source_remove_probe() (bpf_late.c). One thread at a time. */
int bpf_side_set_growth(struct bpf_side *k, const struct capture_plan *plan, struct err *e);
int bpf_side_add_probes(struct bpf_side *k, const struct capture_plan *plan, struct err *e);
/* As source_pointed(). */
uint64_t bpf_side_pointed(const struct bpf_side *k, source_pointed_fn *each, void *ctx);
void bpf_side_remove_probe(struct bpf_side *k, uint32_t probe);

/*
 * ON: tells page faults of automatic NUMA balancing from other faults, from now on. Where the
 * kernel cannot tell them apart, they count as other faults.
 */
void bpf_side_watch_balancing(struct bpf_side *k, bool on);
/* The map of ring RING, 0 to layout.nr_rings - 1; the fd is borrowed, valid as long as K. */
int bpf_side_ring_fd(const struct bpf_side *k, uint32_t ring);
/* the fill level of a ring at which its reader is woken */
uint64_t bpf_side_wake_bytes(const struct bpf_side *k);
void bpf_side_set_node(struct bpf_side *k, uint32_t cpu, uint32_t node);   /* CPU is on NODE from now on */
uint64_t bpf_side_ring_bytes(const struct bpf_side *k, uint32_t ring);

/* The live counters of each possible CPU, which the kernel goes on writing; valid as long as K. */
const volatile struct sb_cpu *bpf_side_cpus(const struct bpf_side *k);

/*
 * Makes the processes or threads of the plan the target, with the children they start later. A
 * second call does nothing.
 */
int bpf_side_aim(struct bpf_side *k, struct err *e);

/* until then, unknown memory wakes no reader */
void bpf_side_deaf(struct bpf_side *k, uint64_t until_ns);
/*
 * Copies at most BYTES of the stack of threads that run the executable EXE_ID. Returns 0 or a
 * negative errno.
 */
int bpf_side_set_cap(struct bpf_side *k, uint64_t exe_id, uint32_t bytes);         /* 0 or a negative errno */

/* As source_set_plan(). Any thread. */
int bpf_side_set_plan(struct bpf_side *k, uint32_t pid, const struct sb_plan *plan);

/*
 * The two maps of summed waits (bpf/wire.h); the kernel fills RET_FD[*RET_TURN % 2] now. False when
 * waits are not summed.
 */
bool bpf_side_sums(struct bpf_side *k, struct mapway ret[2], uint32_t *ret_turn);
/*
 * Lets the kernel fill the other map from now on. An update that is under way may still reach the
 * old one.
 */
void bpf_side_turn_sums(struct bpf_side *k);

/* The same two of hits. */
bool bpf_side_hits(struct bpf_side *k, struct mapway ret[2], uint32_t *ret_turn);
void bpf_side_turn_hits(struct bpf_side *k);
/* What was lost of hits of PROBE, SB_HIT_LOST_*; 0 where nothing is known. */
void bpf_side_hits_lost(const struct bpf_side *k, uint32_t probe, uint64_t ret[SB_HIT_LOST_NR]);
/* What hits of PROBE have cost. */
void bpf_side_hits_cost(const struct bpf_side *k, uint32_t probe, struct source_hits_cost *ret);
/* One of EVERY hits of PROBE is told from now on; 0 = all. */
void bpf_side_thin_hits(struct bpf_side *k, uint32_t probe, uint32_t every);
/* Each hit of probes in programs stands for SCALE of them from now on; 0 = they are not counted. */
void bpf_side_scale_hits(struct bpf_side *k, uint32_t scale);
/* The hits of PROBE that are not told yet, on all CPUs; false when all are told one by one. */
bool bpf_side_untold(const struct bpf_side *k, uint32_t probe, uint64_t *ret_count, uint64_t *ret_weight);

/* Spans of PROBE; false when it has none. */
bool bpf_side_span(const struct bpf_side *k, uint32_t probe, struct source_span *ret);

/*
 * Waits. bpf_side_start() begins to follow them if the plan wants it, and gives each task of the
 * target its initial state. bpf_side_stop() ends that; what was gathered stays readable.
 */
int bpf_side_start(struct bpf_side *k, struct err *e);
void bpf_side_stop(struct bpf_side *k);
/*
 * An fd, owned by the caller, that reads as one struct sb_open for each task that has been waiting
 * for MIN_NS or longer. The kernel stack follows, once for each wait that began at UP_TO_NS or
 * earlier, or before the capture.
 */
int bpf_side_list(struct bpf_side *k, uint64_t min_ns, uint64_t up_to_ns, struct err *e);
/*
 * An fd, owned by the caller, that reads as one struct sb_home for each task of the target. Not
 * with NUMA_OFF.
 */
int bpf_side_homes(struct bpf_side *k, struct err *e);
/*
 * The same for calls of probes that have not ended, as struct sb_open_call: of FUNCTIONS, or system
 * calls. -ENOENT where none are probed.
 */
int bpf_side_open_calls(struct bpf_side *k, bool functions, struct err *e);
/* memory shared with the kernel; NULL: no such slot */
struct sb_slot *bpf_side_slot(struct bpf_side *k, uint32_t slot);
uint32_t bpf_side_slot_bytes(const struct bpf_side *k);            /* size of one slot, its head included */
int bpf_side_free_slot(struct bpf_side *k, uint32_t slot);         /* gives it back; 0 or a negative errno */
struct mapway bpf_side_totals(const struct bpf_side *k);           /* sb_total_key -> sb_total; fd -1 = none */
void bpf_side_set_wait_period(struct bpf_side *k, uint64_t ns);
uint64_t bpf_side_wait_period(const struct bpf_side *k);
void bpf_side_set_wakers(struct bpf_side *k, bool on);

/*
 * Bytes of stack that are copied for an executable not seen before: source_first_copy()
 * (capture/source.h).
 */
uint32_t bpf_side_first_copy(const struct bpf_side *k);

/*
 * The rules and mappings that the programs unwind by; NULL when they do not unwind. Valid as long
 * as K.
 */
struct rulebook *bpf_side_rulebook(const struct bpf_side *k);

/*
 * The kernel features in use: those that this kernel has and that are permitted. Valid as long as
 * K.
 */
const struct features *bpf_side_features(const struct bpf_side *k);

/*
 * CPU time of the programs since they were loaded, in ns; UINT64_MAX when the kernel does not
 * measure it.
 */
uint64_t bpf_side_cpu_ns(const struct bpf_side *k);

DEFINE_AUTO(bpf_side_free, struct bpf_side);

#endif
