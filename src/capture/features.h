/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * features.h - what this kernel has for watching waits, by its type information (BTF), never by its version.
 *
 * Nothing here needs a permission: /sys/kernel/btf/vmlinux is for everybody. Reading it takes some milliseconds.
 */
#ifndef SBERF_CAPTURE_FEATURES_H
#define SBERF_CAPTURE_FEATURES_H

#include <stdbool.h>

struct btf;

struct features {
	bool sched_switch, sched_waking;         /* tracepoints that BPF programs can be attached to */
	bool prev_state;         /* the last argument of sched_switch is the state in which a task leaves, since 5.18 */
	bool task_storage;       /* BPF maps bound to a task, since 5.11 */
	bool task_iter;          /* BPF programs that walk over all tasks, since 5.8 */
};

/* All false when the kernel has no BTF. */
void features_read(struct features *ret);

/* What BTF says. Pure. */
void features_of(const struct btf *btf, struct features *ret);

/* features_read() for this one alone: the knob that the BPF programs need before they are loaded. */
bool features_prev_state(void);

#endif
