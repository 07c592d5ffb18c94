/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * runtime_names.h - the names of code of one process that no file holds, from the plug-ins that know it. Where
 * none has a name yet, they are told after a while that there may be one by now.
 */
#ifndef SBERF_SYMBOL_RUNTIME_NAMES_H
#define SBERF_SYMBOL_RUNTIME_NAMES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/vec.h"
#include "plugin/plugins.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which plug-ins there are beside those that are built in. */
struct runtime_plugins {
	const char *const *file;     /* N of them, asked before others */
	size_t n;
	bool in_process;             /* these run inside of sberf */
	bool no_installed;           /* those of the folder are left out */
	bool no_worker;              /* what is built in runs in this process, which shall have no children */
};

/* The plug-in that is built in and called NAME; NULL = there is none. */
const struct plugin_built_in *runtime_built_in_named(const char *name);

/* A set of WHICH (NULL = what is built in alone) and those that are built in. A sentence when a file cannot be used. */
int runtime_plugins_new(const struct runtime_plugins *which, struct plugins **ret, struct err *e);

/* A name of an address. */
struct runtime_said {
	uint64_t pc;
	struct sberf_said said;
};

/* Zeroed when empty. */
struct runtime_names {
	struct plugin_process *process;      /* NULL = nothing has been asked yet */
	uint64_t not_before_ns;      /* when plug-ins may look for more */
	uint64_t patience_ns;        /* grows from 1 s to 16 s while looks bring nothing */
	struct hidx missed;          /* what has no name, by address: not asked for before there may be more */
	VEC(uint64_t) missed_pcs;
	/* what was asked for together last, and not taken yet: names of one address stand together */
	VEC(struct runtime_said) said;
	struct arena texts;          /* theirs */
	size_t next;                 /* of SAID: where the last one was found */
};

/*
 * Names ADDR to SAY, innermost first; how many names, 0 = none is known. SOURCE is what is known of the
 * process; with MAY_LOOK false nothing new is asked.
 */
size_t runtime_names_find(struct runtime_names *t, struct plugins *ps, const struct plugin_source *source,
			  bool may_look, uint64_t addr, plugin_said_fn *say, void *ctx);
/*
 * Asks for the N addresses PC together, of which PLUGIN_NAME_MAX count: a worker is then woken once for all of them.
 * runtime_names_wants(): is there nothing known of ADDR, so that it is worth it?
 */
void runtime_names_prepare(struct runtime_names *t, struct plugins *ps, const struct plugin_source *source,
			   const uint64_t *pc, size_t n);
bool runtime_names_wants(const struct runtime_names *t, uint64_t addr);
/* As plugin_process_trouble(). */
bool runtime_names_trouble(struct runtime_names *t, struct plugin_trouble *ret);

/* The next miss may look again at once, however lately that was done: for what was written at the end of a process. */
void runtime_names_hurry(struct runtime_names *t);

void runtime_names_clear(struct runtime_names *t);

#endif
