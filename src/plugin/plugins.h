/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plugins.h - the plug-ins of one run of sberf, and each observed process as they see it.
 *
 * A set is made once; then any thread may ask about processes, one at a time: the others wait, for two
 * seconds at most for each call. The plug-in that was added last is asked first. A plug-in that has made
 * three faults is not asked any more; one that is built in is not asked about a process at which it has made two.
 * Nothing that a plug-in does makes a call fail: it knows nothing then.
 */
#ifndef SBERF_PLUGIN_PLUGINS_H
#define SBERF_PLUGIN_PLUGINS_H

#include "base/cleanup.h"
#include "base/err.h"
#include "plugin/built_in.h"
#include "plugin/call.h"
#include "plugin/targetview.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLUGIN_FAULTS_MAX 3u             /* of a plug-in */
#define PLUGIN_NAME_MAX 128u             /* addresses that are named together */
#define PLUGIN_PROCESS_FAULTS_MAX 2u     /* of one that is built in, at one process */

enum plugin_place {
	PLUGIN_BUILT_IN,
	PLUGIN_IN_PROCESS,
	PLUGIN_IN_WORKER,
};

/* What a plug-in is and has done. Texts are clean. */
struct plugin_info {
	char name[32];           /* "" = it has not been loaded yet */
	char runtime[32], versions[32];
	const char *path;        /* of its file, "" = built in; the set's */
	enum plugin_place place;
	bool off;                /* it is not asked any more: TROUBLE says why */
	uint32_t faults;
	uint64_t processes;      /* that are of its runtime */
	uint64_t names;          /* that it gave */
	char trouble[256];       /* "" = none */
	char log[PLUGIN_LOG_MAX];        /* what it said last; "" = nothing */
};

struct plugins;

/* An empty set. ELF is static. NULL when out of memory. */
struct plugins *plugins_new(const struct plugin_elf *elf);
/* One more who frees it; PS. */
struct plugins *plugins_ref(struct plugins *ps);
void plugins_free(struct plugins *ps);           /* NULL is fine; the last one frees its processes before */

/* Before the first process. WHICH is static. IN_WORKER: it is to run in sberf-worker, which has it, too. */
int plugins_add_built_in(struct plugins *ps, const struct plugin_built_in *which, bool in_worker, struct err *e);
/* The file PATH (copied), which is loaded at once; in this process if IN_PROCESS. A sentence when it cannot be used. */
int plugins_add_file(struct plugins *ps, const char *path, bool in_process, struct err *e);
/*
 * Those that are installed, which are loaded when they are needed. What is wrong with one, or with all of them, is
 * in the info of one that is off.
 */
void plugins_add_installed(struct plugins *ps);
/* Loads those that have not been. */
void plugins_load_all(struct plugins *ps);

size_t plugins_count(const struct plugins *ps);
/* What the plug-in I, below the count, is and has done. */
void plugins_info(struct plugins *ps, size_t i, struct plugin_info *ret);

struct plugin_process;

/* The process of SOURCE (copied); NULL when out of memory. Nothing is asked yet. */
struct plugin_process *plugin_process_new(struct plugins *ps, const struct plugin_source *source);
void plugin_process_free(struct plugin_process *p);      /* NULL is fine */

/*
 * Names the N addresses PC, PLUGIN_NAME_MAX at most, to SAY, each by the first plug-in that knows it, innermost inlined
 * call first. Returns how many names.
 */
size_t plugin_process_name(struct plugin_process *p, const uint64_t *pc, size_t n, plugin_said_fn *say, void *ctx);

/*
 * Tells all plug-ins that some time has passed, or WHAT has changed (SBERF_CHANGED_*). True: one of them may
 * know more than before. It may wait for files.
 */
bool plugin_process_changed(struct plugin_process *p, uint32_t what);

/*
 * The plan of the first plug-in that has one, to *RET, and its number to *RET_PLUGIN. -ENOENT: there is none;
 * -EAGAIN: it may have one when its runtime has begun.
 */
int plugin_process_plan(struct plugin_process *p, struct sberf_plan *ret, size_t *ret_plugin);
/* Has that plug-in name the records of TAKEN to SAY. Returns how many names. */
size_t plugin_process_expand(struct plugin_process *p, size_t plugin, const struct sberf_taken *taken,
			     plugin_said_fn *say, void *ctx);

/*
 * Has that plug-in say to SAY what the runtime calls the N threads TID (PLUGIN_PCS_MAX at most), as the process
 * numbers them. Returns how many names.
 */
size_t plugin_process_threads(struct plugin_process *p, size_t plugin, const uint64_t *tid, size_t n,
			      plugin_said_fn *say, void *ctx);

/* What went wrong at a process since that was asked last; false: nothing. */
struct plugin_trouble {
	uint64_t things, files;  /* that made no sense */
	uint64_t ended;          /* workers, while they were wanted */
	struct err left;         /* why no more of what it tells is read, if that began since; else code 0 */
};
bool plugin_process_trouble(struct plugin_process *p, struct plugin_trouble *ret);

DEFINE_AUTO(plugins_free, struct plugins);

#endif
