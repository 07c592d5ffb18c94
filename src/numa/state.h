/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.h - holds what is known, at one moment, about the nodes of the machine and about where the
 * memory of the target is.
 *
 * A *state* is made by the engine every few seconds, or read from a recording. Once it is shared it
 * never changes; it is referenced by the profile, its snapshots and the recorder. As text
 * (numa_state_write()) it stands in recordings.
 *
 * What is measured exactly and what is estimated: nodes, sizes and free memory are what the kernel
 * says; migrations are counted exactly; bytes per node (struct numa_resident) are estimated from a
 * sample of pages, whose size stands beside.
 */
#ifndef SBERF_NUMA_STATE_H
#define SBERF_NUMA_STATE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/memory.h"
#include "system/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NUMA_LIST_MAX 64u        /* bytes of a list of CPUs or nodes as text; a longer one is cut and ends in "..." */
#define NUMA_PROCESSES_MAX 64u   /* in one state: those that have most memory */
#define NUMA_THREADS_MAX 4096u

/* Memory of one process in mappings of one kind on one node, estimated. */
struct numa_resident {
	uint16_t node;
	uint8_t mapping;         /* enum mapping_kind */
	uint64_t bytes;
	uint32_t pages;          /* of the sample, that were found there */
};

typedef VEC(struct numa_resident) resident_vec;

struct numa_process {
	pid_t pid;               /* initial pid namespace */
	uint64_t start_ns;       /* of its first thread; an identity, as in struct thread */
	char comm[17];           /* sanitised */
	bool denied;             /* where its memory is may not be asked (ptrace access) */
	uint64_t rss_bytes;      /* as the kernel says */
	uint64_t moment_ns;      /* CLOCK_MONOTONIC: when its pages were asked for; 0 = never */
	uint32_t asked, found;   /* pages of the sample; those of them that are in memory */
	/* of its first thread: "default", "bind:0-1", "interleave:0,2", "preferred:1", "local" */
	char policy[NUMA_LIST_MAX];
	/* other policies that mappings have, "" = none or not read (policies_read) */
	char mapped_policy[NUMA_LIST_MAX];
	bool policies_read;      /* its mappings were asked for their policies: it was small enough */
	char mems[NUMA_LIST_MAX], cpus[NUMA_LIST_MAX];   /* nodes and CPUs that its cpuset and affinity allow */
	uint64_t faults, major_faults;   /* since it began, as the kernel says */
	resident_vec resident;   /* by mapping, then node */
};

/* A thread of the target, as the scheduler sees it. */
struct numa_thread {
	pid_t pid, tid;
	uint64_t start_ns;
	int32_t home;            /* node that the kernel's balancing prefers; -1 = none */
	uint32_t node;           /* where it ran when this was made */
	char policy[NUMA_LIST_MAX];      /* as of a process; "" = that of the process */
	uint64_t moves;          /* came back on another node than it left, since the capture began; exact */
	uint64_t kernel_moves;   /* times the scheduler put it to another node, running or not; exact */
};

/* What became of the samples that were asked for the address of an access. Only grow. */
struct numa_figures {
	uint64_t samples;        /* looked at */
	uint64_t miss[MISS_NR];  /* of them: gave no address, or no page (MISS_NONE stays 0) */
	uint64_t near, far;      /* of them: page on the CPU's node, or on another one */
	uint64_t pages;          /* whose nodes were asked */
	uint64_t faults;         /* page faults that were sampled, with address */
	uint64_t fault_misses;   /* of them: whose page was nowhere when asked for */
	uint64_t balancing_faults;       /* beside FAULTS: balancing saw who uses a page; estimated from a sample */
	uint64_t moves, kernel_moves;    /* over all threads, those that have ended too */
	uint64_t threads_left, processes_left;   /* the most at a time that found no room in a state */
};

struct numa_state {
	uint64_t time_ns;        /* CLOCK_MONOTONIC */
	/* addresses and faults were asked for (--numa); else only what comes for free is here */
	bool sampled;
	uint64_t sampled_from_ns;        /* since when, CLOCK_MONOTONIC; 0 = from the beginning, or not at all */
	struct numa_topology topology;
	struct numa_figures figures;
	VEC(struct numa_process) process;        /* by falling rss */
	VEC(struct numa_thread) thread;          /* by pid, tid */
	/* private: */
	_Atomic uint32_t refs;
};

struct numa_state *numa_state_new(void);         /* empty, with one reference; NULL when out of memory */
struct numa_state *numa_state_ref(struct numa_state *s);         /* NULL is fine; any thread */
void numa_state_unref(struct numa_state *s);     /* NULL is fine; any thread */
void numa_process_clear(struct numa_process *p); /* frees what it owns and leaves it zeroed, which is fine, too */
/* puts RESIDENT into its order; rows of one kind and node become one */
void numa_process_tidy(struct numa_process *p);

/* How threads are sorted in a state, by pid and tid: for qsort(3) of struct numa_thread. */
int numa_thread_order(const void *a, const void *b);
const struct numa_thread *numa_state_thread(const struct numa_state *s, pid_t pid, pid_t tid);   /* NULL = not in it */

/*
 * As lines of text, "key=value ...", each with all that belongs together
 * (docs/recording-format.md). Returns a string to be freed with free(), *RET_LEN its length; NULL
 * when out of memory.
 */
char *numa_state_write(const struct numa_state *s, size_t *ret_len);
/*
 * Reads it back. Unknown lines and keys are left out; what is absent is 0, but -1 for the home of a
 * thread. Numbers out of range, more nodes, processes or threads than the bounds allow, are refused
 * with -EBADMSG. Text is sanitised. On success *RET has one reference.
 */
int numa_state_parse(const char *text, size_t len, struct numa_state **ret, struct err *e);

DEFINE_AUTO(numa_state_unref, struct numa_state);

#endif
