/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.h - the parts of sberf's own JSON (docs/json-format.md), one function for each member.
 * Private to it.
 */
#ifndef SBERF_EXPORT_JSON_H
#define SBERF_EXPORT_JSON_H

#include "export/export_view.h"
#include "export/jsonout.h"
#include "query/leaks.h"
#include "query/memorysizes.h"
#include "query/numareport.h"
#include "query/probereport.h"
#include "query/waits.h"

/*
 * The JSON name of amounts of M, behind OF: "self_running_ns", "made_bytes"; measures that are
 * neither time nor bytes have no unit in it. Returns DST.
 */
#define JSON_KEY_MAX 64
char *json_key(const struct measure *m, const char *of, char dst[JSON_KEY_MAX]);

/* "functions", "tree" */
void json_put_tree(struct jsonout *j, const struct tree *t);

/* NS as a number; what is larger than numbers are becomes the largest. NULL when out of memory. */
json_t *json_length_ns(double ns);
/* Pairs of a shortest length and how many waits or calls had it, or up to twice of it. */
json_t *json_lengths(struct jsonout *j, const uint64_t hist[WAIT_BUCKETS]);

/* "probes" */
void json_put_probes(struct jsonout *j, const struct probe_report *p);

/* "memory" */
void json_put_memory(struct jsonout *j, const struct leaks *l, const struct memory_history *h);

/* "waits", "open_waits" */
void json_put_waits(struct jsonout *j, const struct waits *w);

/* "nodes", "accesses" */
void json_put_nodes(struct jsonout *j, const struct numa_view *v);

#endif
