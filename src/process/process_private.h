/* SPDX-License-Identifier: BSD-2-Clause */
/* process_private.h - the inside of process.h, shared by its own files and its tests. */
#ifndef SBERF_PROCESS_PROCESS_PRIVATE_H
#define SBERF_PROCESS_PROCESS_PRIVATE_H

#include "base/hash.h"
#include "process/files.h"
#include "process/owner.h"
#include "process/process.h"
#include "process/root.h"
#include "process/space.h"
#include "system/cgroup.h"
#include "system/procfs.h"

#define COMM_MAX 16u             /* TASK_COMM_LEN, with its NUL */

struct thread_now {
	pid_t tid;
	bool dead;
	uint64_t start_ns;       /* 0 = unknown */
	uint64_t cgroup_id;      /* 0 = unknown */
	uint32_t exe_changes;    /* value of the process's counter when ID was made */
	thread_id id;            /* ID_NONE = make it again */
	char comm[COMM_MAX + 1]; /* raw bytes; "" = unknown */
	str_id named;            /* process_name_thread(); 0 = not */
	pid_t inside;            /* its number in a pid namespace of its own; 0 = not known */
};

struct thread_inside {
	pid_t tid, inside;
};

struct process {
	struct processes *ps;
	pid_t pid;
	uint64_t start_ns;       /* only an identity, never changes; CLOCK_MONOTONIC */
	uint64_t start_ticks;    /* of /proc/PID/stat; 0 = never read */
	bool maps_known;         /* by fork, exec or /proc */
	bool doubted;            /* some of what happened to its mappings was lost */
	bool kthread, gone;
	bool denied;             /* its mappings may not be read: ptrace access, CAP_SYS_PTRACE */
	bool dead;               /* every thread that is known has ended */
	bool exe_next;           /* after an exec: the next file that is mapped is the executable */
	uint64_t used_ns;        /* when it was last asked for, or ended */
	uint64_t read_ns;        /* when its /proc/PID/maps was last read; 0 = never */
	uint64_t tried_ns;       /* when that was last tried */
	uint64_t cost_ns;        /* how long that took */
	uint32_t exe_changes;
	str_id exe;              /* by which it was run, when that is known: else exe_file */
	str_id exe_file;         /* as its mappings show it; 0 = unknown */
	bool exe_known;          /* EXE is what it was run by */
	module_id anon;          /* ID_NONE until needed */
	str_id dump;             /* path of a jitdump file that it maps; 0 = none was seen */
	backing_id dump_file;    /* that file, or its parent's; BACKING_NONE = none */
	struct proc_status status;   /* ns_pid 0 = unknown */
	struct space *space;     /* never NULL */
	struct root *root;       /* NULL = unknown */
	VEC(struct thread_now) threads;  /* by tid */
	size_t nr_live;          /* of them, those that have not ended */
	/* in a pid namespace of its own: what its threads are called there, as they were at INSIDE_NS */
	VEC(struct thread_inside) inside;
	uint64_t inside_ns;
};

/* What a walk looks things up in: the mappings of P now, or some that were held. */
struct view {
	struct process *p;
	const struct space *space;
};

struct process_hold {
	struct space *space;
	struct process_hold *prev, *next;
};

/* By which path a file is run by a process of some name; they come again and again. FILE 0 = none. */
struct run_name {
	str_id file, path;       /* PATH 0 = by none that was found */
	const struct root *root;
	char comm[COMM_MAX + 1];
};
#define RUN_NAMES 64u

struct processes {
	struct dict *dict;
	struct files *files;
	struct cgroups *cgroups;
	struct owners *owners;
	struct roots roots;
	VEC(struct process *) v;
	struct hidx by_pid;
	struct view view;        /* of the last process_space() or process_held_space() */
	struct process_hold *holds;
	uint64_t swept_ns, checked_ns;
	uint32_t ends;           /* of processes, since the last sweep */
	size_t ended_maps;       /* that these had, for their part */
	uint64_t maps_read;
	bool recorded;           /* what events say is all there is: processes_recorded() */
	uint64_t retired;
	struct run_name run_names[RUN_NAMES];    /* by a hash of what is asked */
};

/* processes_new() with another reader of files, for tests. */
int processes_new_with(struct dict *dict, load_fn *load, void *ctx, uint64_t limit_ns,
		       struct processes **ret, struct err *e);

/* proc_open() of P; -ESRCH where /proc shows others than those that events are of. */
int process_dir(const struct process *p);

/* process_proc.c: what /proc says. True when mappings, executable or identity changed. */
bool process_read(struct process *p);
/* The backing of the mapping M of P, which is there since SINCE_NS, called NAME. */
backing_id process_backing(struct process *p, const char *name, size_t len, const struct file_id *id,
			   const struct mapping *m, uint64_t since_ns);
/* PATH, LEN bytes, is the executable of P; B the file, when it is known already. */
void process_set_exe(struct process *p, const char *path, size_t len, backing_id b);
/* Makes P a fresh process of the same number that started at START_NS; ticks 0 = unknown. */
void process_renew(struct process *p, uint64_t start_ns, uint64_t start_ticks);

/* process_threads.c: the threads of P. */
struct thread_now *thread_of(struct process *p, pid_t tid);          /* added when new; NULL when out of memory */
void thread_set_comm(struct thread_now *t, const char *comm);
const char *thread_comm(const struct process *p, pid_t tid);         /* "" = not known */
/* another thread has the number of one that ended */
void thread_revive(struct process *p, struct thread_now *t);
/* TID ended; true when it was the last one known */
bool threads_end(struct process *p, pid_t tid);
void threads_trim(struct process *p);                                /* forgets threads that have ended */

#endif
