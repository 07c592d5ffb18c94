/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resolver.h - turns (module, offset) into names; it keeps the modules that were opened so far and
 * what was read from them.
 *
 * It belongs to the worker of the symbolizer, knows nothing of dictionaries and locks, and may wait
 * for files. Memory is bounded: tables that were not used for longest are dropped and read again
 * when they are needed.
 */
#ifndef SBERF_SYMBOL_RESOLVER_H
#define SBERF_SYMBOL_RESOLVER_H

#include "base/cleanup.h"
#include "model/dict.h"
#include "symbol/placenames.h"
#include "symbol/fetch.h"
#include "symbol/names_worker.h"
#include "symbol/symbolizer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct resolver;

/*
 * OPENER is copied, and of OPTIONS plug-ins, symfs and in_worker count. FETCHER, NULL = none, becomes the resolver's.
 * STATS receives counts, UNREAD the files that could not be read. STOP, once true, makes everything
 * return early: OPENER is not called any more. NULL when out of memory (FETCHER is freed).
 */
struct resolver *resolver_new(const struct module_opener *opener, const struct symbolizer_options *options,
			      struct fetcher *fetcher, struct symbolizer_stats *stats, struct unread *unread,
			      const _Atomic bool *stop);
void resolver_free(struct resolver *r);          /* NULL is fine */

/*
 * Tells what module ID is; PATH is as the target sees it, and functions that have lost their names
 * are called by the last part of SHOWN (module_shown_path()). False when out of memory.
 */
bool resolver_add_module(struct resolver *r, module_id id, const struct module *m, const char *path, const char *shown);
bool resolver_knows(const struct resolver *r, module_id id);
/*
 * The same for the module ID, which is known, when it is shown otherwise by now: the name that its
 * functions get from then on, valid until the next call. NULL when that is no other one, or out of
 * memory.
 */
const char *resolver_rename(struct resolver *r, module_id id, const char *shown);

/* Names from a symbol table: one, or none (false). ANSWER is empty before. */
bool resolver_name(struct resolver *r, module_id id, uint64_t offset, struct answer *answer);

/* Whether the frame of a script that resolver_name() has just been asked for has a name later. */
bool resolver_script_pending(const struct resolver *r);

/* Why resolver_name() has just said of a place in module ID, which is known, that it has no name. Not in a worker. */
enum resolver_lack resolver_lack(const struct resolver *r, module_id id);

/*
 * False when it is known that nothing in module ID has details: it is no file, or has no debug
 * information that can be read.
 */
bool resolver_may_detail(const struct resolver *r, module_id id);
/* The same with inlined calls, files and lines, as far as they can be found. */
bool resolver_details(struct resolver *r, module_id id, uint64_t offset, struct answer *answer);

/*
 * What workers know is asked for together: true when the answer for a place is not here yet. Then
 * resolver_prepare() fetches those of N places Q, of whatever modules are known, NAMES_BATCH_MAX at most.
 */
bool resolver_wants(const struct resolver *r, module_id id, uint64_t offset, bool details);
void resolver_prepare(struct resolver *r, const struct names_question *q, size_t n, bool details);

/*
 * Functions of run-time compilers that were not known are looked for again at the next question,
 * without the pause between readings.
 */
void resolver_hurry(struct resolver *r);

DEFINE_AUTO(resolver_free, struct resolver);

#endif
