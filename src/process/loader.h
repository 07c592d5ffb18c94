/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loader.h - runs a few threads that open and read files, any of which may hang for ever.
 *
 * A load that takes longer than the limit is given up: its result is a failure, its thread is left
 * behind and replaced, as long as not too many are left behind. A thread that comes back after all
 * is reused or ends, and what it brings is taken as a second, late result: a big file on a slow
 * disk is worth having late. One thread adds and takes.
 */
#ifndef SBERF_PROCESS_LOADER_H
#define SBERF_PROCESS_LOADER_H

#include "base/cleanup.h"
#include "base/err.h"
#include "process/open.h"

#include <stdbool.h>
#include <stdint.h>

#define LOADER_QUEUE_MAX 4096u   /* loads waiting or running */
#define LOADER_HUNG_MAX 8u       /* threads left behind before no more are started */

/* Reads the file ID at P. 0 with *RET, or a negative errno. Runs in a thread of the loader. */
typedef int load_fn(void *ctx, const struct file_id *id, const struct place *p, struct loaded *ret, struct err *e);

struct load_result {
	uint32_t tag;            /* of loader_add() */
	int status;              /* 0 or a negative errno; -ETIMEDOUT: given up */
	bool late;               /* it was given up before; status is 0 */
	struct loaded loaded;    /* owned by the taker when status is 0 */
	struct err err;
};

struct loader;

/*
 * LIMIT_NS is the time that one load may take. FN and CTX must stay valid even for threads that
 * hang. With no THREADS loader_add() loads by itself, however long that takes.
 */
int loader_new(load_fn *fn, void *ctx, unsigned int threads, uint64_t limit_ns, struct loader **ret, struct err *e);
/* NULL is fine. Waits for running loads, but none longer than the limit; threads that hang are abandoned. */
void loader_free(struct loader *l);

/* Queues a load; copies ID and P. False when the queue is full or memory is out: try later. */
bool loader_add(struct loader *l, uint32_t tag, const struct file_id *id, const struct place *p);

/* The next finished or given-up load; false when there is none. Never waits. */
bool loader_take(struct loader *l, struct load_result *ret);

/* Readable when loader_take() may have something to give. */
int loader_fd(const struct loader *l);

uint32_t loader_pending(const struct loader *l);     /* waiting or running */
uint32_t loader_hung(struct loader *l);              /* threads left behind now */

DEFINE_AUTO(loader_free, struct loader);

#endif
