/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.c - see filter.h. Names of system calls wait until here, because only the data says which machine they are of. */
#include "config.h"

#include "cmd/filter.h"

#include "event/wait.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int add_call(struct query *q, uint32_t call, struct err *e)
{
	if (q->nr_calls >= QUERY_CALLS_MAX)
		return err_set(e, E2BIG, "--syscall takes at most %u system calls", QUERY_CALLS_MAX);
	q->calls[q->nr_calls++] = call;
	return 0;
}

static int add_named(struct query *q, const char *name, struct err *e)
{
	const uint32_t call = call_find(name, q->arch);

	if (call != CALL_NONE)
		return add_call(q, call, e);
	return err_set(e, EINVAL, "there is no system call '%s' on %s: write it as its manual page does, such as futex, read "
		       "or epoll_wait", name, q->arch && q->arch[0] ? q->arch : "this machine");
}

static int add_calls(struct query *q, const char *list, struct err *e)
{
	for (const char *at = list;; at++) {
		const size_t len = strcspn(at, ",");
		char name[CALL_NAME_MAX];
		int r;

		snprintf(name, sizeof(name), "%.*s", len < sizeof(name) ? (int)len : (int)sizeof(name) - 1, at);
		r = add_named(q, name, e);
		if (r < 0)
			return r;
		at += len;
		if (!*at)
			return 0;
	}
}

int filter_query(const struct options *o, const char *arch, struct query *ret, struct err *e)
{
	struct query q = {
		.kinds = o->kinds, .no_inlines = o->no_inline, .hide_kernel = !o->kernel, .states = o->states, .arch = arch,
		.fold_idle = o->hide_idle,
	};
	int r = o->syscalls ? add_calls(&q, o->syscalls, e) : 0;

	if (r < 0)
		return r;
	if (o->thread && strlen(o->thread) >= sizeof(q.thread))
		return err_set(e, EINVAL, "the pattern of --thread is longer than %zu bytes", sizeof(q.thread) - 1);
	if (o->thread)
		snprintf(q.thread, sizeof(q.thread), "%s", o->thread);
	*ret = q;
	return 0;
}
