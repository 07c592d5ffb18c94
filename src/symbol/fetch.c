/* SPDX-License-Identifier: BSD-2-Clause */
/* fetch.c - libdebuginfod through dlopen(3), with a progress callback that says when to give up. */
#include "config.h"

#include "symbol/fetch.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_ELFUTILS_DEBUGINFOD_H

#include <dlfcn.h>
#include <elfutils/debuginfod.h>

struct fetcher {
	struct fetch_hooks hooks;
	void *lib;
	debuginfod_client *client;
	void (*end)(debuginfod_client *c);
	int (*find)(debuginfod_client *c, const unsigned char *id, int id_len, char **path);
	char what[128];          /* sanitised */
};

static bool given_up(const struct fetcher *f)
{
	return atomic_load(f->hooks.stop) || atomic_load(f->hooks.cancelled);
}

/* The same in every fetcher, but the callback is given nothing that leads to one. */
static void *(*get_user_data)(debuginfod_client *c);

/* DONE of ALL bytes; ALL is 0 while it is not known. */
static void fetch_show(const struct fetcher *f, long done, long all)
{
	char line[sizeof(f->what) + 64];

	if (all > 0 && done >= 0)
		snprintf(line, sizeof(line), "debuginfod: %s %ld %%", f->what,
			 (long)((double)done * 100 / (double)all));
	else
		snprintf(line, sizeof(line), "debuginfod: %s", f->what);
	f->hooks.progress(f->hooks.ctx, line);
}

static int on_progress(debuginfod_client *c, long done, long all)
{
	const struct fetcher *f = get_user_data(c);

	fetch_show(f, done, all);
	return given_up(f);
}

/* Function NAME of the library; with a sentence when it is not there. */
static void *fetch_function(struct fetcher *f, const char *name, struct err *e)
{
	void *p = dlsym(f->lib, name);

	if (!p)
		err_set(e, ENOTSUP, DEBUGINFOD_SONAME " has no %s; it is too old for --debuginfod", name);
	return p;
}

static int fetch_load(struct fetcher *f, struct err *e)
{
	void (*set_progress)(debuginfod_client *c, debuginfod_progressfn_t fn);
	void (*set_user_data)(debuginfod_client *c, void *value);
	debuginfod_client *(*begin)(void);

	f->lib = dlopen(DEBUGINFOD_SONAME, RTLD_NOW | RTLD_LOCAL);
	if (!f->lib)
		return err_set(e, ENOTSUP, "--debuginfod needs " DEBUGINFOD_SONAME
			       " (Debian: libdebuginfod1): %s", dlerror());
	begin = (debuginfod_client * (*)(void)) fetch_function(f, "debuginfod_begin", e);
	f->end = (void (*)(debuginfod_client *))fetch_function(f, "debuginfod_end", e);
	f->find = (int (*)(debuginfod_client *, const unsigned char *, int, char **))fetch_function(
		f, "debuginfod_find_debuginfo", e);
	set_progress =
		(void (*)(debuginfod_client *, debuginfod_progressfn_t))fetch_function(f,
		"debuginfod_set_progressfn", e);
	set_user_data = (void (*)(debuginfod_client *, void *))fetch_function(f, "debuginfod_set_user_data", e);
	get_user_data = (void *(*)(debuginfod_client *))fetch_function(f, "debuginfod_get_user_data", e);
	if (!begin || !f->end || !f->find || !set_progress || !set_user_data || !get_user_data)
		return -ENOTSUP;
	f->client = begin();
	if (!f->client)
		return err_nomem(e, "a client of debuginfod");
	set_user_data(f->client, f);
	set_progress(f->client, on_progress);
	return 0;
}

int fetcher_new(const struct fetch_hooks *hooks, struct fetcher **ret, struct err *e)
{
	AUTO(fetcher_free) struct fetcher *f = calloc(1, sizeof(*f));
	const char *urls = getenv(DEBUGINFOD_URLS_ENV_VAR);
	int rc;

	if (!f)
		return err_nomem(e, "a client of debuginfod");
	if (!urls || !*urls)
		return err_set(e, ENOTSUP, "--debuginfod needs servers in DEBUGINFOD_URLS, which is not set (sudo "
			       "removes it: try sudo -E)");
	f->hooks = *hooks;
	rc = fetch_load(f, e);
	if (rc)
		return rc;
	*ret = take_ptr(f);
	return 0;
}

void fetcher_free(struct fetcher *f)
{
	if (!f)
		return;
	if (f->client)
		f->end(f->client);
	/* The library stays loaded: libcurl does not unload cleanly. */
	free(f);
}

int fetcher_debuginfo(struct fetcher *f, const uint8_t *id, uint8_t id_len, const char *what)
{
	const char *slash = strrchr(what, '/');
	char *path = NULL;
	int fd;

	if (given_up(f) || !id_len)
		return -ECANCELED;
	what = slash ? slash + 1 : what;
	text_sanitise(f->what, sizeof(f->what), what, strlen(what));
	fetch_show(f, 0, 0);
	fd = f->find(f->client, id, id_len, &path);
	free(path);
	f->hooks.progress(f->hooks.ctx, "");
	return fd;
}

#else

int fetcher_new(const struct fetch_hooks *hooks, struct fetcher **ret, struct err *e)
{
	return err_set(e, ENOTSUP, "--debuginfod is not in this sberf: it was built without libdebuginfod's header");
}

void fetcher_free(struct fetcher *f)
{
}

int fetcher_debuginfo(struct fetcher *f, const uint8_t *id, uint8_t id_len, const char *what)
{
	return -ENOTSUP;
}

#endif
