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
	GROUP_CONTAINER,
	GROUP_HOST,              /* the machine, of what was merged */
};

#define QUERY_CALLS_MAX 16u

/* What is asked for, seen from the calls of a probe (query/spanfilter.h). */
enum span_where { SPAN_ALL, SPAN_INSIDE, SPAN_OUTSIDE };

/* How long a call takes: a percentile of all calls, or ns; both 0 = whatever it is. */
struct span_limit {
	uint64_t ns;
	uint8_t percent;
};

static inline bool span_limit_same(const struct span_limit *a, const struct span_limit *b)
{
	return a->ns == b->ns && a->percent == b->percent;
}

/* What is shown of a program in an interpreted language (MODULE_SCRIPT). */
enum script_view {
	SCRIPTS_MERGED,          /* its frames between the native ones, in place of those of its interpreter */
	SCRIPTS_ONLY,            /* its frames alone: no native ones, no kernel */
	SCRIPTS_NATIVE,          /* native frames alone, those of the interpreter with them */
};

struct query {
	uint64_t from_ns, to_ns;         /* CLOCK_MONOTONIC; 0, 0 = everything. Whole slices that overlap */
	uint8_t lead;            /* of MEASURES, the one whose total leads, its id and one; 0: measure_set() */
	/* what to count; 0 = what there is: query_measures() */
	measure_mask measures;
	enum group_by group_by;
	bool inverted;                   /* callers under the innermost function */
	bool hide_kernel;                /* leave kernel frames out; their weight goes to the frame below */
	enum script_view scripts;        /* which frames of interpreted languages, and of what runs them */
	bool hide_libraries;             /* hide frames of libraries in the same way (below) */
	bool no_inlines;                 /* leave inlined functions out */
	/* a function that calls itself, directly or through others, is one node (below) */
	bool fold_recursion;
	bool short_names;                /* labels without parameter lists and template arguments (tree_label()) */
	/* below waits for locks, or where inverted above them, stands what the holders did (query/holderparts.h) */
	bool holders;
	bool fold_idle;                  /* waits that are only idling (below) go into one NODE_IDLE under the root */
	uint32_t states;                 /* waits in these states only: bit mask of 1 << enum wait_state; 0 = all */
	uint32_t calls[QUERY_CALLS_MAX]; /* waits in these calls only (CALL_*) */
	uint32_t nr_calls;               /* 0 = all */
	struct terms terms;              /* what else must hold: checked ones (term_parse(), term_make()) */
	/* only what is at or below one node of the tree: the keys (tree_node.key) on the way to it ... */
	const uint64_t *within;
	/* ... from under the root, as this very query makes them; borrowed; 0 = all */
	uint32_t nr_within;
	struct nodeset nodes;            /* of the CPU: facts of these nodes only; empty = all */
	bool by_node;                    /* a root for each node, with the groups below it */
	uint8_t span;                    /* number of a probe from whose calls it is seen, + 1; 0 = of none */
	uint8_t span_where;              /* enum span_where; with limits SPAN_INSIDE */
	struct span_limit span_from, span_to;    /* only inside of calls that take so long; SPAN_TO exclusive */
	/* calls that those are to be compared with (query/spandiff.h), TO exclusive; both 0 = with none */
	struct span_limit span_than_from, span_than_to;
	bool by_span;                    /* a root for what is inside, and one for what is outside; above nodes */
	/* profile_meta.arch, which system calls depend on; borrowed; NULL = this machine */
	const char *arch;
	bool unsorted;                   /* siblings in any order, for callers that sort them */
	/* 0 = TREE_NODES_DEFAULT. The excess stays with its parent: tree.cut_ns */
	uint32_t max_nodes;
};

/*
 * A wait is *idle* when nothing has asked its thread to continue: event waits and sleeps, kernel
 * threads without work, and waits on a condition or semaphore by a thread that spends at most a
 * tenth of the time asked for on anything else, like the workers of a pool. Conditions and
 * semaphores are recognised by the innermost functions above the futex call (query/idle.h), so not
 * before these have names. Only the blocked part is idle: a woken thread has work to do. A wait for
 * a lock is never idle, however long it lasts, because that is what a deadlock looks like; neither
 * are locks built from semaphores. So a pool of Python threads, which wait for work in the same
 * function as for any lock, is not folded.
 *
 * Filters for waits (query_only_waits()) leave running time out. A call of the native ABI includes
 * the same call of the 32-bit ABI.
 */

/*
 * A *library* is a shared object that does not come with the program: the vDSO, and each code file
 * that is neither the executable of any thread of the profile, nor in the folder of such an
 * executable or below. For an executable in .../bin or .../sbin that folder is the one above.
 * Folders that many programs share (/usr, /usr/local, /lib*, /usr/lib* and their architecture
 * subfolders) do not count as a program's own. Code made at run time and the kernel are not
 * libraries. Where no executable is known, as in files from other tools, libraries are recognised
 * by name: "libc.so.6".
 *
 * With fold_recursion a stack goes back to a function when that is called again: main > a > b > a >
 * c becomes main > a > c. Self times stay the same; the total of a includes everything since its
 * first call, once; b loses what it called a for. An inverted tree has the same paths the other way
 * round.
 */
enum node_kind {
	NODE_ROOT,               /* the whole: node 0 */
	NODE_GROUP,              /* by query.group_by */
	NODE_FUNC,               /* a function: func is set */
	NODE_ADDR,               /* a place without a name, or a note: frame is set */
	NODE_NUMA,               /* query.by_node: frame is the number of the node */
	NODE_IDLE,               /* query.fold_idle: the folded waits; frame is the number of their threads */
	NODE_SPAN,               /* query.by_span: frame is an enum span_place (query/spanfilter.h) */
	NODE_HOLDER,             /* query.holders: who held what was waited for; thread is one of its name */
};

#define NODE_NONE UINT32_MAX
#define MORE_VALUES (MEASURES_ASKED - NODE_VALUES)
#define NODE_VALUES 3u           /* that nodes have room for: most questions are about wall time at most */

struct tree_node {
	/* identity that survives refreshes: hash of the path from the root by function and module */
	uint64_t key;
	/*
	 * NODE_NONE = none. Children by falling total, then functions by name before places by module
	 * and offset.
	 */
	uint32_t parent, first_child, next_sibling;
	uint32_t nr_children;
	uint16_t depth;          /* root = 0 */
	uint8_t kind;            /* enum node_kind */
	uint8_t inlined;         /* NODE_FUNC: an inlined copy; NODE_HOLDER: enum holder_how */
	union {
		func_id func;            /* NODE_FUNC */
		frame_id frame;          /* NODE_ADDR */
		thread_id thread;        /* NODE_GROUP: any thread of the group; NODE_HOLDER */
	};
	/* its frame in the heaviest stack that passes through, for file:line; ID_NONE = none */
	frame_id place;
	float open_longest_ns;   /* length so far of the longest wait in open_ns; 0 = none */
	uint64_t self_ns;        /* of stacks that end here: innermost, or, in an inverted tree, outermost */
	uint64_t total_ns;       /* self and everything below */
	/*
	 * of each measure asked for, in its place of tree.set: parts of total_ns, and measures beside it.
	 * Those of later places are in tree.more: tree_value().
	 */
	uint64_t value[NODE_VALUES];
	/* of total_ns: in open waits; known by whole slices, so it may be a little too much */
	uint64_t open_ns;
	uint64_t doubt_ns;       /* of total_ns: stands for waits without a stack of their own (EVENT_F_EXTRAPOLATED) */
	uint64_t count;          /* samples and waits in total; the two parts of a wait count once */
	/* ns^2: sum of the squares of the weights of samples and waits in total_ns (see below) */
	double squares;
};

/*
 * tree_node.squares tells how far total_ns may be off by chance: its variance is this sum when
 * samples are independent of each other, and waits too. Of a fact only sums are known. So its
 * samples count as equally heavy, and its waits as heavy as the longest of them, whole even if only
 * a piece is in the fact; waits that stand for others count as 10 ms at least. So the estimate is
 * rather too high than too low.
 */

struct tree {
	const struct dict *dict;
	const struct names *names;
	struct query query;
	struct measure_set set;          /* what was asked for */
	struct tree_node *node;          /* node[0] is the root; parents come before their children */
	uint32_t n;
	/* MORE_VALUES values a node; NULL where nothing was asked for in their places */
	uint64_t *more;
	uint64_t cut_ns;                 /* weight left with an ancestor because of query.max_nodes */
	uint64_t idle_ns;                /* idle waits in what was asked for, folded or not */
	uint32_t idle_threads;
	uint64_t max_ns;                 /* latest slice end seen, 0 = no facts */
	_Atomic uint32_t shared;         /* tree_share() */
};

/* The value of the measure in PLACE for the node I of T, and for what is below it. */
static inline uint64_t tree_value(const struct tree *t, uint32_t i, unsigned int place)
{
	if (place < NODE_VALUES)
		return t->node[i].value[place];
	return t->more ? t->more[(size_t)i * MORE_VALUES + place - NODE_VALUES] : 0;
}

/* How many places of T can have a value. */
static inline unsigned int tree_places(const struct tree *t)
{
	return t->more ? MEASURES_ASKED : NODE_VALUES;
}

/* Those of all places. */
static inline void tree_values(const struct tree *t, uint32_t i, uint64_t dst[MEASURES_ASKED])
{
	for (unsigned int place = 0; place < MEASURES_ASKED; place++)
		dst[place] = tree_value(t, i, place);
}

/* Whether T has values of more than its first measure, so that each measure gets a column. */
static inline bool tree_is_parted(const struct tree *t)
{
	bool parted = false;

	for (unsigned int place = 1; place < MEASURES_ASKED; place++)
		parted |= tree_value(t, 0, place) > 0;
	return parted;
}

/* The 100 % of the measure in PLACE. */
static inline uint64_t tree_whole(const struct tree *t, unsigned int place)
{
	return t->set.lead >> place & 1 ? t->node[0].total_ns : tree_value(t, 0, place);
}

/* For screens: 56 MiB. Exports that must be complete ask for UINT32_MAX, the limit of the index. */
#define TREE_NODES_DEFAULT (1u << 19)

/* Whether Q asks only for what is inside of calls. There nothing is idle: somebody waits for their end. */
static inline bool query_only_inside(const struct query *q)
{
	return q->span && q->span_where == SPAN_INSIDE;
}

/* Makes Q ask for what is inside and outside of calls, whatever they took. */
static inline void query_forget_span(struct query *q)
{
	q->span = q->span_where = 0;
	q->by_span = false;
	q->span_from = q->span_to = q->span_than_from = q->span_than_to = (struct span_limit){ 0 };
}

/* Whether Q asks only for certain waits, by their states or calls. */
static inline bool query_only_waits(const struct query *q)
{
	return q->states || q->nr_calls || terms_only_waits(&q->terms);
}

/*
 * The measures that Q counts in S, as a set: those it asks for, else wall time, or what an import
 * counts. A query for certain waits leaves running time out.
 */
measure_mask query_measures(const struct query *q, const struct snapshot *s);
/*
 * Replaces measures that an import lacks by the one that it counts; OWN: this is an import with a
 * measure of its own.
 */
static inline measure_mask measures_known(measure_mask measures, bool own)
{
	return own ? MEASURES_IMPORTED : measures;
}

/*
 * *RET_NS: the time that Q asks for; *RET_ALL_NS: the same without its terms. 0, or -ENOMEM with a
 * sentence.
 */
int query_share(const struct snapshot *s, const struct names *names, const struct query *q, uint64_t *ret_ns,
		uint64_t *ret_all_ns, struct err *e);

/*
 * Finds the first term of Q that matches nothing in S at any time: no thread of that name, no such
 * function. Returns its number; QUERY_TOO_LONG plus its number when searching for it took too long;
 * QUERY_ALL_MATCH when each term matches something and only together they match nothing; or
 * -ENOMEM.
 */
#define QUERY_ALL_MATCH ((int)TERMS_MAX)
#define QUERY_TOO_LONG (QUERY_ALL_MATCH + 1)
int query_unmatched(const struct snapshot *s, const struct names *names, const struct query *q);
/*
 * Writes that result for term WHICH (or QUERY_ALL_MATCH) to DST as a sentence: "no thread is called
 * 'redis': ...". Returns DST.
 */
char *query_unmatched_text(const struct query *q, int which, char *dst, size_t size);

/* Builds the tree. On success *RET is the caller's. -ENOMEM is the only failure. */
int tree_build(const struct snapshot *s, const struct names *names, const struct query *q,
	       struct tree **ret, struct err *e);
void tree_free(struct tree *t);                  /* NULL is fine */
/* Adds an owner to T, in any thread, and returns it; each owner calls tree_free(). */
struct tree *tree_share(struct tree *t);

#define LABEL_MAX 4096
/*
 * Bytes of a name that exports keep, except folded stacks, which keep all. C++ names of 20 kB have
 * been seen.
 */
#define NAME_BYTES_MAX 65535u

/*
 * Writes the label of NODE, sanitised, to DST: "lrangeCommand", "libc.so.6+0x2a1f0", "redis-server
 * 1234", "[cut: ...]". With query.short_names names are shortened (query/shortname.h); nodes stay
 * the same, so two may have one label. Returns DST.
 */
char *tree_label(const struct tree *t, uint32_t node, char *dst, size_t dst_size);
/*
 * Bytes that tree_label() needs for the whole label, at least LABEL_MAX: names of functions and
 * threads can have any length.
 */
size_t tree_label_room(const struct tree *t, uint32_t node);
/*
 * The suffix of NODE in folded stacks: "_[k]" kernel (also when inlined, so that kernel time can be
 * recognised), "_[i]" other inlined functions, "_[j]" JIT, or "".
 */
const char *tree_suffix(const struct tree *t, uint32_t node);
/* What NODE's count is of: "sample", "samples", "waits", "samples and waits"; "events" of other measures. */
const char *tree_counted(const struct tree *t, uint32_t node);
/*
 * Whether the code of NODE has no unwind table, so that stacks go on from it by frame pointers or
 * by a guess. For its heaviest place.
 */
bool tree_no_table(const struct tree *t, uint32_t node);
/*
 * The source file of NODE's heaviest place, raw bytes as in debug information, "" = unknown;
 * *RET_LINE is its line, 0 = unknown.
 */
const char *tree_source(const struct tree *t, uint32_t node, uint32_t *ret_line);
/* Writes "server.c:3376" for its heaviest place to DST, or "" when unknown. Returns DST. */
char *tree_line(const struct tree *t, uint32_t node, char *dst, size_t dst_size);

DEFINE_AUTO(tree_free, struct tree);

#endif
