/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * features.h - which optional features the running kernel has, found in its type information (BTF),
 * never by its version.
 *
 * sberf needs Linux 5.15 or later. The table below lists everything that such a kernel may lack,
 * and what follows from that. Everything else that sberf uses has been in every kernel since 5.15
 * (tests/unit/test_features.c checks the programs for this). docs/kernels.md tells users the same.
 * To use something newer, add a row here, its probe in features_of(), a way to do without it, and a
 * row in docs/kernels.md.
 *
 * No permission is needed: everyone may read /sys/kernel/btf/vmlinux. Reading it takes some
 * milliseconds, once.
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
 * X(name, since, use, without): SINCE is the first kernel with the feature; WITHOUT says what users
 * miss when it is absent.
 */
#define FEATURES(X) \
	X(pt_regs, "5.15", FEATURE_NEEDED, "BPF programs cannot read user registers") \
	X(sched_switch, "5.5", FEATURE_WAITS, "the kernel does not report when threads leave their CPUs") \
	X(sched_waking, "5.5", FEATURE_WAITS, "the kernel does not report when threads are woken") \
	X(task_storage, "5.11", FEATURE_WAITS, "BPF programs cannot store data about threads") \
	X(task_iter, "5.8", FEATURE_WAITS, "BPF programs cannot list threads") \
	X(prev_state, "5.18", FEATURE_SPARED, "a wait that ends as it begins may count as preempted") \
	X(balancing, "5.5", FEATURE_SPARED, "page faults of automatic NUMA balancing count as first touches") \
	X(rss_stat, "5.5", FEATURE_SPARED, "nobody sees what makes memory resident: --memory shows sizes over " \
	  "time only") \
	X(rss_parts, "6.2", FEATURE_SPARED, "what makes memory resident is told of 64 page faults of a thread " \
	  "together") \
	X(run_stats, "5.8", FEATURE_SPARED, "the CPU time of the BPF programs is not known") \
	X(mmap_lock, "6.14", FEATURE_SPARED, "stacks that were unwound by outdated mappings are detected later, " \
	  "and dropped") \
	X(map_entries, "5.19", FEATURE_SPARED, "with --split entries of BPF maps are asked of sberf-collector") \
	X(contention, "5.19", FEATURE_SPARED, "--kernel-locks: waits for locks of the kernel do not say for which") \
	X(exit_code, "6.15", FEATURE_SPARED, "the exit status of a process that sberf did not start is not known") \
	X(throttled_tasks, "6.18", FEATURE_SPARED, "time in the run queue counts as throttled, by the quota of a " \
	  "cgroup, when that was so for most of it") \
	X(plain_reads, "6.2", FEATURE_SPARED, "programs take longer to load where the verifier checks for trusted " \
	  "types (6.3 and later)") \
	X(loops, "5.17", FEATURE_SPARED, "the kernel's own unwinder unwinds all kernel stacks, so samples in the " \
	  "kernel cost more") \
	X(find_vma, "5.17", FEATURE_SPARED, "a trace says of page faults at which address they were, not what is " \
	  "mapped there") \
	X(uprobe_multi, "6.10", FEATURE_SPARED, "each probe in a program has a link of its own, which takes a tenth " \
	  "of a second to remove") \
	X(kprobe_multi, "5.18", FEATURE_SPARED, "each function of the kernel that is probed below another one has " \
	  "links of its own, which take a tenth of a second to remove") \
	X(trace_cookies, "6.10", FEATURE_SPARED, "there can be one probe of kind rawtracepoint") \
	X(true_returns, "4.3", FEATURE_SPARED, "a stack ends where a return probe (uretprobe) of somebody is pending") \
	X(walks, "5.15", FEATURE_SPARED, "stacks are copied to be unwound: those longer than a copy are truncated, " \
	  "and short waits are sampled")

/* Which features a kernel has; or, for a list of features forced off, which ones stay. */
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

/* One row for each feature, in the order of FEATURES. */
extern const struct feature_info feature_infos[];
extern const size_t nr_feature_infos;

#define X(name, since, use, without) + 1
_Static_assert(0 FEATURES(X) <= 32, "a mask of all rows has 32 bits");
#undef X

/* Whether F has the feature of row I. */
static inline bool feature_has(const struct features *f, const struct feature_info *i)
{
	return *(const bool *)((const char *)f + i->at);
}

/*
 * Reads the features of the running kernel into *RET, less those that the environment variable
 * SBERF_WITHOUT forces off for tests: names separated by commas, or "all" for every FEATURE_SPARED
 * one. All false when the kernel has no BTF. An unknown name gives -EINVAL and changes nothing.
 */
int features_read(struct features *ret, struct err *e);

/* Reads features from BTF. What BTF cannot tell is assumed to be present. Pure. */
struct btf;
void features_of(const struct btf *btf, struct features *ret);

/* Removes the features named in LIST from F. 0, or -EINVAL with a sentence. Pure. */
int features_force_off(struct features *f, const char *list, struct err *e);

/*
 * Whether SBERF_WITHOUT leaves the feature NAME on: for features that are found by trying instead
 * of by BTF.
 */
bool features_allow(const char *name);

/*
 * 0 when F suffices to capture (with OFF_CPU, to follow waits too), or when nothing is known of the
 * kernel. Else -ENOTSUP with a sentence that names the kernel RELEASE. Pure.
 */
int features_check(const struct features *f, bool off_cpu, const char *release, struct err *e);

/*
 * Writes the names of the FEATURE_SPARED features that F lacks to DST, separated by commas, or
 * "none"; cut to SIZE bytes. Pure.
 */
void features_missing(const struct features *f, char *dst, size_t size);

#endif
