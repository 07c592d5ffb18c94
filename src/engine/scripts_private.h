/* SPDX-License-Identifier: BSD-2-Clause */
/* scripts_private.h - what the engine's side and the thread that reads share. */
#ifndef SBERF_ENGINE_SCRIPTS_PRIVATE_H
#define SBERF_ENGINE_SCRIPTS_PRIVATE_H

#include "engine/scripts.h"

#include "base/hash.h"
#include "base/vec.h"

#include <pthread.h>
#include <sberf/plugin.h>

#define SCRIPT_PROCESSES_MAX 16384u      /* that are looked at */
#define SCRIPT_FRAMES_MAX 262144u        /* different ones */
#define SCRIPT_THREADS_MAX 4096u         /* of a process, that are named */
#define SCRIPT_BATCH 32u                 /* frames, or threads, that are named in one call */

enum script_state {
	SCRIPT_STATE_NEW,        /* nobody has looked */
	SCRIPT_STATE_ASKED,      /* is to be looked at */
	SCRIPT_STATE_NONE,       /* it is of no language, unless it maps another file */
	SCRIPT_STATE_LATER,      /* it is to be looked at again: its interpreter has only begun */
	SCRIPT_STATE_PLANNED,
};

/* Code of an interpreter, as a place in a file. */
struct script_range {
	module_id module;
	uint64_t start, end;
};

enum script_thread_state {
	THREAD_ASKED,            /* is to be asked about, by the thread that reads */
	THREAD_NAMED,            /* NAME is there */
	THREAD_DONE,             /* and has been handed over; or nobody asks any more */
	THREAD_NAMELESS,         /* so far */
};

/* A thread of a process with a plan, but for its first one. */
struct script_thread {
	pid_t tid;
	uint8_t state;                   /* enum script_thread_state */
	uint8_t tries;
	uint64_t later_ns;               /* with THREAD_NAMELESS: when it is asked about again */
	char *name;
};

struct script_process {
	pid_t pid;
	uint32_t life;                   /* goes up when the number is another process, or that another program */
	enum script_state state;
	uint64_t later_ns;               /* with SCRIPT_STATE_LATER */
	uint32_t tries;
	uint64_t serial;                 /* of its plan */
	struct sberf_plan plan;          /* of SCRIPT_STATE_PLANNED */
	bool placed;                     /* the ranges are known */
	uint32_t nr_ranges;
	struct script_range range[SBERF_PLAN_RANGES_MAX];
	VEC(struct script_thread) thread;        /* by tid */
	bool threads_asked;
	/* The thread's: */
	uint32_t seen_life;
	uint64_t start_ticks;            /* of the process as it was then */
	struct plugin_process *seen;     /* NULL = it has not been looked at */
	size_t plugin;                   /* whose plan it has */
};

enum script_naming {
	NAMING_ASKED,
	NAMING_DONE,             /* the texts are there, or were handed over */
	NAMING_FAILED,
};

struct script_frame {
	uint64_t key[2];
	uint32_t process, life;
	uint8_t naming;                  /* enum script_naming */
	bool note;
	uint32_t line, first_line;
	char *function, *file;           /* NULL once handed over */
	uint32_t record_bytes;
	uint8_t *record;                 /* until it is named */
};

struct scripts {
	pthread_mutex_t lock;
	pthread_cond_t work, named;      /* for the thread; from it */
	int refs;
	bool stop, ended;
	struct source *source;           /* not after stop */
	struct plugins *plugins;
	VEC(struct script_process *) process;
	struct hidx by_pid;
	VEC(struct script_frame) frame;
	struct hidx by_key;
	/* processes and frames that the thread is to look at, and processes whose threads have no names; in order */
	VEC(uint32_t) looks, names, crowds;
	size_t looked, named_to, crowds_to;      /* how many of them it has */
	uint64_t next_serial;
	struct scripts_figures figures;

	/* The engine's alone: */
	struct dict *dict;
	struct processes *ps;
	module_id module;
	struct chain *merged;            /* the stack in the making */
};

/* The body of the thread. */
void *script_reader(void *s);
/* The thread TID of P, NULL = none. */
struct script_thread *script_thread_find(struct script_process *p, pid_t tid);
/* One side less holds S; the last one frees it. */
void scripts_unref(struct scripts *s);

#endif
