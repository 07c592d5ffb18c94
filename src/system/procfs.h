/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * procfs.h - reads what /proc/PID says, through one directory handle.
 *
 * The handle pins the kernel's notion of the process, so that everything read through one handle is
 * about one process even when its number is given to another in between. Only text that the kernel
 * makes is read here; no file system of the target is touched.
 */
#ifndef SBERF_SYSTEM_PROCFS_H
#define SBERF_SYSTEM_PROCFS_H

#include "system/maps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROC_PATH_MAX 4097u      /* PATH_MAX and a NUL */

struct proc_stat {
	pid_t pid, ppid;         /* fields 1 and 4 */
	char state;              /* of the first thread, as field 3 has it: R = it runs or waits for a CPU */
	bool kthread, zombie;
	uint64_t start_ticks;    /* since boot, in clock ticks: field 22 of proc_pid_stat(5) */
	uint64_t faults;         /* page faults of its threads, those that have ended too: fields 10 and 12 */
	uint64_t major_faults;   /* of them: with a disk to wait for */
	uint64_t ticks;          /* CPU time of its threads, in clock ticks: fields 14 and 15 */
	int prio;                /* of the first thread, as the kernel has it (low ones run first): field 18 + 100 */
	uint64_t threads;        /* field 20 */
	uint64_t rss_pages;      /* field 24 */
	char comm[64];           /* raw bytes, NUL-terminated; kernel threads may have more than 15 */
};

struct proc_status {
	pid_t tgid;              /* the process that the thread is of */
	pid_t ns_pid;            /* in the innermost pid namespace */
	bool root_ns;            /* there is only one pid namespace: the one that we see */
	uid_t uid;               /* file-system uid: who owns the files that it creates */
};

/* A directory handle for /proc/PID, or a negative errno: -ENOENT or -ESRCH when there is no such process. */
int proc_open(pid_t pid);

/* The same of the thread TID of PID. */
int proc_open_thread(pid_t pid, pid_t tid);

/*
 * Who else may open the file NAME under DIR, which is refused to us: an fd, or a negative errno. NULL = nobody. Set
 * while no thread is refused anything.
 */
typedef int proc_denied_fn(int dir, const char *name);
void proc_on_denied(proc_denied_fn *fn);

/* The file NAME under DIR: bytes read, NUL-terminated, or a negative errno; -E2BIG when it does not fit. */
ssize_t proc_read_text(int dir, const char *name, char *buf, size_t size);
/* What fits of its beginning, NUL-terminated; the length, 0 when it is empty or cannot be read. SIZE is at least 1. */
size_t proc_read_start(int dir, const char *name, char *buf, size_t size);

/* The path of the cgroup v2 of a process, whose line begins with "0::" (cgroups(7)), to BUF. False: it says none. */
bool proc_read_cgroup(int dir, char *buf, size_t size);

/* 0 or a negative errno; *RET changes only on success. */
int proc_read_stat(int dir, struct proc_stat *ret);
int proc_read_status(int dir, struct proc_status *ret);

/*
 * Calls EACH for every thread of the process, with its number and the one that it has in the innermost pid namespace
 * that it is in, which is what the process itself calls it; until EACH returns false. 0 or a negative errno.
 */
int proc_each_thread(int dir, bool (*each)(void *ctx, pid_t tid, pid_t inside), void *ctx);

/* The same two on text, for tests. */
bool proc_parse_stat(const char *text, size_t len, struct proc_stat *ret);
bool proc_parse_status(const char *text, struct proc_status *ret);

/* Path of the executable, without " (deleted)", into BUF. Length or a negative errno (kernel threads: -ENOENT). */
ssize_t proc_read_exe(int dir, char buf[PROC_PATH_MAX]);

/*
 * Calls EACH for every line of the file NAME under DIR, LEN bytes without the newline, which it may
 * change. How many lines, or a negative errno; -E2BIG for too many.
 */
ssize_t proc_read_lines(int dir, const char *name, void (*each)(void *ctx, char *line, size_t len), void *ctx);

/*
 * Calls EACH for every line of maps. How many lines, or a negative errno (-EACCES: not permitted,
 * -ESRCH: it has ended).
 */
ssize_t proc_read_maps(int dir, void (*each)(void *ctx, const struct maps_line *m), void *ctx);
/*
 * Calls EACH for the executable mappings of PID, and maybe for others, by address. A name is told
 * of what has no inode alone. How many, or a negative errno (-ENOENT: there is no such process).
 * Quicker than the above where the kernel can be asked (6.11).
 */
ssize_t proc_read_exec_maps(pid_t pid, void (*each)(void *ctx, const struct maps_line *m), void *ctx);

/* The file NAME under DIR, for reading, by whoever may open it. An fd or a negative errno. */
int procfs_open(int dir, const char *name);

/* Nanoseconds of CLOCK_MONOTONIC at START_TICKS, to a clock tick; too early by the time the machine slept since. */
uint64_t proc_ticks_to_ns(uint64_t start_ticks);

#endif
