/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hosted.h - a plug-in whose code is in this process: sberf-worker, or sberf itself. Its functions are
 * called here, and nowhere else; between it and those who serve it stand the versions of the interface and
 * its limits.
 */
#ifndef SBERF_PLUGIN_HOSTED_H
#define SBERF_PLUGIN_HOSTED_H

#include "base/err.h"
#include "plugin/message.h"

/* Who serves a plug-in, of one process; the functions are those of struct sberf_host. */
struct plugin_services {
	int (*read)(void *ctx, uint64_t address, void *buf, size_t length);
	int (*mapped)(void *ctx, size_t i, struct plugin_mapped_body *ret);
	/* MODULE is "" for any. */
	int (*symbol)(void *ctx, const char *module, const char *name, uint64_t *ret_address, uint64_t *ret_size);
	int (*file)(void *ctx, uint32_t which);
	void (*log)(void *ctx, const char *text);
	void (*refused)(void *ctx, uint64_t n);
	/* I is one of what was asked for, FUNCTION and FILE are not NULL. */
	void (*say)(void *ctx, size_t i, const struct sberf_said *said);
};

/* Copies what is used of the plug-in P to *RET and what it is to *RET_HELLO; a sentence when it cannot be used. */
int hosted_accept(const struct sberf_plugin *p, struct sberf_plugin *ret, struct plugin_hello *ret_hello,
		  struct err *e);

struct hosted;

/* Has P, of hosted_accept(), attach to PROCESS; all are borrowed until hosted_detach(). Its error, or -ENOMEM. */
int hosted_attach(const struct sberf_plugin *p, const struct plugin_services *services, void *ctx,
		  const struct plugin_process_body *process, struct hosted **ret);
void hosted_detach(struct hosted *h);            /* NULL is fine */

/* What the plug-in's functions return; -ENOSYS when it has none. */
int hosted_plan(struct hosted *h, struct sberf_plan *ret);
int hosted_claims(struct hosted *h, uint64_t pc);
int hosted_resolve(struct hosted *h, const uint64_t *pc, size_t n);
int hosted_expand(struct hosted *h, const struct sberf_taken *taken);
int hosted_changed(struct hosted *h, uint32_t what);
int hosted_threads(struct hosted *h, const uint64_t *tid, size_t n);

#endif
