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
#include "export/export_view.h"
#include "profile/meta.h"
#include "query/numareport.h"
#include "query/query.h"
#include "query/waits.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The source and the instructions of the functions of T, the tree that V asks for, that take most themselves: each as the terminal view
 * shows it (annotate/annotation.h), with the share of its time that lines and instructions take. Reads files: V's code must be known.
 */
int export_annotated(FILE *out, const struct export_view *v, const struct tree *t, struct err *e);

/*
 * Folded stacks, one line for each different stack, in the order of their text:
 *	comm;main;work_[i];do_syscall_64_[k] 10101
 * The group comes first ("all" when there are none; behind its node, "node 0;comm", when the tree has these), then frames as they
 * are called, with tree_suffix() behind and ";" in names replaced by ":", then microseconds. Stacks that read the same are one
 * line, whatever tells them apart.
 *
 * Rounding is carried from line to line: each line is within 1 us of its weight and the lines add up to the total, rounded
 * once. A stack of less than that keeps its line, with 0 or 1: the reader sees that it exists.
 */
int export_folded(FILE *out, const struct tree *t, struct err *e);

/*
 * The JSON that speedscope reads: a "sampled" profile for each measure that T has some of (at least one), in its unit, over one list of frames with their names, source files (else binaries) and lines. M names it.
 */
int export_speedscope(FILE *out, const struct tree *t, const struct profile_meta *m, struct err *e);

/*
 * What the Firefox Profiler (profiler.firefox.com) loads: each event of V with its time, thread and stack, in milliseconds; categories
 * for user, kernel and JIT code, blocked, runnable and idling time. It takes 24 bytes for each event. -ENOTSUP when V has sums only.
 */
int export_firefox(FILE *out, const struct export_view *v, struct err *e);

/*
 * Everything in T, and of V what waits and nodes say beside, as JSON of our own: docs/json-format.md. T is of V, and its query is
 * what the rest is of, too.
 */
int export_json(FILE *out, const struct export_view *v, const struct tree *t, struct err *e);

struct tree_text_options {
	double min_percent;      /* nodes with less of the whole are left out and counted; 0 = all */
	uint32_t max_depth;      /* levels under the groups; 0 = all */
	bool lines;              /* file:line behind functions where known */
	bool ascii;              /* no UTF-8 of our own; names keep theirs */
	const char *unit;        /* profile_meta.unit: what UNIT_OWN is called; NULL = there is none */
};

/* The head of the column of totals, which are of M: "time", or what they count; OWN is what UNIT_OWN is called. */
static inline const char *tree_text_head(const struct measure *m, const char *own)
{
	return m->wall ? "time" : m->unit == UNIT_OWN && own ? own : m->head;
}

/*
 * An indented tree with shares and times, self and total, for pipes and people. When there is something of several measures in it,
 * columns say how much each line has of each, running, runnable and blocked time if nothing else was asked for; one of estimates, such as
 * far accesses, has the number of samples that they come from. O may be NULL (everything).
 */
int export_tree(FILE *out, const struct tree *t, const struct tree_text_options *o, struct err *e);

/*
 * The functions of a tree that is not inverted, heaviest in themselves first, as aligned columns: self, total (in stacks that have it
 * at all, once however often), running, runnable and blocked time of self where there is such, module, name. All copies of a function
 * are one, inlined or not. Self adds up to the whole. O may be NULL; its depth is not looked at.
 */
int export_flat(FILE *out, const struct tree *t, const struct tree_text_options *o, struct err *e);

struct waits_text_options {
	bool ascii;              /* no UTF-8 of our own; names keep theirs */
};

/*
 * What threads wait for, as aligned columns with a histogram of lengths before the names, then the threads that still wait; for
 * pipes and people. O may be NULL.
 */
int export_waits(FILE *out, const struct waits *w, const struct waits_text_options *o, struct err *e);

struct numa_text_options {
	bool ascii;              /* no UTF-8 of our own; names keep theirs */
	double seconds;          /* that rates are of; 0 = as the view says */
	bool no_waits;           /* waits were not followed, and so migrations are not known */
};

/*
 * A snapshot by node, as sections of aligned columns, for pipes and people: nodes and the accesses between them, functions, first
 * touches and migrations with their call paths, threads, memory, processes. What is estimated has "~" before it, and the number of
 * samples beside. O may be NULL.
 */
int export_numa(FILE *out, const struct numa_view *v, const struct numa_text_options *o, struct err *e);

/*
 * What pprof reads: protocol buffers in gzip (pprof.proto). A sample for each stack, thread, node, state and system call, with these as
 * labels of text, and a value for each thing that is asked for and there: samples, time on the CPU, waits, time blocked and
 * runnable; of far accesses how many they are and their time. Places have their module, with its build-id, and lines with inlined
 * calls. A query without kinds is about all time. OUT must not be a terminal.
 */
int export_pprof(FILE *out, const struct export_view *v, struct err *e);

/*
 * What `perf script` prints: a paragraph for each sample or part of a wait, in the order of time, innermost frame first. Its event is
 * cpu-clock, offcpu-blocked or offcpu-runnable, its period nanoseconds; a query without kinds is about both. Needs single events.
 */
int export_perf_script(FILE *out, const struct export_view *v, struct err *e);

/*
 * A perf.data file with the same samples, for `perf report` and `perf script`, which look for names in the binaries. perf reads 127
 * frames of a stack unless told otherwise. A query without kinds is about all time. Needs single events. OUT must not be a terminal.
 */
int export_perf_data(FILE *out, const struct export_view *v, struct err *e);

/*
 * "name: value" lines for scripts. Names are published: new ones come at the end of their kind, none changes or goes. What is
 * not known is "unknown".
 */
int export_summary(FILE *out, const struct profile_meta *m, const struct snapshot *s, struct err *e);

#endif
