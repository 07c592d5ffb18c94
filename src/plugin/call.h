/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call.h - one call of one plug-in, wherever that runs: inside of sberf (in_process.h) or in a process of its
 * own (in_worker.h). What comes back is checked here, and texts are made clean.
 */
#ifndef SBERF_PLUGIN_CALL_H
#define SBERF_PLUGIN_CALL_H

#include "base/err.h"
#include "plugin/message.h"
#include "plugin/targetview.h"

/* Takes a name of what was asked for as number I; all of SAID is valid until it returns. */
typedef void plugin_said_fn(void *ctx, size_t i, const struct sberf_said *said);

struct plugin_call {
	enum plugin_op op;
	uint32_t process;            /* number, which attach gives a meaning until detach */
	struct plugin_target *target;        /* of that process */
	/* of resolve: N of them, PLUGIN_PCS_MAX at most; of claims one; of threads numbers of threads */
	const uint64_t *pc;
	size_t n;
	const struct sberf_taken *taken;     /* of expand */
	uint32_t what;               /* of changed */
	struct sberf_plan *plan;     /* of plan: filled and checked */
	plugin_said_fn *say;         /* of resolve, expand and threads */
	void *ctx;
	char *log;                   /* room of PLUGIN_LOG_MAX for the last sentence that it said, made clean */
};

/* How many answers C may have: indexes are below. */
size_t plugin_call_asked(const struct plugin_call *c);
/* What is called in sentences: "resolve". */
const char *plugin_call_name(enum plugin_op op);
/* Does RESULT make sense as that of C? It is a fault if it does not. */
bool plugin_call_result_check(const struct plugin_call *c, int result);

#endif
