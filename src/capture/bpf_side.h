/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bpf_side.h - the BPF programs and maps of one capture: loaded, fed, asked. The only user of the skeleton.
 */
#ifndef SBERF_CAPTURE_BPF_SIDE_H
#define SBERF_CAPTURE_BPF_SIDE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/wire.h"
#include "capture/features.h"
#include "capture/rulebook.h"
#include "capture/source.h"
#include "system/cpus.h"

#include <stdint.h>

struct bpf_side;

/* Loads programs and makes maps for PLAN on LAYOUT; both are borrowed only while it runs. FREQ_HZ sizes the rings. */
int bpf_side_open(const struct capture_plan *plan, const struct cpu_layout *layout, uint32_t freq_hz,
		     struct bpf_side **ret, struct err *e);
void bpf_side_free(struct bpf_side *k);            /* NULL is fine */

int bpf_side_sampler_fd(const struct bpf_side *k); /* the perf_event program */
int bpf_side_fault_fd(const struct bpf_side *k);   /* the one for page faults; negative: not loaded, plan.numa is NUMA_OFF */
/*
 * Faults of automatic balancing are told from others from now on, or not any more. Where the kernel does not allow that they
 * are taken for others.
 */
void bpf_side_watch_balancing(struct bpf_side *k, bool on);
int bpf_side_ring_fd(const struct bpf_side *k, uint32_t ring);
uint64_t bpf_side_wake_bytes(const struct bpf_side *k);    /* in a ring, at which its reader is woken */
void bpf_side_set_node(struct bpf_side *k, uint32_t cpu, uint32_t node);   /* CPU is on NODE from now on */
uint64_t bpf_side_ring_bytes(const struct bpf_side *k, uint32_t ring);

/* The live figures of each possible CPU, written by the kernel meanwhile; valid as long as K. */
const volatile struct sb_cpu *bpf_side_cpus(const struct bpf_side *k);

/* From here on the processes or threads of the plan are the target, with the children that they start. Again: nothing. */
int bpf_side_aim(struct bpf_side *k, struct err *e);
void bpf_side_deaf(struct bpf_side *k, uint64_t until_ns);         /* up to when strangers wake nobody */
int bpf_side_set_cap(struct bpf_side *k, uint64_t exe_id, uint32_t bytes);         /* 0 or a negative errno */

/* The maps of sums of waits (bpf/wire.h), and into which they go now: RET_FD[*RET_TURN % 2]. False when nothing is summed. */
bool bpf_side_sums(struct bpf_side *k, int ret_fd[2], uint32_t *ret_turn);
/* From now on they go into the other one, but for what is being added at this moment. */
void bpf_side_turn_sums(struct bpf_side *k);

/*
 * Waits. bpf_side_start() begins to follow them, if the plan wants it, and gives every task of the target its state;
 * bpf_side_stop() ends it, and what was gathered stays.
 */
int bpf_side_start(struct bpf_side *k, struct err *e);
void bpf_side_stop(struct bpf_side *k);
/*
 * An fd that gives a struct sb_open for every task that has been waiting for MIN_NS and longer; the caller's. Behind it, once for each wait
 * that began at UP_TO_NS or earlier, or before the capture, is the kernel's stack.
 */
int bpf_side_list(struct bpf_side *k, uint64_t min_ns, uint64_t up_to_ns, struct err *e);
/* An fd that gives a struct sb_home for every task of the target; the caller's. Not with NUMA_OFF. */
int bpf_side_homes(struct bpf_side *k, struct err *e);
struct sb_slot *bpf_side_slot(struct bpf_side *k, uint32_t slot);  /* shared with the kernel; NULL when there is none */
uint32_t bpf_side_slot_bytes(const struct bpf_side *k);            /* of each, the head included */
int bpf_side_free_slot(struct bpf_side *k, uint32_t slot);         /* gives it back; 0 or a negative errno */
int bpf_side_totals_fd(const struct bpf_side *k);                  /* sb_total_key -> sb_total; -1 = none */
void bpf_side_set_wait_period(struct bpf_side *k, uint64_t ns);
uint64_t bpf_side_wait_period(const struct bpf_side *k);
void bpf_side_set_wakers(struct bpf_side *k, bool on);

/* Bytes of a stack that are copied of an executable not seen before: source_first_copy() (capture/source.h). */
uint32_t bpf_side_first_copy(const struct bpf_side *k);

/* What the programs are taught; NULL without walks. */
struct rulebook *bpf_side_rulebook(const struct bpf_side *k);

/* What it works with: of this kernel, and permitted. Valid as long as K. */
const struct features *bpf_side_features(const struct bpf_side *k);

/* CPU time of the programs since they were loaded, ns; UINT64_MAX when the kernel does not tell. */
uint64_t bpf_side_cpu_ns(const struct bpf_side *k);

DEFINE_AUTO(bpf_side_free, struct bpf_side);

#endif
