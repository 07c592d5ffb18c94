/* SPDX-License-Identifier: BSD-2-Clause */
/* task_thread.c - see task_thread.h. */
#include "config.h"

#include "engine/task_thread.h"

#define THREADS_MANY (1u << 16)          /* in the dictionary */

thread_id task_thread(struct processes *ps, struct dict *d, const struct reconcile_task *task)
{
	struct process *p;

	if (!ps)
		return ID_NONE;
	if (dict_threads(d) >= THREADS_MANY)
		return dict_other_thread(d);
	p = processes_get(ps, task->pid);
	return p ? process_thread(ps, p, task->tid, task->start_ns, 0, NULL) : ID_NONE;
}

thread_id task_thread_waiting(struct processes *ps, const struct source_open *w)
{
	struct process *p = ps ? processes_get(ps, w->pid) : NULL;

	return p ? process_thread(ps, p, w->tid, w->start_ns, w->cgroup_id, w->comm) : ID_NONE;
}
