/* SPDX-License-Identifier: BSD-2-Clause */
/* jit_plugin.c - every process may have such a file, so every one is its own; it is read when names are missing. */
#include "config.h"

#include "symbol/jit_plugin.h"

#include "base/cleanup.h"
#include "symbol/jit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct jit_state {
	const struct sberf_host *host;
	struct jit_syms *syms;       /* NULL = not read yet */
	struct timespec mtime;       /* of the file when it was read */
	off_t size;
};

static int jit_attach(const struct sberf_host *host, const struct sberf_process *process, void **ret_state)
{
	struct jit_state *s = calloc(1, sizeof(*s));

	(void)process;
	if (!s)
		return -ENOMEM;
	s->host = host;
	*ret_state = s;
	return 0;
}

static void jit_detach(void *state)
{
	struct jit_state *s = state;

	jit_syms_free(s->syms);
	free(s);
}

static int jit_resolve(void *state, const uint64_t *pc, size_t n, struct sberf_sink *sink)
{
	const struct jit_state *s = state;
	struct jit_sym sym;

	for (size_t i = 0; s->syms && i < n; i++)
		if (jit_syms_find(s->syms, pc[i], &sym))
			sink->say(sink, i, &(struct sberf_said){ .size = sizeof(struct sberf_said),
								 .kind = SBERF_SAID_COMPILED, .function = sym.name,
								 .start = sym.start, .size_bytes = sym.size });
	return 0;
}

/* Reads the file, unless it is what was read last time. */
static int jit_changed(void *state, uint32_t what)
{
	struct jit_state *s = state;
	AUTO_FD int fd = what & SBERF_CHANGED_CODE ? s->host->file(s->host, SBERF_FILE_NAMES) : -1;
	struct jit_syms *fresh;
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) ||
	    (s->syms && st.st_size == s->size && !memcmp(&st.st_mtim, &s->mtime, sizeof(s->mtime))))
		return 0;
	r = jit_syms_read(fd, &fresh, NULL);
	if (r)
		return r;
	s->host->refused(s->host, jit_syms_refused(fresh));
	jit_syms_free(s->syms);
	s->syms = fresh;
	s->size = st.st_size;
	s->mtime = st.st_mtim;
	return 1;
}

const struct sberf_plugin jit_plugin = {
	.abi = SBERF_PLUGIN_ABI, .size = sizeof(struct sberf_plugin), .name = "perf-map",
	.runtime = "any run-time compiler", .versions = "perf map, jitdump", .attach = jit_attach, .detach = jit_detach,
	.resolve = jit_resolve, .changed = jit_changed,
};
