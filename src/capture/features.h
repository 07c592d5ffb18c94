/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * features.h - in what the kernels differ that sberf runs on, by their type information (BTF), never by their version.
 *
 * Linux 5.15 and later. Whatever a kernel may lack stands in the table below, with what is so without it; all else that is used
 * has been in every kernel since then (tests/unit/test_features.c looks through the programs for what has not). docs/kernels.md
 * says the same to users. To use something newer: a row here, its probe in features_of(), a way without it, a row there.
 *
 * Nothing here needs a permission: /sys/kernel/btf/vmlinux is for everybody. Reading it takes some milliseconds, once.
 */
#ifndef SBERF_CAPTURE_FEATURES_H
#define SBERF_CAPTURE_FEATURES_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum feature_use {
	FEATURE_NEEDED,          /* nothing can be captured without it */
	FEATURE_WAITS,           /* waits cannot be followed without it */
	FEATURE_SPARED,          /* sberf does without it */
};

/*
 * X(name, since, use, without): the kernel that had it first; what is so without it.
 */
#define FEATURES(X) \
	X(pt_regs, "5.15", FEATURE_NEEDED, "BPF programs cannot read user registers") \
	X(sched_switch, "5.5", FEATURE_WAITS, "nobody tells when threads leave their CPUs") \
	X(sched_waking, "5.5", FEATURE_WAITS, "nobody tells when threads are woken") \
	X(task_storage, "5.11", FEATURE_WAITS, "BPF programs cannot remember things about threads") \
	X(task_iter, "5.8", FEATURE_WAITS, "BPF programs cannot look through all threads") \
	X(prev_state, "5.18", FEATURE_SPARED, "a wait that ends as it begins may count as preempted") \
	X(balancing, "5.5", FEATURE_SPARED, "page faults of automatic NUMA balancing count as first touches") \
	X(run_stats, "5.8", FEATURE_SPARED, "the CPU time of the BPF programs is not known") \
	X(mmap_lock, "6.14", FEATURE_SPARED, "stacks walked by what was mapped in a place before are found out later, and dropped") \
	X(exit_code, "6.15", FEATURE_SPARED, "the exit status of a process that sberf did not start is not known") \
	X(plain_reads, "6.2", FEATURE_SPARED, "where the verifier asks whether types are trusted (6.3 and later), loading takes longer") \
	X(loops, "5.17", FEATURE_SPARED, "stacks in the kernel are all unwound by the kernel, which makes samples of what runs there dearer") \
	X(uprobe_multi, "6.10", FEATURE_SPARED, "each probe in a program has a link of its own, and takes a tenth of a second to be taken off") \
	X(walks, "5.15", FEATURE_SPARED, "stacks are copied to be unwound: what is longer than a copy is cut, and short waits are sampled")

/* What a kernel has; of a list of things forced off, what is not in it. */
struct features {
#define X(name, since, use, without) bool name;
	FEATURES(X)
#undef X
};

struct feature_info {
	const char *name, *since;
	enum feature_use use;
	const char *without;
	size_t at;               /* in struct features */
};

extern const struct feature_info feature_infos[];
extern const size_t nr_feature_infos;

static inline bool feature_has(const struct features *f, const struct feature_info *i)
{
	return *(const bool *)((const char *)f + i->at);
}

/*
 * What the running kernel has, less what the environment variable SBERF_WITHOUT forces off for tests: names, separated by
 * commas, "all" for all that is FEATURE_SPARED. All false when the kernel has no BTF. An unknown name is -EINVAL and changes nothing.
 */
int features_read(struct features *ret, struct err *e);

/* What BTF says; what it cannot say is taken for there. Pure. */
struct btf;
void features_of(const struct btf *btf, struct features *ret);

/* Takes the names of LIST out of F. 0, or -EINVAL with a sentence. Pure. */
int features_force_off(struct features *f, const char *list, struct err *e);

/* Whether SBERF_WITHOUT leaves this one, whatever the kernel has: for what is tried rather than asked for. */
bool features_allow(const char *name);

/*
 * 0 when F is enough to capture, with OFF_CPU to follow waits, or nothing is known of the kernel; else -ENOTSUP and a sentence about
 * the kernel's RELEASE. Pure.
 */
int features_check(const struct features *f, bool off_cpu, const char *release, struct err *e);

/* The names of what is FEATURE_SPARED and not in F, separated by commas; "none". Cut to SIZE. Pure. */
void features_missing(const struct features *f, char *dst, size_t size);

#endif
