/* SPDX-License-Identifier: BSD-2-Clause */
/* who.c - see who.h. */
#include "config.h"

#include "engine/who.h"

#define THREADS_MANY (1u << 16)          /* in the dictionary */

thread_id who_is(struct processes *ps, struct dict *d, const struct account_task *task)
{
	struct process *p;

	if (dict_threads(d) >= THREADS_MANY)
		return dict_other_thread(d);
	p = processes_get(ps, task->pid);
	return p ? process_thread(ps, p, task->tid, task->start_ns, 0, NULL) : ID_NONE;
}
