/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export.h - a profile as text for people, scripts and other programs.
 *
 * Each writes to OUT, flushes it, and returns 0, or a negative errno with a sentence when that fails at any point (a full
 * disk, a closed pipe; the caller ignores SIGPIPE) or memory runs out. OUT stays open. Everything foreign is sanitised
 * (base/text.h). The same profile and names give the same bytes.
 */
#ifndef SBERF_EXPORT_EXPORT_H
#define SBERF_EXPORT_EXPORT_H

#include "base/err.h"
#include "profile/meta.h"
#include "profile/query.h"
#include "profile/waits.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Folded stacks, one line for each different stack, in the order of their text:
 *	comm;main;work_[i];do_syscall_64_[k] 10101
 * The group comes first ("all" when there are none), then frames as they are called, with tree_suffix() behind and ";" in
 * names replaced by ":", then microseconds. Stacks that read the same are one line, whatever tells them apart.
 *
 * Rounding is carried from line to line: each line is within 1 us of its weight and the lines add up to the total, rounded
 * once. A stack of less than that keeps its line, with 0 or 1: the reader sees that it exists.
 */
int export_folded(FILE *out, const struct tree *t, struct err *e);

struct tree_text_options {
	double min_percent;      /* nodes with less of the whole are left out and counted; 0 = all */
	uint32_t max_depth;      /* levels under the groups; 0 = all */
	bool lines;              /* file:line behind functions where known */
	bool ascii;              /* no UTF-8 of our own; names keep theirs */
};

/*
 * An indented tree with shares and times, self and total, for pipes and people. When there is time off the CPU in it, three
 * columns say how much of each line is running, runnable and blocked. O may be NULL (everything).
 */
int export_tree(FILE *out, const struct tree *t, const struct tree_text_options *o, struct err *e);

struct waits_text_options {
	bool ascii;              /* no UTF-8 of our own; names keep theirs */
};

/*
 * What threads wait for, as aligned columns with a histogram of lengths before the names, then the threads that still wait; for
 * pipes and people. O may be NULL.
 */
int export_waits(FILE *out, const struct waits *w, const struct waits_text_options *o, struct err *e);

/*
 * "name: value" lines for scripts. Names are published: new ones come at the end of their kind, none changes or goes. What is
 * not known is "unknown".
 */
int export_summary(FILE *out, const struct profile_meta *m, const struct snapshot *s, struct err *e);

#endif
