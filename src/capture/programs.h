/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * programs.h - the BPF programs as a table: which ones a capture loads, and when each is attached.
 *
 * Each program of bpf/ is one row in programs.c: its name, the conditions under which it is loaded,
 * and how it is attached. Other code names a program only to give it something of its own.
 */
#ifndef SBERF_CAPTURE_PROGRAMS_H
#define SBERF_CAPTURE_PROGRAMS_H

#include "base/err.h"

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Conditions: what a capture wants and this kernel has. A program is loaded when all of its
 * conditions hold.
 */
enum program_when {
	WHEN_WALKS = 1 << 0,         /* stacks are walked by learned rules; else they are copied only */
	WHEN_MMAP_LOCK = 1 << 1,     /* the kernel has the tracepoint mmap_lock_released */
	WHEN_WAITS = 1 << 2,         /* off-CPU time is followed */
	WHEN_MOVES = 1 << 3,         /* the machine has more than one NUMA node, or quotas are counted by run queues */
	WHEN_NUMA = 1 << 4,          /* accesses and page faults may be sampled */
	WHEN_BALANCE = 1 << 5,       /* faults of automatic NUMA balancing can be told from others */
	WHEN_CHILDREN = 1 << 6,      /* children of the target belong to it */
	WHEN_NEW_TASKS = 1 << 7,     /* something must be known of new tasks: WHEN_CHILDREN or WHEN_WAITS */
	WHEN_EXEC = 1 << 8,          /* exec matters: the target is threads, or has a name */
	WHEN_PLACES = 1 << 9,        /* places in programs are probed */
	WHEN_CALLS = 1 << 11,        /* system calls are probed */
	WHEN_FUNCTIONS = 1 << 12,    /* functions of programs are probed from entry to return */
	WHEN_TRACES = 1 << 13,       /* tracepoints are probed */
	WHEN_RAW_TRACES = 1 << 14,   /* tracepoints are probed with what the kernel passes to them */
	WHEN_KERNEL_FUNCTIONS = 1 << 15,     /* functions of the kernel are probed */
	WHEN_PAGED = 1 << 16,        /* page faults are probed */
	WHEN_SIGNALS = 1 << 17,      /* signals are probed */
	WHEN_ALLOCS = 1 << 19,       /* blocks of memory are followed by functions that allocate, */
	WHEN_ALLOC_SESSIONS = 1 << 20,       /* and the kernel has sessions */
	WHEN_ALLOC_PAIRS = 1 << 21,  /* the same, and it has none */
	WHEN_FREES = 1 << 22,        /* and their frees */
	WHEN_ALLOCS_TOLD = 1 << 23,  /* the same, where programs tell of both by themselves */
	WHEN_KERNEL_RETURNS = 1 << 24,       /* and returns of these */
	WHEN_GROWTH = 1 << 25,       /* it is told what makes memory resident, and what is mapped */
	WHEN_FOLLOWED = 1 << 26,     /* calls of functions of the kernel are followed */
	WHEN_FOLLOWED_RETURNS = 1 << 27,     /* and returns of these, where their callers see them */
	WHEN_CALLED = 1 << 28,       /* and what they call */
	WHEN_NAME = 1 << 10,         /* processes that take the target's name join it */
	WHEN_KERNEL_LOCKS = 1 << 29, /* waits for locks of the kernel say for which, and the kernel tells */
	WHEN_OWN_COST = 1 << 18,     /* something is timed from one place in a program to another */
};

enum program_attach {
	ATTACH_SAMPLES,              /* to the perf events that sample (sampler.h) */
	ATTACH_FAULTS,               /* to the perf events of page faults */
	ATTACH_LOADED,               /* as soon as it is loaded, before there is a target */
	ATTACH_WAITS,                /* while waits are followed, in the order of the table */
	ATTACH_EVENTS,               /* while the capture runs */
	ATTACH_CALLS,                /* while the capture runs and system calls are probed, in the order of the table */
	ATTACH_GROWTH,               /* the same, while growth of memory is followed */
	ATTACH_MAPPING_CALLS,        /* the same, by a link for each of plan.mapping_calls */
	ATTACH_PLACES,               /* by links of their own (link.h) */
	ATTACH_ENTRIES,              /* the same, where functions begin that are probed up to their return */
	ATTACH_RETURNS,              /* and where these return */
	ATTACH_ALLOCS,               /* the same, where functions begin that allocate memory, */
	ATTACH_ALLOC_RETURNS,        /* where these return, unless ATTACH_ALLOCS includes that, */
	ATTACH_GO_ALLOCS,            /* where a function of Go's runtime begins that allocates it, */
	ATTACH_FREES,                /* and where functions begin that free it */
	ATTACH_TOLD_ALLOCS,          /* the same, where a program tells of a block that it has sampled, */
	ATTACH_TOLD_FREES,           /* and that it frees such a one */
	ATTACH_TRACES,               /* by a link for each tracepoint (tracelink.h) */
	ATTACH_RAW_TRACES,           /* the same, raw */
	ATTACH_KERNEL_FUNCTIONS,     /* the same, where functions of the kernel begin */
	ATTACH_KERNEL_RETURNS,       /* the same, where they return */
	ATTACH_FOLLOWED,             /* the same, anywhere in functions whose calls are followed */
	ATTACH_FOLLOWED_RETURNS,     /* the same, where they return */
	ATTACH_CALLED,               /* the same, where functions begin that these call, many at once */
	ATTACH_CALLED_RETURNS,       /* the same, where they return */
	ATTACH_POINTERS,             /* the same, where these call others by pointers */
	ATTACH_PAGED,                /* the same, to the counters of page faults of each CPU */
	ATTACH_SIGNALS,              /* the same, where signals are sent */
	ATTACH_LIVE,                 /* and detached separately, by a switch */
	ATTACH_ITERATOR,             /* by the first read of its list */
	ATTACH_OWN_BEGIN,            /* for a moment, by links of their own, to sberf itself (owncost.h): at begins */
	ATTACH_OWN_END,              /* the same, at ends */
	ATTACH_OWN_CALLS,            /* for a moment, to the system calls of sberf itself */
	ATTACH_RUN,                  /* never: test-run once */
};

#define PROGRAMS_MAX 53u

/* The programs of one BPF object. Zero it, then call programs_find(). */
struct programs {
	/* by row: the variant that copies stacks; after programs_choose(), the variant chosen */
	struct bpf_program *prog[PROGRAMS_MAX];
	struct bpf_program *walking[PROGRAMS_MAX];       /* the variant that walks them; NULL = there is none */
	struct bpf_link *link[PROGRAMS_MAX];     /* NULL = not attached */
};

/*
 * Finds the programs of the table in OBJ, which is open and must outlive P. -ENOENT with a sentence
 * when one is missing.
 */
int programs_find(struct programs *p, struct bpf_object *obj, struct err *e);
/* Detaches all. Call it before OBJ is closed; P may be just zeroed. */
void programs_free(struct programs *p);

/*
 * Chooses, once and before loading, which programs the object loads: those whose conditions are all
 * in WHEN, a mask of enum program_when; and of those that serve certain kinds of events only, the
 * ones that serve a kind in KINDS, a mask of 1 << enum event_kind.
 */
void programs_choose(struct programs *p, uint32_t when, uint32_t kinds);

/*
 * The same for an object that is loaded beside another one: those that have conditions, which are all
 * in WHEN. WALKS: the variants that walk stacks.
 */
void programs_choose_late(struct programs *p, uint32_t when, bool walks);

/*
 * The fd of the chosen program that is attached in the way HOW, for perf events and test runs;
 * negative when there is none or it is not loaded.
 */
int programs_fd(const struct programs *p, enum program_attach how);

/* The chosen program that is attached in the way HOW; NULL when there is none. */
struct bpf_program *programs_chosen(const struct programs *p, enum program_attach how);

/*
 * Attaches all chosen programs of HOW that are not attached yet. 0, or a negative errno with a
 * sentence; those attached before the failure stay attached.
 */
int programs_attach(struct programs *p, enum program_attach how, struct err *e);
/* Detaches all programs of HOW, the one called FIRST (NULL = none) before the others. */
void programs_detach(struct programs *p, enum program_attach how, const char *first);
/* Whether any program of HOW is attached. */
bool programs_attached(const struct programs *p, enum program_attach how);

/*
 * Returns a new fd, owned by the caller, that reads as the list of the iterator NAME; a negative
 * errno with a sentence on failure.
 */
int programs_iterate(struct programs *p, const char *name, struct err *e);

#endif
