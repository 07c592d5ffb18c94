/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpython_threads.h - what a program calls its threads: threading.Thread(name=...), of the threads in
 * threading._active. Before 3.14 CPython tells the kernel nothing of that.
 *
 * sys.modules leads to the module, its variable _active is a dictionary of identifiers (pthread_self()) and
 * objects, and these have the name among their attributes. All of that is read while it changes: types are
 * checked, everything is bounded, and a name that cannot be read is none.
 */
#ifndef SBERF_PLUGIN_CPYTHON_THREADS_H
#define SBERF_PLUGIN_CPYTHON_THREADS_H

#include <sberf/plugin.h>

#include "plugin/cpython_layout.h"

#include <stddef.h>
#include <stdint.h>

/* What is known of an entry: its key and value, both objects, and the number of the thread. */
struct cpython_thread {
	uint64_t key, value;
	uint32_t number;
};

struct cpython_threads {
	const struct sberf_host *host;
	const struct cpython_layout *layout;
	uint64_t interp;                 /* the interpreter */
	uint64_t text_type, dict_type;   /* addresses of these */
	uint32_t number;                 /* of what an identifier points to: offset of the thread's number, 4 bytes */
	uint64_t active;                 /* the dictionary; 0 = not found yet */
	struct cpython_thread *known;    /* whose entries were in it, by place; NULL = none */
	uint32_t searched;               /* of sys.modules, in calls before: a call may not read all of them */
};

/*
 * Says to SINK the names of the N threads TID, by their places there, as many as have some. 0, or a negative errno:
 * -ENOTSUP in versions in which that is not known.
 */
int cpython_threads_name(struct cpython_threads *t, const uint64_t *tid, size_t n, struct sberf_sink *sink);

#endif
