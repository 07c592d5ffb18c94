/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.c - two variables of the environment, as long as the command is being started.
 */
#include "config.h"

#include "cmd/preload.h"

#include "base/cleanup.h"
#include "base/installed.h"
#include "engine/child.h"
#include "probe/memory_notes.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "SBERF_MEMORY_SAMPLE_BYTES"

static bool changed;             /* the variables, which had these values, borrowed or NULL: */
static char *preloaded, *sampled;

/* The path of the library, in RET. */
static int find_library(char ret[PATH_MAX], struct err *e)
{
	return installed_find(MEMORY_NOTES_LIBRARY, ret) ? 0 :
		err_set(e, ENOENT, "--memory=preload needs " MEMORY_NOTES_LIBRARY ", which is neither beside sberf nor "
			"in %s: install it, or use --memory=allocs", installed_dir());
}

/* A copy of the variable NAME; NULL when it is not set. */
static char *keep(const char *name)
{
	const char *v = getenv(name);

	return v ? strdup(v) : NULL;
}

static int set_variables(const char *library, uint32_t interval, struct err *e)
{
	AUTO_FREE char *all = NULL;
	char number[16];

	preloaded = keep("LD_PRELOAD");
	sampled = keep(VARIABLE);
	changed = true;
	snprintf(number, sizeof(number), "%u", interval);
	/* First of all: it calls those behind it. */
	if (asprintf(&all, "%s%s%s", library, preloaded && *preloaded ? ":" : "", preloaded ? preloaded : "") < 0) {
		all = NULL;
		return err_nomem(e, "the environment of the command");
	}
	if (setenv("LD_PRELOAD", all, 1) || setenv(VARIABLE, number, 1))
		return err_nomem(e, "the environment of the command");
	return 0;
}

int preload_begin(const char *command, uint32_t interval, struct err *e)
{
	char program[PATH_MAX], library[PATH_MAX];
	uid_t uid = 0;
	gid_t gid = 0;
	int status, r = child_identity(&uid, &gid, e);

	r = r ? r : child_find(command, program, &status, e);
	r = r ? r : memory_notes_preloadable(program, uid, gid, e);
	if (r)
		return r < 0 ? r : 0;
	r = find_library(library, e);
	if (!r && strpbrk(library, " :"))
		r = err_set(e, EINVAL, "--memory=preload cannot work with '%s': there is a blank or a colon in its "
			    "path, at which the loader would cut it", library);
	return r ? r : set_variables(library, interval, e);
}

/* NAME has the value V again, which is freed. */
static void restore(const char *name, char *v)
{
	if (v)
		setenv(name, v, 1);
	else
		unsetenv(name);
	free(v);
}

void preload_end(void)
{
	if (!changed)
		return;
	restore("LD_PRELOAD", preloaded);
	restore(VARIABLE, sampled);
	preloaded = sampled = NULL;
	changed = false;
}
