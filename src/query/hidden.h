/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hidden.h - which frames a query hides: query.hide_kernel, query.hide_libraries, query.scripts.
 * Private to code that reads stacks for a query; query.h defines what a library is.
 */
#ifndef SBERF_QUERY_HIDDEN_H
#define SBERF_QUERY_HIDDEN_H

#include "model/dict.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct hidden {
	bool *module;            /* by module_id: hidden; NULL = none is */
	uint32_t n;              /* size of module; newer modules are shown */
	bool interpreters;       /* frames of interpreters are hidden: those that they run stand for them */
};

/* Initialises H for Q. False when out of memory; call hidden_free() in any case. */
bool hidden_init(struct hidden *h, const struct dict *d, const struct query *q);
void hidden_free(struct hidden *h);              /* zeroed is fine */

/* Whether frames of MODULE are hidden. */
static inline bool hidden_module(const struct hidden *h, module_id module)
{
	return module < h->n && h->module[module];
}

/* Whether the frame F, of a dictionary, is hidden. */
static inline bool hidden_frame(const struct hidden *h, const struct frame *f)
{
	return hidden_module(h, f->module) ||
	       (h->interpreters && __atomic_load_n(&f->flags, __ATOMIC_RELAXED) & FRAME_F_INTERPRETER);
}

#endif
