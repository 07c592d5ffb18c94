/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * query.h - from facts to a call tree: filter, group, name, merge, sort.
 *
 * A tree is built for one question and belongs to whoever asked; it borrows names (symbol/names.h), the snapshot and the
 * dictionary, which must outlive it. Frames of the same function under the same parent are one node; a frame whose
 * function is not known (yet) is a node per address. Pure: the same snapshot, names and query give the same tree.
 */
#ifndef SBERF_PROFILE_QUERY_H
#define SBERF_PROFILE_QUERY_H

#include "base/err.h"
#include "profile/profile.h"
#include "symbol/names.h"

#include <stdbool.h>
#include <stdint.h>

enum group_by {
	GROUP_NONE,              /* one root for all */
	GROUP_PROCESS,           /* "redis-server 1234" */
	GROUP_EXE,
	GROUP_COMM,
	GROUP_THREAD,            /* "comm tid" under its process's name and pid */
	GROUP_CGROUP,
};

/* What a node's time is made of; the columns of the tree. */
enum time_kind {
	TIME_RUNNING,
	TIME_RUNNABLE,
	TIME_BLOCKED,
	TIME_NR,
};

#define QUERY_CALLS_MAX 16u
#define QUERY_THREAD_MAX 64u

struct query {
	uint64_t from_ns, to_ns;         /* CLOCK_MONOTONIC; 0, 0 = everything. Whole slices that overlap. */
	uint32_t kinds;                  /* bit mask of 1 << enum event_kind; 0 = all */
	enum group_by group_by;
	bool inverted;                   /* callers under the innermost function */
	bool hide_kernel;                /* leave kernel frames out; their weight goes to the frame below */
	bool no_inlines;                 /* leave inlined functions out */
	bool fold_idle;                  /* waits that are only idling (below) go into one NODE_IDLE under the root */
	uint32_t states;                 /* waits in these states only: bit mask of 1 << enum wait_state; 0 = all */
	uint32_t calls[QUERY_CALLS_MAX]; /* waits in these calls only (CALL_*) */
	uint32_t nr_calls;               /* 0 = all */
	char thread[QUERY_THREAD_MAX];   /* threads only whose name or tid matches this pattern (fnmatch(3)); "" = all */
	const char *arch;                /* profile_meta.arch, for what calls are; borrowed; NULL = this machine's */
	uint32_t max_nodes;              /* 0 = TREE_NODES_DEFAULT. What finds no node stays with its parent: tree.cut_ns */
};

/*
 * A wait is *idling* when nothing asked its thread to get on: event waits and sleeps, kernel threads without work, and waits on
 * a condition or semaphore of a thread of which at most a tenth of the time asked for goes into anything but idling, as with
 * the workers of a pool. What is a condition or semaphore is told by the innermost functions above the futex call
 * (profile/idle.h), so not before these have names. Only the blocked part idles: whoever has been woken has something to do. A
 * wait for a lock never idles, however long it lasts: that is what a deadlock looks like. Nor do locks that are made of
 * semaphores; so a pool of Python threads, which wait for work in the same function as for any lock, does not fold.
 *
 * Filters of waits (states, calls) leave running time out. A call of the native ABI stands for the same one of the 32-bit ABI.
 */

enum node_kind {
	NODE_ROOT,               /* the whole: node 0 */
	NODE_GROUP,              /* by query.group_by */
	NODE_FUNC,               /* a function: func is set */
	NODE_ADDR,               /* a place without a name, or a note: frame is set */
	NODE_IDLE,               /* query.fold_idle: what was folded; frame is the number of threads in it */
};

#define NODE_NONE UINT32_MAX

struct tree_node {
	uint64_t key;            /* identity that survives refreshes: hash of the path from the root by function and module */
	uint32_t parent, first_child, next_sibling;     /* NODE_NONE = none; children by falling total, then functions by
	                                                 * name before places by module and offset */
	uint32_t nr_children;
	uint16_t depth;          /* root = 0 */
	uint8_t kind;            /* enum node_kind */
	uint8_t inlined;         /* NODE_FUNC: an inlined copy */
	union {
		func_id func;            /* NODE_FUNC */
		frame_id frame;          /* NODE_ADDR */
		thread_id thread;        /* NODE_GROUP: any thread of the group */
	};
	frame_id place;          /* its frame in the heaviest stack that passes through, for file:line; ID_NONE = none */
	float open_longest_ns;   /* how long the longest of the waits in open_ns has lasted; 0 = none */
	uint64_t self_ns;        /* of the stacks that end here: innermost, or, in an inverted tree, outermost */
	uint64_t total_ns;       /* self and that of all below */
	uint64_t kind_ns[TIME_NR];       /* what total_ns is made of */
	uint64_t open_ns;        /* of total_ns: in waits that have not ended; told by slices, so a little more at times */
	uint64_t doubt_ns;       /* of total_ns: stands for waits without a stack of their own (EVENT_F_EXTRAPOLATED) */
	uint64_t count;          /* samples and waits in total; the two parts of a wait count once */
};

struct tree {
	const struct dict *dict;
	const struct names *names;
	struct query query;
	struct tree_node *node;          /* node[0] is the root; parents come before their children */
	uint32_t n;
	uint64_t cut_ns;                 /* weight that stayed with an ancestor because of query.max_nodes */
	uint64_t idle_ns;                /* idling waits in what was asked for, folded or not */
	uint32_t idle_threads;
	uint64_t max_ns;                 /* latest slice end seen, 0 = no facts */
};

/* For screens: 52 MiB. Exports that are to be complete ask for UINT32_MAX, which is as many as an index can tell apart. */
#define TREE_NODES_DEFAULT (1u << 19)

/* Builds the tree. On success *RET is the caller's. -ENOMEM is the only failure. */
int tree_build(const struct snapshot *s, const struct names *names, const struct query *q, struct tree **ret, struct err *e);
void tree_free(struct tree *t);                  /* NULL is fine */

#define LABEL_MAX 4096

/* What NODE is called, sanitised, e.g. "lrangeCommand", "libc.so.6+0x2a1f0", "redis-server 1234", "[cut: ...]". Returns DST. */
char *tree_label(const struct tree *t, uint32_t node, char *dst, size_t dst_size);
/*
 * The suffix that folded stacks give it: "_[k]" kernel (also when inlined, so that kernel time can be told by it), "_[i]" other
 * inlined functions, "_[j]" JIT, or "".
 */
const char *tree_suffix(const struct tree *t, uint32_t node);
/* "server.c:3376" of its heaviest place, or "" when not known. */
char *tree_line(const struct tree *t, uint32_t node, char *dst, size_t dst_size);

DEFINE_AUTO(tree_free, struct tree);

#endif
