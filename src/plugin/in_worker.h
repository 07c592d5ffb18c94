/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * in_worker.h - runs a plug-in in a process of its own that has no privileges (worker.h), and does its
 * errands. The process is started when it is needed, and again when it has ended or was ended.
 */
#ifndef SBERF_PLUGIN_IN_WORKER_H
#define SBERF_PLUGIN_IN_WORKER_H

#include "plugin/built_in.h"
#include "plugin/call.h"

#define IN_WORKER_ATTACH_NS (50 * NSEC_PER_MSEC)   /* CPU time of attach, and of loading */
#define IN_WORKER_WALL_NS (2 * NSEC_PER_SEC)       /* between two messages, unless it waits for a CPU ... */
#define IN_WORKER_BUSY_NS (60 * NSEC_PER_SEC)      /* ... and even then */
#define IN_WORKER_ERRANDS_MAX 8192u                /* messages of one call */

struct in_worker;

/* WHICH is a plug-in that the worker has itself, and outlives the result; NULL: it is the file CODE, borrowed. */
struct in_worker *in_worker_new(int code, const struct plugin_built_in *which);
/* The same for a worker that is there already, at the other end of SOCKET, which becomes the result's. */
struct in_worker *in_worker_of(int socket);
void in_worker_free(struct in_worker *o);            /* NULL is fine */

/*
 * Starts the worker, if none is there. *RET_HELLO is what it has loaded; *RET_FRESH: it was started now, and
 * knows no process. A sentence when the plug-in cannot be used.
 */
int in_worker_start(struct in_worker *o, struct plugin_hello *ret_hello, bool *ret_fresh, struct err *e);

/*
 * Makes the call C, for which a worker must be there: the plug-in's result. A crash, too long a time, and what
 * makes no sense are a fault: a sentence in *FAULT, -EIO, and the worker is gone. -EINTR, also of in_worker_start():
 * somebody has killed it, which is no fault.
 */
int in_worker_call(struct in_worker *o, const struct plugin_call *c, struct err *fault);

#endif
