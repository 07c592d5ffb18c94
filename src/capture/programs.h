/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * programs.h - the BPF programs as a table: which of them a capture loads, and when each is attached.
 *
 * A program of bpf/ is one row here (programs.c): its name, the conditions under which it is loaded, and what attaches it. Nothing
 * else names it but who has to give it something of its own.
 */
#ifndef SBERF_CAPTURE_PROGRAMS_H
#define SBERF_CAPTURE_PROGRAMS_H

#include "base/err.h"

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stdint.h>

/* What a capture wants and this kernel has; a program is loaded when all of its conditions hold. */
enum program_when {
	WHEN_WALKS = 1 << 0,         /* stacks are walked by learned rules; else they are copied only */
	WHEN_MMAP_LOCK = 1 << 1,     /* the kernel has the tracepoint mmap_lock_released */
	WHEN_WAITS = 1 << 2,         /* off-CPU time is followed */
	WHEN_MANY_NODES = 1 << 3,    /* the machine has more than one NUMA node */
	WHEN_NUMA = 1 << 4,          /* accesses and page faults may be sampled */
	WHEN_BALANCE = 1 << 5,       /* faults of automatic NUMA balancing can be told from others */
	WHEN_CHILDREN = 1 << 6,      /* children of the target belong to it */
	WHEN_NEW_TASKS = 1 << 7,     /* something has to be known of tasks that start: WHEN_CHILDREN or WHEN_WAITS */
	WHEN_EXEC = 1 << 8,          /* programs that are executed matter: the target is threads, or has a name */
	WHEN_PLACES = 1 << 9,        /* places in programs are probed */
	WHEN_NAME = 1 << 10,         /* processes that get the target's name belong to it */
};

enum program_attach {
	ATTACH_SAMPLES,              /* to the perf events that sample (sampler.h) */
	ATTACH_FAULTS,               /* to the perf events of page faults */
	ATTACH_LOADED,               /* as soon as it is loaded, before there is a target */
	ATTACH_WAITS,                /* while waits are followed, in the order of the table */
	ATTACH_EVENTS,               /* while the capture runs */
	ATTACH_PLACES,               /* by links of their own (link.h) */
	ATTACH_LIVE,                 /* and detached by itself, by a switch */
	ATTACH_ITERATOR,             /* by the first reading of what it lists */
	ATTACH_RUN,                  /* never: it is run once */
};

#define PROGRAMS_MAX 32u

/* The programs of one BPF object. Zeroed, then programs_find(). */
struct programs {
	struct bpf_program *prog[PROGRAMS_MAX];  /* by row: that which copies stacks; once they are chosen, the one that may be loaded */
	struct bpf_program *walking[PROGRAMS_MAX];       /* its twin that walks them; NULL = it has none */
	struct bpf_link *link[PROGRAMS_MAX];     /* NULL = not attached */
};

/* Finds the programs of the table in OBJ, which is open and has to outlive P. -ENOENT with a sentence: it lacks one. */
int programs_find(struct programs *p, struct bpf_object *obj, struct err *e);
/* Detaches all. Before OBJ is closed; P may be zeroed only. */
void programs_free(struct programs *p);

/*
 * Chooses what is loaded with the object, once: whatever needs nothing but WHEN, a mask of enum program_when, and makes no events but of KINDS,
 * a mask of 1 << enum event_kind, if it is for these alone.
 */
void programs_choose(struct programs *p, uint32_t when, uint32_t kinds);

/* The fd of the program that was chosen of those attached in the way HOW, for perf events and test runs; negative: none, or it is not loaded. */
int programs_fd(const struct programs *p, enum program_attach how);

/* The program that was chosen of those attached in the way HOW; NULL when there is none. */
struct bpf_program *programs_chosen(const struct programs *p, enum program_attach how);

/* Attaches all chosen programs of HOW that are not attached yet. What was attached stays so when one fails. */
int programs_attach(struct programs *p, enum program_attach how, struct err *e);
/* Detaches all of HOW, that called FIRST (NULL = none) before the others. */
void programs_detach(struct programs *p, enum program_attach how, const char *first);
/* Whether any of HOW is attached. */
bool programs_attached(const struct programs *p, enum program_attach how);

/* A new fd that gives what the iterator NAME lists, the caller's; a negative errno with a sentence when it cannot be had. */
int programs_iterate(struct programs *p, const char *name, struct err *e);

#endif
