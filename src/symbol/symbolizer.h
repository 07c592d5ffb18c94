/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbolizer.h - a worker that gives every frame of a dictionary its names, in the background.
 *
 * It follows the dictionary by itself: symbol-table names first, for all frames, then inlined calls
 * and lines from debug information, module by module. It is never in the path of events or keys;
 * what it opens may hang, so stopping it never waits for a file.
 */
#ifndef SBERF_SYMBOL_SYMBOLIZER_H
#define SBERF_SYMBOL_SYMBOLIZER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/names.h"
#include "model/unread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plugins;
struct symbolizer;

/* What a frame of an interpreted language is called. The texts are the caller's, malloc'ed. */
struct script_name {
	char *function, *file;
	uint32_t line, first_line;       /* 0 = unknown */
	bool note;                       /* FUNCTION says why there is no name */
};

enum script_answer {
	SCRIPT_NAMED,
	SCRIPT_PENDING,                  /* not yet: ask again */
	SCRIPT_UNKNOWN,                  /* nobody will ever know */
};

/*
 * How modules are opened: an fd owned by the symbolizer or a negative errno. For MODULE_FILE the
 * file itself; for MODULE_ANON the process's perf map (/tmp/perf-PID.map seen from inside) or the
 * jitdump file that it maps (jit-PID.dump), which are told apart by their first bytes, with
 * *RET_UID = the owner that the file must have (or root). Called by the worker. A call that hangs
 * in a file may still be running in an abandoned worker after symbolizer_free() returned: then it
 * must not touch CTX any more, or CTX must live on. No call starts after symbolizer_free().
 */
struct module_opener {
	int (*open)(void *ctx, module_id module, uid_t *ret_uid, struct err *e);
	/*
	 * The root in which the path of MODULE means what it says (O_PATH), an fd of the
	 * symbolizer's; negative when that is ours. NULL = it always is.
	 */
	int (*root)(void *ctx, module_id module);
	/* What the frame at OFFSET of a MODULE_SCRIPT is called. May wait for a moment. NULL = nobody knows. */
	enum script_answer (*script)(void *ctx, uint64_t offset, struct script_name *ret);
	/*
	 * For plug-ins: a handle of /proc/PID of the process of MODULE, which is a MODULE_ANON, as long as
	 * that runs; -ESRCH. NULL = it cannot be looked at.
	 */
	int (*process)(void *ctx, module_id module);
	void *ctx;
	void *script_ctx;                /* of script */
};

/* What could not be used, counted. Monotonic. */
struct symbolizer_stats {
	uint64_t unreadable_modules;     /* files that could not be opened, or are no ELF files */
	uint64_t damaged_symbols;        /* symbol tables and entries left out */
	uint64_t refused_maps;           /* perf maps and jitdump files of the wrong owner or kind, or too large */
	uint64_t refused_lines;          /* lines and records in them that make no sense */
	/* frames of run-time compilers that are not asked for again: too many without a name */
	uint64_t jit_given_up;
	/* files whose debug information is too large, damaged, packed unknown, or lacks a part (dwz, .dwo) */
	uint64_t unreadable_details;
	uint64_t damaged_details;        /* parts of debug information left out */
	uint64_t deep_inlining;          /* places with more inlined calls than are shown */
	uint64_t tables_dropped;         /* to bound memory; read again when needed */
	uint64_t kernel_hidden;          /* 1: /proc/kallsyms shows no addresses (CAP_SYSLOG, kernel.kptr_restrict) */
	uint64_t no_memory;              /* frames that kept a worse name or none because memory ran out */
	uint64_t workers_ended;          /* times that sberf-worker ended while it was wanted, and was started again */
	uint64_t files_left;             /* files that it ended at twice, and that are left alone since */
};

struct symbolizer_options {
	bool no_details;         /* no inlined calls, no lines */
	const char *symfs;       /* directory in which files and debug files are looked up first; NULL = none */
	struct plugins *plugins; /* for code that no file holds; a reference is taken; NULL = what is built in */
	/* files are read in sberf-worker, a process without privileges, which is started again when it ends */
	bool in_worker;
	bool debuginfod;         /* fetch missing debug information (DEBUGINFOD_URLS) */
};

/* DICT and NAMES must outlive the result; NAMES gets its writer. OPTIONS may be NULL. Starts the worker. */
int symbolizer_new(const struct dict *dict, struct names *names, const struct module_opener *opener,
		   const struct symbolizer_options *options, struct symbolizer **ret, struct err *e);

/* Frames that somebody looks at: served first. Copies FRAMES. Never waits. */
void symbolizer_prefer(struct symbolizer *sy, const frame_id *frames, size_t n);

/* There may be new frames. Never waits; wakes the worker. */
void symbolizer_kick(struct symbolizer *sy);

/* Frames not yet settled: without names, or (details wanted) without details. */
uint64_t symbolizer_pending(const struct symbolizer *sy);

/* Waits until every frame known at the call is settled, or TIMEOUT_NS passed (false), or symbolizer_cancel(). */
bool symbolizer_wait(struct symbolizer *sy, uint64_t timeout_ns);
/*
 * Somebody has ended: what run-time compilers tell of their functions at the end is looked at once
 * more, for every frame of theirs that has no name. Never waits; the next symbolizer_wait() waits
 * for it, too.
 */
void symbolizer_look_again(struct symbolizer *sy);
/* Ends waiting and downloads, now and later. */
void symbolizer_cancel(struct symbolizer *sy);

/* One line for a status bar, e.g. "debuginfod: libc.so.6 34 %"; "" when idle. Returns DST. */
char *symbolizer_progress(struct symbolizer *sy, char *dst, size_t dst_size);

/* Which files could not be read, wholly or in part, and why. */
void symbolizer_unread(struct symbolizer *sy, struct unread *ret);
/* What was left out so far. */
void symbolizer_stats(struct symbolizer *sy, struct symbolizer_stats *ret);

void symbolizer_free(struct symbolizer *sy);     /* NULL is fine; a worker stuck in a file is abandoned */

DEFINE_AUTO(symbolizer_free, struct symbolizer);

#endif
