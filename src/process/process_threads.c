/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_threads.c - the identity that a thread has now. It is interned once and then only
 * compared, field by field.
 */
#include "config.h"

#include "base/sorted.h"
#include "process/process_private.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* threads that have ended are kept for their late samples, but not many more than this */
#define ENDED_MIN 256u

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

static thread_id process_threads_intern(struct processes *ps, struct process *p, const struct thread_now *now)
{
	struct strtab *st = dict_strings(ps->dict);
	struct thread t = { .pid = p->pid, .tid = now->tid, .start_ns = now->start_ns, .exe = p->exe };

	t.comm = strtab_adds(st, now->comm);
	t.cgroup = cgroups_path(ps->cgroups, now->cgroup_id, p->pid);
	t.container = cgroups_container(ps->cgroups, now->cgroup_id, p->pid, &t.image);
	return t.comm == STR_NONE ? ID_NONE : dict_thread(ps->dict, &t);
}

const char *thread_comm(const struct process *p, pid_t tid)
{
	const size_t at = count_below(p->threads.v, p->threads.n, tid, tid);

	return at < p->threads.n && p->threads.v[at].tid == tid ? p->threads.v[at].comm : "";
}

bool process_has_thread(const struct processes *ps, const struct process *p, pid_t tid)
{
	const size_t at = count_below(p->threads.v, p->threads.n, tid, tid);
	char path[64];

	if (at < p->threads.n && p->threads.v[at].tid == tid)
		return !p->threads.v[at].dead;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)p->pid, (int)tid);
	return !ps->recorded && !access(path, F_OK);
}

/* What a thread is called that nobody has told the name of: threads inherit it. */
static const char *inherited_comm(const struct process *p, const struct thread_now *t)
{
	return t->comm[0] ? NULL : thread_comm(p, p->pid);
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
