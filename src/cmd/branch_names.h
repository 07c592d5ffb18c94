/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_names.h - names of the addresses of branches, and the source lines that they stand for: each is looked up
 * once, by libsberf.
 */
#ifndef SBERF_CMD_BRANCH_NAMES_H
#define SBERF_CMD_BRANCH_NAMES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "branch/show.h"
#include "cmd/options.h"
#include "model/probecode.h"

struct branch_names;

/* 0, or a negative errno with a sentence. O outlives *RET. */
int branch_names_new(const struct options *o, struct branch_names **ret, struct err *e);
void branch_names_free(struct branch_names *n);          /* NULL is fine */

/* Opens the file of CODE now, since the process that has it may end. */
void branch_names_open(struct branch_names *n, const struct probe_code *code);
/* The path by which this process can open the file of CODE. Returns DST. */
char *branch_names_path(const struct probe_code *code, char *dst, size_t size);

/* As struct branch_show has it; CTX is a struct branch_names. */
void branch_names_of(void *ctx, uint32_t space, uint64_t address, struct branch_place *ret);
bool branch_names_source(void *ctx, const struct branch_line *line, char dst[SHOW_SOURCE_MAX]);

DEFINE_AUTO(branch_names_free, struct branch_names);

#endif
