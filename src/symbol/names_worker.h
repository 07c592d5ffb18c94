/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names_worker.h - has sberf-worker, a process without privileges, read files of code: what elfnames.h does,
 * elsewhere.
 *
 * The worker gets open files, and says names, which are checked. It is started when it is first asked, and again when
 * it has ended. A file that it was at twice when it crashed, or took too long, is left alone from then on: it counts
 * as one that could not be read. A worker that somebody kills is no fault of the file that it was at. One thread.
 */
#ifndef SBERF_SYMBOL_NAMES_WORKER_H
#define SBERF_SYMBOL_NAMES_WORKER_H

#include "base/cleanup.h"
#include "symbol/elfnames.h"
#include "symbol/names_message.h"

struct names_worker;

/* As elf_names_new(). No worker is started yet. */
struct names_worker *names_worker_new(const struct elf_names_files *files, const char *symfs,
				      struct symbolizer_stats *stats, struct unread *unread);
/* The same for a worker that is there already, at the other end of SOCKET, which becomes the result's, and no other. */
struct names_worker *names_worker_of(int socket, const struct elf_names_files *files, struct symbolizer_stats *stats,
				     struct unread *unread);
void names_worker_free(struct names_worker *w);          /* NULL is fine */

/* As elf_names_add() and elf_names_call(). */
bool names_worker_add(struct names_worker *w, module_id id, const struct module *m, const char *path,
		      const char *called);
void names_worker_call(struct names_worker *w, module_id id, const char *called);

struct names_question {
	module_id module;            /* which is known */
	uint64_t offset;
};

/* Asks for N places together, NAMES_BATCH_MAX at most. What was answered before is forgotten. */
void names_worker_prepare(struct names_worker *w, const struct names_question *q, size_t n, bool details);
/* Is the answer for this place here? */
bool names_worker_has(const struct names_worker *w, module_id id, uint64_t offset, bool details);

/* As elf_names_find(), or elf_names_details(). What is not here yet is asked for. */
bool names_worker_find(struct names_worker *w, module_id id, uint64_t offset, bool details, struct answer *answer);
/* As elf_names_may_detail(). */
bool names_worker_may_detail(const struct names_worker *w, module_id id);

DEFINE_AUTO(names_worker_free, struct names_worker);

#endif
