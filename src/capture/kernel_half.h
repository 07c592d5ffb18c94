/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_half.h - the BPF programs and maps of one capture: loaded, fed, asked. The only user of the skeleton.
 */
#ifndef SBERF_CAPTURE_KERNEL_HALF_H
#define SBERF_CAPTURE_KERNEL_HALF_H

#include "base/cleanup.h"
#include "base/err.h"
#include "bpf/wire.h"
#include "capture/features.h"
#include "capture/rulebook.h"
#include "capture/source.h"
#include "system/cpus.h"

#include <stdint.h>

struct kernel_half;

/* Loads programs and makes maps for PLAN on LAYOUT; both are borrowed only while it runs. FREQ_HZ sizes the rings. */
int kernel_half_open(const struct capture_plan *plan, const struct cpu_layout *layout, uint32_t freq_hz,
		     struct kernel_half **ret, struct err *e);
void kernel_half_free(struct kernel_half *k);            /* NULL is fine */

int kernel_half_sampler_fd(const struct kernel_half *k); /* the perf_event program */
int kernel_half_fault_fd(const struct kernel_half *k);   /* the one for page faults; negative: not loaded, plan.numa is NUMA_OFF */
/*
 * Faults of automatic balancing are told from others from now on, or not any more. Where the kernel does not allow that they
 * are taken for others.
 */
void kernel_half_watch_balancing(struct kernel_half *k, bool on);
int kernel_half_ring_fd(const struct kernel_half *k, uint32_t ring);
uint64_t kernel_half_wake_bytes(const struct kernel_half *k);    /* in a ring, at which its reader is woken */
void kernel_half_set_node(struct kernel_half *k, uint32_t cpu, uint32_t node);   /* CPU is on NODE from now on */
uint64_t kernel_half_ring_bytes(const struct kernel_half *k, uint32_t ring);

/* The live figures of each possible CPU, written by the kernel meanwhile; valid as long as K. */
const volatile struct sb_cpu *kernel_half_cpus(const struct kernel_half *k);

/* From here on the processes or threads of the plan are the target, with the children that they start. Again: nothing. */
int kernel_half_aim(struct kernel_half *k, struct err *e);
void kernel_half_deaf(struct kernel_half *k, uint64_t until_ns);         /* up to when strangers wake nobody */
int kernel_half_set_cap(struct kernel_half *k, uint64_t exe_id, uint32_t bytes);         /* 0 or a negative errno */

/* The maps of sums of waits (bpf/wire.h), and into which they go now: RET_FD[*RET_TURN % 2]. False when nothing is summed. */
bool kernel_half_sums(struct kernel_half *k, int ret_fd[2], uint32_t *ret_turn);
/* From now on they go into the other one, but for what is being added at this moment. */
void kernel_half_turn_sums(struct kernel_half *k);

/*
 * Waits. kernel_half_start() begins to follow them, if the plan wants it, and gives every task of the target its state;
 * kernel_half_stop() ends it, and what was gathered stays.
 */
int kernel_half_start(struct kernel_half *k, struct err *e);
void kernel_half_stop(struct kernel_half *k);
/*
 * An fd that gives a struct sb_open for every task that has been waiting for MIN_NS and longer; the caller's. Behind it, once for each wait
 * that began at UP_TO_NS or earlier, or before the capture, is the kernel's stack.
 */
int kernel_half_list(struct kernel_half *k, uint64_t min_ns, uint64_t up_to_ns, struct err *e);
/* An fd that gives a struct sb_home for every task of the target; the caller's. Not with NUMA_OFF. */
int kernel_half_homes(struct kernel_half *k, struct err *e);
struct sb_slot *kernel_half_slot(struct kernel_half *k, uint32_t slot);  /* shared with the kernel; NULL when there is none */
uint32_t kernel_half_slot_bytes(const struct kernel_half *k);            /* of each, the head included */
int kernel_half_free_slot(struct kernel_half *k, uint32_t slot);         /* gives it back; 0 or a negative errno */
int kernel_half_totals_fd(const struct kernel_half *k);                  /* sb_total_key -> sb_total; -1 = none */
void kernel_half_set_wait_period(struct kernel_half *k, uint64_t ns);
uint64_t kernel_half_wait_period(const struct kernel_half *k);
void kernel_half_set_wakers(struct kernel_half *k, bool on);

/* Bytes of a stack that are copied of an executable not seen before: source_first_copy() (capture/source.h). */
uint32_t kernel_half_first_copy(const struct kernel_half *k);

/* What the programs are taught; NULL without walks. */
struct rulebook *kernel_half_rulebook(const struct kernel_half *k);

/* What it works with: of this kernel, and permitted. Valid as long as K. */
const struct features *kernel_half_features(const struct kernel_half *k);

/* CPU time of the programs since they were loaded, ns; UINT64_MAX when the kernel does not tell. */
uint64_t kernel_half_cpu_ns(const struct kernel_half *k);

DEFINE_AUTO(kernel_half_free, struct kernel_half);

#endif
