/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * made.h - profiles made by hand, for tests of what reads them. A stack is written root first,
 * frames separated by ";":
 *	name            a function of /usr/bin/app       name_[k]        of the kernel      name_[j]  of a JIT
 *	outer>in>in2    a function with inlined calls, outermost first
 *	@1f0            an unnamed place of /lib/libc.so.6               @k1f0, @j1f0     of the kernel, of
 *	                anonymous code
 *	app+0x4700      a function of /usr/bin/app without a name, which starts there
 *	!3              the note of cut reason 3                         (other)          that note
 * Text may hold any byte but ";" and ">". Each function is at a place of its own; "name#2" is
 * another place in "name".
 */
#ifndef SBERF_TESTS_UNIT_MADE_H
#define SBERF_TESTS_UNIT_MADE_H

#include "export/exporter.h"
#include "model/names.h"
#include "numa/state.h"
#include "profile/meta.h"
#include "profile/profile.h"
#include "query/numareport.h"
#include "query/query.h"
#include "query/waits.h"

#define MADE_ARCH "x86_64"

struct made {
	struct profile *p;
	struct dict *d;
	struct names *names;
	struct event ev;         /* the last that was added */
	struct tree *tree;       /* the last that made_look() gave; NULL = none */
	struct waits *waits;     /* ... and made_waits() */
	struct numa_view *numa;  /* ... and made_numa() */
};

/* Fails the test when out of memory, as everything here does. */
void made_init(struct made *m, const struct profile_limits *limits);
void made_free(struct made *m);

/* For a test whose state is a struct made of its own: MADE_TEST(function). */
int made_set_up(void **state);
int made_tear_down(void **state);
#define MADE_TEST(f) cmocka_unit_test_setup_teardown(f, made_set_up, made_tear_down)

stack_id made_stack(struct made *m, const char *text);
/* OFFSET bytes into the variable NAME of /usr/bin/app, as a place of data (FRAME_DATA): a stack of one frame. */
stack_id made_variable(struct made *m, const char *name, uint64_t offset);
thread_id made_thread(struct made *m, pid_t pid, pid_t tid, const char *comm);

/* Adds a complete user sample of WEIGHT_NS at TIME_NS. */
void made_add(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, uint64_t weight);

/*
 * Adds a part of a wait: KIND, as long as WEIGHT_NS, in CALL ("futex", of x86-64) and STATE ('S').
 * What it leaves in m->ev may be changed and added again with made_again().
 */
void made_wait(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, enum event_kind kind,
	       const char *call, char state, uint64_t weight);
/*
 * Adds a migration from node FROM to node TO, a page fault of a CPU of FROM whose page is on TO, or
 * an access from FROM to TO. WEIGHT: how many, or the time that the access stands for. The place
 * (anonymous memory, no file) may be changed in m->ev too.
 */
void made_place(struct made *m, uint64_t time_ns, thread_id thread, const char *stack,
		enum event_kind kind, uint16_t from, uint16_t to, uint64_t weight);
/*
 * Adds COUNT hits of the probe PROBE (model/probes.h) that weigh WEIGHT together, and may be changed
 * in m->ev too.
 */
void made_hits(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, uint32_t probe,
	       uint32_t count, uint64_t weight);
/* Adds COUNT calls of PROBE that took EACH_NS, as hits, and what was inside: THREAD ran in STACK all the time. */
void made_calls(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, uint32_t probe, uint32_t count,
		uint64_t each_ns);
void made_again(struct made *m);
/* Adds it again as a wait that has not ended. */
void made_open(struct made *m);

/*
 * The state of a machine whose NR nodes have the numbers ID (NULL = 0, 1, ...), four CPUs and 16 GB
 * each, and the distances of the NR x NR matrix D (NULL = not known). Addresses and faults are
 * sampled. To be changed, and given to made_put_on().
 */
struct numa_state *made_machine(uint32_t nr, const uint16_t *id, const uint16_t *d);
/* M is on the machine of STATE from now on, which this takes. */
void made_put_on(struct made *m, struct numa_state *state);

/* The tree that Q asks for, of a snapshot that is taken and given back. */
struct tree *made_tree(struct made *m, const struct query *q);

/* query.terms with one term: WHAT, a string literal. */
#define MADE_TERM(what_, text_) { .n = 1, .v = { { .what = (what_), .text = text_ } } }
/* Appends to Q's terms what a person would write as TEXT; Q->arch says which calls there are. */
void made_term(struct query *q, const char *text);
/* The same in place of them. */
void made_only(struct query *q, const char *text);

/* The same, the list of waits, and the view by node, for looking only: they stay until the next call or made_free(). */
const struct tree *made_look(struct made *m, const struct query *q);
const struct waits *made_waits(struct made *m, const struct query *q);
const struct numa_view *made_numa(struct made *m, const struct query *q);

/* What is known of a thread (made_thread()) and of the memory of a process, added to a state. */
void made_home(struct numa_state *s, pid_t pid, pid_t tid, int32_t home, uint32_t node, uint64_t moves);
struct numa_process *made_process(struct numa_state *s, pid_t pid);
void made_resident(struct numa_process *p, uint16_t node, enum mapping_kind mapping, uint64_t bytes);

/*
 * Writes M to F as X, in the way of HOW (NULL = all that is usual; its snapshot, names, query and
 * tree are set here): what Q asks for, without what the format would choose where Q says nothing.
 * What exporter.write() returns.
 */
int made_write(struct made *m, FILE *f, const struct exporter *x, const struct query *q,
	       const struct export_view *how, struct err *e);
/* What exporter_summary writes; to be freed with free(). */
char *made_summary(struct made *m, const struct profile_meta *meta);

/* Sums of everything in a snapshot of M. */
struct made_sums {
	uint64_t ns, count;
	size_t slices, facts;
};
struct made_sums made_sums(struct made *m);

#endif
