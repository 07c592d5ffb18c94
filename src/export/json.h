/* SPDX-License-Identifier: BSD-2-Clause */
/* json.h - the parts of sberf's own JSON (docs/json-format.md), one function a member. Private to it. */
#ifndef SBERF_EXPORT_JSON_H
#define SBERF_EXPORT_JSON_H

#include "export/jsonout.h"
#include "export/view.h"
#include "profile/numa.h"
#include "profile/waits.h"

/* "figures", "question": what the profile says of itself, and what of it was asked for. */
void json_put_figures(struct jsonout *j, const struct profile_meta *m, const struct snapshot *s);
void json_put_question(struct jsonout *j, const struct query *q);

/* "modules", "threads": the dictionaries, by id, so that other members name them by index. Threads with what they have of what Q asks for. */
void json_put_modules(struct jsonout *j, const struct dict *d);
void json_put_threads(struct jsonout *j, const struct export_view *v, const struct query *q);

/* "functions", "tree"; UNIT is profile_meta.unit. */
void json_put_tree(struct jsonout *j, const struct tree *t, const char *unit);

/* "waits", "open_waits" */
void json_put_waits(struct jsonout *j, const struct waits *w);

/* "nodes", "accesses" */
void json_put_nodes(struct jsonout *j, const struct numa_view *v);

#endif
