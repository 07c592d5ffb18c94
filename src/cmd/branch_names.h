/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * branch_names.h - names of the addresses of branches, and the source lines that they stand for: each is looked up
 * once, by libsberf.
 */
#ifndef SBERF_CMD_BRANCH_NAMES_H
#define SBERF_CMD_BRANCH_NAMES_H

#include "base/cleanup.h"
#include "base/err.h"
#include "branch/entries.h"
#include "branch/show.h"
#include "cmd/options.h"
#include "model/probecode.h"
#include "system/bpfcode.h"

#include <stdbool.h>

struct branch_names;

/* 0, or a negative errno with a sentence. O outlives *RET. */
int branch_names_new(const struct options *o, struct branch_names **ret, struct err *e);
void branch_names_free(struct branch_names *n);          /* NULL is fine */

/* Whether CODE is of the kernel, and not of a file; and whether its entry and return are probed, not its blocks. */
bool branch_names_is_kernel(const struct probe_code *code);
bool branch_names_is_graph(const struct probe_code *code);
/* Whether it is the latter since it was called by a pointer, or below that. */
bool branch_names_is_pointed(const struct probe_code *code);

/*
 * Opens the file of CODE now, since the process that has it may end. Of the kernel it reads the code itself: once
 * probes are in place, they stand in it.
 */
void branch_names_open(struct branch_names *n, const struct probe_code *code);
/* What block NR of CODE was then, of the kernel; NULL when it could not be read. */
const uint8_t *branch_names_kernel_code(const struct branch_names *n, const struct probe_code *code, uint32_t nr);
/* Addresses of SPACE are in CODE, of a BPF program, which outlives N. 0, or -ENOMEM. */
int branch_names_program(struct branch_names *n, uint32_t space, const struct bpfcode *code, struct err *e);
/* The BPF program that CODE is of; NULL. */
const struct bpfcode *branch_names_program_of(const struct branch_names *n, const struct probe_code *code);
/* Addresses of BRANCH_KERNEL are named by S, which outlives N, and those of BPF programs by their lines. */
void branch_names_records(struct branch_names *n, const struct branch_symbols *s);
/* The path by which this process can open the file of CODE. Returns DST. */
char *branch_names_path(const struct probe_code *code, char *dst, size_t size);

/* As struct branch_show has it; CTX is a struct branch_names. */
void branch_names_of(void *ctx, uint32_t space, uint64_t address, struct branch_place *ret);
bool branch_names_source(void *ctx, const struct branch_line *line, char dst[SHOW_SOURCE_MAX]);

DEFINE_AUTO(branch_names_free, struct branch_names);

#endif
