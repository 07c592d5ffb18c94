/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traceable.h - which functions the kernel lets be traced where they begin by many probes at once (ftrace): those of
 * the list that tracefs has of them.
 */
#ifndef SBERF_PROBE_TRACEABLE_H
#define SBERF_PROBE_TRACEABLE_H

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>

struct traceable;

/* Of the running kernel. 0, with *RET NULL where there is no such list, or it cannot be read; -ENOMEM. */
int traceable_load(struct traceable **ret, struct err *e);
/* The same of the file PATH, with a function on each line: "NAME", "NAME [MODULE]". -ENOENT, -EACCES, -ENOMEM. */
int traceable_read(const char *path, struct traceable **ret, struct err *e);
void traceable_free(struct traceable *t);        /* NULL is fine */

/* Whether some function is called NAME. */
bool traceable_has(const struct traceable *t, const char *name);

DEFINE_AUTO(traceable_free, struct traceable);

#endif
