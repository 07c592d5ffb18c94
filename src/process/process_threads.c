/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_threads.c - the identity that a thread has now. It is interned once and then only
 * compared, field by field.
 */
#include "config.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/sorted.h"
#include "process/process_private.h"
#include "system/procfs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* threads that have ended are kept for their late samples, but not many more than this */
#define ENDED_MIN 256u
#define INSIDE_MAX 65536u        /* threads of a process whose numbers in its namespace are kept, */
#define INSIDE_NS (100 * NSEC_PER_MSEC)  /* and for how long, when one is asked for that is not among them */

struct thread_now *thread_of(struct process *p, pid_t tid)
{
	const size_t at = count_below(p->threads.v, p->threads.n, tid, tid);
	struct thread_now *t;

	if (at < p->threads.n && p->threads.v[at].tid == tid)
		return &p->threads.v[at];
	if (!vec_reserve(&p->threads, 1))
		return NULL;
	t = &p->threads.v[at];
	memmove(t + 1, t, (p->threads.n - at) * sizeof(*t));
	p->threads.n++;
	p->nr_live++;
	memset(t, 0, sizeof(*t));
	t->tid = tid;
	t->id = ID_NONE;
	return t;
}

void thread_set_comm(struct thread_now *t, const char *comm)
{
	char now[COMM_MAX + 1] = "";

	memcpy(now, comm, strnlen(comm, COMM_MAX));
	if (!memcmp(now, t->comm, sizeof(now)))
		return;
	memcpy(t->comm, now, sizeof(now));
	t->id = ID_NONE;
}

void thread_revive(struct process *p, struct thread_now *t)
{
	p->nr_live += t->dead;
	t->dead = false;
	t->start_ns = 0;
	t->named = 0;
	t->inside = 0;
	t->comm[0] = '\0';
	t->id = ID_NONE;
}

void threads_trim(struct process *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->threads.n; i++)
		if (!p->threads.v[i].dead)
			p->threads.v[kept++] = p->threads.v[i];
	p->threads.n = kept;
}

bool threads_end(struct process *p, pid_t tid)
{
	struct thread_now *t = thread_of(p, tid);

	if (!t || t->dead)
		return false;
	t->dead = true;
	p->nr_live--;
	if (p->threads.n - p->nr_live > p->nr_live + ENDED_MIN)
		threads_trim(p);
	return !p->nr_live;
}

/* What P is called in its pid namespace, read when that is not known yet. */
static void process_threads_read_status(struct process *p)
{
	AUTO_FD int dir = p->status.ns_pid || p->kthread ? -1 : process_dir(p);

	if (dir >= 0)
		(void)proc_read_status(dir, &p->status);
}

/* What the thread is called in the pid namespace of P, if that is another one than ours; else 0. */
static pid_t process_threads_inside(struct process *p, struct thread_now *now)
{
	AUTO_FD int dir = -1;
	struct proc_status status;

	process_threads_read_status(p);
	if (!p->status.ns_pid || p->status.root_ns)
		return 0;
	if (now->tid == p->pid)
		return p->status.ns_pid;
	dir = now->inside || p->ps->recorded ? -1 : proc_open_thread(p->pid, now->tid);
	if (dir >= 0 && !proc_read_status(dir, &status))
		now->inside = status.ns_pid;
	return now->inside;
}

static thread_id process_threads_intern(struct processes *ps, struct process *p, struct thread_now *now)
{
	struct strtab *st = dict_strings(ps->dict);
	struct thread t = { .pid = p->pid, .tid = now->tid, .start_ns = now->start_ns, .exe = p->exe };

	t.tid_inside = process_threads_inside(p, now);
	t.pid_inside = t.tid_inside ? p->status.ns_pid : 0;
	t.comm = now->named && !strcmp(now->comm, thread_comm(p, p->pid)) ? now->named : strtab_adds(st, now->comm);
	t.cgroup = cgroups_path(ps->cgroups, now->cgroup_id, p->pid);
	t.container = cgroups_container(ps->cgroups, now->cgroup_id, p->pid, &t.image);
	return t.comm == STR_NONE ? ID_NONE : dict_thread(ps->dict, &t);
}

const char *thread_comm(const struct process *p, pid_t tid)
{
	const size_t at = count_below(p->threads.v, p->threads.n, tid, tid);

	return at < p->threads.n && p->threads.v[at].tid == tid ? p->threads.v[at].comm : "";
}

static bool process_threads_has(const struct processes *ps, const struct process *p, pid_t tid)
{
	const size_t at = count_below(p->threads.v, p->threads.n, tid, tid);
	char path[64];

	if (at < p->threads.n && p->threads.v[at].tid == tid)
		return !p->threads.v[at].dead;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)p->pid, (int)tid);
	return !ps->recorded && !access(path, F_OK);
}

static bool process_threads_note(void *process, pid_t tid, pid_t inside)
{
	struct process *p = process;
	struct thread_inside *to = vec_push(&p->inside);

	if (to)
		*to = (struct thread_inside){ .tid = tid, .inside = inside };
	return to && p->inside.n < INSIDE_MAX;
}

/* Reads what the threads of P are called in its namespace, unless that was done just now. */
static bool process_threads_look_inside(const struct processes *ps, struct process *p)
{
	const uint64_t now = clock_mono_ns();
	AUTO_FD int dir = ps->recorded || (p->inside_ns && now - p->inside_ns < INSIDE_NS) ? -1 : process_dir(p);

	if (dir < 0)
		return false;
	p->inside_ns = now;
	p->inside.n = 0;
	if (!p->status.ns_pid)
		(void)proc_read_status(dir, &p->status);
	/* In ours they have the same numbers. */
	return p->status.ns_pid && !p->status.root_ns && !proc_each_thread(dir, process_threads_note, p);
}

static pid_t process_threads_find_inside(const struct processes *ps, const struct process *p, pid_t inside)
{
	for (size_t i = 0; i < p->inside.n; i++)
		if (p->inside.v[i].inside == inside && process_threads_has(ps, p, p->inside.v[i].tid))
			return p->inside.v[i].tid;
	return 0;
}

pid_t process_thread_inside(const struct processes *ps, struct process *p, pid_t inside)
{
	pid_t tid;

	if (!p->status.ns_pid)
		(void)process_threads_look_inside(ps, p);
	if (!p->status.ns_pid || p->status.root_ns)
		return process_threads_has(ps, p, inside) ? inside : 0;
	tid = process_threads_find_inside(ps, p, inside);
	if (!tid && process_threads_look_inside(ps, p))
		tid = process_threads_find_inside(ps, p, inside);
	return tid;
}

struct process *process_of_thread(const struct processes *ps, pid_t tid)
{
	for (size_t i = 0; i < ps->v.n; i++) {
		struct process *p = ps->v.v[i];
		const size_t at = count_below(p->threads.v, p->threads.n, tid, tid);

		if (at < p->threads.n && p->threads.v[at].tid == tid && !p->threads.v[at].dead)
			return p;
	}
	return NULL;
}

/* What a thread is called that nobody has told the name of: threads inherit it. */
static const char *inherited_comm(const struct process *p, const struct thread_now *t)
{
	return t->comm[0] ? NULL : thread_comm(p, p->pid);
}

void process_name_thread(struct processes *ps, struct process *p, pid_t tid, const char *name)
{
	struct thread_now *t = thread_of(p, tid);
	const str_id named = t ? strtab_adds(dict_strings(ps->dict), name) : STR_NONE;

	if (named == STR_NONE)
		return;
	t->named = named;
	t->id = ID_NONE;
}

thread_id process_thread(struct processes *ps, struct process *p, pid_t tid, uint64_t start_ns, uint64_t cgroup_id,
			 const char *comm)
{
	struct thread_now *t = thread_of(p, tid);

	if (!t)
		return ID_NONE;
	if (start_ns && t->start_ns != start_ns) {
		/* The number of a thread that has ended is used again, or its start was not known yet. */
		if (t->start_ns)
			thread_revive(p, t);
		t->start_ns = start_ns;
		t->id = ID_NONE;
	}
	if (!comm)
		comm = inherited_comm(p, t);
	if (comm)
		thread_set_comm(t, comm);
	if (cgroup_id && t->cgroup_id != cgroup_id) {
		t->cgroup_id = cgroup_id;
		t->id = ID_NONE;
	}
	if (t->id != ID_NONE && t->exe_changes == p->exe_changes)
		return t->id;
	t->exe_changes = p->exe_changes;
	t->id = process_threads_intern(ps, p, t);
	return t->id;
}
