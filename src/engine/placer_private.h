/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placer_private.h - what the parts of placer.h share: its thread and who asks it (placer.c), places that are put
 * in and taken off (placer_places.c), what hits cost and which part of the time is paid for (placer_budget.c), and
 * probes that come and go while it runs (placer_orders.c).
 */
#ifndef SBERF_ENGINE_PLACER_PRIVATE_H
#define SBERF_ENGINE_PLACER_PRIVATE_H

#include "engine/placer.h"

#include "base/vec.h"
#include "engine/placing.h"
#include "model/probes.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Probes that are placed together: those of the command line, or one that was added later. */
struct probe_set {
	const struct placing *what;
	struct placing *own;     /* the same when it is the placer's; NULL */
	uint64_t off;            /* those that were taken off, by their number, as a mask */
};

/* A file of a process that was looked into for a set. */
struct done {
	const struct placing *what;
	pid_t pid;
	bool own;                /* of a process that is called as a probe says */
	struct placing_file file;
};

/* What is to be placed in a file of a process: a set of places that it owns. */
struct placed {
	const struct placing *what;
	struct placing_file file;
	pid_t pid;
	struct link_places places;       /* its arrays are at OFFSET, one behind the other */
	int fd;                  /* of the file, when it may outlive the process: path is by it; else -1 */
	char *path;
	uint64_t *offset;
	struct links *links;     /* NULL = nothing is in place */
	uint64_t probes;         /* which are, by their number, as a mask */
	uint32_t probe;          /* of which all of them are */
};

enum order_of { ORDER_PROBE, ORDER_GROWTH, ORDER_BLOCKS };

/* A probe to be added, or taken off; or growth or blocks of memory to be followed, or not any more. */
struct order {
	enum order_of of;
	char *text;              /* of a probe to be added; NULL = PROBE is to be taken off */
	uint32_t probe;
	uint32_t interval;       /* as of placer_growth() and placer_blocks() */
};

/* A process to be looked at. */
struct asked {
	uint32_t pid;
	bool born;               /* it is new: what is known under its number is of another one */
	bool gone;               /* its first thread has ended */
	uint32_t parent;         /* who forked it when it is born, else 0 */
	uint64_t since_ns;       /* when it came to have what may be probed, CLOCK_MONOTONIC */
};

struct placer {
	struct source *source;
	const char *no_programs;
	pthread_t thread;
	bool running;
	struct unseen *unseen;   /* where programs tell of their memory by themselves; else NULL */

	/* The placer's thread, or whoever calls placer_new(). */
	VEC(struct done) done;
	VEC(struct placed) placed;
	bool again;              /* what is found in the process at hand was found before */
	u32_vec unwinding;       /* processes that can throw exceptions, as far as that was looked at */
	size_t set;              /* of sets, that is being looked for, */
	pid_t pid;               /* in which process, */
	struct err in_the_way;   /* why places of it were not asked for; code 0 = all were */
	uint32_t unpriced;       /* a probe that was added, whose price is not known yet; PROBE_NONE */
	const struct link_places *places;        /* of that what is being placed, */
	uint32_t refused[PROBES_MAX];            /* of these places, those that the kernel refused, */
	struct probe_places found[PROBES_MAX];   /* and what came of each probe in that process */
	bool everywhere;         /* links are of all processes, and what is done is by file alone */
	uint32_t budget;
	bool thins;
	uint32_t scale;          /* of the slice that is under way; 1 = probes are always in place */
	uint32_t next_scale;     /* of the one to come */
	bool off;                /* between slices: nothing is in place */
	uint64_t allocs_seen;    /* calls of functions that allocate, when that began, */
	uint32_t alloc_cost_ns;  /* and what one costs at most, of those that are called often; 0 = not known */
	uint64_t trapped;        /* hits in programs by then, */
	uint64_t trapped_before; /* and when probes were about to be put in place for it */
	bool had_blocks;         /* figures.blocks was set once */
	uint64_t in_slice;       /* of these, within the last slice */
	uint32_t spent;          /* budget_spent() */
	uint64_t begun_ns;       /* of what is under way, since when hits are counted */
	uint64_t until_ns;       /* when it ends */
	uint64_t due_ns;         /* when to look whether it ends before */
	struct pointers *pointers;       /* calls by pointers in call graphs; NULL = there are none */
	uint64_t pointed_ns;     /* when to look where they led */
	struct source_hits_cost before[PROBES_MAX];      /* hits by then */
	uint32_t thin[PROBES_MAX];       /* one of so many is told; 0 = all */
	struct probe_spell spell[PROBES_MAX];    /* that is under way; from_ns 0 = none is */

	pthread_mutex_t lock;    /* protects what follows */
	pthread_cond_t wake;
	VEC(struct probe_set) sets;      /* changed by the placer's thread only, which reads it without */
	u32_vec targets;         /* processes of the target */
	u32_vec executing;       /* those of them that have begun a program of which nothing is mapped yet */
	u32_vec called;          /* if everywhere: those that are called as a probe says */
	VEC(struct asked) asked;
	VEC(struct order) orders;
	VEC(struct placer_answer) answers;
	bool stop;
	struct placer_figures figures;
};

/* placer_places.c */

/* Takes off what is in place of X, and frees what it owns. */
void placed_free(struct placed *x);

/* Is PID in V? */
bool placer_has(const u32_vec *v, uint32_t pid);

/* Takes off what is in place, for the pause between slices; placer_put_back() puts it back. */
void placer_take_off(struct placer *p);

/* PID is to be looked at. The lock is held. */
void placer_ask(struct placer *p, uint32_t pid, uint32_t parent, uint64_t since_ns);

/* Puts back what placer_take_off() took off; where a process is gone, its file is sought in others. */
void placer_put_back(struct placer *p);

/* The process that had the number PID is gone, and so are its places; or all of them are to be found anew. */
void placer_clear(struct placer *p, pid_t pid);

/* Removes PID from V. */
void placer_remove_pid(u32_vec *v, uint32_t pid);

/* Looks into PID for the probes of all sets. PARENT, which has been looked at, has forked it; 0 = that is not known. */
void placer_look(struct placer *p, pid_t pid, pid_t parent, uint64_t since_ns);

/* The same for the set of number SET. */
void placer_look_for(struct placer *p, size_t set, pid_t pid, pid_t parent, uint64_t since_ns);

/* placer_budget.c */

/* The set of which PROBE is, where it is not off; NULL. */
struct probe_set *placer_set_of(const struct placer *p, uint32_t probe);

/* For NS from NOW_NS on hits are counted, each of which stands for SCALE. */
void placer_begin(struct placer *p, uint32_t scale, uint64_t now_ns, uint64_t ns);

/* Notes A for placer_told(); with the lock held. */
void placer_answer(struct placer *p, const struct placer_answer *a);

/* Which probes are, or were until NOW_NS, in place for a part of the time only, or off. */
void placer_note_spells(struct placer *p, uint64_t now_ns);

/* What was under way until NOW_NS is over: the price is known, and what follows is chosen by it. */
void placer_turn(struct placer *p, uint64_t now_ns);

/* placer_orders.c */

/* Begins, or ends, to follow what makes memory grow. */
void placer_obey_growth(struct placer *p, uint32_t interval);

/* Begins, or ends, to follow blocks of memory. */
void placer_obey_blocks(struct placer *p, uint32_t interval);

/* Does what O asks for. */
void placer_obey(struct placer *p, const struct order *o);

#endif
