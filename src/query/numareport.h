/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * numareport.h - a snapshot read by node: who runs where, whose memory is where, and which
 * functions pay for the distance.
 *
 * The third reading of the facts, beside query.h and waits.h, together with the state of
 * snapshot_numa(). Pure: the same snapshot, names and query give the same view. What rests on
 * sampled accesses and faults is an estimate; the numbers of samples stand beside.
 *
 * *Far* time of a function is the time of the samples whose access went to a far page. Its *cost*
 * is that time weighed by distance (topology_cost_permille()): an access at distance 21 counts 2.1
 * times one at 10. Functions and paths are ranked by cost.
 */
#ifndef SBERF_QUERY_NUMAREPORT_H
#define SBERF_QUERY_NUMAREPORT_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/names.h"
#include "numa/state.h"
#include "profile/profile.h"
#include "query/query.h"

/* Accesses that were sampled: near, far, and of unknown page. */
struct numa_accesses {
	uint64_t near_ns, far_ns;
	uint64_t cost_ns;        /* of far_ns, weighed by distance */
	uint64_t near_count, far_count;          /* samples */
};

struct numa_node_row {
	uint16_t id;
	const struct numa_node *node;    /* NULL: facts name it, the state does not */
	uint64_t running_ns, runnable_ns, blocked_ns;    /* of the target, on its CPUs */
	uint64_t resident_bytes;         /* of the target, estimated */
	uint64_t faults;                 /* whose page came to be here, estimated */
	uint64_t fault_samples;
	uint64_t moves_in, moves_out;    /* with a stack or without */
	struct numa_accesses from;       /* by its CPUs */
	struct numa_accesses to;         /* to its memory: near and far as seen from who accesses */
};

struct numa_cell {                       /* from the CPUs of one node to the memory of another */
	uint64_t ns, count;
};

struct numa_thread_row {
	thread_id thread;
	int32_t home;                    /* that the kernel prefers; else the node where it ran most; -1 = never ran */
	bool home_by_kernel;
	int32_t node;                    /* where it was last; -1 = not known */
	uint64_t running_ns, away_ns;    /* away: running on other nodes than home */
	uint64_t moves;                  /* exact when the state knows the thread */
	struct numa_accesses accesses;
	uint64_t *node_ns;               /* running, by index of view.node; into a block of the view */
};

/* One call path. */
struct numa_path {
	uint64_t key;                    /* the same in every refresh, whichever of its stacks is the heaviest */
	stack_id stack;                  /* the heaviest of those that read the same */
	thread_id thread;                /* with the most of it */
	struct numa_accesses accesses;   /* of NUMA_FAR rows */
	uint64_t count, samples;         /* of other rows: faults, migrations; estimated from so many samples */
};

/* A function: the innermost of the call path that has a name. */
struct numa_func_row {
	uint64_t key;                    /* identity that survives refreshes */
	func_id func;                    /* ID_NONE: a place without name, the innermost frame of its paths */
	struct numa_accesses accesses;
	uint64_t samples;                /* all its on-CPU samples, with address or not */
	uint32_t first_path, nr_paths;   /* in view.path, heaviest first; at most NUMA_PATHS */
	/* accesses by node of the page, by index of view.node; into a block of the view */
	uint64_t *to_ns;
};

/*
 * Where memory was touched first: pages that came to be through a fault in this stack; those that
 * read the same are one.
 */
struct numa_site_row {
	struct numa_path path;           /* count: faults */
	uint64_t *node_count;            /* by index of view.node: where the pages are; into a block of the view */
	uint64_t unknown_count;          /* pages that were nowhere when asked for */
	uint64_t away_count;             /* pages on another node than the CPU that touched them */
	uint8_t mapping;                 /* most of them */
};

/* Stacks in which threads changed nodes. */
struct numa_move_row {
	struct numa_path path;           /* count: migrations */
};

/* What kind of memory was accessed, and where it is. */
struct numa_mapping_row {
	uint8_t mapping;                 /* enum mapping_kind */
	module_id file;                  /* ID_NONE: all of this kind without file, or all residency of the kind */
	struct numa_accesses accesses;
	uint64_t resident_bytes;         /* estimated; of rows without file */
	uint64_t *node_bytes;            /* by index of view.node; into a block of the view */
};

#define NUMA_ROWS 1000u          /* of each kind at most, the heaviest */
#define NUMA_PATHS 20u           /* call paths of one function at most */

struct numa_view {
	const struct dict *dict;
	const struct names *names;
	const struct numa_state *state;  /* of the snapshot; NULL = nothing known */
	struct query query;
	uint32_t nr_nodes;
	struct numa_node_row *node;      /* those of the state and of the facts, by id */
	struct numa_cell *cell;          /* nr_nodes x nr_nodes: row from, column to, both by index of node */
	struct numa_accesses all;
	uint64_t unknown_count;          /* accesses whose page was nowhere */
	uint64_t samples;                /* on-CPU samples in the range asked for */
	uint64_t moves, faults, fault_samples;
	double seconds;                  /* of the range that there are facts for: for rates */
	double sampled_seconds;          /* of it: since accesses and faults are sampled, for rates of these */
	double far_share;                /* far_ns of near_ns + far_ns; 0 without any */
	double far_weighed;              /* the same weighed: cost_ns of near_ns + cost_ns */
	struct numa_thread_row *thread;
	uint32_t nr_threads;             /* by running time */
	struct numa_func_row *func;
	uint32_t nr_funcs;               /* by cost, then accesses */
	struct numa_path *path;
	uint32_t nr_paths;
	struct numa_site_row *site;
	uint32_t nr_sites;               /* by pages that are away from who touched them, then faults */
	struct numa_move_row *move;
	uint32_t nr_moves;
	struct numa_mapping_row *mapping;
	uint32_t nr_mappings;
	void *blocks;                    /* private */
};

/*
 * Builds the view of what Q asks for: range, thread, nodes (of the CPU), hide_kernel, no_inlines.
 * -ENOMEM is the only failure.
 */
int numa_view_build(const struct snapshot *s, const struct names *names, const struct query *q,
		    struct numa_view **ret, struct err *e);
void numa_view_free(struct numa_view *v);     /* NULL is fine */

/* What a function is called, sanitised. Returns DST. */
char *numa_func_label(const struct numa_view *v, uint32_t i, char *dst, size_t size);
/* The functions of a call path as wait_stack_label() writes them, innermost of the program first. */
char *numa_path_label(const struct numa_view *v, stack_id stack, char *dst, size_t size);
/* "heap", "file libfoo.so", ... */
char *numa_mapping_label(const struct numa_view *v, const struct numa_mapping_row *r, char *dst, size_t size);

DEFINE_AUTO(numa_view_free, struct numa_view);

#endif
