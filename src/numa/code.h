/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.h - the access rules (access.h) of the places where samples land, and decodes them in a
 * thread of its own.
 *
 * Instructions are read from the file behind a module, which can take as long as a disk or a
 * network wants. So a thread of its own opens files, finds where functions begin (unwind tables,
 * else symbols), reads and decodes; whoever asks has the answer soon, or learns that there is none.
 * One thread (the engine) calls all of this.
 */
#ifndef SBERF_NUMA_CODE_H
#define SBERF_NUMA_CODE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "model/dict.h"
#include "numa/access.h"

#include <stdbool.h>
#include <stdint.h>

struct code;

struct code_config {
	const struct dict *dict;         /* must outlive the result */
	/*
	 * An fd in which frames of MODULE, of kind MODULE_FILE or MODULE_ANON, are where their
	 * offsets say: the file, or the memory of the process (/proc/PID/mem). Or a negative errno.
	 * Called by the thread that decodes. A call that hangs in a file may still be running in an
	 * abandoned thread after code_free() returned: then it must not touch CTX any more. No call
	 * starts after code_free().
	 */
	int (*open)(void *ctx, module_id module, struct err *e);
	void *ctx;
};

int code_new(const struct code_config *c, struct code **ret, struct err *e);
void code_free(struct code *c);                  /* NULL is fine; a thread that hangs in a file is abandoned */

/*
 * The rule of PLACE, an exact pc (frame 0 of a chain), into *RET. False: it has been asked for, and
 * comes with code_poll(). In memory that belongs to no file there may be other code later: after a
 * second it is asked for anew. When too much has been asked for it is a rule without address
 * (MISS_BACKLOG), and the place may be asked for again later. What is neither in a file nor made by
 * a run-time compiler (the vDSO, the kernel) has MISS_NO_CODE at once.
 */
bool code_rule(struct code *c, const struct frame *place, struct access_rule *ret);

/*
 * Takes in what has been decoded; returns how many places, with those of a file in which the reader
 * hangs: they have MISS_NO_CODE then. So whoever was refused by code_rule() need ask again only
 * when this is not 0. Never waits.
 */
unsigned int code_poll(struct code *c);

struct code_figures {
	uint64_t rules;          /* known */
	uint64_t with_address;   /* of them */
	uint64_t files, failed;  /* opened; could not be */
	uint64_t cpu_ns;         /* of the thread that decodes */
	size_t bytes;
};
void code_figures(const struct code *c, struct code_figures *ret);

DEFINE_AUTO(code_free, struct code);

#endif
