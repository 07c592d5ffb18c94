/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * proclist.h - lists the running processes to pick one from: who they are, and how much CPU time
 * they took lately.
 *
 * Read from /proc, which waits (for a lock of an address space, at worst) and takes some 20 us a
 * process: not for the thread that answers keys. (libproc2 reads the same, but only of the /proc of
 * this system, so nothing of it could be tested with processes that vanish or have odd names; and
 * procfs.h is there anyway.) A process that took no CPU time since the list before is read but for
 * one file: nothing else about it can have changed.
 */
#ifndef SBERF_SYSTEM_PROCLIST_H
#define SBERF_SYSTEM_PROCLIST_H

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/vec.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* processes; what is more is left out, and said: so many can be searched within a key */
#define PROCLIST_MAX 50000u
#define PROCLIST_COMMAND 512u            /* bytes of a command line */
#define PROCLIST_USERS 1024u             /* users whose names are kept */
#define PROCLIST_CONTAINERS 4096u        /* the same of containers */

struct proc_row {
	pid_t pid;
	pid_t inside;                    /* in a pid namespace of its own, as in a container; 0 = it is in none */
	uid_t uid;
	bool kthread;
	uint64_t start_ticks;            /* since boot; with the pid, who it is */
	uint64_t ticks;                  /* CPU time so far, in clock ticks */
	/* CPU time within the last OVER_NS: since the list before, or since it began */
	uint64_t cpu_ns, over_ns;
	uint64_t rss_bytes;
	uint32_t threads;
	/* a number as long as the name is not known; all texts are sanitised, never NULL */
	const char *user;
	const char *name;                /* comm */
	const char *command;             /* command line; "" = it has none */
	/* what its container is called (container_label()), or else proc_group_name() of its cgroup; "" = the root */
	const char *group;
	/* all that can be searched for, in lower case (of ASCII), parted by newlines */
	const char *find;
};

/* Ways of sorting a list. Of equal ones, by CPU, the one that took more in its life comes first, else the lower pid. */
enum proc_order {
	PROC_BY_CPU,
	PROC_BY_MEMORY,
	PROC_BY_NAME,
	PROC_BY_PID,
	PROC_ORDERS
};

/* Immutable, shared by reference. */
struct proclist {
	VEC(struct proc_row) row;        /* by pid */
	uint32_t *order[PROC_ORDERS];    /* row.n places in ROW, in each of the orders */
	uint64_t time_ns;                /* CLOCK_BOOTTIME */
	uint64_t over_ns;                /* what lies between it and the list before; 0 = there was none */
	bool inside;                     /* some row has INSIDE */
	bool cut;                        /* there are more than PROCLIST_MAX */
	struct arena texts;
	atomic_uint refs;
};

/* The cgroup of a container, and what it is called. */
struct proc_container {
	char *path, *label;
};

/*
 * Names of users and containers that were looked up. Those of containers are in files below ROOT (container.h). A
 * zeroed one is empty, and of this machine.
 */
struct proc_users {
	const char *root;                /* NULL = this machine's; outlives it */
	VEC(struct proc_container) container;
	struct proc_user {
		uid_t uid;
		bool known;
		char name[32];
	} *v;
	size_t n, cap;
};

/*
 * Reads the processes under PROC, a directory like /proc (borrowed), as of NOW_NS (CLOCK_BOOTTIME),
 * but for SELF (0 = none). BEFORE is the list before, or NULL. Gives up between two processes once
 * *STOP (may be NULL) is true: -ECANCELED. Users that are not known yet are noted in USERS. 0 and a
 * reference that is the caller's, or a negative errno with a sentence.
 */
int proclist_read(int proc, const struct proclist *before, struct proc_users *users, uint64_t now_ns, pid_t self,
		  const atomic_bool *stop, struct proclist **ret, struct err *e);

/* Fills ORDER of a list whose rows are there, anew. 0, or -ENOMEM with a sentence. proclist_read() has done it. */
int proclist_sort(struct proclist *l, struct err *e);

struct proclist *proclist_ref(struct proclist *l);       /* NULL is fine */
void proclist_unref(struct proclist *l);                 /* NULL is fine */

/* Looks up the names of users that were noted; may wait for a network. True when there was a new one. */
bool proc_users_learn(struct proc_users *u);
void proc_users_free(struct proc_users *u);

/*
 * The part of the cgroup path PATH by which a person knows it, into DST: a container by the first
 * 12 digits of its id, as its tools call it, else the last part without its kind (".service",
 * ".scope", ".slice"); "" for the root. Returns DST.
 */
char *proc_group_name(const char *path, char *dst, size_t size);

DEFINE_AUTO(proclist_unref, struct proclist);

#endif
