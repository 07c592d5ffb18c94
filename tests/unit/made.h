/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * made.h - profiles made by hand, for tests of what reads them. A stack is written root first, frames separated by ";":
 *	name            a function of /usr/bin/app       name_[k]        of the kernel      name_[j]  of a JIT
 *	outer>in>in2    a function with inlined calls, outermost first
 *	@1f0            an unnamed place of /lib/libc.so.6               @k1f0, @j1f0     of the kernel, of anonymous code
 *	!3              the note of cut reason 3                         (other)          that note
 * Text may hold any byte but ";" and ">". Each function is at a place of its own; "name#2" is another place in "name".
 */
#ifndef SBERF_TESTS_UNIT_MADE_H
#define SBERF_TESTS_UNIT_MADE_H

#include "profile/profile.h"
#include "profile/query.h"
#include "symbol/names.h"

#define MADE_ARCH "x86_64"

struct made {
	struct profile *p;
	struct dict *d;
	struct names *names;
	struct event ev;         /* the last that was added */
};

/* Fails the test when out of memory, as everything here does. */
void made_init(struct made *m, const struct profile_limits *limits);
void made_free(struct made *m);

stack_id made_stack(struct made *m, const char *text);
thread_id made_thread(struct made *m, pid_t pid, pid_t tid, const char *comm);

/* Adds a complete user sample of WEIGHT_NS at TIME_NS. */
void made_add(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, uint64_t weight_ns);

/*
 * Adds a part of a wait: KIND, as long as WEIGHT_NS, in CALL ("futex", of x86-64) and STATE ('S'). What it leaves in m->ev may
 * be changed and added again with made_again().
 */
void made_wait(struct made *m, uint64_t time_ns, thread_id thread, const char *stack, enum event_kind kind, const char *call,
	       char state, uint64_t weight_ns);
void made_again(struct made *m);

/* The tree that Q asks for, of a snapshot that is taken and given back. */
struct tree *made_tree(struct made *m, const struct query *q);

/* Sums of everything in a snapshot of M. */
struct made_sums {
	uint64_t ns, count;
	size_t slices, facts;
};
struct made_sums made_sums(struct made *m);

#endif
