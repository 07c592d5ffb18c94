/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * query.h - from facts to a call tree: filter, group, name, merge, sort.
 *
 * A tree is built for one question and belongs to whoever asked; it borrows names (model/names.h), the snapshot and the
 * dictionary, which must outlive it. Frames of the same function under the same parent are one node; a frame whose
 * function is not known (yet) is a node per address. Pure: the same snapshot, names and query give the same tree.
 */
#ifndef SBERF_QUERY_QUERY_H
#define SBERF_QUERY_QUERY_H

#include "base/err.h"
#include "model/measure.h"
#include "model/names.h"
#include "model/nodeset.h"
#include "profile/profile.h"
#include "query/terms.h"

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

#define QUERY_CALLS_MAX 16u

struct query {
	uint64_t from_ns, to_ns;         /* CLOCK_MONOTONIC; 0, 0 = everything. Whole slices that overlap. */
	uint32_t measures;               /* what to count: mask of 1 << measure (model/measure.h); 0 = what there is: query_measures() */
	enum group_by group_by;
	bool inverted;                   /* callers under the innermost function */
	bool hide_kernel;                /* leave kernel frames out; their weight goes to the frame below */
	bool hide_libraries;             /* leave frames of libraries out, in the same way (below) */
	bool no_inlines;                 /* leave inlined functions out */
	bool fold_recursion;             /* a function that calls itself, at once or by way of others, is one node (below) */
	bool short_names;                /* labels without parameter lists and template arguments (tree_label()) */
	bool fold_idle;                  /* waits that are only idling (below) go into one NODE_IDLE under the root */
	uint32_t states;                 /* waits in these states only: bit mask of 1 << enum wait_state; 0 = all */
	uint32_t calls[QUERY_CALLS_MAX]; /* waits in these calls only (CALL_*) */
	uint32_t nr_calls;               /* 0 = all */
	struct terms terms;              /* what else must hold: checked ones (term_parse(), term_make()) */
	const uint64_t *within;          /* what is at or below a node of the tree only: the keys (tree_node.key) that lead there */
	uint32_t nr_within;              /* from under the root, as this very question has them; borrowed; 0 = all */
	struct nodeset nodes;            /* of the CPU: facts of these nodes only; empty = all */
	bool by_node;                    /* a root for each node, with the groups below it */
	const char *arch;                /* profile_meta.arch, for what calls are; borrowed; NULL = this machine's */
	bool unsorted;                   /* siblings in any order, for who puts them into one of his own */
	uint32_t max_nodes;              /* 0 = TREE_NODES_DEFAULT. What finds no node stays with its parent: tree.cut_ns */
};

/*
 * A wait is *idling* when nothing asked its thread to get on: event waits and sleeps, kernel threads without work, and waits on
 * a condition or semaphore of a thread of which at most a tenth of the time asked for goes into anything but idling, as with
 * the workers of a pool. What is a condition or semaphore is told by the innermost functions above the futex call
 * (query/idle.h), so not before these have names. Only the blocked part idles: whoever has been woken has something to do. A
 * wait for a lock never idles, however long it lasts: that is what a deadlock looks like. Nor do locks that are made of
 * semaphores; so a pool of Python threads, which wait for work in the same function as for any lock, does not fold.
 *
 * Filters of waits (query_only_waits()) leave running time out. A call of the native ABI stands for the same one of the 32-bit ABI.
 */

/*
 * A *library* is a shared object that a program does not bring along: the vDSO, and each file of code that is neither the executable
 * of any thread of the profile, nor in the folder of such an executable or below. For an executable in .../bin or .../sbin that
 * is the folder above. Folders that many programs share (/usr, /usr/local, /lib*, /usr/lib* and what these have for an architecture)
 * bring nothing along. Code that was made at run time, and the kernel, are no libraries. Where no executable is known, as in what
 * other tools wrote, libraries are files that are called so: "libc.so.6".
 *
 * With fold_recursion a stack goes back to where a function is already when that is called again: of main > a > b > a > c stays
 * main > a > c. So self times of functions are what they were, the total of a has everything since its first call, once, and b loses
 * what it called a for. In an inverted tree the same paths stand the other way round.
 */
enum node_kind {
	NODE_ROOT,               /* the whole: node 0 */
	NODE_GROUP,              /* by query.group_by */
	NODE_FUNC,               /* a function: func is set */
	NODE_ADDR,               /* a place without a name, or a note: frame is set */
	NODE_NUMA,               /* query.by_node: frame is the number of the node */
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
	uint64_t value[MEASURES_ASKED];  /* of each measure asked for, in its place of tree.set: what total_ns is made of, and what is beside */
	uint64_t open_ns;        /* of total_ns: in waits that have not ended; told by slices, so a little more at times */
	uint64_t doubt_ns;       /* of total_ns: stands for waits without a stack of their own (EVENT_F_EXTRAPOLATED) */
	uint64_t count;          /* samples and waits in total; the two parts of a wait count once */
	double squares;          /* ns^2: of total_ns, the sum of the squares of what each sample and wait weighs (see below) */
};

/*
 * From tree_node.squares follows how far total_ns may be from the truth by chance: its variance is that sum when samples come
 * independently of each other, and so do waits. Of a fact only sums are known: its samples count as equally heavy, its waits as heavy
 * as the longest of them, whole also where it has only a piece; waits that stand for others as 10 ms at least. So it is rather
 * too much than too little.
 */

struct tree {
	const struct dict *dict;
	const struct names *names;
	struct query query;
	struct measure_set set;          /* what was asked for */
	struct tree_node *node;          /* node[0] is the root; parents come before their children */
	uint32_t n;
	uint64_t cut_ns;                 /* weight that stayed with an ancestor because of query.max_nodes */
	uint64_t idle_ns;                /* idling waits in what was asked for, folded or not */
	uint32_t idle_threads;
	uint64_t max_ns;                 /* latest slice end seen, 0 = no facts */
	_Atomic uint32_t shared;         /* tree_share() */
};

/* Whether there is something of more than the first measure in T, so that each has a column. */
static inline bool tree_is_parted(const struct tree *t)
{
	return t->node[0].value[1] || t->node[0].value[2];
}

/* What 100 % is of the measure in PLACE. */
static inline uint64_t tree_whole(const struct tree *t, unsigned int place)
{
	return t->set.lead >> place & 1 ? t->node[0].total_ns : t->node[0].value[place];
}

/* For screens: 56 MiB. Exports that are to be complete ask for UINT32_MAX, which is as many as an index can tell apart. */
#define TREE_NODES_DEFAULT (1u << 19)

/* Whether Q asks for waits of some kind only, by their states or calls. */
static inline bool query_only_waits(const struct query *q)
{
	return q->states || q->nr_calls || terms_only_waits(&q->terms);
}

/*
 * What Q counts in S, as a mask: what it asks for, else wall time, or what an import counts. Where waits are chosen running time is left
 * out.
 */
uint32_t query_measures(const struct query *q, const struct snapshot *s);
/* Those of which there is nothing in an import are replaced by what it counts; OWN says whether it is one. */
static inline uint32_t measures_known(uint32_t measures, bool own)
{
	return own ? MEASURES_IMPORTED : measures;
}

/*
 * What Q asks for, in ns, and what it would without its terms: *RET_NS of *RET_ALL_NS. -ENOMEM with a sentence.
 */
int query_share(const struct snapshot *s, const struct names *names, const struct query *q, uint64_t *ret_ns, uint64_t *ret_all_ns,
		struct err *e);

/*
 * The first of Q's terms that asks for something which there is nothing of in S at any time: no thread of that name, no such function.
 * Its number; QUERY_TOO_LONG plus the number of one that takes too long to be looked for, for which nothing is left; QUERY_ALL_MATCH when every term has something and only together they leave nothing, or -ENOMEM.
 */
#define QUERY_ALL_MATCH ((int)TERMS_MAX)
#define QUERY_TOO_LONG (QUERY_ALL_MATCH + 1)
int query_unmatched(const struct snapshot *s, const struct names *names, const struct query *q);
/* That as a sentence about term WHICH, "no thread is called 'redis': ..."; WHICH may be QUERY_ALL_MATCH. Returns DST. */
char *query_unmatched_text(const struct query *q, int which, char *dst, size_t size);

/* Builds the tree. On success *RET is the caller's. -ENOMEM is the only failure. */
int tree_build(const struct snapshot *s, const struct names *names, const struct query *q, struct tree **ret, struct err *e);
void tree_free(struct tree *t);                  /* NULL is fine */
/* T for one owner more, in any thread: each of them calls tree_free(). */
struct tree *tree_share(struct tree *t);

#define LABEL_MAX 4096
/* Bytes that exports keep of a name; folded stacks keep all. Names of 20 kB have been met in C++. */
#define NAME_BYTES_MAX 65535u

/*
 * What NODE is called, sanitised, e.g. "lrangeCommand", "libc.so.6+0x2a1f0", "redis-server 1234", "[cut: ...]". With query.short_names
 * as query/shortname.h says; nodes are the same ones, so two can have one label. Returns DST.
 */
char *tree_label(const struct tree *t, uint32_t node, char *dst, size_t dst_size);
/* Bytes that tree_label() needs to cut nothing, at least LABEL_MAX: names of functions and threads can have any length. */
size_t tree_label_room(const struct tree *t, uint32_t node);
/*
 * The suffix that folded stacks give it: "_[k]" kernel (also when inlined, so that kernel time can be told by it), "_[i]" other
 * inlined functions, "_[j]" JIT, or "".
 */
const char *tree_suffix(const struct tree *t, uint32_t node);
/* Does the code of NODE have no unwind table, so that stacks go on from it by frame pointers, or by a guess? Of its heaviest place. */
bool tree_no_table(const struct tree *t, uint32_t node);
/* The source file of NODE's heaviest place, raw bytes as debug information has it, "" = not known; its line, 0 = not known. */
const char *tree_source(const struct tree *t, uint32_t node, uint32_t *ret_line);
/* "server.c:3376" of its heaviest place, or "" when not known. */
char *tree_line(const struct tree *t, uint32_t node, char *dst, size_t dst_size);

DEFINE_AUTO(tree_free, struct tree);

#endif
