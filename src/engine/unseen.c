/* SPDX-License-Identifier: BSD-2-Clause */
/* unseen.c - see unseen.h. */
#include "config.h"

#include "engine/unseen.h"

#include "base/thread.h"
#include "base/vec.h"
#include "engine/child.h"
#include "probe/memory_notes.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MAX 4096u        /* different programs that are to be read */
#define PROGRAMS_MAX 4096u       /* different ones that are remembered */

/* A file that somebody has executed. */
struct program {
	char *path;
	bool cannot;
};

/* A file that is to be looked at, for so many processes that execute it. */
struct begun {
	char *path;
	uint32_t processes;
};

struct unseen {
	/* who looks */
	VEC(struct program) programs;

	pthread_mutex_t lock;    /* protects what follows */
	VEC(struct begun) waiting;
	uint32_t count;
	struct err why;          /* of the first one */
};

struct unseen *unseen_new(void)
{
	struct unseen *u = calloc(1, sizeof(*u));

	if (u)
		thread_mutex_init(&u->lock);
	return u;
}

void unseen_free(struct unseen *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->programs.n; i++)
		free(u->programs.v[i].path);
	vec_free(&u->programs);
	for (size_t i = 0; i < u->waiting.n; i++)
		free(u->waiting.v[i].path);
	vec_free(&u->waiting);
	pthread_mutex_destroy(&u->lock);
	free(u);
}

/* The program in PATH among those that wait; it joins them. NULL = there is no room. */
static struct begun *unseen_waiting(struct unseen *u, const char *path)
{
	char *copy;

	for (size_t i = 0; i < u->waiting.n; i++)
		if (!strcmp(u->waiting.v[i].path, path))
			return &u->waiting.v[i];
	copy = u->waiting.n < WAITING_MAX && vec_reserve(&u->waiting, 1) ? strdup(path) : NULL;
	if (!copy)
		return NULL;
	u->waiting.v[u->waiting.n] = (struct begun){ .path = copy };
	return &u->waiting.v[u->waiting.n++];
}

bool unseen_begun(struct unseen *u, const char *path)
{
	struct begun *b;

	pthread_mutex_lock(&u->lock);
	b = unseen_waiting(u, path);
	if (b)
		b->processes++;
	pthread_mutex_unlock(&u->lock);
	return b;
}

/* Can no library be put into PATH? WHY says so when it was not read before. */
static bool unseen_cannot(struct unseen *u, const char *path, struct err *why)
{
	struct program *at;
	uid_t uid = 0;
	gid_t gid = 0;
	bool cannot;

	for (size_t i = 0; i < u->programs.n; i++)
		if (!strcmp(u->programs.v[i].path, path))
			return u->programs.v[i].cannot;
	(void)child_identity(&uid, &gid, NULL);
	cannot = memory_notes_preloadable(path, uid, gid, why) == -EOPNOTSUPP;
	if (u->programs.n < PROGRAMS_MAX && vec_reserve(&u->programs, 1)) {
		at = &u->programs.v[u->programs.n];
		*at = (struct program){ strdup(path), cannot };
		u->programs.n += at->path != NULL;
	}
	return cannot;
}

void unseen_look(struct unseen *u)
{
	pthread_mutex_lock(&u->lock);
	while (u->waiting.n) {
		const struct begun first = u->waiting.v[0];
		struct err why = ERR_INIT;
		bool cannot;

		memmove(u->waiting.v, u->waiting.v + 1, --u->waiting.n * sizeof(*u->waiting.v));
		pthread_mutex_unlock(&u->lock);
		cannot = unseen_cannot(u, first.path, &why);
		free(first.path);
		pthread_mutex_lock(&u->lock);
		u->count += cannot ? first.processes : 0;
		if (cannot && !u->why.code)
			u->why = why;
	}
	pthread_mutex_unlock(&u->lock);
}

uint32_t unseen_count(struct unseen *u, struct err *ret_why)
{
	uint32_t r;

	pthread_mutex_lock(&u->lock);
	r = u->count;
	if (r)
		*ret_why = u->why;
	pthread_mutex_unlock(&u->lock);
	return r;
}
