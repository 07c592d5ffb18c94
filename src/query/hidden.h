/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hidden.h - which frames a question leaves out, by the module that they are in: query.hide_kernel, query.hide_libraries. Private to
 * whoever reads stacks for a question; what counts as a library is said in query.h.
 */
#ifndef SBERF_QUERY_HIDDEN_H
#define SBERF_QUERY_HIDDEN_H

#include "model/dict.h"
#include "query/query.h"

#include <stdbool.h>
#include <stdint.h>

struct hidden {
	bool *module;            /* by module_id: left out; NULL = nothing is */
	uint32_t n;              /* there are; what came since is shown */
};

/* False when out of memory: to be freed all the same. */
bool hidden_init(struct hidden *h, const struct dict *d, const struct query *q);
void hidden_free(struct hidden *h);              /* zeroed is fine */

/* Whether frames of MODULE are left out. */
static inline bool hidden_module(const struct hidden *h, module_id module)
{
	return module < h->n && h->module[module];
}

#endif
