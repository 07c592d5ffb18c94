/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.h - the parts of sberf's own JSON (docs/json-format.md), one function for each member.
 * Private to it.
 */
#ifndef SBERF_EXPORT_JSON_H
#define SBERF_EXPORT_JSON_H

#include "export/export_view.h"
#include "export/jsonout.h"
#include "query/numareport.h"
#include "query/waits.h"

/*
 * The JSON name of amounts of M, behind OF: "self_running_ns", "made_bytes"; measures that are
 * neither time nor bytes have no unit in it. Returns DST.
 */
#define JSON_KEY_MAX 64
char *json_key(const struct measure *m, const char *of, char dst[JSON_KEY_MAX]);

/* "functions", "tree" */
void json_put_tree(struct jsonout *j, const struct tree *t);

/* "waits", "open_waits" */
void json_put_waits(struct jsonout *j, const struct waits *w);

/* "nodes", "accesses" */
void json_put_nodes(struct jsonout *j, const struct numa_view *v);

#endif
