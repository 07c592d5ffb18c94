/* SPDX-License-Identifier: BSD-2-Clause */
/* traceable.c - see traceable.h. */
#include "config.h"

#include "probe/traceable.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "probe/tracepoint.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST "available_filter_functions"
#define TRACEABLE_MAX (1u << 20)

struct traceable {
	VEC(const char *) name;          /* sorted */
	struct arena texts;
};

static int traceable_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int traceable_read(const char *path, struct traceable **ret, struct err *e)
{
	AUTO(traceable_free) struct traceable *t = calloc(1, sizeof(*t));
	AUTO_FILE FILE *in = fopen(path, "re");
	char line[1024];

	if (!t)
		return err_nomem(e, "functions of the kernel");
	if (!in)
		return err_set(e, errno, "cannot read %s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), in) && t->name.n < TRACEABLE_MAX) {
		const char *name = arena_strndup(&t->texts, line, strcspn(line, " \t\n"));
		const char **at = name ? vec_push(&t->name) : NULL;

		if (!at)
			return err_nomem(e, "functions of the kernel");
		*at = name;
	}
	if (t->name.n)
		qsort(t->name.v, t->name.n, sizeof(*t->name.v), traceable_compare);
	*ret = take_ptr(t);
	return 0;
}

int traceable_load(struct traceable **ret, struct err *e)
{
	char tracefs[PATH_MAX], path[PATH_MAX];
	int r = tracefs_find(tracefs, NULL);

	*ret = NULL;
	if (r < 0 || text_format(path, sizeof(path), "%s/" LIST, tracefs) >= sizeof(path) - 1)
		return 0;
	r = traceable_read(path, ret, e);
	return r == -ENOMEM ? r : 0;
}

void traceable_free(struct traceable *t)
{
	if (!t)
		return;
	vec_free(&t->name);
	arena_reset(&t->texts);
	free(t);
}

bool traceable_has(const struct traceable *t, const char *name)
{
	return t->name.n && bsearch(&name, t->name.v, t->name.n, sizeof(*t->name.v), traceable_compare);
}
