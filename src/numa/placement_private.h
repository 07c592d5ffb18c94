/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * placement_private.h - has what the owner of a placement and its thread share: struct worker,
 * which belongs to both.
 *
 * A process whose address space is locked by somebody who does not go on (a fault in a file system
 * that does not answer) would hold up all others. So a thread that is at one process for too long
 * is left behind, as in process/loader.c: what it had taken is answered with "nowhere", that
 * process is not asked again, and a new worker takes over the rest. Whoever leaves a worker last
 * frees it.
 */
#ifndef SBERF_NUMA_PLACEMENT_PRIVATE_H
#define SBERF_NUMA_PLACEMENT_PRIVATE_H

#include "numa/placement.h"
#include "numa/procmem.h"

#include <pthread.h>

#define BATCH 512u                       /* questions that are asked together: addresses of one system call */
#define GATHER_NS (10 * NSEC_PER_MSEC)   /* so long a question waits for others */
#define NO_PATH UINT32_MAX

struct question {
	pid_t pid;
	uint64_t addr, sp, tag;
};

/* Questions and, once it is done, their answers. */
struct batch {
	struct batch *next;
	uint64_t began_ns;       /* when the first question came */
	size_t n;
	struct question q[BATCH];
	struct page_answer a[BATCH];     /* their paths are set when they are given out */
	uint32_t path[BATCH];    /* where that of an answer begins in TEXT */
	VEC(char) text;
};

struct batch_list {
	struct batch *first, **last;
	size_t n;
};

struct job {
	pid_t pid;
	uint64_t start_ns;
};

struct worker {
	pthread_mutex_t lock;
	pthread_cond_t work;     /* there is something to do, or an end */
	pthread_cond_t idle;     /* the thread has left */
	struct page_query query;
	/* Under the lock: */
	unsigned int refs;       /* the owner and the thread */
	bool stop, ended;
	struct batch_list waiting, done;         /* the last of those that wait may still be filled */
	struct batch *running;
	VEC(struct job) jobs;    /* surveys that wait, and the one that is under way */
	VEC(struct numa_process) surveys;
	pid_t at;                /* the process that the thread is at; 0 = none */
	uint64_t at_ns;          /* since when */
	uint64_t cpu_ns;
	/* The thread's: */
	VEC(struct procmem *) known;
	dev_vec kernel_devs;
};

/* A worker with its thread; the caller has one reference, the thread the other. */
int worker_new(const struct page_query *q, struct worker **ret, struct err *e);
/* Drops a reference; called with the lock, which is gone afterwards. */
void worker_unref_unlock(struct worker *w);

void batch_free(struct batch *b);                /* NULL is fine */
void batch_push(struct batch_list *l, struct batch *b);
struct batch *batch_pop(struct batch_list *l);   /* NULL = it is empty */
void batch_list_init(struct batch_list *l);
void batch_list_free(struct batch_list *l);      /* all in it */

#endif
