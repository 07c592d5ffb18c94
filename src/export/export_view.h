/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export_view.h - what an exporter gets: a snapshot with its names and figures, and the query.
 *
 * Exporters of trees build them from the query. Those whose format has stacks of its own (pprof,
 * perf script) read the slices and filter them by query/filter.h. Those whose format has times
 * (perf script, Firefox) read single events: export/events.h.
 */
#ifndef SBERF_EXPORT_EXPORT_VIEW_H
#define SBERF_EXPORT_EXPORT_VIEW_H

#include "base/err.h"
#include "export/flame.h"
#include "model/event.h"
#include "profile/meta.h"
#include "query/query.h"

#include <stdbool.h>

/* Gets an event, valid during the call. A non-zero result ends the pass. */
typedef int event_fn(void *ctx, const struct event *ev);

/*
 * Calls FN for every event behind a snapshot, asked for or not, in the order of the recording,
 * which is nearly that of time. Ids are those of the snapshot's dictionary, or beyond them when the
 * recording has grown since. May be called again. Returns FN's result, 0 at the end, or a negative
 * errno with a sentence. SOURCE is export_view.source.
 */
typedef int each_event_fn(void *source, event_fn *fn, void *ctx, struct err *e);

struct code_access;

/* For a running capture. */
struct export_live {
	unsigned int document;   /* number of this document, from 1 */
};

/* All pointers are borrowed. */
struct export_view {
	const struct snapshot *snapshot;
	const struct names *names;
	const struct profile_meta *meta;
	struct query query;      /* what to count; measures 0: what the format counts by default */
	/* the tree of QUERY, for exporters that read one: exporter_write() sets both */
	const struct tree *tree;
	bool group_given;        /* the user chose query.group_by; else the format's default applies */
	double min_percent;      /* of the texts tree and flat: leave out what is less; 0 = all */
	uint64_t older_ns, min_bytes;    /* of leaks: blocks in use for less, and sites with less, are left out */
	uint32_t max_depth;      /* of the text tree: levels under the groups; 0 = all */
	bool without_idle;       /* of pprof: with query.fold_idle, idle waits are left out, and have no sample */
	bool ascii;              /* no UTF-8 of our own; names keep theirs */
	const char *title;       /* of a picture; NULL = what the profile is of */
	struct flame_options flame;      /* how to draw one */
	each_event_fn *each_event;       /* NULL: there are only sums, as in an import */
	void *source;            /* for each_event */
	const struct export_live *live;  /* NULL: no further documents follow */
	const struct code_access *code;  /* for annotate: how files of code are opened; NULL = they are not */
};

/*
 * The head of the column of totals, which are of LEAD, in texts: "time", or what they count; M says
 * what an import counts.
 */
static inline const char *tree_text_head(const struct measure *lead, const struct profile_meta *m)
{
	return lead->wall ? "time" : lead->unit == UNIT_OWN && m->unit[0] ? m->unit : lead->head;
}

#endif
