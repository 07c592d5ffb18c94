/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rowfilter.h - makes a filter of the row under the cursor: the suggestion of key f. All return
 * false when there is none.
 */
#ifndef SBERF_UI_PANES_ROWFILTER_H
#define SBERF_UI_PANES_ROWFILTER_H

#include "query/query.h"
#include "query/terms.h"

#include <stdbool.h>
#include <stdint.h>

/* What is WHAT with the number ID. */
bool rowfilter_number(struct filter_term *t, enum term_what what, long id);
/* The thread ID of D. */
bool rowfilter_thread(struct filter_term *t, const struct dict *d, thread_id id);
/* What is called NAME, if that can be shown as it is. */
bool rowfilter_name(struct filter_term *t, enum term_what what, const char *name);
/* The function that the call path LABEL is called after, the first of them. Cuts LABEL there. */
bool rowfilter_path(struct filter_term *t, char *label);
/* NODE of a call tree. */
bool rowfilter_node(struct filter_term *t, const struct tree *tree, uint32_t node);

#endif
