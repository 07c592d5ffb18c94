/* SPDX-License-Identifier: BSD-2-Clause */
/* completer.c - see completer.h. What is shared with the thread is freed by whoever leaves last. */
#include "config.h"

#include "ui/completer.h"

#include "base/thread.h"
#include "base/vec.h"
#include "symbol/demangle.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct completer {
	atomic_uint users;       /* the thread, and whoever asks */
	atomic_bool done;
	void (*complete)(const char *typed, const uint32_t *pids, size_t n, struct completions *ret);
	u32_vec pids;
	char *typed;
	struct completions found;
};

void completer_free(struct completer *c)
{
	if (!c || atomic_fetch_sub(&c->users, 1) != 1)
		return;
	vec_free(&c->pids);
	free(c->typed);
	free(c);
}

static void *completer_work(void *arg)
{
	struct completer *c = arg;

	c->complete(c->typed, c->pids.v, c->pids.n, &c->found);
	atomic_store(&c->done, true);
	completer_free(c);
	return NULL;
}

struct completer *completer_ask(const struct session *s, const char *typed)
{
	AUTO(completer_free) struct completer *c = s->complete ? calloc(1, sizeof(*c)) : NULL;

	if (!c)
		return NULL;
	atomic_init(&c->users, 1);
	c->complete = s->complete;
	c->typed = strdup(typed);
	if (!c->typed)
		return NULL;
	if (s->targets)
		s->targets(s->ctx, &c->pids);
	atomic_store(&c->users, 2);
	if (thread_start(completer_work, c, DEMANGLE_STACK)) {
		atomic_store(&c->users, 1);
		return NULL;
	}
	return take_ptr(c);
}

const struct completions *completer_found(struct completer *c, const char **ret_typed)
{
	*ret_typed = c->typed;
	return atomic_load(&c->done) ? &c->found : NULL;
}
