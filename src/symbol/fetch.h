/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fetch.h - fetches debug files from debuginfod servers, when the user asked for it (--debuginfod).
 * It blocks, so only the worker calls it.
 *
 * The client library is loaded when a fetcher is made and not otherwise, so nothing else can reach
 * the network. Servers are those of DEBUGINFOD_URLS; the library's cache and its other variables
 * apply (debuginfod_find_debuginfo(3)).
 */
#ifndef SBERF_SYMBOL_FETCH_H
#define SBERF_SYMBOL_FETCH_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fetcher;

struct fetch_hooks {
	/* either ends a download and forbids further ones; watched all the time */
	const _Atomic bool *stop, *cancelled;
	/* LINE is what to show, "" when done. Called by the thread that fetches. */
	void (*progress)(void *ctx, const char *line);
	void *ctx;
};

/*
 * HOOKS is copied. -ENOTSUP with a sentence when sberf was built without it, the library or
 * DEBUGINFOD_URLS is missing.
 */
int fetcher_new(const struct fetch_hooks *hooks, struct fetcher **ret, struct err *e);
void fetcher_free(struct fetcher *f);            /* NULL is fine */

/*
 * The debug file with build-id ID: an fd owned by the caller or a negative errno. WHAT names it in
 * the progress line.
 */
int fetcher_debuginfo(struct fetcher *f, const uint8_t *id, uint8_t id_len, const char *what);

DEFINE_AUTO(fetcher_free, struct fetcher);

#endif
