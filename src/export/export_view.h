/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export_view.h - what an exporter writes: a snapshot with its names and figures, and what of it is asked for.
 *
 * Exporters that draw trees build them from the query; those whose format has stacks of its own (pprof, perf script) read the
 * slices and leave out what the query does, by query/filter.h. Those that tell when each thing happened (perf script, Firefox)
 * read single events: export/events.h.
 */
#ifndef SBERF_EXPORT_EXPORT_VIEW_H
#define SBERF_EXPORT_EXPORT_VIEW_H

#include "base/err.h"
#include "export/flame.h"
#include "model/event.h"
#include "profile/meta.h"
#include "query/query.h"

#include <stdbool.h>

/* Gets an event, which lives for the call. Anything but 0 ends the pass. */
typedef int event_fn(void *ctx, const struct event *ev);

/*
 * Hands every event behind a snapshot to FN, in the order of the recording, which is nearly that of time; whether it is asked for
 * or not. Ids are those of the snapshot's dictionary, or beyond them when the recording has grown since. May be called
 * again. What FN returned, 0 at the end, or a negative errno with a sentence. SOURCE is export_view.source.
 */
typedef int each_event_fn(void *source, event_fn *fn, void *ctx, struct err *e);

struct code_access;

/* Of a capture that goes on. */
struct export_live {
	unsigned int document;   /* which it is, from 1 on */
};

/* All pointers are borrowed. */
struct export_view {
	const struct snapshot *snapshot;
	const struct names *names;
	const struct profile_meta *meta;
	struct query query;      /* what to count; measures 0: what the format counts by default */
	const struct tree *tree; /* what QUERY asks for, of an exporter that reads a tree: exporter_write() sets both */
	bool group_given;        /* query.group_by was asked for; else the format's own */
	double min_percent;      /* of the texts tree and flat: leave out what is less; 0 = all */
	uint32_t max_depth;      /* of the text tree: levels under the groups; 0 = all */
	bool ascii;              /* no UTF-8 of our own; names keep theirs */
	const char *title;       /* of a picture; NULL = what the profile is of */
	struct flame_options flame;      /* how to draw one */
	each_event_fn *each_event;       /* NULL: only sums are known, as of an import */
	void *source;            /* for each_event */
	const struct export_live *live;  /* NULL: nothing comes after this */
	const struct code_access *code;  /* for annotate: how files of code are opened; NULL = they are not */
};

/* The head of the column of totals, which are of LEAD, in texts: "time", or what they count; M says what an import counts. */
static inline const char *tree_text_head(const struct measure *lead, const struct profile_meta *m)
{
	return lead->wall ? "time" : lead->unit == UNIT_OWN && m->unit[0] ? m->unit : lead->head;
}

#endif
